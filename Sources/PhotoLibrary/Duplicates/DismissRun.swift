import SystemPackage

/// The result of dismissing duplicates.
package struct DismissSummary: Sendable, Equatable {
  /// The photos.
  package let photos: [Photo]
  /// The number of pairs of these photos.
  package let pairs: Int
  /// The number of pairs that were added or removed.
  package let pairsChanged: Int
}

/// Why photos cannot be dismissed as duplicates. Nothing was changed.
package enum DismissError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No two of the photos have different contents.
  case equalContents

  /// One line for the user.
  package var description: String {
    switch self {
    case .equalContents:
      "no two of these photos have different bytes; dismiss photos with different bytes"
    }
  }
}

/// Remembers that photos are no duplicates of each other.
package struct DismissRun: Sendable {
  private let path: FilePath
  private let lockWait: Duration

  /// - Parameter lockWait: how long to wait for another writer.
  package init(_ path: FilePath, lockWait: Duration = .zero) {
    (self.path, self.lockWait) = (path, lockWait)
  }

  /// Remembers every pair of the photos, in one change, which `undo` takes back. Durable when it returns; writes nothing
  /// if the library has all pairs. Blocks.
  ///
  /// - Throws: `DismissError`, `LibraryError`, `FileLock.Busy` or `FileError`; nothing has changed then.
  package func dismiss(_ ids: [Int64]) throws -> DismissSummary {
    let writer = try LibraryWriter(path: path, lockWait: lockWait)
    let (photos, pairs) = try pairs(of: ids, writer.library)
    let known = try writer.library.dismissals()
    var edit = LibraryEdit()
    edit.dismissals = pairs.filter { !known.contains($0) }
    if !edit.dismissals.isEmpty { try writer.change(.dismiss) { try $0.commit(edit) } }
    return DismissSummary(photos: photos, pairs: pairs.count, pairsChanged: edit.dismissals.count)
  }

  /// Forgets every pair of the photos, whichever change added it. Durable when it returns. `undo` does not bring the pairs
  /// back; dismissing them again does. Blocks.
  ///
  /// - Throws: as `dismiss`.
  package func forget(_ ids: [Int64]) throws -> DismissSummary {
    let writer = try LibraryWriter(path: path, lockWait: lockWait)
    let (photos, pairs) = try pairs(of: ids, writer.library)
    let forgotten = pairs.intersection(try writer.library.dismissals())
    if !forgotten.isEmpty {
      try writer.transaction { database in
        for dismissal in forgotten { try dismissal.delete(database) }
      }
    }
    return DismissSummary(photos: photos, pairs: pairs.count, pairsChanged: forgotten.count)
  }

  private func pairs(of ids: [Int64], _ library: Library) throws -> ([Photo], Set<Dismissal>) {
    var selection = LibrarySelection()
    selection.ids = ids
    let photos = try selection.photos(of: library.contents())
    let contents = photos.compactMap(\.content)
    var pairs: Set<Dismissal> = []
    for (index, content) in contents.enumerated() {
      for other in contents[(index + 1)...] { if let pair = Dismissal(content, other) { pairs.insert(pair) } }
    }
    guard !pairs.isEmpty else { throw DismissError.equalContents }
    return (photos, pairs)
  }
}
