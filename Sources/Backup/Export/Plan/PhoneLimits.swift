import FileSystem
import Operations

/// The limits above which both apps refuse to restore a backup on the phone. Tests use smaller limits.
public struct PhoneLimits: Sendable, Equatable {
  /// The most entries of an archive, including its texts.
  public var entries = 10_000
  /// The most uncompressed bytes of all entries.
  public var uncompressedBytes = 1 << 30
  /// The most bytes of the archive's file.
  public var archiveBytes = 1 << 30

  /// Makes the limits of the apps.
  public init() {}

  /// Returns why a phone will refuse an archive.
  func refusals(entries list: [(name: String, size: Int, compressedSize: Int)], archiveBytes size: Int)
    -> [String]
  {
    var reasons: [String] = []
    if list.count > entries {
      reasons.append("it has \(list.count) entries, more than \(entries == 10_000 ? "10,000" : "\(entries)")")
    }
    let bytes = list.saturatedSum(\.size)
    if bytes > uncompressedBytes {
      reasons.append("its files have \(bytes) bytes, more than \(Self.text(uncompressedBytes))")
    }
    if size > archiveBytes {
      reasons.append("the file has \(size) bytes, more than \(Self.text(archiveBytes))")
    }
    for entry in list where entry.size > entry.compressedSize * Self.ratio {
      reasons.append("\(entry.name) is compressed more than \(Self.ratio) times")
    }
    return reasons
  }

  /// The greatest compression ratio of an entry.
  private static let ratio = 100

  private static func text(_ bytes: Int) -> String {
    bytes == 1 << 30 ? "1 GiB" : Count(bytes, "byte").description
  }
}

extension ExportPlan {
  /// Returns why a phone will refuse an archive of this plan, as far as the plan shows it.
  func phoneRefusals(_ limits: PhoneLimits, archiveBytes: Int) -> [String] {
    let photos = items.map { ($0.entryName, $0.size, $0.size) }
    let thumbnails = items.compactMap { item in
      item.thumbnail.map { (item.thumbnailName, $0.bytes, $0.bytes) }
    }
    let views = items.compactMap { item in item.view.map { (item.viewName, $0.bytes, $0.bytes) } }
    var texts = [MetadataEntries.metadataName, MetadataEntries.checksumsName]
    if let gallery { texts += self.gallery(gallery, date: 0).pages.map(\.path) + [CategorySummary.entryName] }
    return limits.refusals(
      entries: photos + thumbnails + views + texts.map { ($0, 0, 0) }, archiveBytes: archiveBytes)
  }
}
