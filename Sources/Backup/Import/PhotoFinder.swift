import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// Finds the photo files of a JSON backup in a folder, at any depth, by file name and size. Symbolic links are not
/// followed.
struct PhotoFinder {
  private struct Candidate {
    var path: FilePath
    var size: Int
  }

  /// Compared by canonical equivalence, since copying between file systems changes NFC to NFD.
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

  /// Gives the photos of a backup that have no file the one that was found. Where there are several, none is
  /// taken: a wrong photo is worse than a named gap. A backup that gives no size is content with the name.
  func complete(_ source: inout BackupSource, _ counter: ProgressCounter) throws {
    for index in source.photos.indices {
      guard case .absent(_, _, let md5) = source.photos[index].content else { continue }
      let photo = source.photos[index]
      let name = FileName.lastComponent(of: photo.originalPath)
      let size = Int(photo.record.fileSize)
      let found = candidates[name, default: []].filter { size == 0 || $0.size == size }
      try counter.checkCancellation()
      guard let candidate = found.first else {
        source.photos[index].content = .absent(
          reason: "no file \(name.escaped) of \(size) bytes was found", isDamage: false, md5: md5)
        continue
      }
      guard found.count == 1 else {
        let paths = found.map(\.path.string.escaped).joined(separator: ", ")
        source.photos[index].content = .absent(
          reason: "\(found.count) files could be it: \(paths)", isDamage: false, md5: md5)
        continue
      }
      counter.advance(current: name)
      do {
        let (digest, length) = try MD5Digest.ofFile(File.open(candidate.path, .read)) { _ in
          try counter.checkCancellation()
        }
        guard md5 == nil || md5 == digest else {
          let reason = "\(candidate.path.string.escaped) is another photo"
          source.photos[index].content = .absent(reason: reason, isDamage: false, md5: md5)
          continue
        }
        source.photos[index].content = .file(candidate.path, size: length, md5: digest)
      } catch let error as FileError {
        source.photos[index].content = .absent(reason: error.description, isDamage: true, md5: md5)
      }
    }
  }
}
