import Foundation
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// A backup that 7z packs and encrypts, completely or partly.
struct EncryptedBackup {
  static let password: Secret = "sesame open wide"

  let folder = ScratchFolder()
  var path: FilePath { folder.path.appending("a.zip") }

  /// True if 7z is installed.
  static let isPossible = Programs.has("7z")

  /// Writes the entries of a backup as files.
  init(_ entries: [String: [UInt8]]) throws {
    for (name, bytes) in entries { try folder.write(bytes, to: "in/\(name)") }
  }

  /// Adds some of the files to the archive.
  func pack(_ files: String, _ options: String) throws {
    try Programs.shell("7z a -bd -y -tzip \(options) ../a.zip \(files)", in: folder.path("in"))
  }

  /// Changes one byte of an entry's data, counted from its start, or from its end if negative.
  func damage(_ name: String, at offset: Int) throws {
    let entry = try #require(try Archive(path: path).entries.first { $0.name == name })
    let url = URL(fileURLWithPath: path.string)
    var bytes = try Data(contentsOf: url)
    bytes[entry.dataOffset + (offset < 0 ? entry.compressedSize + offset : offset)] ^= 0x10
    try bytes.write(to: url)
  }
}
