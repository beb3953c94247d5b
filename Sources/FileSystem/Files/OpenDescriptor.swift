import Glibc
import SystemPackage

/// An open file or folder.
package protocol OpenDescriptor: ~Copyable {
  /// The file descriptor.
  var descriptor: CInt { get }
  /// The path for messages.
  var path: FilePath { get }
}

extension OpenDescriptor where Self: ~Copyable {
  /// A path by which this process can open the same file or folder again, even if it was renamed, replaced or has no name.
  /// Valid as long as the value exists. proc(5).
  package var descriptorPath: FilePath { FilePath("/proc/self/fd/\(descriptor)") }

  /// Returns the current status. fstat(2).
  package func status() throws(FileError) -> FileStatus {
    try FileError.attempt("read the status of", path) { () throws(Errno) in
      FileStatus(try SystemCalls.fstat(descriptor))
    }
  }

  /// Returns the status of the file system. fstatfs(2).
  package func fileSystem() throws(FileError) -> FileSystemStatus {
    try FileError.attempt("read the status of", path) { () throws(Errno) in
      FileSystemStatus(try SystemCalls.fileSystem(descriptor))
    }
  }
}
