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

  /// Reads the list of a backup; an empty one if it has none. A list that is itself damaged says so when the entry is
  /// checked, and counts for nothing here.
  init(of source: BackupSource) throws {
    guard let archive = source.archive,
      let entry = archive.entries.first(where: { $0.name == source.root + "checksums.md5" })
    else { return }
    root = source.root
    var reader = try source.entryReader(archive)
    guard let bytes = try? reader.bytes(of: entry, limit: Limits().maximumDocumentBytes) else { return }
    let names = Set(archive.entries.map(\.name))
    var odd: [(first: String, problem: String, count: Int)] = []
    func note(_ line: String, _ problem: String) {
      if let known = odd.firstIndex(where: { $0.problem == problem }) {
        odd[known].count += 1
      } else {
        odd.append((String(line.prefix(80)).escaped, problem, 1))
      }
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let bytesOfLine = rest.prefix { $0 != UInt8(ascii: "\n") }
      // of the bytes, since text that is no UTF-8 has another length once it is repaired
      rest = rest.dropFirst(bytesOfLine.count + 1)
      let line = String(decoding: bytesOfLine, as: UTF8.self)
      let name = String(line.dropFirst(34))
      if let digest = MD5Digest(hex: line.prefix(32)), !name.isEmpty {
        if names.contains(root + name) { digests[name] = digest } else { note(name, "is not in the archive") }
      } else if !line.isEmpty {
        note(line, "is no MD5 and name")
      }
    }
    warnings = odd.map { first, problem, count in
      "checksums.md5: “\(first)” \(problem)" + (count == 1 ? "" : ", and \(count - 1) more")
    }
  }

  /// What the list says of an entry, nil if nothing.
  subscript(entry: Entry) -> MD5Digest? {
    entry.name.hasPrefix(root) ? digests[String(entry.name.dropFirst(root.count))] : nil
  }
}
