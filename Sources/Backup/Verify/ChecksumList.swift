import FileSystem
import PhotoLibrary
import Zip

/// What `checksums.md5` says of a backup's entries: lines as md5sum(1) writes them, an MD5, two characters, a name.
/// The apps know nothing of it; this project writes it, so that md5sum proves an archive that was unpacked.
struct ChecksumList {
  private var digests: [String: MD5Digest] = [:]
  /// Where the list stands in the archive.
  private var root = ""
  /// What is odd about it.
  private(set) var warnings: [String] = []

  /// A line is some 300 bytes at most.
  private static let maximumBytes = 1 << 30

  /// Reads the list of a backup; an empty one if it has none. A list that is itself damaged says so when the entry is
  /// checked, and counts for nothing here.
  init(of source: BackupSource) throws {
    guard let archive = source.archive,
      let entry = archive.entries.first(where: { $0.name == source.root + "checksums.md5" })
    else { return }
    root = source.root
    var reader = try source.entryReader(archive)
    guard let bytes = try? reader.bytes(of: entry, limit: Self.maximumBytes) else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let line = String(decoding: line, as: UTF8.self)
      guard let digest = MD5Digest(hex: line.prefix(32)), line.utf8.count > 34 else {
        warnings.append("checksums.md5: no MD5 and name: \(line.prefix(80).description.escaped)")
        continue
      }
      digests[String(line.dropFirst(34))] = digest
    }
    let names = Set(archive.entries.map(\.name))
    for name in digests.keys.sorted() where !names.contains(root + name) {
      warnings.append("checksums.md5: \(name.escaped) is not in the archive")
    }
  }

  /// What the list says of an entry, nil if nothing.
  subscript(entry: Entry) -> MD5Digest? {
    entry.name.hasPrefix(root) ? digests[String(entry.name.dropFirst(root.count))] : nil
  }
}
