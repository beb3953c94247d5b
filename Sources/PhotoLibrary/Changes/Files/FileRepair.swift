import SystemPackage

/// A staged file that moves to the place of a photo whose file is corrupt or missing. The row of the photo does not
/// change.
package struct FileRepair: Sendable {
  package let photo: Photo
  /// The name of the staged file: a number.
  package let name: String
  /// True to move a file that is in the place to the quarantine. False if the place must be empty.
  package let replacesFile: Bool

  /// Describes a repair.
  package init(photo: Photo, name: String, replacesFile: Bool = true) {
    (self.photo, self.name, self.replacesFile) = (photo, name, replacesFile)
  }

  /// What became of several repairs.
  package struct Outcome: Sendable {
    /// The folder with the corrupt files, relative to the library; nil if there are none.
    package internal(set) var corruptFiles: FilePath?
    /// Why photos were not repaired, by ID.
    package internal(set) var failures: [Int64: any Error] = [:]
  }

  /// The row that tells recovery of the repair; nil if recovery would ignore it, because the path of the photo is not a
  /// normal one below `photos`.
  func move(in operation: String) -> FileMove? {
    guard let md5 = photo.md5 else { return nil }
    let move = FileMove(operationID: operation, kind: .repair, source: name, target: photo.path, md5: md5)
    return move.isValid ? move : nil
  }
}
