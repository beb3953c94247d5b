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

  struct Contents {
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

  let contents = Mutex(Contents())
  let kind: CachedPicture
  private let limit: Int
  /// True if pictures that the cache cannot keep are available as long as this value exists.
  let keepsTemporarily: Bool
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
    (self.kind, self.limit, self.keepsTemporarily) = (kind, limit, keepsTemporarily)
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
  package func outlines() -> [FileContent: Outline] {
    flush()
    let all = (access(Self.outlines(in:)) ?? []) + (accessSpare(Self.outlines(in:)) ?? [])
    return Dictionary(all, uniquingKeysWith: { first, _ in first })
  }

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
}
