import Checksums
internal import Databases
import FileSystem
internal import GRDB
import Operations
import Synchronization

/// The content tag that a photo's file should have.
package struct ExpectedTag: Sendable {
  /// The tag.
  package let tag: ContentTag
  /// The key with which the tag was computed.
  package let key: ContentTagKey
}

/// The key and the content tags of a library. The tag of a photo tells its bytes from others with the same MD5.
package struct ContentTags: Sendable {
  /// The key of the library.
  package let key: ContentTagKey
  /// The tags in the rows of the photos, by ID. Rows of older versions have none.
  package let byID: [Int64: ContentTag]

  /// Returns the tag in the row of a photo; nil if the row is of an older version, which did not compute tags.
  package subscript(id: Int64) -> ContentTag? { byID[id] }

  /// Returns the tag in the row of a photo with the key; nil if the row has no tag.
  package func expected(of id: Int64) -> ExpectedTag? {
    byID[id].map { ExpectedTag(tag: $0, key: key) }
  }

  private init(_ key: ContentTagKey, _ tags: [Int64: ContentTag]) { (self.key, byID) = (key, tags) }

  /// Reads the key and the tags. A library of an older version that no writer has opened yet has no tags; the key is
  /// then a random one, for comparisons within one operation.
  init(_ database: Database) throws {
    self.init(
      try Self.areStored(database) ? Self.key(database) : Self.randomKey(), try Self.tags(database))
  }

  private static func randomKey() -> ContentTagKey {
    guard let key = ContentTagKey(secret: ContentTagKey.randomSecret()) else {
      preconditionFailure("random secrets have the length of a secret")
    }
    return key
  }

  /// False for a library of an older version that no writer has opened yet.
  private static func areStored(_ database: Database) throws -> Bool {
    try database.tableExists("contentTagKey")
  }

  /// Reads the tags of the library's photos, by ID.
  static func tags(_ database: Database) throws -> [Int64: ContentTag] {
    try tags(database, of: Photo.databaseTableName)
  }

  /// Reads the key, and the tags of the photos that a change replaced or removed.
  ///
  /// - Parameter changeID: the ID of the change.
  init(keptBy changeID: String, _ database: Database) throws {
    self.init(
      try Self.areStored(database) ? Self.key(database) : Self.randomKey(),
      try Self.tags(database, of: "replacedPhoto", "AND changeId = ?", [changeID]))
  }

  private static func tags(
    _ database: Database, of table: String, _ condition: String = "",
    _ arguments: StatementArguments = StatementArguments()
  ) throws -> [Int64: ContentTag] {
    guard try areStored(database) else { return [:] }
    var tags: [Int64: ContentTag] = [:]
    var limit = try RowLimit(database)
    let rows = try Row.fetchCursor(
      database, sql: "SELECT id, tag FROM \(table) WHERE tag IS NOT NULL \(condition)", arguments: arguments)
    while let row = try rows.next() {
      let row = RowReader(row, of: table)
      try limit.count(row)
      tags[try row.integer("id", at: 0)] = ContentTag(bytes: try row.bytes("tag", at: 1, count: 16...16))
    }
    return tags
  }

  /// Reads the key of a migrated library.
  fileprivate static func key(_ database: Database) throws -> ContentTagKey {
    let row = try Row.fetchOne(database, sql: "SELECT id, secret FROM contentTagKey")
    let length = ContentTagKey.secretLength
    guard
      let secret = try row.map({
        try RowReader($0, of: "contentTagKey").bytes("secret", at: 1, count: length...length)
      }),
      let key = ContentTagKey(secret: secret)
    else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the key of the content tags is missing")
    }
    return key
  }

  /// Adds the tags of files that the library has already, from the rows that the edit may remove.
  ///
  /// - Parameter tags: the tags of new files, by path.
  static func adding(
    _ tags: [String: ContentTag], ofFilesOf photos: [Photo], _ database: Database
  ) throws -> [String: ContentTag] {
    var tags = tags
    let statement = try database.cachedStatement(
      sql: "SELECT tag FROM photo WHERE path = ? AND NOT isFromAssets AND tag IS NOT NULL")
    for photo in photos where !photo.isFromAssets && tags[photo.path] == nil {
      let row = try Row.fetchOne(statement, arguments: [photo.path])
      guard let bytes = try row.map({ try RowReader($0, of: Photo.databaseTableName).bytes("tag", at: 0) })
      else {
        continue
      }
      tags[photo.path] = ContentTag(bytes: bytes)
    }
    return tags
  }
}

extension Library {
  /// Returns the key and the content tags of all photos. Blocks.
  package func contentTags() throws -> ContentTags { try read(ContentTags.init) }

  /// Returns the key of a library that a writer has opened. Blocks.
  func contentTagKey() throws -> ContentTagKey { try read(ContentTags.key) }

  /// Returns the content of the library and the content tags of all photos at one moment. Blocks.
  package func contentsAndTags() throws -> (contents: LibraryContents, tags: ContentTags) {
    try read { (try LibraryContents($0), try ContentTags($0)) }
  }

  /// Returns the content tags of photos, by ID. Reads the files of those photos whose rows have none. A photo whose
  /// file is missing or corrupt then has no tag. Blocks.
  ///
  /// - Throws: `CancellationError`, or `FileError` if the process lacks memory or open files.
  package func tags(
    of photos: [Photo], _ tags: ContentTags, _ counter: ProgressCounter
  ) throws -> [Int64: ContentTag] {
    var known: [Int64: ContentTag] = [:]
    var unknown: [Photo] = []
    for photo in photos {
      if let tag = tags[photo.id] { known[photo.id] = tag } else { unknown.append(photo) }
    }
    if unknown.isEmpty { return known }
    let found = Mutex(known)
    try Workers.forEach(0..<unknown.count) { [unknown] index in
      let photo = unknown[index]
      guard let tag = try self.computeTag(of: photo, tags.key, counter) else { return }
      found.withLock { $0[photo.id] = tag }
    }
    return found.withLock { $0 }
  }

  /// Returns the content tag of a photo's file; nil if the file is not intact.
  private func computeTag(
    of photo: Photo, _ key: ContentTagKey, _ counter: ProgressCounter
  ) throws -> ContentTag? {
    var hash = RunningMD5()
    var tag = RunningContentTag(key)
    do {
      try File.readPieces(opening: { () throws(FileError) in try open(photo) }) { piece in
        try counter.checkCancellation()
        hash.update(piece)
        tag.update(piece)
      }
    } catch is File.Unreadable {
      return nil
    }
    return hash.digest == photo.md5 ? tag.value : nil
  }
}

/// Numbers for the content tags of photos with one MD5 and length, from 0.
package struct TagNumbers: Sendable, Equatable {
  private var numbers: [ContentTag: Int] = [:]

  /// Makes numbers for no tags.
  package init() {}

  /// The number of tags.
  package var count: Int { numbers.count }

  /// Returns the number of a tag; nil if it has none.
  package subscript(tag: ContentTag) -> Int? { numbers[tag] }

  /// Returns the number of a tag. Gives a new tag the next number.
  @discardableResult
  package mutating func number(of tag: ContentTag) -> Int {
    if let number = numbers[tag] { return number }
    numbers[tag] = numbers.count
    return numbers.count - 1
  }
}

extension [Photo] {
  /// Returns the photos that have one of these contents.
  package func having(_ contents: Set<FileContent>) -> [Photo] {
    filter { photo in
      photo.md5.map { contents.contains(FileContent(md5: $0, size: photo.fileSize)) } ?? false
    }
  }
}

extension LibraryWriter {
  /// Returns the key of the content tags. Blocks.
  package func contentTagKey() throws -> ContentTagKey { try library.contentTagKey() }
}
