import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The changes from one backup or library to another.
public struct DiffReport: Sendable {
  /// The changes.
  public var diff: BackupDiff
  /// The two sides.
  public var sides: (from: DiffSide, to: DiffSide)
  /// Other warnings.
  public var warnings: [String] = []
}

extension Work where Summary == DiffReport {
  /// Starts comparing two sides, each an archive or the folder of a library. Writes nothing. Reads only photos for
  /// which a backup has no checksum.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError` or `FileError`.
  public static func diff(
    from old: FilePath, to new: FilePath, limits: Limits = Limits(), password: Secret? = nil
  ) -> Self {
    Work { counter in
      let opener = BackupOpener(counter: counter, limits: limits, password: password)
      var warnings: [String] = []
      let from = try DiffSide(at: old, opener, &warnings)
      let to = try DiffSide(at: new, opener, &warnings)
      return DiffReport(diff: BackupDiff(from: from, to: to), sides: (from, to), warnings: warnings)
    }
  }
}

extension DiffSide {
  /// Reads an archive, or a library if the path is a folder.
  fileprivate init(at path: FilePath, _ opener: BackupOpener, _ warnings: inout [String]) throws {
    if (try? Directory.open(path)) != nil {
      self.init(try Library(path: path).contents())
      return
    }
    let source = try opener.open(path)
    self.init(try source.completingChecksums(opener.counter))
    warnings += source.warningsOfPlainEntries
    warnings += source.skipped.map { $0.from(path).message }
    let nameless = photos.count(where: \.hasUnknownContent)
    if nameless > 0 {
      warnings.append(
        "\(path): \(Count(nameless, "photo has", "photos have")) no checksum; \(nameless == 1 ? "it is" : "they are") compared by name and size"
      )
    }
  }
}
