import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// Finds the photo files of a JSON backup in a folder, at any depth, by file name and size. Does not follow
/// symbolic links.
struct PhotoFinder {
  private struct Candidate {
    var path: FilePath
    var size: Int
  }

  /// The files by name. Names are compared by canonical equivalence, since copying between file systems changes NFC
  /// to NFD.
  private var candidates: [String: [Candidate]] = [:]

  /// Walks the folder.
  init(folder: FilePath) throws {
    try walk(Directory.open(folder))
  }

  private mutating func walk(_ folder: borrowing Directory) throws {
    for name in try folder.names() {
      guard let status = try folder.status(of: name) else { continue }
      switch status.kind {
      case .directory:
        try walk(folder.directory(name))
      case .file:
        candidates[name.string, default: []]
          .append(Candidate(path: folder.path(of: name), size: status.size))
      case .symbolicLink, .other:
        continue
      }
    }
  }

  /// Returns a backup whose unavailable photos have the locations of the files that were found. A photo with
  /// several matching files stays unavailable, since a wrong photo is worse than a missing one. If the backup has
  /// no size, only the name must match.
  func completing(_ backup: OpenedBackup, _ counter: ProgressCounter) throws -> OpenedBackup {
    backup.with(
      photos: try backup.photos.map { photo in
        guard case .unavailable(let unavailable) = photo.location else { return photo }
        try counter.checkCancellation()
        return photo.at(try location(of: photo, unavailable.md5, counter))
      })
  }

  private func location(
    of photo: OpenedBackup.Photo, _ md5: MD5Digest?, _ counter: ProgressCounter
  ) throws -> PhotoLocation {
    let name = FileName.lastComponent(of: photo.originalPath)
    let size = Int(photo.record.fileSize)
    let found = candidates[name, default: []].filter { size == 0 || $0.size == size }
    guard let candidate = found.first else {
      return .unavailable(Unavailable(.notFound(name: name, size: size), md5: md5))
    }
    guard found.count == 1 else {
      return .unavailable(Unavailable(.ambiguous(found.map(\.path)), md5: md5))
    }
    counter.advance(current: name)
    let path = candidate.path
    let file = PhotoBytes.file(path) { () throws(FileError) in try File.open(path, .read) }
    switch try PhotoReader(counter).read(file) {
    case .intact(let content) where md5 ?? content.md5 == content.md5:
      return .file(path, size: content.size, md5: content.md5)
    case .intact: return .unavailable(Unavailable(.otherContent(path), md5: md5))
    case .fault(let fault): return .unavailable(Unavailable(.damaged("\(fault)"), md5: md5))
    }
  }
}
