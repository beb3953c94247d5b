import Zip

extension ArchiveError {
  /// Why one entry cannot be had while the others may: its data are damaged, or the disk does not give them. Nil
  /// for what concerns the whole archive.
  ///
  /// In an archive whose metadata could be read, a password that does not fit an entry is a fault of the entry: of its
  /// first bytes, or of whoever packed it.
  var faultOfOneEntry: String? {
    switch self {
    case .damaged(_, _, let reason): "\(reason)"
    case .file(let error) where error.operation == "read" && !error.isResourceExhaustion: "\(error)"
    case .wrongPassword: "the password does not fit it, or its first bytes are damaged"
    case .passwordNeeded: "it is encrypted, and there is no password"
    default: nil
    }
  }
}
