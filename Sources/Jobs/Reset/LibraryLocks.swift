import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// The locks of a library and of its jobs, by which processes exclude each other.
struct LibraryLocks: Sendable {
  /// A lock.
  private enum Lock {
    /// The lock of writers.
    case library
    case backup(job: String)
    case restoreTest(job: String)
  }

  /// The library's folder.
  let library: FilePath
  private let state: StateFolder
  private let jobs: [String]

  /// Finds the jobs of a library: those of the job file, and those that backed it up before. Blocks.
  init(_ library: FilePath, _ jobs: [Job], _ state: StateFolder) throws {
    (self.library, self.state) = (library, state)
    let id = try Library(path: library).libraryID()
    let known = state.statuses().filter { job in
      job.isIn(folder: library) || job.libraryID != nil && job.isOf(library: library, id: id)
    }
    self.jobs = Set(jobs.map(\.name) + known.map(\.job)).sorted()
  }

  private var ofJobs: [Lock] { jobs.flatMap { [.backup(job: $0), .restoreTest(job: $0)] } }

  /// Takes each lock in turn, and releases it at once. Blocks.
  ///
  /// - Throws: `FileLock.Busy` or `JobError.running` if a process keeps a lock too long; `FileError`; what `whileWaiting`
  ///   throws.
  func check(waiting: Duration = .zero, whileWaiting: () throws -> Void = {}) throws {
    for lock in ofJobs + [.library] { try take(lock, waiting, whileWaiting).release() }
  }

  /// Runs a closure that needs no job to run. Blocks.
  ///
  /// - Throws: as `check`; what `body` throws.
  func withJobLocks(
    waiting: Duration, whileWaiting: () throws -> Void, _ body: () throws -> Void
  ) throws {
    try hold(ofJobs[...], waiting, whileWaiting, body)
  }

  private func hold(
    _ locks: ArraySlice<Lock>, _ waiting: Duration, _ whileWaiting: () throws -> Void,
    _ body: () throws -> Void
  ) throws {
    guard let first = locks.first else { return try body() }
    let lock = try take(first, waiting, whileWaiting)
    try hold(locks.dropFirst(), waiting, whileWaiting, body)
    lock.release()
  }

  private func take(_ lock: Lock, _ waiting: Duration, _ whileWaiting: () throws -> Void) throws -> FileLock {
    switch lock {
    case .library:
      try FileLock(
        "library.lock", in: Directory.open(library), waiting: waiting, whileWaiting: whileWaiting)
    case .backup(let job):
      try state.lock(job, waiting: waiting, whileWaiting: whileWaiting)
    case .restoreTest(let job):
      try state.lock(job, isRestoreTest: true, waiting: waiting, whileWaiting: whileWaiting)
    }
  }
}
