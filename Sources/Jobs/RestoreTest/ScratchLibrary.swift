import FileSystem
import Foundation
import Glibc
import PhotoLibrary
import SystemPackage

/// A library that is made to try a restore, and goes with this value. What a killed run left is removed by the next
/// one.
final class ScratchLibrary {
  /// The library.
  let path: FilePath
  private let folder: String

  /// Makes an empty library in a folder of its own. Blocks.
  init(in parent: FilePath, of job: String) throws {
    let prefix = parent.appending("smilepile-drill-\(geteuid())-\(job).").string
    Self.sweep(prefix, in: parent)
    // what fails from here on is removed by deinit
    var template = Array((prefix + "XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError("make a folder in", parent, Errno(rawValue: errno))
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = FilePath(folder).appending("Library")
    try Library.create(at: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The job's drill lock is held, so that whatever of it is there is nobody's, unless another user has made it: in
  /// /var/tmp everybody can make a folder of any name.
  private static func sweep(_ prefix: String, in parent: FilePath) {
    guard let directory = try? Directory.open(parent), let names = try? directory.names() else { return }
    for name in names where parent.appending(name.components).string.hasPrefix(prefix) {
      guard let status = try? directory.status(of: name), status.kind == .directory,
        status.owner == geteuid()
      else { continue }
      try? FileManager.default.removeItem(atPath: parent.appending(name.components).string)
    }
  }
}
