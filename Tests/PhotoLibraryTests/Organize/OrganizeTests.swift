import Checksums
import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// A person moves, renames and merges in a library with three photos in “family” and two in “cars”, of which the photos
/// 1 and 4 have the same bytes.
struct OrganizeTests {
  private let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch()
    try scratch.addTwoCategories { photos in photos[3].isFavorite = true }
  }

  @discardableResult
  private func organize(
    _ request: OrganizeRequest, isDryRun: Bool = false, authorization: Authorization = .given
  ) throws -> OrganizePlan {
    let options = ChangeOptions(authorization: authorization, isDryRun: isDryRun)
    return try ChangeRun(path: scratch.path, options: options, counter: ProgressCounter()).organize(request)
  }

  private func selection(_ ids: Int64...) -> LibrarySelection {
    LibrarySelection(ids: ids)
  }

  private func values(
    _ name: String? = nil, color: String? = nil, position: Int? = nil
  ) -> CategoryValues {
    var values = CategoryValues()
    (values.displayName, values.colorHex, values.position) = (name, color, position)
    return values
  }

  private func categories() throws -> [String] { try scratch.contents().categories.map(\.displayName) }

  // MARK: Categories

  @Test("Organize: a new category gets a key of its own, a place, and the values")
  func addedCategory() throws {
    try organize(.add(values("Holidays 🏖", color: "#FF9800", position: 2)))
    let all = try scratch.contents().categories
    #expect(all.map(\.displayName) == ["family", "Holidays 🏖", "cars"])
    #expect(all[1].name == "holidays_🏖")
    #expect(all[1].colorHex == "#FF9800")
    #expect(all.map(\.position) == [0, 1, 2])
    #expect(all[1].arrangedAt != nil)
    #expect(all[0].arrangedAt == nil)
    // the key of a renamed category is taken
    try organize(.set("cars", values("Autos")))
    try organize(.add(values("Cars")))
    #expect(try scratch.contents().categories.map(\.name) == ["family", "holidays_🏖", "cars", "cars_2"])
  }

  @Test(
    "Organize: a name that no category can have is refused, and nothing changes",
    arguments: [
      "", "  ", "\u{200B}", String(repeating: "x", count: 10_240), "a\u{7}b", "a\nb", "\u{202E}gpj", "FAMILY",
      "Fami\u{6C}y", " cars ", "CARS\u{200E}".replacing("\u{200E}", with: ""),
    ])
  func refusedName(name: String) throws {
    let before = try scratch.contents()
    #expect(throws: OrganizeError.self) { try organize(.add(values(name))) }
    #expect(throws: OrganizeError.self) {
      try organize(.set("cars", values(name == "CARS" || name == " cars " ? "family" : name)))
    }
    #expect(try scratch.contents() == before)
  }

  @Test(
    "Organize: names in any script are kept in NFC",
    arguments: [
      ("Cafe\u{301}", "Caf\u{E9}"), ("שבת", "שבת"), ("عائلة\u{200F}", "عائلة\u{200F}"), (" x ", "x"),
    ])
  func scripts(name: String, stored: String) throws {
    try organize(.set("cars", values(name)))
    #expect(try Array(#require(categories().last).utf8) == Array(stored.utf8))
  }

  @Test("Organize: a category keeps its name in other letters, and names that look alike are found")
  func sameName() throws {
    try organize(.set("cars", values("Cars")))
    #expect(try categories() == ["family", "Cars"])
    #expect(throws: OrganizeError.nameTaken("FAMILY", by: "family")) {
      try organize(.set("Cars", values("FAMILY")))
    }
  }

  @Test(
    "Organize: a category with the name of a merged one gets another key, and one after a removal the same key"
  )
  func keyOfFormerCategory() throws {
    try organize(.merge(["cars"], into: "family"))
    try organize(.add(values("Cars")))
    #expect(try scratch.contents().categories.map(\.name) == ["family", "cars_2"])
    try organize(.removeEmpty("Cars"))
    try organize(.add(values("Cars")))
    #expect(try scratch.contents().categories.map(\.name) == ["family", "cars_2"])
  }

  @Test("Organize: a person's newer values win, even if the clock was ahead before")
  func clock() throws {
    try organize(.set("cars", values("Autos")))
    try scratch.sql {
      try $0.execute(sql: "UPDATE category SET arrangedAt = 9000000000000 WHERE name = 'cars'")
    }
    try organize(.set("Autos", values("Wagons")))
    #expect(try scratch.contents().categories.last?.arrangedAt == 9_000_000_000_001)
  }

  @Test("Organize: the order names the first categories, and only moved ones count as set by a person")
  func order() throws {
    try organize(.add(values("x")))
    try organize(.order(["x", "cars"]))
    #expect(try categories() == ["x", "cars", "family"])
    let plan = try organize(.order(["x"]))
    #expect(plan.edit.isEmpty)
    #expect(throws: LibraryError.noSuchCategory("y")) { try organize(.order(["x", "y"])) }
    #expect(throws: OrganizeError.repeatedCategory("x")) { try organize(.order(["x", "cars", "x"])) }
  }

  @Test("Organize: a category that has photos is not removed as an empty one")
  func notEmpty() throws {
    #expect(throws: OrganizeError.notEmpty("cars", photos: 2)) { try organize(.removeEmpty("cars")) }
    try organize(.add(values("x")))
    try organize(.removeEmpty("x"))
    #expect(try categories() == ["family", "cars"])
  }

  // MARK: Photos

  @Test("Organize: photos move with their rows, and files stay in their places")
  func moved() throws {
    let files = try scratch.files()
    let plan = try organize(.move(selection(2, 3, 5), to: "cars"))
    #expect(plan.photos.map(\.photo.id) == [2, 3])
    #expect(try scratch.contents().photos.map(\.categoryId) == [1, 2, 2, 2, 2])
    #expect(try scratch.files() == files)
    let movements = try scratch.contents().movements
    #expect(movements.map(\.origin) == ["family", "family"])
    #expect(movements.map(\.destination) == ["cars", "cars"])
  }

  @Test("Organize: a photo whose bytes the category has becomes one with it, and an undo separates them")
  func joined() throws {
    let before = try scratch.contents()
    let files = try scratch.files()
    let plan = try organize(.move(selection(4), to: "family"))
    #expect(plan.photos.map(\.equalPhoto) == [1])
    let after = try scratch.contents()
    #expect(after.photos.map(\.id) == [1, 2, 3, 5])
    #expect(after.photos[0].isFavorite == true)
    let summary = try scratch.undo()
    #expect(summary.photosRestored == 1)
    #expect(summary.photosRemoved == 0)
    #expect(try scratch.contents() == before)
    #expect(try scratch.files() == files)
  }

  @Test(
    "Organize: a photo stays if the file of the equal photo is missing or corrupt", arguments: [nil, "tow"])
  func unusableEqualPhoto(text: String?) throws {
    let path = try scratch.path.appending(scratch.contents().photos[0].path).string
    if let text {
      try Data(text.utf8).write(to: URL(filePath: path))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    let plan = try organize(.move(selection(4), to: "family"))
    #expect(plan.unusableEqualPhotos.map(\.id) == [1])
    #expect(try scratch.contents().photos.map(\.id) == [1, 2, 3, 4, 5])
    #expect(try scratch.contents().photos[3].categoryId == 1)
  }

  @Test("Organize: merged categories end, their photos move, and an undo brings everything back")
  func merged() throws {
    let before = try scratch.contents()
    try organize(.merge(["cars"], into: "family"))
    let after = try scratch.contents()
    #expect(after.categories.map(\.name) == ["family"])
    #expect(after.photos.map(\.id) == [1, 2, 3, 5])
    #expect(after.movements.map(\.subject).last == .category)
    try scratch.undo()
    #expect(try scratch.contents() == before)
    #expect(throws: OrganizeError.mergedIntoItself("cars")) { try organize(.merge(["cars"], into: "cars")) }
  }

  @Test("Organize: a merge needs a confirmation, a move and a name do not")
  func confirmation() throws {
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) {
      try organize(.merge(["cars"], into: "family"), authorization: .refused)
    }
    try organize(.move(selection(5), to: "family"), authorization: .refused)
    try organize(.rename(1, to: "Anna"), authorization: .refused)
  }

  @Test("Organize: photos get names by a pattern, numbered by date")
  func renamed() throws {
    setenv("TZ", "UTC", 1)
    try organize(.rename(2, to: "Anna at the lake"))
    #expect(try scratch.contents().photos[1].name == "Anna at the lake")
    let template = try #require(NameTemplate("{date} {category} {n} {id} {name}"))
    let plan = try organize(.renameAll(selection(4, 2), template), isDryRun: true)
    #expect(
      plan.photos.map(\.newName) == ["2025-10-02 family 1 2 Anna at the lake", "2025-10-02 cars 2 4 photo 4"])
    #expect(try scratch.contents().photos[3].name == "photo 4")
    #expect(throws: LibraryError.self) { try organize(.rename(9, to: "x")) }
    #expect(throws: OrganizeError.self) { try organize(.rename(1, to: "a\u{0}b")) }
  }

  @Test(
    "Organize: a pattern with an unknown field or a single brace is refused",
    arguments: ["{x}", "{", "a}", "{n"])
  func invalidTemplate(text: String) { #expect(NameTemplate(text) == nil) }

  // MARK: Undo, and what is remembered

  @Test("Organize: fifty changes above a removal are undone one by one, down to the state before the removal")
  func undoStack() throws {
    let before = try scratch.contents()
    _ = try ChangeRun(path: scratch.path, options: .given, counter: ProgressCounter()).remove(selection(3))
    for number in 0..<50 { try organize(.rename(1, to: "name \(number)")) }
    for number in (1...50).reversed() { #expect(try scratch.undo().remaining == number) }
    try scratch.undo()
    #expect(try scratch.contents() == before)
    #expect(throws: UndoError.self) { try scratch.undo() }
  }

  @Test("Organize: a photo that is added again after its removal is not a removed one")
  func addedAgain() throws {
    _ = try ChangeRun(path: scratch.path, options: .given, counter: ProgressCounter()).remove(selection(3))
    try scratch.folder.write("three", to: "in/c.jpg")
    var add = AddOptions()
    add.category = "family"
    _ = try AddRun(library: scratch.path, options: add, counter: ProgressCounter()).run([
      scratch.folder.path("in/c.jpg")
    ])
    let movements = try scratch.contents().movements
    #expect(movements.map(\.origin) == ["family", nil])
    #expect(movements.map(\.destination) == [nil, "family"])
    #expect(
      movements[0].subject == movements[1].subject
        || movements[0].subject.content == movements[1].subject.content)
  }
}

extension Movement.Subject {
  fileprivate var content: FileContent? { if case .photo(.file(let content)) = self { content } else { nil } }
}
