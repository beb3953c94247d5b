import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// The files of a folder, at any depth, for the photos of a JSON backup: by file name and size, then by content. Does
/// not follow symbolic links.
struct FolderFiles: PhotoCandidates {
  /// The files by name. Names are compared by canonical equivalence, since copying between file systems changes NFC
  /// to NFD.
  private var files: [String: [(path: FilePath, size: Int)]] = [:]
  private let counter: ProgressCounter

  /// Walks the folder.
  init(_ folder: FilePath, _ counter: ProgressCounter) throws {
    self.counter = counter
    try walk(Directory.open(folder))
  }

  private mutating func walk(_ folder: borrowing Directory) throws {
    for name in try folder.names() {
      guard let status = try folder.status(of: name) else { continue }
      switch status.kind {
      case .directory:
        try walk(folder.directory(name))
      case .file:
        files[name.string, default: []].append((folder.path(of: name), status.size))
      case .symbolicLink, .other:
        continue
      }
    }
  }

  /// Returns the location of the file, or why it was not found. A photo with several matching files stays unavailable,
  /// since a wrong photo is worse than a missing one. If the backup has no size, only the name must match.
  func location(of photo: OpenedBackup.Photo, _ unavailable: Unavailable) throws -> PhotoLocation? {
    try counter.checkCancellation()
    let md5 = unavailable.md5
    let name = FileName.lastComponent(of: photo.originalPath)
    let size = Int(photo.record.fileSize)
    let found = files[name, default: []].filter { size == 0 || $0.size == size }
    guard let path = found.first?.path else {
      return .unavailable(Unavailable(.notFound(name: name, size: size), md5: md5))
    }
    guard found.count == 1 else {
      return .unavailable(Unavailable(.ambiguous(found.map(\.path)), md5: md5))
    }
    counter.advance(current: name)
    let file = PhotoBytes.file(path) { () throws(FileError) in try File.open(path, .read) }
    switch try PhotoReader(counter).read(file) {
    case .read(let content) where md5 ?? content.md5 == content.md5:
      return .file(path, size: content.size, md5: content.md5)
    case .read: return .unavailable(Unavailable(.otherContent(path), md5: md5))
    case .fault(let fault): return .unavailable(Unavailable(.damaged("\(fault)"), md5: md5))
    }
  }
}
