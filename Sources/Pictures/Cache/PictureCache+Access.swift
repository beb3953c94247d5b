internal import Databases
internal import FileSystem
internal import GRDB
import Synchronization

/// Access to the database of a cache, which is created again if it is corrupt.
extension PictureCache {
  /// Runs a transaction. Returns nil if the cache is not available. A corrupt cache is created again, once.
  @discardableResult
  func access<Value: Sendable>(_ body: (Database) throws -> Value) -> Value? {
    withQueue { queue, keeps in keeps ? try queue.write(body) : try queue.read(body) }
  }

  /// Runs one statement that reads, outside of a transaction, which costs less for each picture. Returns nil if the
  /// cache is not available. A corrupt cache is created again, once.
  func read<Value: Sendable>(_ statement: (Database) throws -> Value) -> Value? {
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

  private func recover(from error: any Error, _ contents: inout Contents) {
    contents.pinned = nil
    if Self.isCorruption(error), let folder = contents.folder, contents.keeps {
      replace(in: folder, &contents)
    } else if contents.keeps {
      contents.keepNothing(reason(error, contents))
    }
  }

  func open(_ contents: inout Contents) {
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
    guard let error = error as? DatabaseError else { return "\(error)" }
    guard let folder = contents.folder else { return error.reason }
    let (path, file) = (folder.directory.path, folder.directory.path(of: kind.database))
    let remedy =
      error.resultCode == .SQLITE_FULL
      ? "free space on its disk" : "remove \(path), which is then made again"
    return "\(file): \(error.reason); \(remedy)"
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
