import FileSystem
import Operations
import PhotoLibrary
import Secrets
import Synchronization
import SystemPackage
import Zip

/// How a library is healed.
public struct HealOptions: Sendable {
  /// Looks and says, and writes nothing.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// What an archive may ask for.
  public var limits = Limits()
  /// For encrypted archives.
  public var password: Secret?

  /// The defaults.
  public init() {}
}

/// What a healing came to.
public struct HealSummary: Sendable, Equatable {
  /// Photos that were read.
  public var photosChecked = 0
  /// Photos that have their right bytes again; each by name, with the archive that gave them.
  public var healed: [Finding] = []
  /// Photos that are still rotten or missing; each by name, with what is wrong.
  public var damaged: [Finding] = []
  /// Bytes that were brought back.
  public var bytes = 0
  /// Where the rotten files are kept; nil if there were none.
  public var kept: FilePath?
  /// What else is worth knowing, damage of the archives among it.
  public var warnings: [String] = []
  /// Nothing was written.
  public var isDryRun = false

  /// True when a photo is still not as it should be.
  public var isIncomplete: Bool { !damaged.isEmpty }
}

extension Work where Summary == HealSummary {
  /// Starts reading every photo of a library, and bringing those that are rotten or missing back by their MD5 from
  /// any of these archives, which may be damaged themselves.
  ///
  /// Rows do not change. A rotten file is kept in the library's folder `.rotten`; the right one takes its place
  /// in one step, after it is on the disk. A crash leaves each photo as it was or healed.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func heal(
    _ library: FilePath, from archives: [FilePath], options: HealOptions = HealOptions()
  ) -> Self {
    Work("heal") { counter in
      try HealRun(path: library, archives: archives, options: options, counter: counter).run()
    }
  }
}

/// One run of `heal`: find what is wrong, find it elsewhere, stage, put in place.
struct HealRun {
  let path: FilePath
  let archives: [FilePath]
  let options: HealOptions
  let counter: ProgressCounter

  /// A photo that is not as its row says.
  private struct Patient {
    var photo: Photo
    var md5: MD5Digest
    var label: String
    var reason: String
  }

  func run() throws -> HealSummary {
    // a dry run opens nothing for writing, so it can look at a library that another process is changing
    let writer =
      options.isDryRun
      ? nil : try LibraryWriter(path: path, lockWait: options.lockWait, whileWaiting: counter.waitForWriter)
    let library = try writer?.library ?? Library(path: path)
    let sources = try archives.map { path in
      try BackupSource.salvaging(path, limits: options.limits, password: options.password) { [counter] _ in
        try counter.checkCancellation()
      }
    }
    var summary = HealSummary()
    summary.isDryRun = options.isDryRun
    for source in sources {
      if let fault = source.salvage?.fault { summary.warnings.append(fault.message) }
      if source.format == .json {
        summary.warnings.append("\(source.path) is a JSON backup, which holds no photo files")
      }
    }
    let patients = try library.holdingPhotos { try examine(library, &summary) }
    counter.enter(.restoring)
    let wanted = Dictionary(
      patients.map { ($0.md5, Optional($0.photo.fileSize)) }, uniquingKeysWith: { first, _ in first })
    let supply = try PhotoSupply(wanted, from: sources, nil, counter)
    var cures = Cures()
    for patient in patients {
      counter.advance(current: patient.photo.name)
      guard let (bytes, size) = try supply.find(patient.md5, size: patient.photo.fileSize) else {
        summary.damaged.append(Finding(patient.label, patient.reason))
        continue
      }
      cures.add(patient.photo, patient.md5, label: patient.label, from: bytes)
      summary.bytes += size
      summary.healed.append(
        Finding(
          patient.label,
          (options.isDryRun ? "could be brought back from " : "brought back from ")
            + bytes.place.string.escaped))
    }
    if let writer, !cures.isEmpty {
      summary.kept = try cures.apply(writer, counter).map { path.appending($0.components) }
    }
    return summary
  }

  /// Reads every photo, and returns those whose bytes are not those of their rows.
  private func examine(_ library: Library, _ summary: inout HealSummary) throws -> [Patient] {
    let contents = try library.contents()
    let photos = contents.photos.filter { !$0.isFromAssets }
    counter.setTotals(items: photos.count, bytes: photos.reduce(0) { $0 + $1.fileSize })
    counter.enter(.verifying)
    let reasons = Mutex<[Int: String]>([:])
    let counter = counter
    try Workers.forEach(0..<photos.count) { index in
      var counted = 0
      let reason = try LibraryCheck.fault(of: photos[index], in: library, counter, &counted)
      if let reason { reasons.withLock { $0[index] = reason } }
      counter.advance(items: 1, bytes: photos[index].fileSize - counted, current: photos[index].name)
    }
    summary.photosChecked = photos.count
    return reasons.withLock { $0 }.sorted { $0.key < $1.key }.compactMap { index, reason in
      let photo = photos[index]
      guard let md5 = photo.md5 else { return nil }
      let category = contents.categories.first { $0.id == photo.categoryId }?.displayName ?? ""
      let label = PhotoLabel.label(id: photo.id, category: category, name: photo.name)
      return Patient(photo: photo, md5: md5, label: label, reason: reason)
    }
  }
}
