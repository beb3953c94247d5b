import Checksums
import PhotoLibrary

/// Selects photos of a backup. Different kinds of conditions are combined with AND, conditions of one kind with OR.
public struct PhotoSelection: Sendable, Equatable {
  /// Shell patterns. One of them must match the photo's name or its file's name.
  public var names: [String] = []
  /// Categories, by `name` or by the name that the app shows.
  public var categories: [String] = []
  /// The MD5 that the photo's file has, or should have if the file is corrupt.
  public var md5: MD5Digest?

  /// Selects everything.
  public init() {}
}

/// A selection that is prepared for the photos of one backup.
struct PhotoMatcher {
  private let patterns: [NamePattern]
  /// The ids of the categories; nil for all.
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

  /// Returns true if the photo meets all conditions.
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
  /// Returns the categories with this display name, or if there are none, with this `name`. Swift compares strings
  /// by canonical equivalence, so that the shell may pass either normal form.
  func categories(named text: String) -> [CategoryRecord] {
    let shown = categories.filter { $0.displayName == text }
    return shown.isEmpty ? categories.filter { $0.name == text } : shown
  }
}

extension OpenedBackup.Photo {
  /// The original name of the photo's file.
  public var fileName: String { FileName.lastComponent(of: originalPath) }
}
