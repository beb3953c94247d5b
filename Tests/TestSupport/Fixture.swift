import Foundation
import SystemPackage
import Zip

/// The backups in `Fixtures/`.
package enum Fixture {
  /// A backup as the Android app writes it, with eight photo files.
  package static let androidV2 = path("valid/android_v2_smilepile_backup_20251003_140000.zip")

  /// A path in `Fixtures/`.
  package static func path(_ name: String) -> FilePath {
    FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
      .appending("Fixtures").pushing(FilePath(name))
  }

  /// The photos of an archive. The names are without the leading ID.
  package static func photos(_ archive: FilePath = androidV2) throws -> [(name: String, bytes: [UInt8])] {
    let archive = try Archive(path: archive)
    var reader = try EntryReader(archive)
    var photos: [(name: String, bytes: [UInt8])] = []
    for entry in archive.entries where entry.name.hasPrefix("photos/") {
      let name = entry.name.dropFirst("photos/".count).drop { $0.isNumber }.dropFirst()
      photos.append((String(name), try reader.bytes(of: entry, limit: 1 << 24)))
    }
    return photos
  }

  /// The bytes of all entries of an archive by name.
  package static func entries(_ archive: FilePath = androidV2) throws -> [String: [UInt8]] {
    let archive = try Archive(path: archive)
    var reader = try EntryReader(archive)
    var entries: [String: [UInt8]] = [:]
    for entry in archive.entries where !entry.isDirectory {
      entries[entry.name] = try reader.bytes(of: entry, limit: 1 << 24)
    }
    return entries
  }
}
