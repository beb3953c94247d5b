import Checksums
import Foundation
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Importing backups again after a person has moved and removed photos: nothing moves back, and nothing is doubled or
/// lost. The oracle moves photos of multisets one by one, and knows neither rows nor plans.
struct OrganizedMergeTests {
  /// The photos of the library and of some backups while a person organizes the library.
  private struct Oracle {
    var library: Multiset
    /// The photos of each backup, where the library has them now; removed ones are in the category `nil`.
    var backups: [[Token]]

    /// A photo of a backup.
    struct Token {
      var content: Identity
      var category: String?
      /// The category in the backup.
      var home: String
    }

    init(_ library: LibraryContents, _ backups: [OpenedBackup]) {
      self.library = Multiset(library)
      self.backups = backups.map { backup in
        backup.photos.compactMap { photo in
          backup.identity(photo).map { identity in
            var content = identity
            content.category = ""
            return Token(content: content, category: identity.category, home: identity.category)
          }
        }
      }
    }

    /// Moves one photo, or removes it.
    mutating func move(_ content: Identity, from origin: String, to destination: String?) {
      for index in backups.indices {
        guard
          let token = backups[index].firstIndex(where: { $0.content == content && $0.category == origin })
        else { continue }
        let isThere = backups[index].contains { $0.content == content && $0.category == destination }
        if destination != nil, isThere {
          backups[index].remove(at: token)
        } else {
          backups[index][token].category = destination
        }
      }
    }

    /// Renames the category of photos that the library did not have when the category was merged.
    mutating func merge(_ origin: String, into destination: String) {
      for index in backups.indices {
        let there = Set(backups[index].filter { $0.category == destination }.map(\.content))
        backups[index].removeAll { $0.category == origin && there.contains($0.content) }
        for token in backups[index].indices where backups[index][token].category == origin {
          backups[index][token].category = destination
        }
      }
    }

    /// Takes the photos that were not in the library back, after those of the library were removed.
    mutating func remove(_ category: String) {
      for index in backups.indices {
        for token in backups[index].indices where backups[index][token].category == category {
          backups[index][token].category = backups[index][token].home
        }
      }
    }

    /// The photos of a backup that an import brings.
    func importable(_ index: Int) -> Multiset {
      Multiset(
        backups[index].compactMap { token in
          token.category.map { category in
            var identity = token.content
            identity.category = category
            return identity
          }
        })
    }
  }

  /// A library that two backups were imported into, and a third backup that it has not seen.
  private struct Scene {
    var generator: MergeGenerator
    var library: LibraryContents
    let backups: [OpenedBackup]
    var oracle: Oracle

    init(seed: Int) throws {
      generator = MergeGenerator(seed: seed)
      var library = LibraryContents.empty
      var backups: [OpenedBackup] = []
      for _ in 0..<3 { backups.append(try generator.backup()) }
      for backup in backups.prefix(2) { library = library.importing(backup, .merge, .skip) }
      (self.library, self.backups) = (library, backups)
      oracle = Oracle(library, backups)
    }

    /// Moves, merges or removes something, as a person would.
    mutating func organize() throws {
      guard !library.categories.isEmpty else { return }
      for index in library.categories.indices { library.categories[index].displayName = "category \(index)" }
      let target = generator.pick(library.categories)
      switch Int.random(in: 0..<5, using: &generator.random) {
      case 0:
        try remove()
      case 4 where library.categories.count > 1:
        let plan = try RemovePlan(library, LibrarySelection(categories: [target.displayName]))
        follow(plan.photos.map(\.id), from: target.name, to: nil)
        oracle.remove(target.name)
        apply(plan.edit)
      case 1 where library.categories.count > 1:
        let source = generator.pick(library.categories.filter { $0.id != target.id })
        let ids = library.photos.filter { $0.categoryId == source.id }.map(\.id)
        let plan = try OrganizePlan(library, .merge([source.displayName], into: target.displayName))
        follow(ids, from: source.name, to: target.name)
        oracle.merge(source.name, into: target.name)
        apply(plan.edit)
      default:
        let ids = library.photos.filter { _ in generator.chance(0.4) }.map(\.id)
        guard !ids.isEmpty else { return }
        let plan = try OrganizePlan(library, .move(LibrarySelection(ids: ids), to: target.displayName))
        for id in ids { follow([id], from: name(ofCategoryOf: id), to: target.name) }
        apply(plan.edit)
      }
    }

    private mutating func remove() throws {
      let selection = LibrarySelection(ids: library.photos.filter { _ in generator.chance(0.3) }.map(\.id))
      guard !selection.ids.isEmpty else { return }
      let plan = try RemovePlan(library, selection)
      for id in selection.ids { follow([id], from: name(ofCategoryOf: id), to: nil) }
      apply(plan.edit)
    }

    private func name(ofCategoryOf id: Int64) -> String {
      let photo = library.photos.first { $0.id == id }
      return library.categories.first { $0.id == photo?.categoryId }?.name ?? "?"
    }

    private mutating func follow(_ ids: [Int64], from origin: String, to destination: String?) {
      guard origin != destination else { return }
      for id in ids {
        guard let photo = library.photos.first(where: { $0.id == id }) else { continue }
        let content =
          photo.isFromAssets
          ? Identity(category: "", assetPath: photo.path)
          : Identity(category: "", md5: photo.md5, size: photo.fileSize)
        oracle.move(content, from: origin, to: destination)
      }
    }

    mutating func apply(_ edit: LibraryEdit) {
      library = library.applying(edit)
      library.photos.sort { $0.id < $1.id }
      library.categories.sort { ($0.position, $0.id) < ($1.position, $1.id) }
      oracle.library = Multiset(library)
    }

    mutating func importing(_ index: Int, restoresRemoved: Bool = false) -> MergePlan {
      let plan = library.plan(backups[index], .merge, .skip, restoresRemoved: restoresRemoved)
      library = library.applied(plan)
      return plan
    }
  }

  /// 150, or the number in `SMILEPILE_ORGANIZED`.
  private static let seeds: Range<Int> = {
    let wanted = ProcessInfo.processInfo.environment["SMILEPILE_ORGANIZED"]
    return 0..<(wanted.flatMap { Int($0) } ?? 150)
  }()

  @Test("Organized: importing the same backups again, in any order, changes nothing")
  func importedAgain() throws {
    for seed in Self.seeds {
      var scene = try Scene(seed: seed)
      for _ in 0..<4 { try scene.organize() }
      let before = scene.library
      for index in [1, 0, 0, 1] {
        let plan = scene.importing(index)
        let added = plan.edit.newPhotos.map(\.id)
        try #require(added.isEmpty, "seed \(seed), backup \(index)")
        try #require(plan.edit.newCategories.isEmpty, "seed \(seed), backup \(index)")
      }
      try #require(Multiset(scene.library) == Multiset(before), "seed \(seed)")
    }
  }

  @Test("Organized: photos that an import put where a merged category went are not new later")
  func organizedAgain() throws {
    for seed in Self.seeds {
      var scene = try Scene(seed: seed)
      for _ in 0..<2 { try scene.organize() }
      _ = scene.importing(2)
      for _ in 0..<3 { try scene.organize() }
      for index in [2, 0, 1, 2] {
        let plan = scene.importing(index)
        try #require(plan.edit.newPhotos.isEmpty, "seed \(seed), backup \(index)")
      }
    }
  }

  @Test("Organized: an import brings exactly the photos that the library lacks, where a person wants them")
  func imported() throws {
    for seed in Self.seeds {
      var scene = try Scene(seed: seed)
      for _ in 0..<3 {
        try scene.organize()
        let expected = Multiset(scene.library).union(scene.oracle.importable(2))
        var after = scene
        _ = after.importing(2)
        try #require(Multiset(after.library) == expected, "seed \(seed)")
      }
    }
  }

  @Test("Organized: the order of backups does not matter, and each content is there or was removed")
  func order() throws {
    for seed in Self.seeds {
      var scene = try Scene(seed: seed)
      for _ in 0..<3 { try scene.organize() }
      let results = [[0, 1, 2], [2, 1, 0], [1, 2, 0]].map { order in
        var copy = scene
        for index in order { _ = copy.importing(index) }
        return Multiset(copy.library)
      }
      try #require(results[1] == results[0], "seed \(seed)")
      try #require(results[2] == results[0], "seed \(seed)")
      let removed = Set(scene.oracle.backups.joined().filter { $0.category == nil }.map(\.content))
      let present = Set(results[0].inOneCategory.counts.keys)
      for token in Oracle(scene.library, scene.backups).backups.joined() {
        try #require(present.contains(token.content) || removed.contains(token.content), "seed \(seed)")
      }
    }
  }

  @Test("Organized: removed photos are counted, restored on demand, and stay afterwards")
  func restored() throws {
    for seed in Self.seeds {
      var scene = try Scene(seed: seed)
      for _ in 0..<3 { try scene.organize() }
      let removed = scene.oracle.backups[0].count { $0.category == nil }
      var kept = scene
      try #require(kept.importing(0).photosRemovedBefore == removed, "seed \(seed)")
      let plan = scene.importing(0, restoresRemoved: true)
      try #require(plan.photosRemovedBefore == 0, "seed \(seed)")
      try #require(Multiset(scene.library).total >= Multiset(kept.library).total, "seed \(seed)")
      let again = scene.importing(0)
      try #require(again.edit.newPhotos.isEmpty, "seed \(seed)")
      let once = Multiset(scene.library)
      _ = scene.importing(0, restoresRemoved: true)
      try #require(Multiset(scene.library) == once, "seed \(seed)")
    }
  }

  @Test("Organized: a replacement ignores what was moved and removed, and takes over what the backup knows")
  func replaced() throws {
    for seed in Self.seeds {
      var scene = try Scene(seed: seed)
      for _ in 0..<3 { try scene.organize() }
      let replaced = scene.library.importing(scene.backups[0], .replace, .skip)
      try #require(Multiset(replaced) == Multiset(scene.backups[0]), "seed \(seed)")
      try #require(replaced.movements.isEmpty, "seed \(seed)")
      try #require(replaced.plan(scene.backups[0], .merge, .skip).edit.newPhotos.isEmpty, "seed \(seed)")
    }
  }
}

extension OrganizePlan {
  fileprivate init(_ library: LibraryContents, _ request: OrganizeRequest) throws {
    try self.init(library, request, now: 9000) { _ in true }
  }
}
