import Checksums
import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// The parts of an archive that this project wrote.
struct WrittenBackup {
  let path: FilePath
  /// As this project reads it.
  let metadata: Metadata
  /// As the iOS app reads it.
  let strict: Metadata
  /// The bytes of the entries by name.
  let entries: [String: [UInt8]]
  /// The names of the entries in the archive's order.
  let names: [String]
  private let archive: Archive
  private let bytes: [UInt8]

  /// Reads the archive of an export, which must have no faults.
  static func intact(
    _ archive: FilePath?, password: Secret? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> WrittenBackup {
    let backup = try WrittenBackup(
      try #require(archive, sourceLocation: sourceLocation), password: password)
    expectNone(try backup.faults(), sourceLocation: sourceLocation)
    return backup
  }

  init(_ path: FilePath, password: Secret? = nil) throws {
    self.path = path
    archive = try Archive(path: path)
    bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    names = archive.entries.map(\.name)
    var reader = try EntryReader(archive, password: password)
    var entries: [String: [UInt8]] = [:]
    for entry in archive.entries { entries[entry.name] = try reader.bytes(of: entry, limit: 1 << 30) }
    self.entries = entries
    let json = entries["metadata.json"] ?? []
    metadata = try Metadata(json: json)
    strict = try FoundationMetadata.readStrictly(json)
  }

  /// The bytes of each photo by its id.
  var photos: [Int64: [UInt8]] {
    var photos: [Int64: [UInt8]] = [:]
    for entry in strict.photoManifest { photos[entry.photoId] = entries[entry.zipEntryName] }
    return photos
  }

  /// The metadata without dates and IDs, which is equal in two backups of one library.
  var lasting: Metadata {
    var metadata = metadata
    metadata.exportDate = nil
    metadata.smilepile?.uuid = ""
    metadata.smilepile?.library = nil
    metadata.smilepile?.sequence = nil
    metadata.smilepile?.earlierIDs = nil
    return metadata
  }

  /// Returns what prevents the apps or md5sum from reading the archive.
  func faults() throws -> [String] {
    var faults = namesThatPhonesRefuse() + headersThatPhonesRefuse() + manifestFaults() + checksumFaults()
    if strict.version != 2 || strict.format != "ZIP" {
      faults.append("version \(strict.version) \(strict.format)")
    }
    if try FoundationMetadata.holdsNull(entries["metadata.json"] ?? []) { faults.append("a null") }
    if names.suffix(2) != ["metadata.json", "checksums.md5"] { faults.append("the texts do not come last") }
    return faults
  }

  private func namesThatPhonesRefuse() -> [String] {
    var faults: [String] = []
    for name in names {
      let bytes = Array(name.utf8)
      if zip(bytes, bytes.dropFirst()).contains(where: { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: ".") })
      {
        faults.append("\(name) contains ..")
      }
      if bytes.contains(UInt8(ascii: "\\")) { faults.append("\(name) contains a backslash") }
      if bytes.last == UInt8(ascii: "/") { faults.append("\(name) is a folder") }
      if bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0.count > 255 }) {
        faults.append("\(name) is too long")
      }
    }
    if Set(names.map { Array($0.utf8) }).count != names.count { faults.append("a name occurs twice") }
    return faults
  }

  /// Android does not read the central directory, so the local headers must be complete.
  private func headersThatPhonesRefuse() -> [String] {
    archive.entries.compactMap { entry in
      guard let header = LocalHeader(in: bytes, at: entry.headerOffset) else {
        return "\(entry.name) has no header"
      }
      if header.flags & 8 != 0 { return "\(entry.name) has a data descriptor" }
      let isComplete =
        header.crc32 == entry.crc32 && Int(header.compressedSize) == entry.compressedSize
        && Int(header.size) == entry.size
      return isComplete ? nil : "the local header of \(entry.name) lies"
    }
  }

  private func manifestFaults() -> [String] {
    var faults: [String] = []
    let rows = Dictionary(uniqueKeysWithValues: strict.photos.map { ($0.id, $0) })
    for item in strict.photoManifest {
      let last = item.zipEntryName.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
      if last != Array(item.fileName.utf8) {
        faults.append("\(item.fileName) is not the end of its entry's name")
      }
      let content = entries["photos/\(item.fileName)"]
      if content == nil { faults.append("\(item.fileName) is not under photos/") }
      if let content, item.checksum != MD5Digest(of: content).description || item.fileSize != content.count {
        faults.append("\(item.fileName): MD5 or size of other bytes")
      }
      guard let row = rows[item.photoId] else {
        faults.append("no photo \(item.photoId)")
        continue
      }
      if row.isFromAssets { faults.append("the asset \(row.id) has a file") }
      if row.path != "photos/\(item.fileName)" { faults.append("path \(row.path)") }
    }
    let files = names.filter { $0.hasPrefix("photos/") }
    let others = names.filter { !Entry.isDerived($0) }
    if files.count != strict.photoManifest.count || others.count != files.count + 2 {
      faults.append("entries that the manifest does not name")
    }
    if Set(strict.photoManifest.map { Array($0.fileName.utf8) }).count != files.count {
      faults.append("a file name occurs twice")
    }
    return faults
  }

  private func checksumFaults() -> [String] {
    let text = String(decoding: entries["checksums.md5"] ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    let expected = entries.keys.filter { $0 != "checksums.md5" }.map { name in
      "\(MD5Digest(of: entries[name] ?? []))  \(name)"
    }
    return lines.sorted() == expected.sorted() ? [] : ["checksums.md5 does not name every entry with its MD5"]
  }
}
