import Zip

extension ArchiveError {
  /// Why this entry cannot be read although others may be readable: the entry is corrupt, or the disk cannot read
  /// it. Nil for an error that concerns the complete archive.
  ///
  /// If the metadata of the archive could be read, a password that does not fit an entry is a fault of the entry:
  /// its first bytes are corrupt, or it was encrypted with another password.
  var faultOfOneEntry: String? {
    switch self {
    case .damaged(_, _, let reason): "\(reason)"
    case .file(let error) where error.operation == "read" && error.cause != .environment: "\(error)"
    case .wrongPassword: "the password is wrong, or the first bytes of the file are damaged"
    case .passwordNeeded: "it is encrypted, and there is no password"
    default: nil
    }
  }

  /// True if the disk could not read the archive, which says nothing about its bytes.
  var isOfDisk: Bool { if case .file = self { true } else { false } }
}
