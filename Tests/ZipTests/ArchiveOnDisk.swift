import Operations
import Secrets
import SystemPackage
import TestSupport
import Zip

/// An archive in a folder of its own, which goes with the value.
final class ArchiveOnDisk: Sendable {
  let folder = ScratchFolder()
  let path: FilePath

  /// Writes the bytes to a new file.
  init(_ bytes: [UInt8] = []) throws {
    path = try folder.write(bytes, to: "archive.zip")
  }

  /// Writes other bytes to the same file.
  func write(_ bytes: [UInt8]) throws { try folder.write(bytes, to: "archive.zip") }

  func open(limits: Limits = Limits()) throws -> Archive { try Archive(path: path, limits: limits) }
}

extension Archive {
  /// Every entry with its bytes; throws what reading throws.
  func contents(password: Secret? = nil) throws -> [String: [UInt8]] {
    var reader = try EntryReader(self, password: password)
    var contents: [String: [UInt8]] = [:]
    for entry in entries { contents[entry.name] = try reader.bytes(of: entry, limit: 1 << 30) }
    return contents
  }
}
