import PhotoLibrary
import Zip

/// What both apps refuse to restore, on the phones themselves.
enum PhoneLimits {
  static let entries = 10_000
  static let uncompressedBytes = 1 << 30
  static let archiveBytes = 1 << 30
  static let ratio = 100

  /// Why a phone will refuse an archive.
  static func refusals(entries list: [(name: String, size: Int, compressedSize: Int)], archiveBytes size: Int)
    -> [String]
  {
    var reasons: [String] = []
    if list.count > entries { reasons.append("\(list.count) entries, more than 10,000") }
    let bytes = list.reduce(0) { $0 + $1.size }
    if bytes > uncompressedBytes { reasons.append("\(bytes) bytes, more than 1 GiB") }
    if size > archiveBytes { reasons.append("a file of \(size) bytes, more than 1 GiB") }
    for entry in list where entry.size > entry.compressedSize * ratio {
      reasons.append("\(entry.name) is compressed more than 100 times")
    }
    return reasons
  }
}

extension ExportPlan {
  /// Why a phone will refuse an archive of this plan, as far as it can be told without one.
  func phoneRefusals(archiveBytes: Int) -> [String] {
    let photos = items.map { ($0.entryName, $0.size, $0.size) }
    let texts = [(ArchiveTexts.metadataName, 0, 0), (ArchiveTexts.checksumsName, 0, 0)]
    return PhoneLimits.refusals(entries: photos + texts, archiveBytes: archiveBytes)
  }
}
