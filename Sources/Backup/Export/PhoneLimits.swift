import FileSystem
import PhotoLibrary
import Zip

/// What both apps refuse to restore, on the phones themselves; smaller ones are for tests.
public struct PhoneLimits: Sendable, Equatable {
  /// Entries of an archive, its texts among them.
  public var entries = 10_000
  /// Bytes of all entries, unpacked.
  public var uncompressedBytes = 1 << 30
  /// Bytes of the archive's file.
  public var archiveBytes = 1 << 30
  /// How many times smaller an entry may be than its contents.
  public var ratio = 100

  /// The limits of the apps.
  public init() {}

  /// Why a phone will refuse an archive.
  func refusals(entries list: [(name: String, size: Int, compressedSize: Int)], archiveBytes size: Int)
    -> [String]
  {
    var reasons: [String] = []
    if list.count > entries {
      reasons.append("\(list.count) entries, more than \(entries == 10_000 ? "10,000" : "\(entries)")")
    }
    let bytes = list.reduce(0) { $0 + $1.size }
    if bytes > uncompressedBytes {
      reasons.append("\(bytes) bytes, more than \(Self.text(uncompressedBytes))")
    }
    if size > archiveBytes { reasons.append("a file of \(size) bytes, more than \(Self.text(archiveBytes))") }
    for entry in list where entry.size > entry.compressedSize * ratio {
      reasons.append("\(entry.name) is compressed more than \(ratio) times")
    }
    return reasons
  }

  private static func text(_ bytes: Int) -> String {
    bytes == 1 << 30 ? "1 GiB" : Count(bytes, "byte").description
  }
}

extension ExportPlan {
  /// Why a phone will refuse an archive of this plan, as far as it can be told without one.
  func phoneRefusals(_ limits: PhoneLimits, archiveBytes: Int) -> [String] {
    let photos = items.map { ($0.entryName, $0.size, $0.size) }
    let texts = [(ArchiveTexts.metadataName, 0, 0), (ArchiveTexts.checksumsName, 0, 0)]
    return limits.refusals(entries: photos + texts, archiveBytes: archiveBytes)
  }
}
