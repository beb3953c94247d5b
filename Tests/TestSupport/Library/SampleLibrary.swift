import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// A library in a temporary folder, filled row by row.
package final class SampleLibrary: Sendable {
  /// The path of the library.
  package let path: FilePath
  private let folder = ScratchFolder()

  /// A photo with the bytes of its file; size, MD5 and path of the row are filled in.
  package struct Member: Sendable {
    /// The row.
    package var photo: Photo
    /// The file, nil for an asset of the app.
    package var bytes: [UInt8]?

    /// A photo with a file.
    package init(
      id: Int64, category: Int64 = 1, name: String? = nil, fileName: String,
      createdAt: Timestamp = 1_700_000_000_000,
      width: Int = 0, height: Int = 0, bytes: [UInt8]
    ) {
      self.bytes = bytes
      photo = Photo(
        id: id, categoryId: category, name: name ?? FilePath(fileName).stem ?? fileName, path: "",
        originalPath: fileName, createdAt: createdAt, fileSize: bytes.count, width: width, height: height,
        md5: MD5Digest(of: bytes))
    }

    /// A row for a photo that ships with the app.
    package init(asset path: String, id: Int64, category: Int64 = 1, name: String = "asset") {
      photo = Photo(
        id: id, categoryId: category, name: name, path: path, originalPath: path, isFromAssets: true,
        createdAt: 1_700_000_000_000, fileSize: 0, md5: nil)
    }
  }

  /// Makes an empty library and fills it.
  package init(
    _ members: [Member] = [], categories: [PhotoLibrary.Category] = [], settings: Settings? = nil
  ) throws {
    path = folder.path.appending("Library")
    try Library.create(at: path, now: Date(timeIntervalSince1970: 1_600_000_000))
    var edit = LibraryEdit()
    edit.newCategories = categories
    edit.settings = settings
    try change(edit, adding: members)
    try settle()
  }

  /// Copies a library with all its files, as a user does.
  package init(copyOf other: SampleLibrary) throws {
    path = folder.path.appending("Library")
    try FileManager.default.copyItem(atPath: other.path.string, toPath: path.string)
  }

  /// Changes rows, and adds photos with their files.
  package func change(_ edit: LibraryEdit = LibraryEdit(), adding members: [Member] = []) throws {
    var edit = edit
    edit.newPhotos += members.map(\.photo)
    guard !edit.isEmpty else { return }
    let writer = try LibraryWriter(path: path)
    try writer.change(.add) { change in
      let withFiles = members.indices.filter { members[$0].bytes != nil }
      let paths = try writer.newPaths(
        for: withFiles.map { (members[$0].photo.fileName, members[$0].photo.createdAt) })
      var files: [Change.StagedFile] = []
      for (index, path) in zip(withFiles, paths) {
        guard let bytes = members[index].bytes, let md5 = members[index].photo.md5 else { continue }
        let file = try change.staging.stage("\(index)")
        try file.write(bytes, at: 0)
        // every imported photo has this date
        try file.setModified(members[index].photo.createdAt)
        let place = edit.newPhotos.count - members.count + index
        edit.newPhotos[place].path = path
        files.append(Change.StagedFile(name: "\(index)", path: path, md5: md5))
      }
      try change.commit(edit, files: files)
    }
  }

  /// Opens the library for writing once. The first writer after a change may add a page to the database file even if it
  /// changes nothing. For tests that compare the bytes of a library.
  package func settle() throws { _ = try LibraryWriter(path: path) }

  /// All rows.
  package var contents: LibraryContents {
    get throws { try Library(path: path).contents() }
  }

  /// All files and folders on disk.
  package var tree: FolderTree {
    get throws { try FolderTree(path) }
  }

  /// The path of a photo's file.
  package func file(of photo: Photo) -> FilePath { path.appending(FilePath(photo.path).components) }

  /// The bytes of every photo that has a file, by its id.
  package func bytesOfPhotos() throws -> [Int64: [UInt8]] {
    let photos = try contents.photos.filter { !$0.isFromAssets }
    return Dictionary(
      uniqueKeysWithValues: try photos.map { photo in
        (photo.id, Array(try Data(contentsOf: URL(fileURLWithPath: file(of: photo).string))))
      })
  }

  /// Returns inconsistencies that no operation may leave: rows without files, untracked files, files in `.staging`.
  package func faults() throws -> [String] {
    let library = try Library(path: path)
    var faults = try library.contents().photos
      .filter { !$0.isFromAssets && !FileManager.default.fileExists(atPath: file(of: $0).string) }
      .map { "photo \($0.id) has no file \($0.path)" }
    faults += try library.untrackedFiles().map { "untracked \($0)" }
    faults += try tree.files.keys.filter { $0.hasPrefix(".staging/") && $0 != ".staging/" }.sorted()
    return faults
  }
}

extension MD5Digest {
  /// The MD5 of some bytes.
  package init(of bytes: [UInt8]) {
    var hash = RunningMD5()
    bytes.withUnsafeBytes { hash.update($0) }
    self = hash.digest
  }
}

extension PhotoLibrary.Category {
  /// A category with a name and default values.
  package static func sample(
    _ id: Int64, _ name: String, icon: String? = nil, color: String? = nil
  ) -> PhotoLibrary.Category {
    PhotoLibrary.Category(
      id: id, name: name, displayName: name.capitalized, position: Int(id), iconResource: icon,
      colorHex: color,
      createdAt: 1_650_000_000_000, valuesAsOf: 1_650_000_000_000)
  }
}
