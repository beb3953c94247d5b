/// What the database of a lost library gets.
package struct RebuiltContents: Sendable {
  /// The rows. Each photo that is no asset has the path of its file.
  package var contents: LibraryContents
  /// The library ID; nil for a new one.
  package var libraryID: String?
  /// The IDs of the photos that the archive of the rows does not contain.
  package var photosNotInArchive: Set<Int64> = []
  /// The archives of the library, oldest first.
  package var exports: [ExportRecord] = []
  /// What the damaged database tells about runs of `sort`.
  package var sorting = SalvagedSorting()
  /// What the damaged database tells about pairs that are no duplicates.
  package var dismissals: Set<Dismissal> = []
  /// The ID of the archive that the rows come from; nil if they come from no archive.
  package var archiveID: String?

  /// Makes contents of these rows.
  package init(_ contents: LibraryContents) { self.contents = contents }
}
