import FileSystem
import Foundation
import ImageHeader
import SystemPackage

/// Finds the photos in files and folders that the user gave. Folders are searched at any depth; hidden files and
/// folders and symbolic links in them are reported and not used. Every folder is opened in the folder that contains it,
/// so that no link leads out of a given folder, even if another user exchanges its folders during the search.
struct PhotoSearch {
  /// A folder that the user gave.
  struct Root: Sendable {
    let path: FilePath
    let identity: FileStatus.Identity
  }

  /// A photo that was found.
  struct Found: Sendable {
    /// The path for messages.
    var path: FilePath
    /// The given folder that contains the photo; nil if the user gave the file.
    var root: Root?
    /// The path in the given folder; empty if the user gave the file.
    var pathInRoot: FilePath
    var size: Int
    /// The time of the file's last modification.
    var modified: Timestamp
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
        try search(path)
      } catch {
        failures.append(AddFailure(error))
      }
    }
  }

  /// Searches a file or folder that the user gave.
  private mutating func search(_ path: FilePath) throws(FileError) {
    let kind = try File.open(path, .readFollowingLinks).status().kind
    guard kind == .directory else { return try look(at: File.open(path, .readFollowingLinks), path) }
    let folder = try Directory.open(path)
    try search(folder, "", in: Root(path: path, identity: folder.status().identity))
  }

  /// - Parameter pathInRoot: the path of the folder in the given folder.
  private mutating func search(
    _ folder: borrowing Directory, _ pathInRoot: FilePath, in root: Root
  ) throws(FileError) {
    let path = root.path.pushing(pathInRoot)
    guard try folder.status().identity != library else {
      failures.append(AddFailure(path, message: "\(path) is the library; its photos were not added again"))
      return
    }
    warnIfNotUTF8(of: path)
    for name in try folder.names() {
      let (inner, innerInRoot) = (name.inFolder(path), pathInRoot.pushing(name))
      guard !name.string.hasPrefix(".") else {
        warnings.append("\(inner) was skipped: it is hidden".escaped)
        continue
      }
      do throws(FileError) {
        switch try folder.status(of: name)?.kind {
        case .directory: try search(folder.directory(name), innerInRoot, in: root)
        case .file: try look(at: folder.open(name, .read), inner, innerInRoot, in: root)
        default: warnings.append("\(inner) was skipped: it is a link or a special file".escaped)
        }
      } catch {
        failures.append(AddFailure(error))
      }
    }
  }

  /// Adds a file to the photos if it is one.
  private mutating func look(
    at file: borrowing File, _ path: FilePath, _ pathInRoot: FilePath = "", in root: Root? = nil
  ) throws(FileError) {
    let status = try file.status()
    let header = status.kind == .file ? try ImageHeader.read(from: file) : ImageHeader()
    switch status.kind {
    case .file where header.format != nil || PhotoKind.isPhotoEnding(path.extension ?? ""):
      warnIfNotUTF8(of: path)
      photos.append(
        Found(
          path: path, root: root, pathInRoot: pathInRoot, size: status.size, modified: status.modified,
          version: status.version, header: header, folder: Self.folderName(of: path)))
    case .file where root != nil:
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

  /// Returns the name of a file's folder.
  private static func folderName(of path: FilePath) -> String {
    let absolute =
      path.isAbsolute ? path : FilePath(FileManager.default.currentDirectoryPath).pushing(path)
    let folder = absolute.lexicallyNormalized().removingLastComponent()
    return folder.lastComponent?.string ?? "photos"
  }
}

extension PhotoSearch.Found {
  /// Opens the photo for reading, in the folder in which it was found.
  func open() throws(FileError) -> File {
    guard let root else { return try File.open(path, .readFollowingLinks) }
    let folder = try Directory.open(root.path)
    guard try folder.status().identity == root.identity else {
      throw FileError("find", path, .noSuchFileOrDirectory)
    }
    return try folder.open(pathInRoot, .read)
  }

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
