import PhotoLibrary

/// The paths of the files that an import adds to a library.
struct Placement {
  /// A new file.
  struct File {
    /// The photo that the file belongs to.
    let planned: MergePlan.FileToExtract
    /// The name in the staging folder.
    let stagedName: String
    /// The path in the library.
    let path: String
  }

  /// The files, in the plan's order.
  let files: [File]

  /// Chooses names that are free in the library.
  init(of plan: MergePlan, _ writer: LibraryWriter) throws {
    let photos = Dictionary(uniqueKeysWithValues: plan.edit.newPhotos.map { ($0.id, $0) })
    let names = plan.filesToExtract.compactMap { photos[$0.id] }.map { ($0.fileName, $0.createdAt) }
    let paths = try writer.newPaths(for: names)
    files = zip(plan.filesToExtract, paths).enumerated().map { index, file in
      File(planned: file.0, stagedName: String(index), path: file.1)
    }
  }
}
