import FileSystem
import Foundation
import ImageHeader
import Operations
import SystemPackage

/// Finds the photos in files and folders that the user gave. Folders are searched at any depth; hidden files and
/// folders and symbolic links in them are reported and not used.
struct PhotoSearch {
  /// A photo that was found.
  struct Found: Sendable {
    var path: FilePath
    var size: Int
    /// The time of the file's last modification, in milliseconds since 1970.
    var modified: Int64
    /// The file as it was before its header was read.
    var version: FileStatus.Version
    var header: ImageHeader
    /// The name of its folder.
    var folder: String
  }

  private(set) var photos: [Found] = []
  /// Given files that are not photos, and files that cannot be read.
  private(set) var failures: [AddFailure] = []
  /// Files in folders that are not used, and names in which the library replaces invalid bytes by U+FFFD.
  private(set) var warnings: [String] = []

  /// The library's own folder, which is not searched.
  private let library: FileStatus.Identity?

  /// - Parameter library: the folder of the library that the photos are for.
  init(_ paths: [FilePath], for library: FileStatus.Identity? = nil) {
    self.library = library
    for path in paths {
      do throws(FileError) {
        try search(path, isNamed: true)
      } catch {
        failures.append(AddFailure(error))
      }
    }
  }

  private mutating func search(_ path: FilePath, isNamed: Bool) throws(FileError) {
    let status: FileStatus
    let header: ImageHeader
    do {
      let file = try File.open(path, isNamed ? .readFollowingLinks : .read)
      status = try file.status()
      header = status.kind == .file ? try Self.header(of: file) : ImageHeader()
    }
    switch status.kind {
    case .directory where status.identity == library:
      failures.append(AddFailure(path, message: "\(path) is the library; its photos were not added again"))
    case .directory:
      warnIfNotUTF8(of: path)
      let folder = try Directory.open(path)
      for name in try folder.names() {
        let inner = path.appending(name.components)
        guard !name.string.hasPrefix(".") else {
          warnings.append("\(inner) was skipped: it is hidden".escaped)
          continue
        }
        let kind = try folder.status(of: name)?.kind
        guard kind == .file || kind == .directory else {
          warnings.append("\(inner) was skipped: it is a link or a special file".escaped)
          continue
        }
        do throws(FileError) {
          try search(inner, isNamed: false)
        } catch {
          failures.append(AddFailure(error))
        }
      }
    case .file where header.format != nil || PhotoKind.isPhotoEnding(path.extension ?? ""):
      warnIfNotUTF8(of: path)
      photos.append(
        Found(
          path: path, size: status.size, modified: status.modified, version: status.version,
          header: header, folder: Self.folderName(of: path)))
    case .file where !isNamed:
      warnings.append("\(path) was skipped: it is not a photo".escaped)
    default:
      failures.append(AddFailure(path, message: "\(path) is not a photo or a folder"))
    }
  }

  /// Warns that the library stores invalid bytes of a name as U+FFFD.
  private mutating func warnIfNotUTF8(of path: FilePath) {
    guard let name = path.lastComponent, String(validating: name) == nil else { return }
    warnings.append("\(path): its name is not UTF-8; the library stores “\(name.string)”".escaped)
  }

  private static func header(of file: borrowing File) throws(FileError) -> ImageHeader {
    try ImageHeader.read { (offset, count) throws(FileError) in try file.read(count, at: offset) }
  }

  /// Returns the name of a file's folder.
  private static func folderName(of path: FilePath) -> String {
    let absolute =
      path.isAbsolute ? path : FilePath(FileManager.default.currentDirectoryPath).pushing(path)
    let folder = absolute.lexicallyNormalized().removingLastComponent()
    return folder.lastComponent?.string ?? "photos"
  }
}

extension PhotoSearch.Found {
  /// The file was modified or replaced after its header was read: header and content may be those of two photos.
  struct Changed: Error {}

  /// Throws if the file was modified or replaced since the search.
  ///
  /// - Parameter status: the file's status after its last byte was read.
  func requireUnchanged(_ status: FileStatus) throws(Changed) {
    if status.version != version { throw Changed() }
  }

  /// The failure for such a file.
  var changed: AddFailure { AddFailure(path, message: "\(path): it changed while it was read; add it again") }
}
