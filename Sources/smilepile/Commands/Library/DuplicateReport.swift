import Duplicates
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// Prints groups of similar photos.
struct DuplicateReport {
  let reporter: Reporter
  let summary: DuplicateSummary

  /// Prints a group with the photo that would be kept.
  func show(_ group: DuplicateGroup) {
    let others = group.others.map { ("\(Similarity($0.similarity))", $0.photo) }
    let isSeries = group.kind == .series
    let removed = isSeries ? [] : group.others.map(\.photo)
    show(
      group, rows: [("best", group.best)] + others, removed: removed,
      why: isSeries ? "" : "  best: \(group.reason.rawValue)")
    showJSON(group, kept: isSeries ? nil : group.best, removed: removed)
  }

  /// Prints a group with the photo that is kept and those that are removed.
  func show(_ part: DuplicateRemoval.Part) {
    show(
      part.group,
      rows: [("keep", part.kept)] + part.removed.map { ("remove", $0) } + part.spared.map { ("stays", $0) },
      removed: part.removed,
      why: part.spared.isEmpty
        ? "" : "  \(Count(part.spared.count, "photo stays", "photos stay")): not similar to the kept photo")
    showJSON(part.group, kept: part.kept, removed: part.removed)
  }

  private func show(
    _ group: DuplicateGroup, rows: [(String, Photo)], removed: [Photo], why: String
  ) {
    reporter.result(
      "group \(group.number)  \(group.kind.rawValue)  \(Similarity(group.similarity))"
        + (group.kind == .copies ? "  frees \(ByteCount(removed.saturatedSum(\.fileSize)))" : "") + why)
    reporter.result(
      TextTable(
        .left, .right, .left, .left, .right, .left, indentation: 2,
        rows: rows.map { role, photo in
          [
            role, "\(photo.id)", Self.name(of: photo, summary.contents),
            photo.width > 0 ? "\(photo.width)×\(photo.height)" : "-", "\(ByteCount(photo.fileSize))",
            photo.createdAt.localDay,
          ]
        }))
  }

  /// - Parameter kept: the photo that replaces the removed ones; nil for a series.
  private func showJSON(_ group: DuplicateGroup, kept: Photo?, removed: [Photo]) {
    let removedIDs = Set(removed.map(\.id))
    let similarities = [1] + group.others.map(\.similarity)
    let members = zip(group.photos, similarities).map { photo, similarity in
      [
        "id": photo.id, "similarity": similarity, "keep": !removedIDs.contains(photo.id),
        "why": kept?.id == photo.id && photo.id == group.best.id ? group.reason.rawValue : nil,
        "name": photo.name, "category": summary.contents.category(of: photo) ?? "", "bytes": photo.fileSize,
        "width": photo.width, "height": photo.height, "created_at": photo.createdAt,
      ] as JSONFields
    }
    reporter.json(
      "duplicate_group",
      [
        "group": group.number, "kind": group.kind.rawValue, "photos": members,
        "bytes_to_free": removed.saturatedSum(\.fileSize),
      ])
  }

  /// Prints what the user should know about the search.
  func showNotes() {
    for note in summary.notes { reporter.warn(note) }
    for photo in summary.fill.undrawable { reporter.warn(photo.message) }
  }

  /// Prints the notes and the summary.
  ///
  /// - Parameters:
  ///   - page: the page that was written.
  ///   - removal: the command that removes the copies of a group.
  func finish(page: FilePath?, removal: String) {
    showNotes()
    let copies = summary.groups.filter { $0.kind == .copies }
    let photos = copies.map(\.others.count).reduce(0, +)
    let bytes = copies.saturatedSum(\.bytesToFree)
    let series = summary.groups.count - copies.count
    reporter.importantResult(
      "\(Count(copies.count, "group")) of copies, \(Count(photos, "photo")) to remove (\(ByteCount(bytes)))"
        + (series == 0 ? "" : "; \(Count(series, "series", "series"))")
        + "; compared \(Count(summary.compared, "photo")) at \(summary.threshold)")
    if let page { reporter.importantResult(page.string.escaped) }
    if !copies.isEmpty {
      reporter.note("run \(removal) to keep only the best photo")
    }
    reporter.json(
      "summary",
      [
        "groups": summary.groups.count, "photos": photos, "bytes_to_free": bytes,
        "compared": summary.compared, "cached": summary.fill.cached, "drawn": summary.fill.drawn,
        "undrawable": summary.fill.undrawable.map(\.message),
        "failed": summary.fill.failed.map(\.message),
        "notes": summary.notes, "threshold": summary.threshold.similarity, "html": Null(page?.string),
      ])
  }

  /// `IMG_0001 (Family)`.
  static func name(of photo: Photo, _ contents: LibraryContents) -> String {
    "\(photo.name.escaped) (\((contents.category(of: photo) ?? "").escaped))"
  }
}
