import FileSystem
import Foundation
import ImageHeader
import Operations
import SystemPackage

/// Finds the photos among files and folders that a person named. Folders are searched at any depth; hidden files and
/// folders and symbolic links in them are left out, and reported.
struct PhotoSearch {
  /// A photo that was found.
  struct Found: Sendable {
    var path: FilePath
    var size: Int
    /// The date of the file's last change, in milliseconds since 1970.
    var modified: Int64
    /// The file as it was before its header was read.
    var version: FileStatus.Version
    var header: ImageHeader
    /// The name of the folder it lies in.
    var folder: String
  }

  private(set) var photos: [Found] = []
  /// What was named and is no photo, or could not be read.
  private(set) var errors: [Finding] = []
  /// What is worth knowing of what was found in folders: what was left out, and names in which the library replaces
  /// invalid bytes by U+FFFD.
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
        errors.append(Finding(error))
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
      errors.append(Finding("\(path)".escaped, "it is the library itself, whose photos are not added again"))
    case .directory:
      noteForeignName(of: path)
      let folder = try Directory.open(path)
      for name in try folder.names() {
        let inner = path.appending(name.components)
        guard !name.string.hasPrefix(".") else {
          warnings.append("\(inner): left out, since it is hidden".escaped)
          continue
        }
        let kind = try folder.status(of: name)?.kind
        guard kind == .file || kind == .directory else {
          warnings.append("\(inner): passed over, since it is no file of its own".escaped)
          continue
        }
        do throws(FileError) {
          try search(inner, isNamed: false)
        } catch {
          errors.append(Finding(error))
        }
      }
    case .file where header.format != nil || PhotoKind.isPhotoEnding(path.extension ?? ""):
      noteForeignName(of: path)
      photos.append(
        Found(
          path: path, size: status.size, modified: status.modified, version: status.version,
          header: header, folder: Self.folderName(of: path)))
    case .file where !isNamed:
      warnings.append("\(path): no photo".escaped)
    default:
      errors.append(Finding("\(path)".escaped, "no photo and no folder"))
    }
  }

  /// The library stores names as text, and an invalid byte becomes U+FFFD.
  private mutating func noteForeignName(of path: FilePath) {
    guard let name = path.lastComponent, String(validating: name) == nil else { return }
    warnings.append("\(path): its name is not UTF-8; the library stores “\(name.string)”".escaped)
  }

  private static func header(of file: borrowing File) throws(FileError) -> ImageHeader {
    try ImageHeader.read { (offset, count) throws(FileError) in try file.read(count, at: offset) }
  }

  /// The name of the folder that a file lies in, of the working folder for a bare name.
  private static func folderName(of path: FilePath) -> String {
    let absolute =
      path.isAbsolute ? path : FilePath(FileManager.default.currentDirectoryPath).pushing(path)
    let folder = absolute.lexicallyNormalized().removingLastComponent()
    return folder.lastComponent?.string ?? "photos"
  }
}

extension PhotoSearch.Found {
  /// A program wrote into the file, or put another in its place, since the search saw it: the header and the bytes
  /// that were read may be of two photos, or of none that ever was.
  struct Changed: Error {}

  /// Refuses a file that is not as the search saw it.
  ///
  /// - Parameter status: what the kernel knows of the file after its last byte was read.
  func requireUnchanged(_ status: FileStatus) throws(Changed) {
    if status.version != version { throw Changed() }
  }

  /// What is said of such a file.
  var changed: Finding { Finding("\(path)".escaped, "it changed while it was read; add it again") }
}

extension Finding {
  /// A file that could not be read.
  init(_ error: FileError) { self.init("\(error.path)".escaped, message: error.description) }
}
