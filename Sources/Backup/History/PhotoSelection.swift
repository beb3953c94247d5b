import Checksums
import PhotoLibrary

/// Which photos of a backup somebody means. Each kind of condition narrows the selection; of one kind any may be met.
public struct PhotoSelection: Sendable, Equatable {
  /// Patterns, as a shell has them, of which the photo's name or its file's name matches one.
  public var names: [String] = []
  /// Categories, by `name` or by the name that the app shows.
  public var categories: [String] = []
  /// The MD5 that the photo's file has.
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

  init(_ selection: PhotoSelection, in backup: BackupSource) {
    patterns = selection.names.map(NamePattern.init)
    categories =
      selection.categories.isEmpty
      ? nil
      : Set(
        selection.categories.flatMap(backup.metadata.categories(named:)).map(\.id))
    md5 = selection.md5
  }

  /// Whether the photo meets all conditions.
  ///
  /// - Parameter held: what an archive before this one holds of it, where this one does not.
  func matches(_ photo: BackupSource.Photo, held: Metadata.HeldFile? = nil) -> Bool {
    (categories?.contains(photo.record.categoryId) ?? true)
      && (md5.map { photo.fileDigests(held: held).contains($0) } ?? true)
      && (patterns.isEmpty || patterns.contains { Self.matches($0, photo, held: held) })
  }

  static func matches(
    _ pattern: NamePattern, _ photo: BackupSource.Photo, held: Metadata.HeldFile? = nil
  ) -> Bool {
    pattern.matches(photo.record.name) || pattern.matches(photo.fileName(held: held))
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

extension BackupSource.Photo {
  /// The name that the photo's file had where it came from.
  public var fileName: String { FileName.lastComponent(of: originalPath) }

  /// The same of a photo whose file an archive before this one may hold.
  func fileName(held: Metadata.HeldFile?) -> String {
    held.map { FileName.lastComponent(of: $0.originalPath) } ?? fileName
  }

  /// The MD5 that the file has, and the one that it should have where that is another.
  func fileDigests(held: Metadata.HeldFile?) -> [MD5Digest] {
    [content.md5, expected, held.flatMap { MD5Digest(hex: $0.checksum) }].compactMap { $0 }
  }
}
