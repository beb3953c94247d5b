import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// Corrupt or missing photos of a library that can be repaired, and the sources of their bytes.
struct PhotoRepairs {
  /// A photo that can be repaired.
  struct Repair {
    let unusable: LibraryCheck.UnusablePhoto
    let md5: MD5Digest
    /// The length in bytes.
    let size: Int
    /// The sources of the bytes, best first; at least one.
    let sources: [PhotoBytes]
  }

  /// The result of repairing.
  struct Outcome {
    /// The folder in the library that keeps the corrupt files; nil if there were no corrupt files.
    var kept: FilePath?
    /// Why photos could not be repaired, by ID.
    var failures: [Int64: String] = [:]
    /// The source of each repaired photo, by ID.
    var origins: [Int64: FilePath] = [:]
    /// Sources that no longer have a photo, with the reasons.
    var faults: [FilePath: String] = [:]
  }

  private(set) var repairs: [Repair] = []
  /// The photos that no searched archive has.
  private(set) var unavailable: [LibraryCheck.UnusablePhoto]
  /// Archives in which a photo is corrupt, with the reasons.
  private(set) var failing: [FilePath: String] = [:]

  var isEmpty: Bool { repairs.isEmpty }

  /// Finds nothing until `search` is called.
  init(of photos: [LibraryCheck.UnusablePhoto]) { unavailable = photos }

  /// Searches backups for the photos that are unavailable, and reads the photos that it finds. Blocks.
  ///
  /// - Parameter skipsUnreadable: see `PhotoSources`.
  /// - Returns: what the search found out about the backups.
  /// - Throws: the errors of `PhotoSources`. Nothing is added then.
  @discardableResult
  mutating func search(
    _ backups: [OpenedBackup], skipsUnreadable: Bool = false, _ counter: ProgressCounter
  ) throws -> PhotoSources {
    let wanted = Dictionary(
      unavailable.compactMap { damaged in damaged.photo.md5.map { ($0, Optional(damaged.photo.fileSize)) } },
      uniquingKeysWith: { first, _ in first })
    var sources = try PhotoSources(wanted, from: backups, nil, counter, skipsUnreadable: skipsUnreadable)
    var found: [Repair] = []
    var rest: [LibraryCheck.UnusablePhoto] = []
    for damaged in unavailable {
      counter.advance(current: damaged.photo.name)
      if let md5 = damaged.photo.md5,
        let (first, others, size) = try sources.alternatives(for: md5, size: damaged.photo.fileSize)
      {
        found.append(Repair(unusable: damaged, md5: md5, size: size, sources: [first] + others))
      } else {
        rest.append(damaged)
      }
    }
    repairs += found
    unavailable = rest
    failing.merge(sources.failing) { first, _ in first }
    return sources
  }

  /// Stages the files and moves them into place. The files are durable when the method returns. Blocks. A photo
  /// that no source has any more does not prevent the repair of the others.
  func apply(_ writer: LibraryWriter, _ counter: ProgressCounter) throws -> Outcome {
    guard !isEmpty else { return Outcome() }
    try writer.requireSpace(repairs.saturatedSum(\.unusable.photo.fileSize), counter)
    return try writer.change(nil) { change in
      var result = Outcome()
      let staged = try stage(in: change.staging, &result, counter)
      try counter.checkCancellation()
      counter.enter(.committing)
      let outcome = try change.commit(nil, repairs: staged)
      for repair in staged {
        result.failures[repair.photo.id] = outcome.failures[repair.photo.id].map { "\($0)" }
      }
      result.kept = outcome.corruptFiles
      return result
    }
  }

  /// Stages the files. Blocks. A photo that no source has any more does not prevent the repair of the others.
  ///
  /// - Parameter result: gets the sources, and the photos that failed.
  func stage(
    in staging: StagingFolder, _ result: inout Outcome, _ counter: ProgressCounter
  ) throws -> [FileRepair] {
    var staged: [FileRepair] = []
    let reader = PhotoReader(counter)
    for (index, repair) in repairs.enumerated() {
      let (name, photo) = (String(index), repair.unusable.photo)
      for source in repair.sources {
        try counter.checkCancellation()
        guard let fault = try copy(repair, from: source, to: staging.stage(name), reader) else {
          result.origins[photo.id] = source.origin
          staged.append(FileRepair(photo: photo, name: name))
          break
        }
        try staging.unstage(name)
        result.failures[photo.id] = fault
        result.faults[source.origin] = fault
      }
    }
    return staged
  }

  /// - Returns: why a source no longer has the photo; nil if the photo was copied.
  /// - Throws: an error that concerns all photos, such as a full disk.
  private func copy(
    _ repair: Repair, from source: PhotoBytes, to file: consuming File, _ reader: PhotoReader
  ) throws -> String? {
    let file = file
    let outcome: PhotoOutcome
    do {
      outcome = try reader.read(source) { piece, offset in try file.write(piece, at: offset) }
    } catch let error as ArchiveError {
      return "\(error)"
    }
    let photo = repair.unusable.photo
    switch outcome.fault(unless: repair.md5, size: photo.fileSize) {
    case .otherContent: return "\(source.origin.string.escaped): its bytes changed while they were read"
    case let fault?: return "\(source.origin.string.escaped): \(fault)"
    case nil: break
    }
    try file.setModified(photo.createdAt)
    file.startWriteBack(from: 0, count: photo.fileSize)
    return nil
  }
}
