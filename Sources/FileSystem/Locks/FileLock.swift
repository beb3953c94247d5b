import Glibc
import Operations
internal import Processes
import SystemPackage

/// An advisory lock on a file. The lock lasts as long as the value. The kernel releases the lock when its owner dies, so
/// no stale lock remains. The lock file is never unlinked, since two processes could then lock two files of one name.
/// flock(2), `O_RDWR|O_CLOEXEC`.
public struct FileLock: ~Copyable, Sendable {
  private let file: File

  deinit { file.unlock() }

  /// Another process holds the lock.
  public struct Busy: ExplainedError, Equatable, Sendable, CustomStringConvertible {
    /// The lock file.
    public let path: FilePath
    /// The owner according to the lock file: `process 4711 on nas`; empty if unknown.
    public let owner: String
    /// The owner's process, if it runs on this machine; nil if unknown.
    package var process: pid_t? { FileLock.process(of: owner) }
    /// True if the owner is an ancestor of this process, and may be waiting for the end of this process.
    public internal(set) var isOwnerAncestor = false

    /// Always `busy`.
    public var cause: ErrorCause { .busy }

    /// Nil for an ancestor, since waiting for an ancestor could last forever.
    public var remedy: Remedy? { isOwnerAncestor ? nil : .waitForLock }

    /// One line for the user.
    public var description: String {
      let who = owner.isEmpty ? "another process" : owner
      return "\(path.removingLastComponent()) is in use by \(who)"
    }
  }

  /// Takes the lock without waiting. An exclusive owner writes its process ID and host into the file, for messages; the
  /// lock holds even if the write fails.
  ///
  /// - Throws: `Busy`, `FileError`, or `OwnershipError` if the file has a second name.
  package init(_ name: FilePath, in directory: borrowing Directory, exclusive: Bool) throws {
    let file = try Self.open(name, in: directory, exclusive: exclusive)
    guard try file.lock(exclusive: exclusive) else {
      // shared owners write no note, so the note is that of an earlier owner
      let isShared = exclusive && (try? file.lock(exclusive: false)) == true
      if isShared { file.unlock() }
      let owner = isShared ? "" : Self.owner(in: file)
      let isAncestor = Self.process(of: owner).map(RunningProcess.isAncestor) ?? false
      throw Busy(path: directory.path(of: name), owner: owner, isOwnerAncestor: isAncestor)
    }
    if exclusive {
      // the lock holds without the note, for example on a full disk
      try? file.resize(to: 0)
      try? file.write(Array("\(Self.note(getpid()))\n".utf8), at: 0)
    }
    self.file = file
  }

  /// Opens the lock file. A shared lock writes no note, so a file that cannot be written is opened for reading: the
  /// folder may belong to another user, or its file system may be read-only.
  private static func open(
    _ name: FilePath, in directory: borrowing Directory, exclusive: Bool
  ) throws -> File {
    do {
      let file = try directory.open(name, .readWrite)
      try Ownership.requireNames(file.status(), at: directory.path(of: name))
      return file
    } catch let error as FileError {
      guard !exclusive, [.readOnlyFileSystem, .permissionDenied].contains(error.errno),
        (try? directory.status(of: name))?.kind == .file
      else { throw error }
    }
    return try directory.open(name, .read)
  }

  /// Takes the lock, trying again until `wait` has passed. `whileWaiting` is called ten times a second, and may throw
  /// to give up. Does not wait for an owner that is an ancestor of this process.
  package init(
    _ name: FilePath, in directory: borrowing Directory, exclusive: Bool = true, waiting wait: Duration,
    whileWaiting: () throws -> Void = {}
  ) throws {
    self = try LockWait.take(within: wait, whileWaiting: whileWaiting) {
      try FileLock(name, in: directory, exclusive: exclusive)
    }
  }

  /// Releases the lock. Calling this keeps the value, and so the lock, until here.
  package consuming func release() {}

  private static func note(_ process: pid_t) -> String { "process \(process) on \(hostName)" }

  /// Returns the process that a note names; nil if the process is on another machine.
  private static func process(of owner: String) -> pid_t? {
    let process = owner.split(separator: " ").dropFirst().first.flatMap { pid_t($0) }
    return process.flatMap { owner == note($0) ? $0 : nil }
  }

  /// Reads the owner of the lock. Waits up to 0.1 s for the note of a new owner, which may not have replaced the note
  /// of the owner before it.
  private static func owner(in file: borrowing File) -> String {
    var owner = ""
    for attempt in 1...20 {
      owner = String(decoding: (try? file.read(256, at: 0)) ?? [], as: UTF8.self).trimmingNewline
      let isOutdated = owner.isEmpty || process(of: owner).map { kill($0, 0) != 0 && errno == ESRCH } ?? false
      guard isOutdated, attempt < 20 else { break }
      usleep(5_000)
    }
    return owner
  }

  private static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "an unknown host" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension String {
  fileprivate var trimmingNewline: String {
    String(prefix { $0 != "\n" && $0 != "\0" })
  }
}
