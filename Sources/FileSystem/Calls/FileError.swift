import Operations
import SystemPackage

/// A system call that failed: the operation, the file, and the reason.
public struct FileError: ExplainedError, Equatable, Sendable, CustomStringConvertible {
  /// The operation, in the infinitive: "open", "write", "flush to disk".
  public var operation: String
  /// The path of the file or folder.
  public var path: FilePath
  /// The kernel's reason.
  public var errno: Errno

  /// Makes an error of these parts.
  package init(_ operation: String, _ path: FilePath, _ errno: Errno) {
    self.operation = operation
    self.path = path
    self.errno = errno
  }

  /// True if the file is missing, or if a component of its path is not a folder.
  public var isMissing: Bool { errno == .noSuchFileOrDirectory || errno == .notDirectory }

  /// `environment` if the process lacks memory or open files, `disk` for EIO.
  public var cause: ErrorCause {
    switch errno {
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory: .environment
    case .ioError: .disk
    default: .other
    }
  }

  /// One line: `cannot write /nas/x.zip: No space left on device (errno 28); free some space`.
  public var description: String {
    let remedy: String? =
      switch errno {
      case .noMemory: MemoryShortage.remedy
      case .noSpace, .diskQuotaExceeded: "free some space"
      case .notDirectory: "choose a folder"
      case .permissionDenied: "check its permissions and those of its folder"
      default: nil
      }
    return
      ("cannot \(operation) \(path): \(errno) (errno \(errno.rawValue))" + (remedy.map { "; \($0)" } ?? ""))
      .escaped
  }
}

extension FileError {
  /// Runs `body`, and adds an operation and a path to the error that it throws. Evaluates both only if it throws.
  static func attempt<Result: ~Copyable>(
    _ operation: @autoclosure () -> String, _ path: @autoclosure () -> FilePath,
    _ body: () throws(Errno) -> Result
  ) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      throw FileError(operation(), path(), error)
    }
  }
}
