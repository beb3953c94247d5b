import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// `import --salvage` imports the intact photos of a damaged archive and reports what is missing.
@Suite struct SalvageImportTests {
  /// The layout of an archive.
  enum Layout: String, CaseIterable, CustomTestStringConvertible {
    case metadataFirst = "as Android writes it"
    case streamed = "streamed, metadata first"
    case metadataLast = "as this project writes it"

    var testDescription: String { rawValue }

    func archive(_ backup: SampleBackup) throws -> ZipBuilder {
      let text = String(decoding: backup.metadata.json(), as: UTF8.self)
      let metadata = ZipMember.stored("metadata.json", text)
      switch self {
      case .metadataFirst: return ZipBuilder([metadata] + backup.members)
      case .streamed:
        return ZipBuilder(([metadata] + backup.members).map { $0.streamed })
      case .metadataLast: return ZipBuilder(backup.members + [metadata])
      }
    }
  }

  private static let texts = ["a", "b", "c"].map { String(repeating: $0, count: 150) }

  /// Three photos. The second contains an archive whose entries are named like those of a backup.
  private static func sample() -> SampleBackup {
    var backup = SampleBackup()
    let nested = ZipBuilder([.stored("photos/3_c.jpg", "WRONG"), .stored("photos/9_x.jpg", "WRONG")]).bytes
    for (index, text) in texts.enumerated() {
      let bytes = Array(text.utf8) + (index == 1 ? nested : []) + Array(text.utf8)
      let (id, name) = (Int64(index + 1), ["a", "b", "c"][index])
      backup.add(id: id, name: name, bytes: bytes)
      // as bytes, since the nested archive is not UTF-8
      backup.members[index] = ZipMember(
        Array("photos/\(id)_\(name).jpg".utf8), content: bytes, data: bytes, method: 0)
    }
    return backup
  }

  @Test(
    "Salvage: a bad sector costs at most two photos, and no corrupt photo is imported",
    arguments: Layout.allCases)
  func badSector(_ layout: Layout) async throws {
    var backup = SampleBackup()
    for id in 1...4 as ClosedRange<Int64> {
      backup.add(id: id, name: "\(id)", bytes: [UInt8](repeating: UInt8(id), count: 20_000))
    }
    let bytes = try layout.archive(backup).bytes
    let scratch = ScratchFolder()
    let path = try scratch.write(bytes, to: "bad.zip")
    let photos = try Archive(path: path).entries.filter { $0.name.hasPrefix("photos/") }
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      let sector = start..<min(start + 4096, bytes.count)
      let fault = ArmedFault(.badSectors(sector), below: path)
      defer { fault.disarm() }
      let library = try SampleLibrary()
      let summary = try await library.importing(path) { $0.salvages = true }
      #expect(summary.isIncomplete, "\(start)")
      let isInOnePhoto = photos.contains { photo in
        (photo.dataOffset..<photo.dataOffset + photo.compressedSize).contains(sector)
      }
      #expect(summary.photosImported >= (isInOnePhoto ? 3 : 2), "\(start): \(summary.errors)")
      let right = Set(backup.photos.values)
      #expect(try library.bytesOfPhotos().values.allSatisfy { right.contains($0) })
    }
  }

  @Test(
    "Salvage: a truncated archive yields every photo before its end and reports the others",
    arguments: Layout.allCases)
  func truncation(_ layout: Layout) async throws {
    let backup = Self.sample()
    let bytes = try layout.archive(backup).bytes
    let scratch = ScratchFolder()
    for length in stride(from: 64, to: bytes.count, by: 64) {
      let library = try SampleLibrary()
      let path = try scratch.write(Array(bytes[..<length]), to: "cut\(length).zip")
      let intact = try Self.members(of: bytes, endingBefore: length)
      let summary: ImportSummary
      do {
        summary = try await library.importing(path) { $0.salvages = true }
      } catch {
        #expect(!intact.contains { $0.hasPrefix("photos/") }, "cut at \(length): \(error)")
        continue
      }
      #expect(summary.isIncomplete, "cut at \(length)")
      #expect(!summary.errors.isEmpty, "cut at \(length)")
      let found = try library.bytesOfPhotos()
      // if no list of the entries survives, an entry of the archive in a photo may be one of the archive itself
      let hasList = intact.contains("metadata.json")
      for (id, bytes) in found {
        let isNested = !hasList && bytes == Array("WRONG".utf8)
        #expect(isNested || bytes == backup.photos[id], "photo \(id) cut at \(length)")
      }
      for item in backup.metadata.photoManifest where intact.contains(item.zipEntryName) {
        #expect(found[item.photoId] != nil, "photo \(item.photoId) cut at \(length)")
      }
      // with intact metadata, each missing photo is reported by its label
      if intact.contains("metadata.json") {
        for photo in backup.metadata.photos where found[photo.id] == nil {
          let label = "photo \(photo.id) “\(photo.name)” in “Family”"
          #expect(summary.errors.contains { $0.item == label }, "photo \(photo.id) cut at \(length)")
        }
      }
      expectNone(try library.faults())
    }
  }

  /// The names of the entries that end before an offset.
  private static func members(of bytes: [UInt8], endingBefore length: Int) throws -> Set<String> {
    let scratch = ScratchFolder()
    let archive = try Archive(path: scratch.write(bytes, to: "whole.zip"))
    let intact = archive.entries.filter { entry in
      let descriptor = entry.flags & 8 == 0 ? 0 : 16
      return entry.dataOffset + entry.compressedSize + descriptor <= length
    }
    return Set(intact.map(\.name))
  }

  @Test("Salvage: without metadata, photos get the names and IDs of their entries")
  func entryNames() async throws {
    let library = try SampleLibrary()
    var backup = SampleBackup(photos: ["a", "b"])
    backup.members.append(.stored("photos/holiday.jpg", "no number"))
    backup.members.append(.stored("elsewhere/x.jpg", "no photo of a backup"))
    let scratch = ScratchFolder()
    let path = try scratch.write(ZipBuilder(backup.members).bytes, to: "a.zip")
    await #expect(throws: BackupError.self) { try await library.importing(path) }
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 3)
    #expect(summary.isIncomplete)
    #expect(summary.errors.filter { $0.item == "metadata.json" }.contains { $0.message.contains("Rescued") })
    #expect(
      summary.errors.filter { $0.item == "elsewhere/x.jpg" }.contains {
        $0.message.contains("is not a photo")
      })
    let contents = try library.contents
    #expect(contents.categories.map(\.name) == ["rescued"])
    #expect(contents.photos.map(\.name) == ["a", "b", "holiday"])
    #expect(contents.photos.map(\.id) == [1, 2, 3])
    // 2025-10-03 14:00:00 in local time, as ZIP stores it
    let date = try #require(
      Calendar.current.date(from: DateComponents(year: 2025, month: 10, day: 3, hour: 14)))
    #expect(contents.photos.map(\.createdAt) == Array(repeating: Timestamp(date), count: 3))
    #expect(try library.bytesOfPhotos()[2] == Array("b".utf8))
    // a second import changes nothing
    let again = try await library.importing(path) { $0.salvages = true }
    #expect(again.photosImported == 0)
    #expect(again.photosSkipped == 3)
  }

  /// The apps date entries with the export.
  @Test("Salvage: without metadata, a photo has the date in its image, else that of its entry")
  func imageDate() async throws {
    let library = try SampleLibrary()
    var members: [ZipMember] = []
    for (name, bytes) in [
      ("photos/1_a.jpg", Self.jpeg(taken: "2019:05:04 03:02:01")), ("photos/2_b.png", Self.png),
    ] {
      members.append(ZipMember(Array(name.utf8), content: bytes, data: bytes, method: 0))
    }
    let scratch = ScratchFolder()
    let path = try scratch.write(ZipBuilder(members).bytes, to: "a.zip")
    try await library.importing(path) { $0.salvages = true }
    func date(_ components: DateComponents) throws -> Timestamp {
      Timestamp(try #require(Calendar.current.date(from: components)))
    }
    #expect(
      try library.contents.photos.map(\.createdAt) == [
        date(DateComponents(year: 2019, month: 5, day: 4, hour: 3, minute: 2, second: 1)),
        date(DateComponents(year: 2025, month: 10, day: 3, hour: 14)),
      ])
  }

  /// A JPEG that consists of an Exif segment with the tag DateTime.
  private static func jpeg(taken: String) -> [UInt8] {
    // one directory entry: tag 0x0132, type ASCII, 20 bytes at offset 26
    let tiff: [UInt8] =
      [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x32, 1, 2, 0, 20, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0]
      + Array(taken.utf8) + [0]
    let segment = Array("Exif".utf8) + [0, 0] + tiff
    let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0]
    return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment + frame + [0xFF, 0xD9]
  }

  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 2, 0, 0, 0, 3]
    + [8, 2, 0, 0, 0, 0, 0, 0, 0]

  @Test("Salvage: without metadata, images in any folder are imported, other files reported")
  func imagesInOtherFolders() async throws {
    var backup = SampleBackup(photos: ["a"])
    for (index, name) in [
      "IMG_1.jpg", "7", "holiday/deep/x.png", "phone/photos/5_b.png", "thumbnails/thumb_a.jpg",
    ].enumerated() {
      let bytes = Self.png + [UInt8(index)]
      backup.members.append(ZipMember(Array(name.utf8), content: bytes, data: bytes, method: 0))
    }
    backup.members += [
      .stored("scan.TIF", "of a kind whose header is not read"), .stored("notes.txt", "no photo"),
      .stored("checksums.md5", "no loss"), .directory("holiday/"), .stored("__MACOSX/IMG_1.jpg", "no loss"),
    ]
    let library = try SampleLibrary()
    let scratch = ScratchFolder()
    let path = try scratch.write(ZipBuilder(backup.members).bytes, to: "a.zip")
    let summary = try await library.importing(path) { $0.salvages = true }
    let contents = try library.contents
    #expect(Set(contents.photos.map(\.name)) == ["a", "IMG_1", "7", "x", "b", "scan"])
    #expect(contents.photos.first { $0.name == "b" }?.id == 5)
    #expect(contents.categories.map(\.name) == ["rescued"])
    #expect(try library.bytesOfPhotos().values.contains(Self.png + [0]))
    #expect(
      Set(summary.errors.dropFirst().map(\.item)) == [
        "metadata.json", "notes.txt", "thumbnails and pages of a gallery",
      ])
  }

  @Test("Salvage: without metadata, another photo with the same entry name is reported")
  func duplicateEntryName() async throws {
    let members = ["one", "two", "one"].map { ZipMember.stored("photos/1_a.jpg", $0) }
    let library = try SampleLibrary()
    let scratch = ScratchFolder()
    let path = try scratch.write(ZipBuilder(members).bytes, to: "a.zip")
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(try library.bytesOfPhotos() == [1: Array("one".utf8)])
    #expect(summary.errors.count { $0.item == "photos/1_a.jpg" } == 1)
  }

  @Test("Salvage: an intact backup is imported without warnings")
  func intactBackup() async throws {
    let library = try SampleLibrary()
    let scratch = ScratchFolder()
    let path = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 2)
    #expect(!summary.isIncomplete)
    #expect(summary.warnings == [])
  }

  @Test("Salvage: bytes before and after an archive are reported, and all photos imported")
  func surroundingBytes() async throws {
    let bytes = try SampleBackup(photos: ["a", "b"]).archive()
    let junk = [UInt8](repeating: 0x20, count: 300)
    for (before, behind) in [(junk, []), ([], junk), (junk, junk)] {
      let library = try SampleLibrary()
      let scratch = ScratchFolder()
      let path = try scratch.write(before + bytes + behind, to: "a.zip")
      await #expect(throws: (any Error).self) { try await library.importing(path) }
      let summary = try await library.importing(path) { $0.salvages = true }
      #expect(summary.photosImported == 2)
      #expect(summary.errors.count == 1)
      #expect(summary.isIncomplete)
      let isBoth = !before.isEmpty && !behind.isEmpty
      #expect(isBoth || summary.errors.first?.message.contains("300 bytes") == true)
    }
  }

  /// Metadata over a limit is not damage. Without the metadata, photos would be imported under other names.
  @Test(
    "Salvage: metadata over a limit is refused, and the library is unchanged",
    arguments: [\Limits.maximumDocumentBytes, \.maximumNesting], [true, false])
  func exceededLimit(_ limit: WritableKeyPath<Limits, Int> & Sendable, isCut: Bool) async throws {
    let backup = SampleBackup(photos: ["a", "b"])
    let json = backup.metadata.json()
    let library = try SampleLibrary()
    let scratch = ScratchFolder()
    let path = try scratch.write(Array(backup.archive(json: json).dropLast(isCut ? 30 : 0)), to: "a.zip")
    let value = limit == \.maximumNesting ? 2 : json.count - 1
    let tree = try library.tree
    let error = await #expect(throws: (any Error).self) {
      try await library.importing(path) {
        $0.salvages = true
        $0.limits[keyPath: limit] = value
      }
    }
    #expect(error.map { "\($0)" }?.contains("\(value)") == true)
    expectNone(try library.tree.differences(from: tree))
    // metadata at the limit is imported
    let summary = try await library.importing(path) {
      $0.salvages = true
      $0.limits[keyPath: limit] = value + 1
    }
    #expect(summary.photosImported == 2)
  }

  @Test("Salvage: errors do not suggest to salvage")
  func noSalvageRemedy() async throws {
    let bytes = try SampleBackup(photos: ["a", "b"]).archive()
    for damaged in [Array(bytes.dropLast(30)), bytes + [1], [1] + bytes] {
      let library = try SampleLibrary()
      let scratch = ScratchFolder()
      let path = try scratch.write(damaged, to: "a.zip")
      let summary = try await library.importing(path) { $0.salvages = true }
      #expect(summary.errors.first?.message.contains("a.zip") == true)
      #expect(summary.errors.allSatisfy { !$0.message.contains("salvage") })
    }
  }

  @Test("Salvage: the replace strategy requires force")
  func replaceStrategy() async throws {
    let library = try SampleLibrary(
      [.init(id: 9, fileName: "old.jpg", bytes: [1])], categories: [.sample(1, "old")])
    let scratch = ScratchFolder()
    let path = try scratch.write(Array(SampleBackup(photos: ["a"]).archive().dropLast()), to: "a.zip")
    let tree = try library.tree
    await #expect(throws: BackupError.self) {
      try await library.importing(path) { ($0.salvages, $0.strategy) = (true, .replace) }
    }
    expectNone(try library.tree.differences(from: tree))
    let summary = try await library.importing(path) {
      ($0.salvages, $0.strategy, $0.isForced) = (true, .replace, true)
    }
    #expect(summary.photosImported == 1)
    #expect(summary.isIncomplete)
  }

  @Test("Salvage: a missing file and a file that is not an archive are refused")
  func notAnArchive() async throws {
    let library = try SampleLibrary()
    let scratch = ScratchFolder()
    for text in ["no backup at all", "{\"photos\": [", "PK\u{3}\u{4}"] {
      let path = try scratch.write(text, to: "x\(text.utf8.count)")
      await #expect(throws: (any Error).self) { try await library.importing(path) { $0.salvages = true } }
    }
    await #expect(throws: BackupError.self) {
      try await library.importing(scratch.path.appending("nowhere")) { $0.salvages = true }
    }
  }

  @Test(
    "Salvage: truncated fixtures yield intact photos only", arguments: [0.1, 0.4, 0.7, 0.95],
    [Fixture.android, .ios])
  func truncatedFixtures(
    part: Double, fixture: Fixture
  ) async throws {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: fixture.path.string)))
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let path = try scratch.write(Array(bytes[..<Int(Double(bytes.count) * part)]), to: "cut.zip")
    let known = try TestSupport.Fixture.photos().map(\.bytes)
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.isIncomplete)
    let photos = try library.bytesOfPhotos().values
    #expect(photos.allSatisfy(known.contains))
    #expect(part < 0.4 || photos.count >= 3)
    expectNone(try library.faults())
  }

  @Test(
    "Salvage: a photo of an intact archive without a row is imported into “Rescued”",
    arguments: [false, true])
  func photoWithoutRow(isInManifest: Bool) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    backup.metadata.photos.remove(at: 1)
    if !isInManifest { backup.metadata.photoManifest.remove(at: 1) }
    let path = try backup.write(to: scratch)
    #expect(try await library.importing(path).photosImported == 2)
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 1)
    #expect(summary.photosSkipped == 2)
    #expect(summary.isIncomplete)
    #expect(Set(try library.bytesOfPhotos().values) == Set(backup.photos.values))
    #expect(try library.contents.categories.map(\.displayName) == ["Family", "Rescued"])
    #expect(try await library.importing(path) { $0.salvages = true }.photosImported == 0)
    expectNone(try library.faults())
  }

  @Test("Salvage: a photo whose CRC-32 is right and whose MD5 is wrong is imported and reported")
  func wrongMD5() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    let first = backup.metadata.photoManifest[0].checksum
    backup.metadata.photoManifest[0].checksum = backup.metadata.photoManifest[1].checksum
    backup.metadata.photoManifest[1].checksum = first
    let path = try backup.write(to: scratch)
    let refused = try await library.importing(path)
    #expect(refused.photosImported == 1)
    #expect(refused.photosNotImported == 2)
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 2)
    #expect(summary.photosNotImported == 0)
    #expect(summary.errors.map(\.item) == ["photo 1 “a” in “Family”", "photo 2 “b” in “Family”"])
    #expect(Set(try library.bytesOfPhotos().values) == Set(backup.photos.values))
    let names = try library.contents.photos.map { ($0.name, $0.md5) }
    #expect(names.allSatisfy { $1 == MD5Digest(of: Array($0.utf8)) })
    expectNone(try library.faults())
  }

  @Test("Salvage: an equal photo of the backup is preferred to bytes with another MD5")
  func wrongMD5AndEqualPhoto() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.add(id: 3, name: "c", bytes: backup.photos[1] ?? [])
    backup.members[0] = .stored("photos/1_a.jpg", "x")
    let summary = try await library.importing(try backup.write(to: scratch)) { $0.salvages = true }
    #expect(summary.errors == [])
    #expect(Set(try library.bytesOfPhotos().values) == Set(backup.photos.values))
  }

  @Test("Salvage: a photo whose entry has a damaged name is found by its MD5", arguments: 0..<7)
  func damagedName(at position: Int) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let backup = SampleBackup(photos: ["first photo", "second photo", "third photo"])
    var bytes = try backup.archive()
    // without the directory, whose names are intact
    let directory = try #require(bytes.firstRange(of: [0x50, 0x4B, 1, 2]))
    bytes.removeSubrange(directory.lowerBound...)
    let name = try #require(bytes.ranges(of: Array("photos/2_".utf8)).last)
    bytes[name.lowerBound + position] ^= 1
    let summary = try await library.importing(try scratch.write(bytes, to: "bad.zip")) { $0.salvages = true }
    #expect(summary.photosImported == 3)
    #expect(Set(try library.bytesOfPhotos().values) == Set(backup.photos.values))
    #expect(try Set(library.contents.photos.map(\.name)) == ["first photo", "second photo", "third photo"])
  }

  @Test("Salvage: a lost photo is reported, although another photo of its name was found")
  func lostPhotoOfEqualName() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var damaged = SampleBackup(photos: ["first photo", "second photo"])
    damaged.members[1].data[3] ^= 1
    var other = SampleBackup()
    for (id, name) in [(1, "first photo"), (2, "second photo")] as [(Int64, String)] {
      other.add(id: id, name: name, bytes: Array("another \(name)".utf8))
    }
    let path = try scratch.write(damaged.archive() + other.archive(), to: "two.zip")
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.errors.contains { $0.item == "photos/2_second photo.jpg" })
    #expect(Set(try library.bytesOfPhotos().values).isSuperset(of: other.photos.values))
  }

  @Test("Salvage: a photo within the remains of another one is reported, even if the metadata lists its name")
  func photoOfEqualNameInRemains() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup()
    backup.add(id: 1, name: "a", bytes: [UInt8](repeating: 65, count: 400))
    backup.add(id: 2, name: "b", bytes: [UInt8](repeating: 66, count: 400))
    var bytes = try backup.archive()
    let inner = ZipBuilder([.stored("photos/1_a.jpg", "another photo of this name")]).bytes
    let directory = try #require(inner.firstRange(of: [0x50, 0x4B, 1, 2]))
    let photo = try #require(bytes.firstRange(of: [UInt8](repeating: 65, count: 400)))
    bytes.insert(contentsOf: inner[..<directory.lowerBound], at: photo.lowerBound + 200)
    let summary = try await library.importing(try scratch.write(bytes, to: "bad.zip")) { $0.salvages = true }
    #expect(summary.photosImported == 1)
    let finding = try #require(summary.errors.first { $0.item == "photos/1_a.jpg" })
    #expect(finding.message.contains("was found inside the remains of photos/1_a.jpg"))
  }
}
