import Checksums
import PhotoLibrary

/// Which photos of a backup somebody means. Each kind of condition narrows the selection; of one kind any may be met.
public struct PhotoSelection: Sendable, Equatable {
  /// Patterns, as a shell has them, of which the photo's name or its file's name matches one.
  public var names: [String] = []
  /// Categories, by `name` or by the name that the app shows.
  public var categories: [String] = []
  /// The MD5 that the photo's file has, or should have where that is another.
  public var md5: MD5Digest?

  /// Everything.
  public init() {}
}

/// A selection, made ready to be asked of the photos of one backup.
struct PhotoMatcher {
  private let patterns: [NamePattern]
  /// Nil for all.
  private let categories: Set<Int64>?
  private let md5: MD5Digest?

  init(_ selection: PhotoSelection, in backup: OpenedBackup) {
    patterns = selection.names.map(NamePattern.init)
    categories =
      selection.categories.isEmpty
      ? nil
      : Set(
        selection.categories.flatMap(backup.metadata.categories(named:)).map(\.id))
    md5 = selection.md5
  }

  /// Whether the photo meets all conditions.
  func matches(_ photo: OpenedBackup.Photo) -> Bool {
    (categories?.contains(photo.record.categoryId) ?? true)
      && (md5.map { photo.location.md5 == $0 || photo.originalMD5 == $0 } ?? true)
      && (patterns.isEmpty || patterns.contains { Self.matches($0, photo) })
  }

  static func matches(_ pattern: NamePattern, _ photo: OpenedBackup.Photo) -> Bool {
    pattern.matches(photo.record.name) || pattern.matches(photo.fileName)
  }
}

extension Metadata {
  /// The categories that somebody means who says this: those that are shown so, or whose `name` it is where none is.
  /// Swift compares strings by canonical equivalence, so that the shell may give either normal form.
  func categories(named text: String) -> [CategoryRecord] {
    let shown = categories.filter { $0.displayName == text }
    return shown.isEmpty ? categories.filter { $0.name == text } : shown
  }
}

extension OpenedBackup.Photo {
  /// The name that the photo's file had where it came from.
  public var fileName: String { FileName.lastComponent(of: originalPath) }
}
