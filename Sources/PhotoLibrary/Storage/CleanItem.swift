import SystemPackage

/// A file, or the files of one operation, that `clean` removes.
public struct CleanItem: Sendable, Equatable {
  /// Why nothing needs it.
  public enum Kind: String, Sendable {
    /// An interrupted operation staged the files.
    case staged
    /// An undo that is no longer possible would bring the files back.
    case obsoleteUndo
    /// A process was killed while it wrote the file into a folder of archives.
    case unfinishedArchive
    /// An undo that is still possible would bring the files back.
    case undo
    /// A repair replaced the corrupt files.
    case quarantined
  }

  /// A file or a folder of the item.
  struct Entry: Sendable, Equatable {
    let path: FilePath
    /// The bytes that its removal frees: 0 for a file with another name.
    let bytes: Int
    let isFolder: Bool
  }

  /// Why nothing needs it.
  public let kind: Kind
  /// The file, or the folder of the operation: relative to the library; in a folder of archives, as the
  /// caller gave it.
  public let path: FilePath
  /// The ID of the operation whose files these are.
  let operationID: String?
  var entries: [Entry] = []

  init(_ kind: Kind, _ path: FilePath, operationID: String? = nil) {
    (self.kind, self.path, self.operationID) = (kind, path, operationID)
  }

  /// The number of files.
  public var files: Int { entries.count { !$0.isFolder } }
  /// The allocated bytes that the removal frees.
  public var bytes: Int { entries.saturatedSum(\.bytes) }
}
