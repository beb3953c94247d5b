/// The archives of a library, divided by the copies of the library that made them.
///
/// A library that was copied continues as two libraries with one ID, and so does one whose database was replaced by an
/// older version. Each archive lists the earlier exports of its library, so that archives that do not list each other
/// are known to be of different branches: none of them replaces another.
package struct ArchiveBranches {
  /// The branches, the one with the newest archive first; the archives of each, oldest first. Archives from before a
  /// division belong to the first branch.
  package private(set) var branches: [[ArchiveDescriptor]] = []
  private var exports: [Set<String>?] = []

  /// Divides archives.
  ///
  /// - Parameters:
  ///   - archives: archives of one library, oldest first.
  ///   - earlierIDs: reads the list of an archive; nil if an archive has none, so that it counts as later than all
  ///     archives before it. Called for the newest archive of each branch.
  package init(
    _ archives: [ArchiveDescriptor], earlierIDs: (ArchiveDescriptor) throws -> [String]?
  ) rethrows {
    for archive in archives.reversed() {
      let ids = [archive.archiveID, archive.flattenedFrom, archive.part?.setID].compactMap { $0 }
      let index = exports.firstIndex { exports in
        guard let exports, archive.sequence != nil else { return true }
        return ids.contains(where: exports.contains)
      }
      if let index {
        branches[index].append(archive)
      } else {
        branches.append([archive])
        exports.append(
          archive.sequence == nil ? nil : try earlierIDs(archive).map { Set($0).union(ids) })
      }
    }
    for index in branches.indices { branches[index].reverse() }
  }
}
