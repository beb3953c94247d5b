import Checksums
import FileSystem
import Foundation
internal import GRDB
import Logging
import SystemPackage

extension LibraryWriter {
  /// Gives photos their right bytes back: `body` stages files and commits. Whatever way it ends, nothing stays in
  /// `.staging`.
  public func heal<Value>(_ body: (Healing) throws -> Value) throws -> Value {
    let healing = try Healing(self)
    let value: Value
    do {
      value = try body(healing)
    } catch {
      // as after a crash; if this fails too, the next start does it
      _ = try? finish(healing.id)
      throw error
    }
    // what could be healed is; what cannot be removed now is removed by the next writer
    if healing.isUnsettled { _ = try? finish(healing.id) } else { try? removeStaging(healing.id) }
    return value
  }

  /// Sees that no photo is without a file where a healing was cut short between moving a rotten file away and
  /// putting the right one in its place: that one is put there, or else the rotten one back. A photo with which that
  /// cannot be done is left to `verify` and the next healing: whatever stands in its way must not keep every writer
  /// out of the library. What was staged for it stays, and the next start tries again.
  ///
  /// - Returns: false if something stays in the folder that a photo still needs.
  /// - Throws: `LibraryError`, or `FileError` if the journal cannot be read.
  func finishHealing(_ changeId: String, in folder: FilePath) throws -> Bool {
    let journal: Healing.Journal? = try Staging.journal(.healing, in: folder, of: library)
    guard let journal else { return true }
    var isFinished = true
    for item in journal.files {
      let place = FilePath(item.path)
      guard place.string == item.path, place.starts(with: "photos"), place.lexicallyNormalized() == place,
        FilePath.Component(item.name) != nil, FilePath.Component(item.rotten) != nil,
        try hasPhoto(item)
      else { continue }
      let rotten = Healing.rottenFolder.appending(changeId).appending(item.rotten)
      let staged = folder.appending(item.name)
      do {
        try finish(item, staged: staged, rotten: rotten, at: place)
        // the folder may have to stay for other photos
        if Staging.isOwn(FilePath(item.name)) { try library.root.remove(staged) }
      } catch {
        if !isGone(staged) { isFinished = false }
        Self.healingLogger.warning(
          "a photo whose healing was cut short is left as it is; the next start tries again",
          metadata: ["photo": "\(place.string.escaped)", "reason": "\(error)"])
      }
    }
    return isFinished
  }

  /// Of what cannot be looked at, nobody knows that it is gone.
  private func isGone(_ path: FilePath) -> Bool {
    do {
      return try library.root.status(of: path) == nil
    } catch {
      return false
    }
  }

  private static let healingLogger = Logger(label: "smilepile.library")

  private func finish(
    _ item: Healing.Journal.Item, staged: FilePath, rotten: FilePath, at place: FilePath
  ) throws(FileError) {
    guard try library.root.status(of: place) == nil else { return }
    if let digest = try? MD5Digest.ofFile(library.root.open(staged, .read)).digest,
      digest.description == item.md5
    {
      do throws(FileError) {
        try library.root.open(staged, .read).sync()
        return try putBack(staged, at: place)
      } catch {
        guard (try? library.root.status(of: rotten)) != nil else { throw error }
      }
    }
    if try library.root.status(of: rotten) != nil { try putBack(rotten, at: place) }
  }

  private func putBack(_ file: FilePath, at place: FilePath) throws(FileError) {
    let parent = place.removingLastComponent()
    try library.root.makeDirectories(parent)
    try library.root.rename(file, to: library.root, as: place)
    try library.root.directory(parent).sync()
  }

  private func hasPhoto(_ item: Healing.Journal.Item) throws -> Bool {
    guard let md5 = MD5Digest(hex: item.md5) else { return false }
    return try library.read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT * FROM photo WHERE path = ? AND md5 = ? AND NOT isFromAssets)",
        arguments: [item.path, md5.blob]) ?? false
    }
  }
}
