import FileSystem
import SystemPackage

extension AtomicFile.Durability {
  /// Returns a warning about a file that was published; nil if it is durable.
  func warning(for archive: FilePath) -> String? {
    guard case .unknown(let error) = self else { return nil }
    return "\(archive) is published, but may be lost in a power failure: \(error)"
  }
}
