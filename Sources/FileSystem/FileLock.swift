import Glibc
import Operations
import Processes
import SystemPackage

/// An advisory lock on a file, held until the value goes: the kernel clears it when its owner dies, so
/// there is no stale lock to remove. The lock file is never unlinked, since two processes could then hold
/// two files of one name. flock(2), `O_RDWR|O_CLOEXEC`.
package struct FileLock: ~Copyable, Sendable {
  private let file: File

  deinit { file.unlock() }

  /// Another process holds the lock.
  package struct Busy: RemediedError, Equatable, Sendable, CustomStringConvertible {
    /// The lock file.
    package let path: FilePath
    /// Who wrote itself into it: `process 4711 on nas`; empty if unknown.
    package let owner: String
    /// This process comes from the owner, which may be waiting for its end.
    package let isOwnerAncestor: Bool

    init(path: FilePath, owner: String, isOwnerAncestor: Bool = false) {
      (self.path, self.owner, self.isOwnerAncestor) = (path, owner, isOwnerAncestor)
    }

    /// An owner that waits for the end of this process would be waited for in vain.
    package var remedy: Remedy? { isOwnerAncestor ? nil : .waitForLock }

    /// One line for the user.
    package var description: String {
      let who = owner.isEmpty ? "another process" : owner
      return "\(path.removingLastComponent()) is in use by \(who)"
    }
  }

  /// Takes the lock at once, or throws `Busy` or `FileError`. An exclusive owner's process id and host are
  /// written into the file, for messages alone; where that fails, the lock holds all the same.
  package init(_ name: FilePath, in directory: borrowing Directory, exclusive: Bool) throws {
    let file = try Self.open(name, in: directory, exclusive: exclusive)
    guard try file.lock(exclusive: exclusive) else {
      // whoever shares it has not written itself in, and the note is that of somebody before
      let isShared = exclusive && (try? file.lock(exclusive: false)) == true
      if isShared { file.unlock() }
      let owner = isShared ? "" : Self.owner(in: file)
      let isAncestor = Self.process(of: owner).map(RunningProcess.isAncestor) ?? false
      throw Busy(path: directory.path(of: name), owner: owner, isOwnerAncestor: isAncestor)
    }
    if exclusive {
      // a note for messages: on a full disk the lock holds without it
      try? file.resize(to: 0)
      try? file.write(Array("\(Self.note(getpid()))\n".utf8), at: 0)
    }
    self.file = file
  }

  /// Who shares the lock has nothing to write: in a folder of somebody else's, and on a file system that is mounted for
  /// reading alone, the file that is there will do.
  private static func open(
    _ name: FilePath, in directory: borrowing Directory, exclusive: Bool
  ) throws(FileError) -> File {
    do throws(FileError) {
      return try directory.open(name, .readWrite)
    } catch {
      guard !exclusive, [.readOnlyFileSystem, .permissionDenied].contains(error.errno),
        (try? directory.status(of: name))?.kind == .file
      else { throw error }
    }
    return try directory.open(name, .read)
  }

  /// Takes the lock, trying again until `wait` has passed. `whileWaiting` is called ten times a second, and may throw
  /// to give up. An owner from which this process comes is not waited for.
  package init(
    _ name: FilePath, in directory: borrowing Directory, exclusive: Bool = true, waiting wait: Duration,
    whileWaiting: () throws -> Void = {}
  ) throws {
    self = try LockWait.take(within: wait, whileWaiting: whileWaiting) {
      try FileLock(name, in: directory, exclusive: exclusive)
    }
  }

  /// Gives the lock back. It goes with the value anyhow; calling this keeps the value until here.
  package consuming func release() {}

  private static func note(_ process: pid_t) -> String { "process \(process) on \(hostName)" }

  /// The process that a note names, if it is one of this machine.
  private static func process(of owner: String) -> pid_t? {
    let process = owner.split(separator: " ").dropFirst().first.flatMap { pid_t($0) }
    return process.flatMap { owner == note($0) ? $0 : nil }
  }

  /// Who has the lock. An owner of this very moment has yet to write itself in, in the place of one before.
  private static func owner(in file: borrowing File) -> String {
    var owner = ""
    for attempt in 1...20 {
      owner = String(decoding: (try? file.read(256, at: 0)) ?? [], as: UTF8.self).trimmingNewline
      let isGone = owner.isEmpty || process(of: owner).map { kill($0, 0) != 0 && errno == ESRCH } ?? false
      guard isGone, attempt < 20 else { break }
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
