import Checksums
import PhotoLibrary
import SystemPackage
import TestSupport

@testable import Backup

/// A backup as the Android app writes it, built photo by photo. Tests may change every part.
struct SampleBackup {
  var metadata = Metadata()
  /// The entries that hold photos.
  var members: [ZipMember] = []
  /// The bytes of each photo by its id.
  private(set) var photos: [Int64: [UInt8]] = [:]

  /// A backup with one category and no photos.
  init() {
    metadata.exportDate = 1_700_000_000_000
    metadata.appVersion = "25.10.03.001"
    metadata.categories = [
      Metadata.CategoryRecord(id: 1, name: "family", displayName: "Family", position: 0, createdAt: 5)
    ]
    metadata.settings = Metadata.SettingsRecord(
      isDarkMode: true,
      securitySettings: Metadata.SecurityRecord(
        hasPIN: false, hasPattern: false, kidSafeModeEnabled: false, deleteProtectionEnabled: false))
  }

  /// A backup with these photos, with IDs from 1: `photos/1_a.jpg` for "a".
  init(photos texts: [String]) {
    self.init()
    for (index, text) in texts.enumerated() {
      add(id: Int64(index + 1), name: text, bytes: Array(text.utf8))
    }
  }

  mutating func add(id: Int64, name: String, date: Timestamp = 1_700_000_000_000, bytes: [UInt8]) {
    let fileName = "\(id)_\(name).jpg"
    metadata.photos.append(
      Metadata.PhotoRecord(
        id: id, path: "/data/user/0/com.smilepile/files/photos/\(name).jpg", categoryId: 1, name: name,
        createdAt: date, fileSize: Int64(bytes.count)))
    metadata.photoManifest.append(
      Metadata.ManifestEntry(
        photoId: id, originalPath: "/data/user/0/com.smilepile/files/photos/\(name).jpg",
        zipEntryName: "photos/\(fileName)", fileName: fileName, fileSize: Int64(bytes.count),
        checksum: MD5Digest(of: bytes).description))
    members.append(.stored("photos/\(fileName)", String(decoding: bytes, as: UTF8.self)))
    photos[id] = bytes
  }

  /// Makes an entry a bzip2 entry that declares this size.
  mutating func declareSize(_ size: UInt64, ofMember index: Int) {
    let packed = UInt64(members[index].data.count)
    members[index].both { header in
      header.method = 12
      header.size = .max
    }
    members[index].local.compressedSize = .max
    members[index].local.extra = .zip64Field(size, packed)
    members[index].central.extra = .zip64Field(size)
  }

  /// Returns the archive's bytes, with `json` in place of the metadata if it is given.
  func archive(json: [UInt8]? = nil) throws -> [UInt8] {
    let text = String(decoding: json ?? metadata.json(), as: UTF8.self)
    return ZipBuilder([.stored("metadata.json", text)] + members).bytes
  }

  /// Writes the archive into a folder.
  func write(to folder: ScratchFolder, as name: String = "backup.zip") throws -> FilePath {
    try folder.write(archive(), to: name)
  }
}
