import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// A file that a job replaces with every run and that people or other programs read: status, page or metrics. A
/// third-party file with the same name, perhaps a photo or a library's database, is never replaced, but an empty one is.
enum WatchedFile {
  /// The status of a job as JSON.
  case status
  /// The status page of a library.
  case page
  /// The metrics for Prometheus.
  case metrics

  /// A third-party file has the name, or the path is invalid.
  struct Unusable: Error, CustomStringConvertible {
    let path: FilePath
    let reason: String

    /// Describes the error and its remedy in one line.
    var description: String { "\(path) \(reason)".escaped }
  }

  /// The start of every status page.
  static let startOfPage = "<!DOCTYPE html>\n<html lang=\"en\" data-made-by=\"smilepile-report\">"

  /// The maximum size of a file that may be a status, in bytes.
  private static let maximumBytes = 64 << 20

  /// Publishes the bytes atomically and replaces those of an earlier run. The file is readable for all, since
  /// other programs run as other users.
  ///
  /// - Parameter state: the state folder, whose files belong to the jobs.
  /// - Throws: `LibraryError.outputInLibrary`, `Unusable`, or `FileError`.
  func replace(_ path: FilePath, with bytes: [UInt8], outside state: FilePath) throws {
    guard let name = path.lastComponent else { return }
    try Library.requireOutside(path)
    if let reason = fault(replacing: path, outside: state) { throw Unusable(path: path, reason: reason) }
    try AtomicFile.replace(FilePath(name.string), in: path.folder, with: bytes, mode: 0o644)
  }

  /// Returns why a file must not or cannot be replaced; nil if the file is missing, is empty, or was written
  /// by this program. Reads the file; blocks.
  ///
  /// - Parameter state: the state folder; nil if unknown.
  func fault(replacing path: FilePath, outside state: FilePath?) -> String? {
    if let state, path.folder.isSamePlace(as: state) {
      return "is in the state folder, which already contains the status of each job; choose another folder"
    }
    guard path.folder.realPath != nil else {
      return "cannot be written: its folder is missing; create the folder"
    }
    do throws(FileError) {
      let file = try File.open(path, .readFollowingLinks)
      let status = try file.status()
      guard status.kind == .file else { return "is a folder or a device; choose a file" }
      guard status.size > 0 else { return nil }
      if let bytes = try file.contents(atMost: Self.maximumBytes), isOurs(bytes) { return nil }
      return "is not a file that smilepile wrote, and was not changed; choose another name"
    } catch {
      return error.isMissing ? nil : "cannot be read and was not removed: \(error)"
    }
  }

  private func isOurs(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .status:
      let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      return object?["job"] is String && object?["copies"] is [Any]
    case .page:
      return bytes.starts(with: Array(Self.startOfPage.utf8))
    case .metrics:
      return bytes.starts(with: Array("# HELP smilepile_".utf8))
    }
  }
}
