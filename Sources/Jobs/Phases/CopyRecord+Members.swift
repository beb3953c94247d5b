import ArchiveCatalog
import FileSystem
import SystemPackage

extension CopyRecord {
  /// Describes a copy that a run found. Blocks.
  ///
  /// - Parameters:
  ///   - members: the archives that a restore needs, the newest first.
  ///   - library: the library's folder.
  /// - Returns: nil if an archive was removed meanwhile.
  init?(_ members: [ArchiveDescriptor], at destination: JobDestination, of job: Job, _ library: FilePath) {
    let archive = members[0]
    let files = members.compactMap { ArchiveFile(at: FilePath($0.path)) }
    guard files.count == members.count else { return nil }
    self.init(
      path: destination.path.string, archive: archive.path, others: members.dropFirst().map(\.path),
      madeAt: archive.date, sequence: archive.sequence,
      mountPoint: (try? MountTable())?.mountPoint(of: destination.path)?.string,
      // each part of a set has `isPartial`
      isSelection: archive.selection != nil && archive.isPartial
        && (archive.part == nil || job.exportOptions.selectsSomePhotos),
      missingPhotos: (archive.part == nil ? [archive] : members).reduce(0) { $0 + $1.missingPhotos.count },
      files: files)
    locate(from: library)
  }
}
