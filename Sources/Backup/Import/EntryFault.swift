import Zip

extension ArchiveError {
  /// Why one entry cannot be had while the others may: its data are damaged, or the disk does not give them. Nil
  /// for what concerns the whole archive.
  var faultOfOneEntry: String? {
    switch self {
    case .damaged(_, _, let reason): "\(reason)"
    case .file(let error) where error.operation == "read": "\(error)"
    default: nil
    }
  }
}
