import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// Collects the summary of a rebuild.
struct RebuildReport {
  var summary = RebuildSummary()
  /// The files that cannot be read, with the reasons.
  private var unreadable: [FilePath: String] = [:]
  /// The photos that can be restored.
  private var repairs: [(repair: PhotoRepairs.Repair, wasCorrupt: Bool)] = []

  init(_ archives: RebuildArchives, isDryRun: Bool) {
    summary.isDryRun = isDryRun
    summary.archive = archives.newest.first?.path
    summary.unusable = archives.unusable
    if archives.isOfFormerLibrary, let archive = summary.archive {
      summary.outdated.append(
        Finding(
          .file(archive.string.escaped),
          "it is of the library that was in this folder before; the library was reset or replaced since"))
    }
    summary.warnings = archives.warnings
    for archive in archives.newest {
      summary.warnings += archive.warnings
      if let base = archive.missingBase {
        summary.warnings.append(
          "\(archive.path) depends on archive \(base), which is missing from its folder".escaped)
      }
    }
  }

  /// Adds what the damaged database no longer tells, so that it is as in the archive.
  mutating func add(_ salvaged: SalvagedRows, of library: FilePath) {
    let source = summary.archive.map { "as in \($0.string.escaped)" } ?? "lost"
    let facts: [(isKnown: Bool, text: String)] = [
      (salvaged.settings != nil, "its settings are \(source)"),
      (salvaged.hasAllCategories, "some of its categories are \(source)"),
      (salvaged.hasAllPhotos, "the names and categories of some of its photos are \(source)"),
      (
        salvaged.movements != nil,
        "what was moved and removed is \(source); an import can take back what was done since"
      ),
    ]
    summary.outdated += facts.filter { !$0.isKnown }.map { fact in
      Finding(.folder(library.string.escaped), "the old database is damaged: \(fact.text)")
    }
  }

  /// Adds what the scan could not use.
  mutating func add(_ scan: PhotoScan) {
    summary.untracked = scan.others.map(\.string)
    unreadable = scan.unreadable
  }

  /// Adds a file that belonged to no photo.
  mutating func addFoundAgain(_ path: String) { summary.foundAgain.append(path) }

  /// Adds the photos that archives have, and those that none has.
  mutating func add(_ search: MissingFileSearch, _ plan: RebuildPlan) {
    let damaged = plan.rows.filter { $0.state.isDamaged }
    let corrupt = Set(damaged.map(\.photo.id))
    // the files of photos are reported with the photos
    for row in damaged { unreadable[FilePath(row.photo.path)] = nil }
    summary.damaged += unreadable.sorted { $0.key.string < $1.key.string }.map { path, reason in
      Finding(.file(path.string.escaped), "it cannot be read: \(reason)")
    }
    repairs = search.repairs.repairs.map { (repair: $0, wasCorrupt: corrupt.contains($0.photo.photo.id)) }
    summary.damagedArchives = search.repairs.failing
    for photo in search.repairs.unavailable {
      let finding = Finding(photo.label, "\(photo.reason), and no archive has it")
      if search.leftOut.contains(photo.photo.id) {
        summary.missing.append(finding)
      } else {
        summary.damaged.append(finding)
      }
    }
    let reported = Set(search.repairs.unavailable.map(\.photo.id))
    for row in plan.rows where search.leftOut.contains(row.photo.id) && !reported.contains(row.photo.id) {
      summary.missing.append(Finding(plan.label(of: row.photo), "its file is missing; it was left out"))
    }
    for row in plan.rows where plan.lostCategory(of: row.photo.id) && !search.leftOut.contains(row.photo.id) {
      summary.uncategorized.append(
        Finding(
          plan.label(of: row.photo),
          "its category cannot be read; it is in the category “\(RebuildSummary.foundCategory)”"))
    }
  }

  /// Adds what became of the old files.
  mutating func add(_ outcome: LibraryReconstruction.Outcome, in library: FilePath) {
    summary.lostFiles = outcome.lostFiles.map { library.appending($0.components) }
    summary.corruptFiles = outcome.corruptFiles.map { library.appending($0.components) }
  }

  /// Returns the summary.
  ///
  /// - Parameter leftOut: the IDs of the photos that were left out.
  func end(_ plan: RebuildPlan, _ salvaged: SalvagedRows, leftOut: Set<Int64>) -> RebuildSummary {
    var summary = summary
    let verb = summary.isDryRun ? "would be restored" : "was restored"
    for (repair, wasCorrupt) in repairs {
      let state = wasCorrupt ? "was corrupt" : "was missing"
      let place = repair.sources[0].place.string.escaped
      summary.restored.append(
        Finding(
          repair.photo.label,
          "its file \(state) and \(verb) from \(place)"
            + (wasCorrupt ? "" : "; it may have been removed after that archive was made")))
      summary.bytes += repair.size
    }
    let rows = plan.rows.lazy.map(\.photo.id).filter { !leftOut.contains($0) }
    let stored = Set(salvaged.photos.map(\.id))
    summary.photos = rows.count
    summary.photosOfDatabase = rows.count(where: stored.contains)
    summary.categories = plan.categories.count
    return summary
  }
}
