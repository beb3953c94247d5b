import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

extension RebuildSummary {
  /// Begins the summary of a rebuild with what is known of its archives.
  init(_ archives: RebuildArchives, isDryRun: Bool) {
    self.isDryRun = isDryRun
    archive = archives.newest.first?.path
    unusable = archives.unusable
    if archives.isOfFormerLibrary, let archive {
      outdated.append(
        Finding(
          .file(archive.string.escaped),
          "it is of the library that was in this folder before; the library was reset or replaced since"))
    }
    warnings = archives.warnings
    for archive in archives.newest {
      warnings += archive.warnings
      if let base = archive.missingBase {
        warnings.append(
          "\(archive.path) depends on archive \(base), which is missing from its folder".escaped)
      }
    }
  }

  /// Adds what the damaged database no longer tells, so that it is as in the archive.
  mutating func add(_ salvaged: SalvagedRows, of library: FilePath) {
    let source = archive.map { "as in \($0.string.escaped)" } ?? "lost"
    let facts: [(isKnown: Bool, text: String)] = [
      (salvaged.settings != nil, "its settings are \(source)"),
      (salvaged.hasAllCategories, "some of its categories are \(source)"),
      (salvaged.hasAllPhotos, "the names and categories of some of its photos are \(source)"),
      (
        salvaged.movements != nil,
        "what was moved and removed is \(source); an import can take back what was done since"
      ),
    ]
    outdated += facts.filter { !$0.isKnown }.map { fact in
      Finding(.folder(library.string.escaped), "the old database is damaged: \(fact.text)")
    }
  }

  /// Adds the photos that archives have, those that none has, and other files that cannot be read.
  mutating func add(_ search: MissingFileSearch, _ plan: RebuildPlan, _ scan: PhotoScan) {
    let damagedRows = plan.rows.filter { $0.state.isDamaged }
    // the files of photos are reported with the photos
    let places = Set(damagedRows.map { FilePath($0.photo.path) })
    damaged += scan.unreadable.filter { !places.contains($0.key) }
      .sorted { $0.key.string < $1.key.string }
      .map { path, reason in Finding(.file(path.string.escaped), "it cannot be read: \(reason)") }
    add(search.repairs.repairs, corrupt: Set(damagedRows.map(\.photo.id)))
    damagedArchives = search.repairs.failing
    for photo in search.repairs.unavailable {
      let finding = Finding(photo.label, "\(photo.reason), and no archive has it")
      if search.withoutFiles.contains(photo.photo.id) {
        missing.append(finding)
      } else {
        damaged.append(finding)
      }
    }
    let reported = Set(search.repairs.unavailable.map(\.photo.id))
    for row in plan.rows where search.withoutFiles.contains(row.photo.id) && !reported.contains(row.photo.id)
    {
      missing.append(Finding(plan.categories.label(of: row.photo), "its file is missing; it was left out"))
    }
    for row in plan.rows
    where plan.withoutCategory.contains(row.photo.id) && !search.withoutFiles.contains(row.photo.id) {
      uncategorized.append(
        Finding(
          plan.categories.label(of: row.photo),
          "its category cannot be read; it is in the category “\(Self.foundCategory)”"))
    }
  }

  private mutating func add(_ repairs: [PhotoRepairs.Repair], corrupt: Set<Int64>) {
    let verb = isDryRun ? "would be restored" : "was restored"
    for repair in repairs {
      let wasCorrupt = corrupt.contains(repair.unusable.photo.id)
      let state = wasCorrupt ? "was corrupt" : "was missing"
      let origin = repair.sources[0].origin.string.escaped
      restored.append(
        Finding(
          repair.unusable.label,
          "its file \(state) and \(verb) from \(origin)"
            + (wasCorrupt ? "" : "; it may have been removed after that archive was made")))
      bytes += repair.size
    }
  }

  /// Counts the photos and categories of the rebuilt library.
  ///
  /// - Parameter withoutFiles: the IDs of the photos that were left out.
  mutating func count(_ plan: RebuildPlan, _ salvaged: SalvagedRows, withoutFiles: Set<Int64>) {
    let rows = plan.rows.lazy.map(\.photo.id).filter { !withoutFiles.contains($0) }
    let stored = Set(salvaged.photos.map(\.id))
    photos = rows.count
    photosOfDatabase = rows.count(where: stored.contains)
    categories = plan.categories.count
  }
}
