import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage

/// The files below `photos` with their contents.
package struct PhotoScan: Sendable {
  /// A file that was read.
  package struct Found: Sendable {
    /// The path, relative to the library.
    package let path: String
    /// The MD5 and size.
    package let content: FileContent
    /// The modification time.
    package let modified: Timestamp
  }

  /// The files, by folder and name.
  package let files: [Found]
  /// The files that cannot be read, with the reasons, by path.
  package let unreadable: [FilePath: String]
  /// What cannot be the file of a photo: links, special files, hidden files, and files whose names are not UTF-8.
  package let others: [FilePath]
}

extension LostLibrary {
  /// Reads every file below `photos` once. Blocks; writes nothing. Any thread.
  ///
  /// - Parameters:
  ///   - readers: the number of files to read at once; nil for the best number for the disk.
  ///   - check: throws if the scan is not needed any more.
  /// - Throws: `FileError` if a folder cannot be listed, since its photos would seem to be missing; or if the process
  ///   lacks memory or open files. `CancellationError`, or what `check` throws.
  package func scan(
    readers: Int? = nil, _ counter: ProgressCounter,
    check: @escaping @Sendable () throws -> Void = {}
  ) throws -> PhotoScan {
    var listing = PhotoListing()
    if try root.status(of: "photos")?.kind == .directory {
      try listing.collect(root.directory("photos"), at: "photos")
    }
    let files = listing.files
    counter.setTotals(items: files.count, bytes: files.saturatedSum(\.size))
    counter.enter(.verifying)
    let results = Mutex<[Result<PhotoScan.Found, HashedFile.Fault>?]>(
      Array(repeating: nil, count: files.count))
    let disk = try root.status().identity
    try ParallelHashing.read(0..<files.count, Readers(readers, on: disk), context: {}) { index, _ in
      try check()
      let (path, size) = (files[index].path, files[index].size)
      var counted = 0
      return HashedFile(
        opening: { () throws(FileError) in try self.open(path) },
        whileReading: { count in
          try counter.checkCancellation()
          let rest = min(count, size - counted)
          counted += rest
          counter.advance(bytes: rest)
        },
        { result in
          let found = result.map { digest, status in
            PhotoScan.Found(
              path: path, content: FileContent(md5: digest, size: status.size), modified: status.modified)
          }
          results.withLock { $0[index] = found }
          counter.advance(items: 1, bytes: size - counted, current: String(path.folderAndName.name))
        })
    }
    var found: [PhotoScan.Found] = []
    found.reserveCapacity(files.count)
    var unreadable: [FilePath: String] = [:]
    for (file, result) in zip(files, results.withLock { $0 }) {
      switch result {
      case .success(let photo)?: found.append(photo)
      case .failure(let fault)?: unreadable[FilePath(file.path)] = "\(fault)"
      case nil: continue
      }
    }
    return PhotoScan(files: found, unreadable: unreadable, others: listing.others)
  }
}

/// The names of the files below `photos`.
private struct PhotoListing {
  struct File: Sendable {
    let path: String
    let size: Int
  }

  private(set) var files: [File] = []
  private(set) var others: [FilePath] = []

  mutating func collect(_ directory: borrowing Directory, at folder: FilePath) throws(FileError) {
    for name in try directory.names() {
      let path = name.inFolder(folder)
      guard let status = try directory.status(of: name) else { continue }
      let isHidden = name.string.hasPrefix(".")
      switch status.kind {
      case .directory where !isHidden: try collect(directory.directory(name), at: path)
      case .file where !isHidden:
        if let text = String(validating: path) {
          files.append(File(path: text, size: status.size))
        } else {
          others.append(path)
        }
      default: others.append(path)
      }
    }
  }
}
