import FileSystem
import PhotoLibrary
import SystemPackage

/// Organizes a library, and reports what changed.
extension LibraryChange {
  /// Carries out a request, and prints the result.
  func run(_ request: OrganizeRequest) async throws {
    let plan = try await reporter.follow(.organize(request, in: library, options: options))
    let joined = plan.photos.count { $0.equalPhoto != nil }
    let renamed = plan.photos.count(where: \.isRenamed)
    let warnings = reportDetails(plan)
    for line in sentences(plan, renamed: renamed) { reporter.importantResult(line) }
    reporter.json(
      "summary",
      [
        "photos_moved": plan.photos.count - renamed, "photos_joined": joined, "photos_renamed": renamed,
        "categories_changed": plan.categories.count, "warnings": warnings, "dry_run": options.isDryRun,
      ])
  }

  /// Sorts photos by rules, and prints the result.
  func run(_ request: SortRequest) async throws {
    let plan = try await reporter.follow(.sort(request, in: library, options: options))
    let joined = plan.moves.photos.count { $0.equalPhoto != nil }
    let warnings = reportDetails(plan.moves)
    let groups = Dictionary(grouping: plan.moves.photos, by: \.newCategory)
    for (category, photos) in groups.sorted(by: { $0.key < $1.key }) {
      reporter.importantResult(sentence(of: photos, movedTo: category))
    }
    let rest = [
      (plan.inPlace, "in the category of their rule"), (plan.withoutRule, "fit no rule"),
      (plan.consideredBefore, "considered before"), (plan.movedByPerson, "moved by a person"),
    ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
    let clause = rest.isEmpty ? "" : ": \(rest.joined(separator: ", "))"
    if plan.moves.photos.isEmpty {
      reporter.importantResult("nothing to move\(clause)")
    } else if !rest.isEmpty {
      reporter.note("other photos\(clause)")
    }
    reporter.json(
      "summary",
      [
        "photos_moved": plan.moves.photos.count, "photos_joined": joined, "photos_in_place": plan.inPlace,
        "photos_without_rule": plan.withoutRule, "photos_considered_before": plan.consideredBefore,
        "photos_moved_by_person": plan.movedByPerson, "warnings": warnings, "dry_run": options.isDryRun,
      ])
  }

  /// Prints the changes of categories and photos, and returns the warnings.
  private func reportDetails(_ plan: OrganizePlan) -> [String] {
    let warnings = plan.unusableEqualPhotos.map { photo in
      "the file of photo \(photo.id) “\(photo.name.shortened)” is missing or corrupt, so that a moved photo with the same "
        + "bytes does not become one with it; run smilepile repair -l"
    }
    for warning in warnings { reporter.warn(warning) }
    if options.isDryRun { preview(plan) }
    for category in plan.categories {
      reporter.json(
        "category_change",
        [
          "id": category.new?.id ?? category.old?.id ?? 0,
          "name": category.new?.name ?? category.old?.name ?? "",
          "old_display_name": category.old?.displayName, "new_display_name": category.new?.displayName,
          "position": category.new?.position, "color_hex": category.new?.colorHex,
          "icon_resource": category.new?.iconResource,
        ])
    }
    for photo in plan.photos {
      reporter.json(
        "photo_change",
        [
          "id": photo.photo.id, "old_category": photo.oldCategory, "new_category": photo.newCategory,
          "old_name": photo.photo.name, "new_name": photo.newName, "equal_photo": photo.equalPhoto,
        ])
    }
    return warnings
  }

  private func preview(_ plan: OrganizePlan) {
    reporter.result(
      TextTable(
        .right, .left, .left,
        rows: plan.photos.map { photo in
          [
            "\(photo.photo.id)", photo.photo.name.escaped,
            photo.isRenamed
              ? "→ \(photo.newName.escaped)"
              : "\(photo.oldCategory.escaped) → \(photo.newCategory.escaped)"
                + (photo.equalPhoto.map { " (is there as photo \($0))" } ?? ""),
          ]
        }))
  }

  private func sentences(_ plan: OrganizePlan, renamed: Int) -> [String] {
    let would = options.isDryRun ? "would " : ""
    func verb(_ past: String, _ infinitive: String) -> String { would.isEmpty ? past : would + infinitive }
    var lines: [String] = []
    for category in plan.categories {
      switch (category.old, category.new) {
      case (nil, let new?):
        lines.append("\(verb("added", "add")) the category “\(new.displayName.escaped)”")
      case (let old?, nil):
        lines.append("\(verb("removed", "remove")) the category “\(old.displayName.escaped)”")
      case (let old?, let new?):
        let changes = Self.changes(from: old, to: new)
        lines.append("\(verb("changed", "change")) “\(old.displayName.escaped)”: \(changes.escaped)")
      case (nil, nil): break
      }
    }
    if let target = plan.photos.first?.newCategory, renamed == 0 {
      lines.append(sentence(of: plan.photos, movedTo: target))
    }
    if renamed > 0 { lines.append("\(verb("renamed", "rename")) \(Count(renamed, "photo"))") }
    return lines.isEmpty ? ["nothing to change"] : lines
  }

  /// Describes a move. All photos of a plan are moved, or all are renamed.
  private func sentence(of photos: [OrganizedPhoto], movedTo category: String) -> String {
    let joined = photos.count { $0.equalPhoto != nil }
    return
      "\(options.isDryRun ? "would move" : "moved") \(Count(photos.count, "photo")) to “\(category.escaped)”"
      + (joined == 0 ? "" : "; \(joined) of them became one with equal photos there")
  }

  private static func changes(from old: PhotoLibrary.Category, to new: PhotoLibrary.Category) -> String {
    var changes: [String] = []
    if old.displayName != new.displayName { changes.append("the name is “\(new.displayName)”") }
    if old.colorHex != new.colorHex { changes.append("the colour is \(new.colorHex ?? "the default")") }
    if old.iconResource != new.iconResource {
      changes.append("the icon is \(new.iconResource ?? "the default")")
    }
    if old.position != new.position { changes.append("the place is \(new.position + 1)") }
    return changes.joined(separator: ", ")
  }
}

extension OrganizedPhoto {
  fileprivate var isRenamed: Bool { !newName.utf8.elementsEqual(photo.name.utf8) }
}
