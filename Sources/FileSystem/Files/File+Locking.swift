import Glibc
import SystemPackage

extension File {
  /// Locks the file until `unlock` or until the value is destroyed. Returns false if another process holds the lock.
  /// The lock is advisory and belongs to the open file. flock(2).
  package func lock(exclusive: Bool) throws(FileError) -> Bool {
    try lock { () throws(Errno) in
      try SystemCalls.flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
    }
  }

  /// Releases the lock at once. Closing the file releases it too, but not while a child process that is being started
  /// still has a copy of the descriptor. flock(2).
  package func unlock() { _ = try? SystemCalls.flock(descriptor, LOCK_UN) }

  /// Locks one byte until the file is closed. Returns false if another open file has locked it. The byte may be beyond
  /// the end. The lock is advisory and belongs to the open file. fcntl(2), `F_OFD_SETLK`.
  package func lockByte(at offset: Int64) throws(FileError) -> Bool {
    try lock { () throws(Errno) in try SystemCalls.lockByte(descriptor, at: offset) }
  }

  /// Makes a system call that locks. Returns false if another process holds the lock.
  private func lock(_ call: () throws(Errno) -> Void) throws(FileError) -> Bool {
    do {
      try call()
      return true
    } catch .wouldBlock {
      return false
    } catch {
      throw FileError("lock", path, error)
    }
  }

  /// Releases the locks of all bytes at once, as `unlock` does for the lock of the file.
  package func unlockBytes() { _ = try? SystemCalls.unlockBytes(descriptor) }

  /// Returns true if another open file, of this process or another one, has locked a byte. fcntl(2), `F_OFD_GETLK`.
  package func isByteLocked(at offset: Int64) throws(FileError) -> Bool {
    try FileError.attempt("read the locks of", path) { () throws(Errno) in
      try SystemCalls.isByteLocked(descriptor, at: offset)
    }
  }

  /// Returns true if a process has the file open for writing; nil if the kernel does not tell: for a file of another user,
  /// and on file systems without leases, such as network file systems. The file must be open for reading. fcntl(2),
  /// `F_SETLEASE`.
  package func isOpenForWriting() -> Bool? { try? SystemCalls.isOpenForWriting(descriptor) }
}
