import FileSystem
import Foundation
import SystemPackage

/// A file that a job replaces with every run, for others to read: its status, or its metrics. What stands in its place
/// and is neither is somebody's, perhaps a photo or a library's database, and is never replaced.
enum WatchedFile {
  /// The status of a job as JSON.
  case status
  /// Text for Prometheus.
  case metrics

  /// Another file has the name, or the file can have no such name.
  struct Unusable: Error, CustomStringConvertible {
    let path: FilePath
    let reason: String

    /// One line, with the remedy.
    var description: String { "\(path) \(reason)".escaped }
  }

  /// No status is that long.
  private static let maximumBytes = 64 << 20

  /// Puts bytes in the place of those of an earlier run. Readable by all: it is for other programs, which run as other
  /// users.
  ///
  /// - Parameter state: the state folder, whose files are the jobs' own.
  func replace(_ path: FilePath, with bytes: [UInt8], outside state: FilePath) throws {
    guard let name = path.lastComponent else { return }
    if let reason = fault(replacing: path, outside: state) { throw Unusable(path: path, reason: reason) }
    try AtomicFile.replace(FilePath(name.string), in: path.folder, with: bytes, mode: 0o644)
  }

  /// Why a file must not be replaced, or cannot be; nil where there is none, or an empty one, or one that a job has
  /// written. Reads it; blocks.
  ///
  /// - Parameter state: the state folder; nil where that is not known.
  func fault(replacing path: FilePath, outside state: FilePath?) -> String? {
    if let state, path.folder.isSamePlace(as: state) {
      return "lies in the state folder, where every job has its own; name another folder"
    }
    guard path.folder.realPath != nil else {
      return "cannot be written, since its folder is not there; make that"
    }
    do throws(FileError) {
      let file = try File.open(path, .readFollowingLinks)
      let status = try file.status()
      guard status.kind == .file else { return "is no file, but a folder or a device; name a file" }
      guard status.size > 0 else { return nil }
      if status.size <= Self.maximumBytes, isOurs(try file.read(status.size, at: 0)) { return nil }
      return "is a file that no job has written, and stays; name another, or move that one out of the way"
    } catch {
      return error.isAbsence ? nil : "cannot be looked at, and stays: \(error)"
    }
  }

  private func isOurs(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .status:
      let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      return object?["job"] is String && object?["copies"] is [Any]
    case .metrics:
      return bytes.starts(with: Array("# HELP smilepile_".utf8))
    }
  }
}
