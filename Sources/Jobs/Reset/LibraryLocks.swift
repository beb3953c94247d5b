import FileSystem
import PhotoLibrary
import SystemPackage

/// The locks of a library and of its jobs, by which processes exclude each other.
struct LibraryLocks: Sendable {
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

  private typealias JobLock = (job: String, isRestoreTest: Bool)

  private var ofJobs: [JobLock] { jobs.flatMap { [($0, false), ($0, true)] } }

  /// Takes each lock in turn, and releases it at once. Blocks.
  ///
  /// - Throws: `FileLock.Busy` or `JobError.running` if a process keeps a lock too long; `FileError`; what `whileWaiting`
  ///   throws.
  func check(waiting: Duration = .zero, whileWaiting: () throws -> Void = {}) throws {
    for (job, isTest) in ofJobs {
      try state.lock(job, isRestoreTest: isTest, waiting: waiting, whileWaiting: whileWaiting).release()
    }
    try FileLock(
      "library.lock", in: Directory.open(library), waiting: waiting, whileWaiting: whileWaiting
    ).release()
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
    _ locks: ArraySlice<JobLock>, _ waiting: Duration, _ whileWaiting: () throws -> Void,
    _ body: () throws -> Void
  ) throws {
    guard let first = locks.first else { return try body() }
    let lock = try state.lock(
      first.job, isRestoreTest: first.isRestoreTest, waiting: waiting, whileWaiting: whileWaiting)
    try hold(locks.dropFirst(), waiting, whileWaiting, body)
    lock.release()
  }
}
