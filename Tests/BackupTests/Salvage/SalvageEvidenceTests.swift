import Checksums
import Operations
import PhotoLibrary
import TestSupport
import Testing
import Zip

@testable import Backup

/// Inserted, missing and changed bytes cost only the entries that they damage.
@Suite struct SalvageEvidenceTests {
  @Test("Salvage: bytes missing in the metadata of a streamed archive cost only the metadata")
  func missingBytesInMetadata() async throws {
    let backup = Self.backup(photos: 8)
    var bytes = Self.streamed(backup)
    let metadata = try #require(bytes.firstRange(of: Array("\"photoManifest\"".utf8)))
    bytes.removeSubrange(metadata.lowerBound..<metadata.lowerBound + 16)
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 8)
    #expect(try library.contents.categories.map(\.displayName) == ["Rescued"])
  }

  @Test("Salvage: bytes missing in a streamed photo without a checksum cost only this photo")
  func missingBytesInStreamedPhoto() async throws {
    var backup = Self.backup(photos: 8)
    for index in backup.metadata.photoManifest.indices { backup.metadata.photoManifest[index].checksum = nil }
    var bytes = Self.streamed(backup)
    let photo = try Self.range(of: 2, backup, in: bytes)
    bytes.removeSubrange(photo.lowerBound + 20..<photo.lowerBound + 36)
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 7)
    #expect(try library.contents.photos.map(\.name) == ["1", "3", "4", "5", "6", "7", "8"])
    #expect(try library.contents.categories.map(\.displayName) == ["Family"])
  }

  @Test("Salvage: bytes inserted into a photo cost only this photo", arguments: [true, false])
  func insertedBytes(hasDirectory: Bool) async throws {
    let backup = Self.backup(photos: 9)
    var bytes = Self.stored(backup)
    if !hasDirectory { bytes.removeSubrange(try Self.directory(of: bytes)...) }
    let photo = try Self.range(of: 7, backup, in: bytes)
    bytes.insert(contentsOf: [UInt8](repeating: 0xAA, count: 20_000), at: photo.lowerBound + 50)
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 8)
    #expect(try library.contents.photos.map(\.name) == ["1", "2", "3", "4", "5", "6", "8", "9"])
    #expect(try library.contents.categories.map(\.displayName) == ["Family"])
  }

  /// A negative length removes bytes.
  @Test("Salvage: a damaged photo before the metadata does not cost the metadata", arguments: [-1, 300])
  func damageBeforeMetadata(length: Int) async throws {
    let backup = Self.backup(photos: 5)
    var bytes = Self.stored(backup)
    let position = try Self.range(of: 5, backup, in: bytes).lowerBound + 50
    if length < 0 {
      bytes.removeSubrange(position..<position - length)
    } else {
      bytes.insert(contentsOf: [UInt8](repeating: 0xAA, count: length), at: position)
    }
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 4)
    #expect(try library.contents.photos.map(\.name) == ["1", "2", "3", "4"])
    #expect(try library.contents.categories.map(\.displayName) == ["Family"])
  }

  @Test("Salvage: checksums.md5 confirms a photo after a gap, if the metadata is corrupt")
  func listOfChecksums() async throws {
    let backup = Self.backup(photos: 4)
    var bytes = Self.stored(backup)
    let metadata = try #require(bytes.firstRange(of: Array("\"photoManifest\"".utf8)))
    bytes[metadata.lowerBound] ^= 0x40
    let photo = try Self.range(of: 2, backup, in: bytes)
    bytes.removeSubrange(photo.lowerBound + 50..<photo.lowerBound + 90)
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 3)
    #expect(try library.contents.photos.map(\.name) == ["1", "3", "4"])
    #expect(try library.contents.categories.map(\.displayName) == ["Rescued"])
  }

  @Test(
    "Salvage: one wrong bit in the type of a file costs nothing",
    arguments: ["photos/2_2.jpg", "metadata.json"]
  )
  func fileType(name: String) async throws {
    let backup = Self.backup(photos: 3)
    var zip = ZipBuilder(backup.members + [.stored("metadata.json", Self.text(backup))])
    let index = try #require(zip.members.firstIndex { $0.local.name == Array(name.utf8) })
    // the type of a symbolic link instead of that of a file
    zip.members[index].central.externalAttributes ^= 0o020000 << 16
    let (library, summary) = try await Self.salvage(zip.bytes)
    #expect(summary.photosImported == 3)
    #expect(try library.contents.categories.map(\.displayName) == ["Family"])
  }

  @Test("Salvage: a wrong letter in the directory's name of the metadata costs nothing")
  func nameOfMetadata() async throws {
    let backup = Self.backup(photos: 3)
    let members = backup.members + [.stored("metadata.json", Self.text(backup))]
    var zip = ZipBuilder(members)
    for index in members.indices {
      let name = Array("SmilePile/".utf8) + members[index].local.name
      (zip.members[index].local.name, zip.members[index].central.name) = (name, name)
    }
    zip.members[members.count - 1].central.name[3] ^= 4
    let (library, summary) = try await Self.salvage(zip.bytes)
    #expect(summary.photosImported == 3)
    #expect(try library.contents.categories.map(\.displayName) == ["Family"])
  }

  @Test("Salvage: the directory of an archive within a photo says nothing about entries before it")
  func directoryWithinLostPhoto() async throws {
    let content = { (id: Int) in [UInt8](repeating: UInt8(id), count: 3000) }
    let members = (1...3).map { id in
      ZipMember(Array("photos/\(id)_\(id).jpg".utf8), content: content(id), data: content(id), method: 0)
    }
    var bytes = ZipBuilder(members).bytes
    bytes.removeSubrange(try Self.directory(of: bytes)...)
    let third = try #require(bytes.firstRange(of: Array("photos/3".utf8))).lowerBound - 30
    bytes.insert(contentsOf: ZipBuilder([.stored("photos/9_inner.jpg", "inner")]).bytes, at: third)
    let first = try #require(bytes.firstRange(of: content(1))).lowerBound
    bytes.removeSubrange(first..<first + 2900)
    let (library, _) = try await Self.salvage(bytes)
    #expect(try library.contents.photos.map(\.name).sorted() == ["2", "3", "inner"])
  }

  /// Photo 1 seems to reach over the others.
  @Test("Salvage: an incomplete directory says nothing about the entries that it does not list")
  func incompleteDirectory() async throws {
    var backup = SampleBackup()
    for id in 1...4 {
      let content = [UInt8](repeating: UInt8(96 + id), count: id == 1 ? 20_000 : 3000)
      backup.add(id: Int64(id), name: "\(id)", bytes: content)
    }
    var bytes = Self.stored(backup)
    let record = try #require(bytes.ranges(of: [0x50, 0x4B, 1, 2]).dropFirst(4).first).lowerBound
    let metadata = try #require(bytes.firstRange(of: Array("metadata.json".utf8))).lowerBound - 30
    bytes.removeSubrange(metadata..<record)
    bytes.removeSubrange(5000..<13_192)
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 3)
    #expect(try library.contents.photos(in: "Rescued").sorted() == ["2", "3", "4"])
  }

  @Test("Salvage: a lost photo has the content of another photo with its checksum")
  func sameContent() async throws {
    var backup = Self.backup(photos: 3)
    backup.add(id: 4, name: "4", bytes: backup.photos[1] ?? [])
    var bytes = Self.stored(backup)
    bytes.removeSubrange(try Self.range(of: 1, backup, in: bytes).prefix(50))
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 4)
    #expect(try library.contents.photos(in: "Family").sorted() == ["1", "2", "3", "4"])
  }

  // MARK: Archives

  @Test(
    "Salvage: a wrong encryption flag in the directory or a header costs nothing",
    arguments: ["photos/2_2.jpg", "metadata.json"], [true, false])
  func encryptionFlag(name: String, isInDirectory: Bool) async throws {
    let backup = Self.backup(photos: 3)
    let members = backup.members + [.stored("metadata.json", Self.text(backup))]
    for members in [members, members.map(\.deflated)] {
      var zip = ZipBuilder(members)
      let index = try #require(zip.members.firstIndex { $0.local.name == Array(name.utf8) })
      if isInDirectory {
        zip.members[index].central.flags |= 1
      } else {
        zip.members[index].local.flags |= 1
      }
      let (library, summary) = try await Self.salvage(zip.bytes)
      #expect(summary.photosImported == 3)
      #expect(try library.contents.categories.map(\.displayName) == ["Family"])
    }
  }

  @Test("Salvage: of two archives in one file, the photos that the metadata does not list are rescued")
  func twoArchives() async throws {
    let (one, two) = (Self.backup(photos: 2), Self.backup(photos: 5, from: 2))
    let (library, summary) = try await Self.salvage(Self.stored(one) + Self.stored(two))
    let contents = try library.contents
    #expect(summary.photosImported == 5)
    #expect(contents.photos(in: "Family").sorted() == ["2", "3", "4", "5"])
    #expect(contents.photos(in: "Rescued") == ["1"])
    #expect(summary.warnings.contains { $0.contains("does not list 1 intact photo,") })
    expectNone(try library.faults())
  }

  @Test("Salvage: two archives with the same names and IDs in one file lose no photo")
  func sameNames() async throws {
    var other = SampleBackup()
    other.add(id: 1, name: "1", bytes: [UInt8](repeating: 7, count: 99))
    let bytes = Self.stored(other) + Self.stored(Self.backup(photos: 2))
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 3)
    #expect(try library.contents.photos(in: "Family").sorted() == ["1", "2"])
    #expect(try library.contents.photos(in: "Rescued") == ["1"])
    expectNone(try library.faults())
  }

  @Test("Salvage: a photo under a damaged name is recognized by its MD5")
  func damagedName() async throws {
    let backup = Self.backup(photos: 3)
    var zip = ZipBuilder(backup.members + [.stored("metadata.json", Self.text(backup))])
    zip.members[1].both { $0.name = Array("photos/2~2.jpg".utf8) }
    var bytes = zip.bytes
    bytes.removeSubrange(try Self.directory(of: bytes)...)
    let (library, summary) = try await Self.salvage(bytes)
    #expect(summary.photosImported == 3)
    #expect(try library.contents.photos(in: "Family").sorted() == ["1", "2", "3"])
  }

  @Test("Repair: of two archives in one file, the new archive has the photos of both")
  func repairTwoArchives() async throws {
    let scratch = ScratchFolder()
    let bytes = Self.stored(Self.backup(photos: 2)) + Self.stored(Self.backup(photos: 5, from: 3))
    let damaged = try scratch.write(bytes, to: "damaged.zip")
    let summary = try await Work.repair(damaged).summary
    let library = try SampleLibrary()
    _ = try await library.importing(try #require(summary.archive))
    #expect(try library.contents.photos(in: "Family").sorted() == ["3", "4", "5"])
    #expect(try library.contents.photos(in: "Rescued").sorted() == ["1", "2"])
  }

  /// Inflating foreign bytes within blocks that are stored succeeds.
  @Test("Salvage: entries that were moved into a deflated photo are found")
  func entriesInDeflatedPhoto() async throws {
    var backup = SampleBackup()
    var random = SeededNumbers(seed: 3)
    backup.add(id: 1, name: "1", bytes: (0..<50_000).map { _ in UInt8.random(in: 32...126, using: &random) })
    for id in 2...5 {
      backup.add(
        id: Int64(id), name: "\(id)", bytes: (0..<300).map { _ in UInt8.random(in: 32...126, using: &random) }
      )
    }
    let members = backup.members + [.stored("metadata.json", Self.text(backup))]
    let bytes = ZipBuilder(members.map(\.deflated)).bytes
    let firstThree = ZipBuilder(members.prefix(3).map(\.deflated)).bytes
    let (moved, end) = (try Self.directory(of: firstThree), try Self.directory(of: bytes))
    let length = end - moved
    var swapped = bytes
    swapped.replaceSubrange(20_000..<20_000 + length, with: bytes[moved..<end])
    swapped.replaceSubrange(moved..<end, with: bytes[20_000..<20_000 + length])
    let (library, summary) = try await Self.salvage(swapped)
    #expect(summary.photosImported == 4)
    #expect(try library.contents.photos(in: "Family").sorted() == ["2", "3", "4", "5"])
  }

  private static func backup(photos: Int, from first: Int = 1) -> SampleBackup {
    var backup = SampleBackup()
    for id in first...photos {
      backup.add(id: Int64(id), name: "\(id)", bytes: [UInt8](repeating: UInt8(96 + id), count: 150 + id))
    }
    return backup
  }

  private static func text(_ backup: SampleBackup) -> String {
    String(decoding: backup.metadata.json(), as: UTF8.self)
  }

  /// As Android writes it: metadata first, with sizes after the data.
  private static func streamed(_ backup: SampleBackup) -> [UInt8] {
    ZipBuilder(([.stored("metadata.json", text(backup))] + backup.members).map(\.streamed)).bytes
  }

  /// As this program writes it: metadata and checksums last.
  private static func stored(_ backup: SampleBackup) -> [UInt8] {
    let metadata = text(backup)
    let lines = backup.metadata.photoManifest.map { "\($0.checksum ?? "")  \($0.zipEntryName)\n" }.joined()
    let last = "\(MD5Digest(of: Array(metadata.utf8)))  metadata.json\n"
    return ZipBuilder(
      backup.members + [.stored("metadata.json", metadata), .stored("checksums.md5", lines + last)]
    ).bytes
  }

  private static func range(of id: Int64, _ backup: SampleBackup, in bytes: [UInt8]) throws -> Range<Int> {
    try #require(bytes.firstRange(of: backup.photos[id] ?? []))
  }

  private static func directory(of bytes: [UInt8]) throws -> Int {
    try #require(bytes.firstRange(of: [0x50, 0x4B, 1, 2])).lowerBound
  }

  private static func salvage(_ bytes: [UInt8]) async throws -> (SampleLibrary, ImportSummary) {
    let (scratch, library) = (ScratchFolder(), try SampleLibrary())
    let summary = try await library.importing(scratch.write(bytes, to: "damaged.zip")) { $0.salvages = true }
    return (library, summary)
  }
}

extension LibraryContents {
  /// Returns the names of the photos in the category with this displayed name.
  fileprivate func photos(in category: String) -> [String] {
    photos.filter { self.category(of: $0) == category }.map(\.name)
  }
}
