import Checksums
import Databases
import FileSystem
import Foundation
import GRDB
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Pictures

/// The cache of pictures, without drawing.
struct CacheTests {
  private let sample: SampleLibrary
  private let library: Library

  init() throws {
    sample = try SampleLibrary()
    library = try Library(path: sample.path)
  }

  private static let picture = Pictures.Picture(
    width: 3, height: 2, jpeg: [0xFF, 0xD8, 0xFF, 0xE0, 7], format: .webp)

  private func content(_ number: Int) -> FileContent {
    FileContent(md5: MD5Digest(of: Array("\(number)".utf8)), size: number)
  }

  /// Stores a picture for each of these numbers, and closes the cache.
  private func fill(_ numbers: ClosedRange<Int>, with picture: Pictures.Picture = picture) throws {
    let cache = try PictureCache(of: library)
    for number in numbers { cache.store(.picture(picture), for: content(number)) }
  }

  @Test("Cache: a changed statement of the schema needs another version")
  func schemaVersion() {
    #expect(PictureCacheSchema.cache.version == 7)
    let digest = MD5Digest(of: Array(PictureCacheSchema.cache.statements.utf8))
    #expect("\(digest)" == "01ec2143b4c71ddc859d66c71ced6280")
  }

  private var database: String { sample.path.appending(".cache/pictures.sqlite").string }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("Cache: an entry is found again by content, also by another process")
  func entries() throws {
    let fault = PictureCache.Entry.fault(.crashed, decoders: "8.14.1 jpeg", attempts: 0)
    do {
      let cache = try PictureCache(of: library)
      cache.store(.picture(Self.picture), for: content(1))
      cache.store(fault, for: content(2))
      #expect(cache.entry(for: content(1)) == .picture(Self.picture))
      cache.flush()
    }
    let cache = try PictureCache(of: library)
    #expect(cache.entry(for: content(1)) == .picture(Self.picture))
    #expect(cache.entry(for: content(2)) == fault)
    #expect(cache.entry(for: content(3)) == nil)
    #expect(cache.notes == [])
  }

  @Test("Cache: its folder is private, and has a tag for backup programs")
  func folder() throws {
    _ = try PictureCache(of: library)
    #expect(try mode(sample.path.appending(".cache").string) == 0o700)
    #expect(try mode(database) == 0o600)
    let tag = try String(contentsOfFile: sample.path.appending(".cache/CACHEDIR.TAG").string, encoding: .utf8)
    #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
  }

  @Test("Cache: the files of the cache are not untracked files, and another file in its folder is")
  func untrackedFiles() throws {
    _ = try PictureCache(of: library)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: sample.path.appending(".cache/mine.txt").string))
    #expect(try library.untrackedFiles() == [".cache/mine.txt"])
    let storage = try library.storage()
    #expect(storage[.cache].files == 3)
    #expect(storage[.untracked].files == 1)
  }

  @Test(
    "Cache: a corrupt database is created again, with a note",
    arguments: ["text", "zeros in a page", "another database"])
  func corruptDatabase(_ damage: String) throws {
    do {
      let cache = try PictureCache(of: library)
      for number in 1...400 { cache.store(.picture(Self.picture), for: content(number)) }
      cache.flush()
    }
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: database)))
    switch damage {
    case "text": bytes = Array("no database".utf8)
    case "zeros in a page": for index in 4096..<bytes.count { bytes[index] = UInt8(index % 251) }
    default:
      bytes = Array(
        try Data(contentsOf: URL(fileURLWithPath: sample.path.appending("library.sqlite").string)))
    }
    try Data(bytes).write(to: URL(fileURLWithPath: database))
    let cache = try PictureCache(of: library)
    #expect(cache.outlines().isEmpty)
    #expect(cache.notes == ["the cache of pictures was corrupt, and was created again"])
    cache.store(.picture(Self.picture), for: content(1))
    cache.flush()
    #expect(cache.entry(for: content(1)) == .picture(Self.picture))
    #expect(cache.keepsPictures)
  }

  @Test("Cache: a row in which any byte changed is not used, and is not counted when pictures are drawn")
  func changedBytes() throws {
    let large = Pictures.Picture(
      width: 3, height: 2, jpeg: [0xFF, 0xD8, 0xFF] + (0..<3_000).map { UInt8($0 % 251) },
      fingerprint: Self.fingerprint, captured: 7)
    let fault = PictureCache.Entry.fault(.timeLimit, decoders: "8.14.1 jpeg", attempts: 1)
    do {
      let cache = try PictureCache(of: library)
      for number in 1...8 { cache.store(.picture(large), for: content(number)) }
      cache.store(fault, for: content(9))
    }
    let changes = [
      "thumbnail = CAST(substr(thumbnail, 1, 2000) || x'00' || substr(thumbnail, 2002) AS BLOB)",
      "thumbnail = substr(thumbnail, 1, 2999)", "luma = CAST(x'FF' || substr(luma, 2) AS BLOB)",
      "width = 4", "differenceHash = 1", "frequencyHash = 1", "capturedAt = 8", "capturedAt = NULL",
    ]
    let queue = try DatabaseQueue(path: database)
    try queue.write { database in
      for (index, change) in changes.enumerated() {
        try database.execute(sql: "UPDATE picture SET \(change) WHERE size = \(index + 1)")
      }
      try database.execute(sql: "UPDATE picture SET attempts = 2 WHERE size = 9")
    }
    let cache = try PictureCache(of: library)
    for number in 1...9 { #expect(cache.entry(for: content(number)) == nil, "\(number)") }
    #expect(try PictureCache.verifiedStates(of: .thumbnail, in: library, ProgressCounter()) == [:])
  }

  @Test(
    "Cache: a row without its thumbnail in which any byte changed is not used",
    arguments: [
      "luma = CAST(x'FF' || substr(luma, 2) AS BLOB)", "width = 4", "height = 9", "differenceHash = 1",
      "frequencyHash = 1", "capturedAt = 8", "capturedAt = NULL", "md5 = zeroblob(16)", "size = 77",
      "checksum = 5",
    ])
  func changedFingerprint(_ change: String) throws {
    try fill(1...1, with: Self.printed)
    let queue = try DatabaseQueue(path: database)
    try queue.write { try $0.execute(sql: "UPDATE picture SET thumbnail = NULL, thumbnailChecksum = NULL") }
    #expect(try PictureCache(of: library).outlines().mapValues(\.state) == [content(1): .fingerprinted])
    #expect(try PictureCache(of: library).fingerprints().places == [content(1): 0])
    try queue.write { try $0.execute(sql: "UPDATE picture SET \(change)") }
    let cache = try PictureCache(of: library)
    #expect(cache.outlines().isEmpty)
    #expect(cache.fingerprints().places.isEmpty)
    #expect(cache.entry(for: content(1)) == nil)
    #expect(cache.notes == [])
  }

  @Test("Cache: eviction of a thumbnail keeps a row with a valid checksum")
  func evictedThumbnail() throws {
    let cache = try PictureCache(of: library, limit: 600_000)
    var large = Self.printed
    large.jpeg += [UInt8](repeating: 1, count: 3_000)
    for number in 1...250 { cache.store(.picture(large), for: content(number)) }
    cache.flush()
    let states = try PictureCache.verifiedStates(of: .thumbnail, in: library, ProgressCounter())
    #expect(states.count == 250)
    #expect(states[content(1)] == .fingerprinted)
    #expect(cache.fingerprints().places.count == 250)
  }

  @Test("Cache: reading all pictures counts the rows, and a cancellation ends it")
  func verification() throws {
    try fill(1...3)
    let counter = ProgressCounter()
    _ = try counter.inFirstPart(1) {
      try PictureCache.verifiedStates(of: .thumbnail, in: library, counter)
    }
    #expect(counter.current.phase == .verifying)
    counter.cancel()
    #expect(throws: CancellationError.self) {
      try PictureCache.verifiedStates(of: .thumbnail, in: library, counter)
    }
    #expect(counter.current.totalItems == 3)
    #expect(counter.current.processedItems == 0)
  }

  @Test("Cache: the pictures of another version are drawn again, without a note", arguments: [0, 6, 99])
  func otherVersion(number: Int) throws {
    try fill(2...2)
    let queue = try DatabaseQueue(path: database)
    try queue.write {
      try $0.execute(sql: "ALTER TABLE picture ADD COLUMN other TEXT; PRAGMA user_version = \(number)")
    }
    try queue.close()
    #expect(try PictureCache.verifiedStates(of: .thumbnail, in: library, ProgressCounter()).isEmpty)
    let status = try PictureCache.status(of: library)
    #expect(status.pictures == 0)
    #expect(!status.isCorrupt)
    let cache = try PictureCache(of: library)
    cache.store(.picture(Self.picture), for: content(1))
    cache.flush()
    #expect(cache.outlines().mapValues(\.state) == [content(1): .drawn])
    #expect(cache.notes == [])
  }

  @Test("Cache: the first reader rolls back what a killed process left")
  func journal() throws {
    try fill(1...1)
    let files = ["", "-journal"].map { (database + $0, database + $0 + ".killed") }
    let queue = try DatabaseQueue(path: database)
    try queue.writeWithoutTransaction { database in
      // few pages in memory, so that the transaction changes the file
      try database.execute(
        sql: """
          PRAGMA cache_size = 2; PRAGMA synchronous = FULL; BEGIN IMMEDIATE;
          UPDATE picture SET usedAt = 1;
          WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
          INSERT INTO picture (md5, size, width, height, photoPixels, attempts, decoders, checksum, usedAt,
            thumbnailChecksum, thumbnail)
          SELECT randomblob(16), i, 1, 1, 0, 0, '', 0, 1, 0, randomblob(3000) FROM n
          """)
      for (file, copy) in files { try FileManager.default.copyItem(atPath: file, toPath: copy) }
      try database.execute(sql: "ROLLBACK")
    }
    try queue.close()
    for (file, copy) in files {
      try? FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: copy, toPath: file)
    }
    let states = try PictureCache.verifiedStates(of: .thumbnail, in: library, ProgressCounter())
    #expect(states == [content(1): .drawn])
    #expect(!FileManager.default.fileExists(atPath: files[1].0))
    let cache = try PictureCache(of: library)
    #expect(cache.entry(for: content(1)) == .picture(Self.picture))
    #expect(cache.notes == [])
  }

  @Test("Cache: a picture whose use is in the future is used")
  func futureUse() throws {
    try fill(1...1)
    let queue = try DatabaseQueue(path: database)
    try queue.write { try $0.execute(sql: "UPDATE picture SET usedAt = 9000000000000") }
    do {
      let cache = try PictureCache(of: library)
      #expect(cache.entry(for: content(1)) == .picture(Self.picture))
    }
    let usedAt = try queue.read { try Int64.fetchOne($0, sql: "SELECT usedAt FROM picture") }
    #expect(try #require(usedAt) < 9_000_000_000)
  }

  @Test("Cache: a picture that is no JPEG is not used")
  func forgedPicture() throws {
    let cache = try PictureCache(of: library)
    let forged = Pictures.Picture(width: 1, height: 1, jpeg: Array("<script>".utf8))
    cache.store(.picture(forged), for: content(1))
    cache.flush()
    #expect(cache.entry(for: content(1)) == nil)
  }

  @Test("Cache: pictures beyond the limit are removed, the least used first")
  func limit() throws {
    let cache = try PictureCache(of: library, limit: 2_000_000)
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 1, count: 3_000)
    let large = Pictures.Picture(width: 3, height: 2, jpeg: jpeg)
    for number in 1...1_000 { cache.store(.picture(large), for: content(number)) }
    cache.flush()
    let states = cache.outlines().mapValues(\.state)
    // a fingerprint stays, since it takes as long to make as a picture
    #expect(states[content(1)] == .fingerprinted)
    #expect(cache.entry(for: content(1)) == nil)
    #expect(states[content(1_000)] == .drawn)
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: database)[.size] as? Int)
    #expect(size < 4_000_000)
  }

  @Test("Cache: a picture that was read lately outlasts others that were written with it")
  func use() throws {
    try fill(1...300)
    let queue = try DatabaseQueue(path: database)
    try queue.write { try $0.execute(sql: "UPDATE picture SET usedAt = 1") }
    do {
      let cache = try PictureCache(of: library)
      for number in 21...270 {
        #expect(cache.entry(for: content(number)) == .picture(Self.picture))
      }
    }
    let unused = try queue.read {
      try Int.fetchAll($0, sql: "SELECT size FROM picture WHERE usedAt = 1 ORDER BY size")
    }
    #expect(unused == Array(1...20) + Array(271...300))
  }

  private static let fingerprint = Fingerprint(
    differenceHash: .max - 1, frequencyHash: 1 << 63 | 5,
    luma: (0..<Fingerprint.lumaCount).map { UInt8($0 % 256) })

  /// A picture with a fingerprint.
  private static var printed: Pictures.Picture {
    var picture = picture
    picture.fingerprint = fingerprint
    picture.captured = -5
    return picture
  }

  @Test("Cache: fingerprints are found again, and a flat picture has none")
  func fingerprints() throws {
    do {
      let cache = try PictureCache(of: library)
      cache.store(.picture(Self.printed), for: content(1))
      cache.store(.picture(Self.picture), for: content(2))
      cache.store(.fault(.crashed, decoders: "", attempts: 0), for: content(3))
    }
    let cache = try PictureCache(of: library)
    cache.store(.picture(Self.printed), for: content(1))
    cache.store(.picture(Self.picture), for: content(2))
    let table = cache.fingerprints()
    #expect(table.places == [content(1): 0])
    #expect(table.differenceHashes == [.max - 1])
    #expect(table.frequencyHashes == [1 << 63 | 5])
    #expect(table.luma == Self.fingerprint?.luma)
    #expect(table.captured == [content(1): -5])
    #expect(cache.entry(for: content(1)) == .picture(Self.printed))
  }

  @Test("Cache: a cache that cannot be written keeps fingerprints temporarily")
  func unkeptFingerprints() throws {
    let other = ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: sample.path.appending(".cache").string, withDestinationPath: other.path.string)
    let cache = try PictureCache(of: library, keepsTemporarily: true)
    cache.store(.picture(Self.printed), for: content(1))
    #expect(cache.fingerprints().places == [content(1): 0])
  }

  @Test("Cache: rows of other photos are removed")
  func removedPhotos() throws {
    let cache = try PictureCache(of: library)
    for number in 1...3 { cache.store(.picture(Self.picture), for: content(number)) }
    cache.keepOnly([content(2)])
    #expect(cache.outlines().mapValues(\.state) == [content(2): .drawn])
  }

  @Test("Cache: a symbolic link in the place of the folder is not followed")
  func linkedFolder() throws {
    let other = ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: sample.path.appending(".cache").string, withDestinationPath: other.path.string)
    let cache = try PictureCache(of: library)
    cache.store(.picture(Self.picture), for: content(1))
    cache.flush()
    #expect(!cache.keepsPictures)
    #expect(cache.notes.count == 1)
    #expect(try other.tree().isEmpty)
  }

  @Test("Cache: a symbolic link in the place of the database is not followed")
  func linkedDatabase() throws {
    let other = ScratchFolder()
    try other.write("mine", to: "mine.txt")
    _ = try PictureCache(of: library)
    try FileManager.default.removeItem(atPath: database)
    try FileManager.default.createSymbolicLink(
      atPath: database, withDestinationPath: other.path("mine.txt").string)
    let cache = try PictureCache(of: library)
    cache.store(.picture(Self.picture), for: content(1))
    cache.flush()
    #expect(!cache.keepsPictures)
    #expect(try other.bytes("mine.txt") == Array("mine".utf8))
  }

  @Test("Cache: a cache that cannot be written is read, and keeps nothing new", .enabled(if: geteuid() != 0))
  func readOnlyFolder() throws {
    do {
      let cache = try PictureCache(of: library)
      cache.store(.picture(Self.picture), for: content(1))
      cache.flush()
    }
    let folder = sample.path.appending(".cache").string
    chmod(folder, 0o500)
    defer { chmod(folder, 0o700) }
    for keepsTemporarily in [false, true] {
      let cache = try PictureCache(of: library, keepsTemporarily: keepsTemporarily)
      cache.store(.picture(Self.picture), for: content(2))
      cache.flush()
      #expect(!cache.keepsPictures)
      #expect(cache.notes.count == 1)
      #expect(cache.entry(for: content(1)) == .picture(Self.picture))
      #expect(cache.entry(for: content(2)) == (keepsTemporarily ? .picture(Self.picture) : nil))
    }
  }

  @Test("Cache: a cache that another user could have written is refused", .enabled(if: geteuid() == 0))
  func otherOwner() throws {
    _ = try PictureCache(of: library)
    chown(sample.path.appending(".cache").string, 65_534, 65_534)
    #expect(throws: OwnershipError.self) { try Library(path: sample.path) }
  }

  @Test("Cache: clear removes the database, and waits for no other process")
  func clear() throws {
    do {
      let cache = try PictureCache(of: library)
      cache.store(.picture(Self.picture), for: content(1))
      cache.flush()
      #expect(try PictureCache.status(of: library).pictures == 1)
      #expect(throws: FileLock.Busy.self) { try PictureCache.clear(library) }
    }
    try PictureCache.clear(library)
    #expect(try PictureCache.status(of: library) == PictureCache.Status())
    #expect(try library.untrackedFiles().isEmpty)
  }
}
