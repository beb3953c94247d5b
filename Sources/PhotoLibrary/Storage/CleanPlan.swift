import FileSystem
import Foundation
import Operations

/// What `clean` removes.
struct CleanPlan {
  /// Sorted by path; the items in the library before those in folders of archives.
  let items: [CleanItem]
  /// The folders of operations that could not be listed.
  let unlisted: [Finding]

  init(_ library: Library, _ options: CleanOptions, now: Date) throws {
    let scan = try StorageScan(library)
    unlisted = scan.unlisted
    let inLibrary = scan.cleanItems.filter { item in
      switch item.kind {
      case .staged, .obsoleteUndo, .unfinishedArchive: true
      case .undo: options.removesUndo
      case .quarantined: options.removesQuarantined
      }
    }
    items = inLibrary + Self.unfinishedFiles(options, now)
  }

  /// How old an unfinished file in a folder of archives must be, in milliseconds.
  private static let minimumAge: Int64 = 3_600_000

  /// Returns the unfinished files in the folders of archives. Skips a folder that cannot be listed.
  private static func unfinishedFiles(_ options: CleanOptions, _ now: Date) -> [CleanItem] {
    let limit = Timestamp(now) - minimumAge
    var seen: Set<FileStatus.Identity> = []
    return options.archiveFolders.flatMap { path -> [CleanItem] in
      guard let folder = try? Directory.open(path), let identity = try? folder.status().identity,
        seen.insert(identity).inserted,
        let files = try? AtomicFile.abandonedPartials(in: folder, unchangedSince: limit)
      else { return [] }
      return files.map { file in
        var item = CleanItem(.unfinishedArchive, file.name.inFolder(path))
        item.entries = [
          CleanItem.Entry(path: item.path, bytes: file.status.allocatedBytes, isFolder: false)
        ]
        return item
      }
    }
  }

  /// Returns true if there is an item of a kind.
  func has(_ kind: CleanItem.Kind) -> Bool { items.contains { $0.kind == kind } }

  /// The operations to ask about, one for each kind of files.
  var operations: [DestructiveOperation] {
    [
      operation(.unneeded, .staged, .obsoleteUndo, .unfinishedArchive) { items, files in
        files == 0
          ? "remove \(Count(items, "empty folder")) that interrupted operations left"
          : "remove \(Count(files, "file")) that interrupted operations left"
      },
      operation(.keptForUndo, .undo) { _, files in
        "remove what is kept for an undo (\(Count(files, "file")))"
      },
      operation(.quarantined, .quarantined) { _, files in
        "remove \(Count(files, "corrupt file")) that repair replaced"
      },
    ].compactMap(\.self)
  }

  private func operation(
    _ discarded: DiscardedFiles, _ kinds: CleanItem.Kind...,
    description: (_ items: Int, _ files: Int) -> String
  ) -> DestructiveOperation? {
    let items = items.filter { kinds.contains($0.kind) }
    guard !items.isEmpty else { return nil }
    return DestructiveOperation(
      description(items.count, items.saturatedSum(\.files)), discards: discarded)
  }
}
