/// Why an operation failed. Each error type states its causes once; callers compare the cause.
public enum ErrorCause: Sendable, CaseIterable {
  /// The caller or a signal stopped the operation.
  case cancelled
  /// The process lacks memory, threads or open files.
  case environment
  /// Another process holds a lock.
  case busy
  /// The library cannot be used or changed, or another user of this machine controls a file or folder.
  case access
  /// The named file, folder, library or job does not exist.
  case notFound
  /// An archive that the named one depends on is missing.
  case missingBase
  /// A password or PIN is missing or wrong.
  case password
  /// The password is wrong, or the data is corrupt.
  case passwordOrDamage
  /// The data is corrupt.
  case damage
  /// The disk cannot read the data (EIO).
  case disk
  /// The data exceeds a limit.
  case limit
  /// The data has a format that this program does not read.
  case unsupported
  /// Nothing can be written to the destination.
  case destination
  /// The command line or the job file has a mistake.
  case usage
  /// Another cause, which the message of the error describes.
  case other
}

extension ErrorCause {
  /// True if the error says nothing about the archive that was read: an environment failure, a cancellation, or the removal
  /// of the archive by another process.
  package var isInconclusive: Bool { [.cancelled, .environment, .notFound].contains(self) }

  /// True if the data cannot be decrypted: the password is missing or wrong.
  package var isOfPassword: Bool { [.password, .passwordOrDamage].contains(self) }

  /// True if the error makes an archive suspect: its bytes are not those of a backup, or its disk cannot read it.
  package var isEvidenceOfDamage: Bool { [.damage, .disk].contains(self) }

  /// True if the bytes that were read are the cause, so that other entries and files may be readable.
  package var isOfContent: Bool {
    [.damage, .passwordOrDamage, .password, .limit, .unsupported].contains(self)
  }
}

/// An error that states its cause, and may have a remedy, which its description does not mention.
public protocol ExplainedError: Error {
  /// Why the operation failed.
  var cause: ErrorCause { get }
  /// Nil if there is nothing to do about the error, or if its description says it.
  var remedy: Remedy? { get }
}

extension ExplainedError {
  /// Nothing to do.
  public var remedy: Remedy? { nil }
}

extension Error {
  /// The cause that the error states; `cancelled` for `CancellationError`, and `other` for errors that state none.
  package var cause: ErrorCause {
    self is CancellationError ? .cancelled : (self as? any ExplainedError)?.cause ?? .other
  }

  /// The remedy that the error states; nil for errors that state none.
  package var remedy: Remedy? { (self as? any ExplainedError)?.remedy }
}
