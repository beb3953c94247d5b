import SystemPackage

/// The folder `.rotten/ID` of an operation, which has the corrupt files that the operation replaced. They are never
/// deleted without a question, because their pictures may still be visible.
enum Quarantine {
  /// The folder that has the folders of all operations.
  static let parent: FilePath = ".rotten"

  /// The path of an operation's folder, relative to the library.
  static func path(of operation: String) -> FilePath { parent.appending(operation) }

  /// The name of the corrupt file of a photo in the folder of an operation: `17_IMG_0001.jpg`. A person recognizes it, and no
  /// other file of the operation has it.
  static func fileName(of photo: Photo) -> String {
    let prefix = "\(photo.id)_"
    let name = FilePath(photo.path).lastComponent?.string ?? ""
    return prefix + FileName.safe(name, limit: FileName.maximumBytes - prefix.utf8.count)
  }

  /// Returns true if a name in the folder of an operation is that of a corrupt file: a number, an underscore and a name.
  static func isFileName(_ name: FilePath) -> Bool {
    let parts = name.string.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && StagingFolder.isNumber(FilePath(String(parts[0])))
  }
}
