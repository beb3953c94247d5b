import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// The checksums of a backup's entries in `checksums.md5`: lines in the format of md5sum(1) with an MD5, two
/// characters and a name. The apps ignore the file. This project writes it so that md5sum can verify an extracted
/// archive.
struct ChecksumList {
  /// The checksum of each entry of the archive; empty if no list was read.
  private var digests: [MD5Digest?] = []
  private var malformedLines = MalformedLines()

  /// Warnings about malformed lines.
  var warnings: [String] { malformedLines.warnings }

  /// Reads the list of a backup; an empty one if the backup has none. Ignores a corrupt list, since the check of
  /// its entry reports the damage.
  init(of source: OpenedBackup) throws {
    guard let archive = source.archive,
      let entry = archive.entries.first(where: { $0.name == source.root + MetadataEntries.checksumsName })
    else { return }
    var reader = try EntryReader(archive, password: source.password)
    do {
      let bytes = try reader.bytes(of: entry, limit: Limits().maximumDocumentBytes)
      read(bytes, of: archive, below: source.root)
    } catch let error as ArchiveError {
      if error.cause == .environment { throw error }
      guard case .entryTooLarge(_, _, let bytes, let limit) = error else { return }
      malformedLines.note("was not read: it has \(Count(bytes, "byte")), and at most \(limit) are read")
    }
  }

  /// The checksum of an entry in the list, nil if the list does not have it.
  subscript(entry: Entry) -> MD5Digest? { digests.isEmpty ? nil : digests[entry.index] }

  /// - Parameter root: the folder of the list in the archive.
  private mutating func read(_ bytes: [UInt8], of archive: Archive, below root: String) {
    digests = Array(repeating: nil, count: archive.entries.count)
    lazy var indices = Dictionary(
      archive.entries.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    // a list has a line for each entry; a much longer file is not a list and not worth the time
    var linesLeft = 2 * archive.entries.count + 1_000
    // most lists have the archive's order
    var likely = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      guard linesLeft > 0 else {
        return malformedLines.note("has many more lines than the archive has entries")
      }
      linesLeft -= 1
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest.dropFirst(line.count + 1)
      if let (digest, name) = Self.entry(on: line) {
        let path = root + name
        let isLikely = likely < archive.entries.count && archive.entries[likely].name == path
        if let index = isLikely ? likely : indices[path] {
          digests[index] = digest
          likely = index + 1
        } else {
          malformedLines.note("is not in the archive", name)
        }
      } else if !line.isEmpty {
        malformedLines.note("is not an MD5 and a name", String(decoding: line, as: UTF8.self))
      }
    }
  }

  /// Returns the MD5 of each name in a list, without those on malformed lines.
  static func digests(in bytes: [UInt8]) -> [String: MD5Digest] {
    var digests: [String: MD5Digest] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let (digest, name) = entry(on: line) { digests[name] = digest }
    }
    return digests
  }

  /// Returns the MD5 and the name on a line; nil if the line is malformed.
  private static func entry(on line: ArraySlice<UInt8>) -> (digest: MD5Digest, name: String)? {
    let (digits, name) = (String(decoding: line.prefix(32), as: UTF8.self), line.dropFirst(34))
    guard let digest = MD5Digest(hex: digits), !name.isEmpty else { return nil }
    return (digest, String(decoding: name, as: UTF8.self))
  }

  /// Lines without an entry: the first of each kind, and their number.
  private struct MalformedLines {
    private var kinds: [(problem: String, first: String?, count: Int)] = []

    mutating func note(_ problem: String, _ line: String? = nil) {
      if let known = kinds.firstIndex(where: { $0.problem == problem }) {
        kinds[known].count += 1
      } else {
        kinds.append((problem, line.map { String($0.prefix(80)).escaped }, 1))
      }
    }

    var warnings: [String] {
      kinds.map { problem, first, count in
        let line = first.map { ": “\($0)”" } ?? ""
        return "\(MetadataEntries.checksumsName)\(line) \(problem)"
          + (count == 1 ? "" : ", and \(count - 1) more")
      }
    }
  }
}
