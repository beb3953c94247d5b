import SystemPackage

/// The paths that the library gives to the files of photos, from which a number can distinguish them.
package struct ExpectedPath: Sendable, Equatable {
  /// The folder, relative to the library.
  package let folder: String
  /// The name of the file without a number.
  package let name: String

  /// The path that the photo's file has unless another one has it.
  package init(of photo: Photo) {
    (folder, name) = (PhotoPath.folder(createdAt: photo.createdAt), FileName.safe(photo.fileName))
  }

  /// The path without a number.
  package var path: String { "\(folder)/\(name)" }

  /// Returns the number of a path: 1 for `x.jpg`, 2 for `x (2).jpg`; nil if it is the path of another photo's file.
  package func number(of path: String) -> Int? {
    let (folder, name) = path.folderAndName
    guard folder.utf8.elementsEqual(self.folder.utf8) else { return nil }
    if name.utf8.elementsEqual(self.name.utf8) { return 1 }
    guard let open = name.lastIndex(of: "("), let close = name[open...].firstIndex(of: ")"),
      let number = Int(name[name.index(after: open)..<close]), number > 1,
      name == FileName.inserting(" (\(number))", into: self.name)[...]
    else { return nil }
    return number
  }
}

extension Photo {
  /// True if the path is one that the library can give to a file: in normal form below `photos`, and not hidden. The path
  /// of an untrusted row may be any text.
  package var hasValidPath: Bool {
    let file = FilePath(path)
    return file.string == path && file.isRelative && file.starts(with: "photos") && file.components.count > 1
      && file.lexicallyNormalized() == file
      && file.components.allSatisfy { component in
        !component.string.hasPrefix(".") && component.string.utf8.count <= FileName.maximumBytes
      }
  }
}
