import Checksums
internal import Databases
internal import FileSystem
import Foundation
internal import GRDB
package import PhotoLibrary
import Synchronization
internal import SystemPackage

/// The pictures of a library's photos, in the library's folder `.cache`. A row belongs to a content, so that renaming,
/// moving and undo keep it. The cache may be lost at any time: it is then filled again.
///
/// All functions block, and any thread may call them. A corrupt cache is deleted and created again. A cache that cannot
/// be written is read, and keeps nothing new. `notes` reports both.
package final class PictureCache: Sendable {
  /// The most bytes of the database.
  package static let mostBytes = 1_000_000_000
  /// The most bytes of a picture that is read.
  static let mostBytesOfPicture = HelperMessages.mostBytes
  /// How many pictures are written at a time.
  private static let batch = 200
  /// How exact `usedAt` is, in seconds.
  static let precisionOfUse: Int64 = 86_400

  /// What the cache knows about a content.
  package enum Entry: Sendable, Equatable {
    case picture(Picture)
    /// The content cannot be drawn by `decoders`; it took too long `attempts` times.
    case fault(PictureFault, decoders: String, attempts: Int)

    /// Makes the entry of a photo that decoders cannot draw. Counts the attempts of the same decoders.
    package static func fault(_ fault: PictureFault, by decoders: String, after state: State?) -> Entry {
      var attempts = 0
      if case .fault(.timeLimit, decoders, let earlier) = state { attempts = earlier }
      return .fault(fault, decoders: decoders, attempts: fault == .timeLimit ? attempts + 1 : 0)
    }
  }

  /// What the cache knows about a content, without its picture.
  package enum State: Sendable, Equatable {
    case drawn
    /// The cache has the fingerprint only.
    case fingerprinted
    case fault(PictureFault, decoders: String, attempts: Int)

    /// How many runs try a photo that takes too long.
    private static let mostAttempts = 2

    /// Returns why a photo need not be tried again by decoders; nil if it should be tried.
    package func fault(for decoders: String) -> PictureFault? {
      guard case .fault(let fault, decoders, let attempts) = self,
        fault != .timeLimit || attempts >= Self.mostAttempts
      else { return nil }
      return fault
    }
  }

  private struct Contents {
    var folder: OpenFolder?
    var pinned: PinnedDatabase?
    var waiting: [(content: FileContent, entry: Entry)] = []
    /// The IDs of rows that were used.
    var used: [Int64] = []
    var notes: [String] = []
    /// Why the cache cannot be written.
    var writeFault: String?
    var keeps: Bool { writeFault == nil }
    /// A database that has no name, for pictures that the cache cannot keep.
    var spare: DatabaseQueue?
    var isSpareLost = false

    /// Keeps no more pictures.
    mutating func keepNothing(_ reason: String) {
      writeFault = reason
      notes.append("the cache cannot keep pictures: \(reason)")
    }
  }

  private let contents = Mutex(Contents())
  private let library: Library
  private let kind: CachedPicture
  private let limit: Int
  /// True if pictures that the cache cannot keep are available as long as this value exists.
  private let keepsTemporarily: Bool
  /// Excludes `clear`.
  private let lock: FileLock?

  /// Opens the cache, and creates it if it is missing. Does not throw if the cache cannot be read or written.
  ///
  /// - Parameters:
  ///   - keepsTemporarily: true to write pictures that the cache cannot keep to a temporary file, which the kernel
  ///     deletes with the value.
  ///   - lockWait: how long to wait for a process that clears the cache.
  ///   - whileWaiting: called during the wait; may throw to give up.
  /// - Throws: `FileLock.Busy` if another process clears the cache; `OwnershipError` if another user can change it.
  package init(
    of library: Library, _ kind: CachedPicture = .thumbnail, limit: Int = mostBytes,
    keepsTemporarily: Bool = false, lockWait: Duration = Library.readersWait,
    whileWaiting: () throws -> Void = {}
  ) throws {
    (self.library, self.kind, self.limit) = (library, kind, limit)
    self.keepsTemporarily = keepsTemporarily
    do {
      let folder = try Self.makeFolder(in: library)
      lock = try FileLock(
        "pictures.lock", in: folder.directory, exclusive: false, waiting: lockWait, whileWaiting: whileWaiting
      )
      contents.withLock { contents in
        contents.folder = folder
        open(&contents)
      }
    } catch let error as FileError {
      lock = nil
      let isObstructed = error.errno == .notDirectory
      contents.withLock {
        $0.keepNothing(isObstructed ? "\(error.path) is not a folder; remove it".escaped : "\(error)")
      }
    }
  }

  deinit { flush() }

  /// What the user should know: that the cache was corrupt, or that pictures are not kept.
  package var notes: [String] { contents.withLock { $0.notes } }

  /// False if pictures are not kept, since the cache cannot be written.
  var keepsPictures: Bool { contents.withLock { $0.keeps } }

  /// Throws if pictures are not kept, not even temporarily, since the cache cannot be written.
  func requireWritable() throws(CacheNotWritable) {
    let fault = contents.withLock { contents in
      keepsTemporarily && !contents.isSpareLost ? nil : contents.writeFault
    }
    if let fault { throw CacheNotWritable(reason: fault) }
  }

  // MARK: Reading and writing

  /// Returns what the cache knows about a content, and remembers that it was used. Nil if it knows nothing. Blocks.
  ///
  /// The database gets the time of the use later: when 200 uses have come together, by `flush`, or when this value is
  /// released. A kill before that loses it, so that the picture may be removed earlier.
  package func entry(for content: FileContent) -> Entry? {
    if let waiting = contents.withLock({ $0.waiting.last { $0.content == content }?.entry }) {
      return waiting
    }
    let find = { (database: Database) throws -> (id: Int64, usedAt: Int64, entry: Entry?)? in
      let statement = try database.cachedStatement(
        sql: "SELECT \(PictureRow.columnsWithThumbnail) FROM picture WHERE md5 = ? AND size = ?")
      let rows = try Row.fetchCursor(statement, arguments: [Data(content.md5.bytes), content.size])
      guard try rows.next() != nil else { return nil }
      let reader = RowReader(rows, of: "picture")
      return try PictureRow(reader).map { row in
        (row.id, row.usedAt, try row.entry(withThumbnailOf: reader))
      }
    }
    let row = read(find) ?? nil
    // the clock may have been wrong
    if let row, (Self.now - row.usedAt).magnitude > Self.precisionOfUse.magnitude { remember(row.id) }
    return row?.entry ?? accessSpare(find)??.entry
  }

  /// Remembers that a row was used. Rows are written together: a write for each would take longer than the reading.
  private func remember(_ id: Int64) {
    let isFull = contents.withLock { contents in
      contents.used.append(id)
      return contents.used.count >= Self.batch
    }
    if isFull { flushUses() }
  }

  private func flushUses() {
    let used = contents.withLock { contents in
      defer { contents.used = [] }
      return contents.used
    }
    guard !used.isEmpty, keepsPictures else { return }
    access { database in
      let statement = try database.cachedStatement(sql: "UPDATE picture SET usedAt = ? WHERE id = ?")
      for id in used { try statement.execute(arguments: [Self.now, id]) }
    }
  }

  /// Returns what the cache knows about all contents, also those whose pictures are kept temporarily. Reads no thumbnail.
  package func outlines() -> [FileContent: Outline] { accessBoth { try Self.outlines(in: $0) } }

  /// Keeps an entry. Writes it with others, at the latest by `flush`.
  package func store(_ entry: Entry, for content: FileContent) {
    let isFull = contents.withLock { contents in
      guard contents.keeps || keepsTemporarily else { return false }
      contents.waiting.append((content, entry))
      return contents.waiting.count >= Self.batch
    }
    if isFull { flush() }
  }

  /// Writes all entries and times of use, and removes the least recently used pictures of a cache that has become too
  /// large. Blocks.
  ///
  /// Does not throw: after an error other than corruption the cache keeps no more pictures, and `notes` has the reason.
  /// The entries are then written to the temporary file if `keepsTemporarily` is true, and are lost otherwise.
  package func flush() {
    flushUses()
    let waiting = contents.withLock { contents in
      defer { contents.waiting = [] }
      return contents.waiting
    }
    guard !waiting.isEmpty else { return }
    if keepsPictures {
      let isWritten: Void? = access { database in
        for (content, entry) in waiting { try PictureRow.insert(entry, content, database) }
        try Self.evict(to: self.limit, database)
      }
      if isWritten != nil { return }
    }
    accessSpare(creating: true) { database in
      for (content, entry) in waiting { try PictureRow.insert(entry, content, database) }
    }
  }

  /// Removes all contents except these.
  func keepOnly(_ kept: Set<FileContent>) {
    let others = outlines().keys.filter { !kept.contains($0) }
    guard !others.isEmpty else { return }
    access { database in
      for content in others {
        try database.execute(
          sql: "DELETE FROM picture WHERE md5 = ? AND size = ?",
          arguments: [Data(content.md5.bytes), content.size])
      }
    }
  }

  /// True if the cache uses 90 % of its limit or more. Blocks.
  package var isFull: Bool { (access { try Self.bytes($0) } ?? 0) >= limit / 10 * 9 }

  static var now: Int64 { Int64(Date().timeIntervalSince1970) }

  // MARK: Opening

  /// Runs a transaction. Returns nil if the cache is not available. A corrupt cache is created again, once.
  @discardableResult
  func access<Value: Sendable>(_ body: (Database) throws -> Value) -> Value? {
    withQueue { queue, keeps in keeps ? try queue.write(body) : try queue.read(body) }
  }

  /// Runs one statement that reads, outside of a transaction, which costs less for each picture. Returns nil if the
  /// cache is not available. A corrupt cache is created again, once.
  private func read<Value: Sendable>(_ statement: (Database) throws -> Value) -> Value? {
    withQueue { queue, _ in try queue.unsafeRead(statement) }
  }

  /// Passes the database to `body`, and true if it may be written. Holds the lock of this value meanwhile, so that
  /// other threads wait.
  ///
  /// If the cache is corrupt and can be written, deletes it, creates it again, and calls `body` once more. After any
  /// other error, closes the database: the cache is neither read nor written from then on, and `notes` has the reason.
  ///
  /// - Returns: nil without a database, after another error, or after a second one.
  private func withQueue<Value: Sendable>(_ body: (DatabaseQueue, Bool) throws -> Value) -> Value? {
    contents.withLock { contents in
      for _ in 1...2 {
        guard let queue = contents.pinned?.queue else { return nil }
        do {
          return try body(queue, contents.keeps)
        } catch {
          recover(from: error, &contents)
        }
      }
      return nil
    }
  }

  /// Runs a transaction in the temporary database. Returns nil without a temporary database.
  @discardableResult
  func accessSpare<Value: Sendable>(
    creating: Bool = false, _ body: (Database) throws -> Value
  ) -> Value? {
    contents.withLock { contents in
      guard keepsTemporarily, !contents.isSpareLost, creating || contents.spare != nil else { return nil }
      do {
        if contents.spare == nil {
          // SQLite's name of a temporary database. https://www.sqlite.org/inmemorydb.html#temp_db
          let queue = try DatabaseQueue(path: "")
          try queue.write(PictureCacheSchema.cache.create)
          contents.spare = queue
        }
        return try contents.spare?.write(body)
      } catch {
        (contents.spare, contents.isSpareLost) = (nil, true)
        return nil
      }
    }
  }

  /// Returns the rows of the cache and of the temporary database.
  private func accessBoth<Value: Sendable>(
    _ body: (Database) throws -> [(FileContent, Value)]
  ) -> [FileContent: Value] {
    flush()
    return Dictionary(
      (access(body) ?? []) + (accessSpare(body) ?? []), uniquingKeysWith: { first, _ in first })
  }

  private func recover(from error: any Error, _ contents: inout Contents) {
    contents.pinned = nil
    if Self.isCorruption(error), let folder = contents.folder, contents.keeps {
      replace(in: folder, &contents)
    } else if contents.keeps {
      contents.keepNothing(reason(error, contents))
    }
  }

  private func open(_ contents: inout Contents) {
    guard let folder = contents.folder else { return }
    if let errno = folder.directory.writeFault() {
      contents.keepNothing("\(FileError("write to", folder.directory.path, errno))")
      // a cache that cannot be read either is as good as an empty one
      contents.pinned = (try? Self.openForReading(kind.database, in: folder)) ?? nil
      return
    }
    do {
      contents.pinned = try Self.openDatabase(kind.database, in: folder)
    } catch {
      recover(from: error, &contents)
    }
  }

  /// Returns why the database cannot be used, with its path.
  private func reason(_ error: any Error, _ contents: Contents) -> String {
    let reason = Self.reason(error)
    guard let error = error as? DatabaseError, let folder = contents.folder else { return reason }
    let (path, file) = (folder.directory.path, folder.directory.path(of: kind.database))
    let remedy =
      error.resultCode == .SQLITE_FULL
      ? "free space on its disk" : "remove \(path), which is then made again"
    return "\(file): \(reason); \(remedy)"
  }

  private func replace(in folder: OpenFolder, _ contents: inout Contents) {
    do {
      try Self.removeDatabase(kind.database, in: folder.directory)
      contents.pinned = try Self.openDatabase(kind.database, in: folder)
      contents.notes.append("the cache of pictures was corrupt, and was created again")
    } catch {
      contents.keepNothing(reason(error, contents))
    }
  }
}
