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
    /// The modification time, in milliseconds since 1970.
    package let modified: Int64

    /// Describes a file.
    package init(path: String, content: FileContent, modified: Int64) {
      (self.path, self.content, self.modified) = (path, content, modified)
    }
  }

  /// The files, by folder and name.
  package let files: [Found]
  /// The files that cannot be read, with the reasons, by path.
  package let unreadable: [FilePath: String]
  /// What cannot be the file of a photo: links, special files, hidden files, and files whose names are not UTF-8.
  package let others: [FilePath]

  /// Makes a scan of these parts.
  package init(files: [Found], unreadable: [FilePath: String] = [:], others: [FilePath] = []) {
    (self.files, self.unreadable, self.others) = (files, unreadable, others)
  }
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
    let results = Mutex<[FileResult?]>(Array(repeating: nil, count: files.count))
    let disk = try root.status().identity
    try ParallelHashing.read(0..<files.count, Readers(readers, on: disk), context: {}) { index, _ in
      try check()
      return ScannedFile(files[index], in: self, counter) { result in
        results.withLock { $0[index] = result }
      }
    }
    var found: [PhotoScan.Found] = []
    found.reserveCapacity(files.count)
    var unreadable: [FilePath: String] = [:]
    for (file, result) in zip(files, results.withLock { $0 }) {
      switch result {
      case .found(let content, let modified)?:
        found.append(PhotoScan.Found(path: file.path, content: content, modified: modified))
      case .unreadable(let reason)?: unreadable[FilePath(file.path)] = reason
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

private enum FileResult: Sendable {
  case found(FileContent, modified: Int64)
  case unreadable(String)
}

/// Hashes a file.
private final class ScannedFile: HashableStream {
  private let listed: PhotoListing.File
  private let library: LostLibrary
  private let counter: ProgressCounter
  private let finishFile: (FileResult) -> Void
  private var opened: OpenFile?
  private var size = 0
  private var counted = 0

  private final class OpenFile {
    let file: File
    let before: FileStatus
    init(_ file: consuming File) throws(FileError) {
      before = try file.status()
      self.file = file
    }
  }

  /// - Parameter finishFile: called once with the result, unless reading ends with an error.
  init(
    _ listed: PhotoListing.File, in library: LostLibrary, _ counter: ProgressCounter,
    finishFile: @escaping (FileResult) -> Void
  ) {
    (self.listed, self.library, self.counter) = (listed, library, counter)
    self.finishFile = finishFile
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try counter.checkCancellation()
    let open = try opened ?? OpenFile(library.open(listed.path))
    opened = open
    let count = try open.file.read(into: buffer, at: size)
    size += count
    let rest = min(count, listed.size - counted)
    counted += rest
    counter.advance(bytes: rest)
    return count
  }

  func finish(_ digest: MD5Digest) throws {
    guard let opened else { return }
    let after: FileStatus
    do {
      after = try opened.file.status()
    } catch {
      return try fail(error)
    }
    guard after.version == opened.before.version, after.size == size else {
      return end(.unreadable("it changed while it was read"))
    }
    end(.found(FileContent(md5: digest, size: size), modified: after.modified))
  }

  func fail(_ error: any Error) throws {
    guard let error = error as? FileError, error.cause != .environment else { throw error }
    end(.unreadable("\(error)"))
  }

  private func end(_ result: FileResult) {
    finishFile(result)
    counter.advance(
      items: 1, bytes: listed.size - counted, current: String(listed.path.folderAndName.name))
  }
}
