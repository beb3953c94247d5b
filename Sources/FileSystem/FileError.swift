import SystemPackage

/// A system call that failed, with what a message needs: what was tried, on which file, and why.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, in the infinitive: "open", "write", "flush to disk".
  package var operation: String
  /// The file or folder it was tried on.
  package var path: FilePath
  /// The kernel's reason.
  package var errno: Errno

  /// Makes an error from its three parts.
  package init(_ operation: String, _ path: FilePath, _ errno: Errno) {
    self.operation = operation
    self.path = path
    self.errno = errno
  }

  /// Nothing has the name, or what should be a folder on the way is none.
  package var isAbsence: Bool { errno == .noSuchFileOrDirectory || errno == .notDirectory }

  /// This process, or the machine, has no more of what every call needs: open files, or memory. It says nothing of the
  /// file.
  package var isResourceExhaustion: Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(errno)
  }

  /// One line: `cannot write /nas/x.zip: No space left on device (errno 28)`.
  package var description: String {
    ("cannot \(operation) \(path): \(errno) (errno \(errno.rawValue))"
      + (errno == .noMemory ? "; \(MemoryShortage.remedy)" : "")).escaped
  }
}
