import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Rules sort a library with the photos a, b and c in “family”, and d and e in “cars”. The photos a and d have the same
/// bytes.
struct SortTests {
  private let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch()
    try scratch.addTwoCategories { photos in (photos[1].width, photos[1].height) = (1170, 2532) }
  }

  private func rule(to target: String, _ names: String..., sizes: [String] = []) -> SortRule {
    var rule = SortRule(target: target)
    rule.names = names
    rule.sizes = sizes.compactMap { PixelSize($0) }
    return rule
  }

  @discardableResult
  private func sort(
    _ rules: [SortRule], categories: [String] = [], again: Bool = false, isDryRun: Bool = false
  ) throws -> SortPlan {
    var request = SortRequest(SortRules(rules))
    request.categories = categories
    request.again = again
    var options = ChangeOptions()
    options.isDryRun = isDryRun
    return try ChangeRun(path: scratch.path, options: options, counter: ProgressCounter()).sort(request)
  }

  private func move(_ id: Int64, to category: String) throws {
    _ = try ChangeRun(path: scratch.path, options: ChangeOptions(), counter: ProgressCounter())
      .organize(.move(LibrarySelection(ids: [id]), to: category))
  }

  private func category(of id: Int64) throws -> Int64? {
    try scratch.contents().photos.first { $0.id == id }?.categoryId
  }

  private func addCategory(_ name: String) throws {
    var values = CategoryValues()
    values.displayName = name
    _ = try ChangeRun(path: scratch.path, options: ChangeOptions(), counter: ProgressCounter())
      .organize(.add(values))
  }

  @Test("Sort: the first rule that fits decides, by name, date and size")
  func firstRule() throws {
    try addCategory("new")
    let late = try #require(scratch.contents().photos.first { $0.id == 5 }).createdAt
    var dated = rule(to: "family")
    dated.taken = TakenRange(since: late, until: late + 1)
    let plan = try sort(
      [rule(to: "cars", sizes: ["1x1", "1170x2532"]), rule(to: "new", "b*", "c*"), dated], isDryRun: true)
    let targets = Dictionary(uniqueKeysWithValues: plan.moves.photos.map { ($0.photo.id, $0.newCategory) })
    #expect(targets[2] == "cars")
    #expect(targets[3] == "new")
    #expect(targets[5] == "family")
    #expect(try category(of: 2) == 1)
  }

  @Test("Sort: a photo is considered once, until the rules change or the user asks for it again")
  func consideredOnce() throws {
    let rules = [rule(to: "cars", "b.jpg")]
    let first = try sort(rules)
    #expect(first.moves.photos.map(\.photo.id) == [2])
    #expect(first.withoutRule == 4)
    let second = try sort(rules)
    #expect(second.moves.photos.isEmpty)
    #expect(second.consideredBefore == 5)
    let again = try sort(rules, again: true)
    #expect(again.consideredBefore == 0)
    #expect(again.inPlace == 1)
    let other = try sort([rule(to: "cars", "c.jpg")])
    #expect(other.moves.photos.map(\.photo.id) == [3])
    // the earlier rules are new rules again
    #expect(try sort(rules, isDryRun: true).consideredBefore == 0)
  }

  @Test("Sort: a photo that a person moved stays, also when it is considered again")
  func movedByPerson() throws {
    let rules = [rule(to: "cars", "b.jpg")]
    try sort(rules)
    try move(2, to: "family")
    let plan = try sort(rules, again: true)
    #expect(plan.moves.photos.isEmpty)
    #expect(plan.movedByPerson == 1)
    #expect(try sort([rule(to: "cars", "*")]).moves.photos.map(\.photo.id) == [1, 3])
    #expect(try category(of: 2) == 1)
  }

  @Test("Sort: undo takes the moves back, and a later run leaves those photos alone")
  func undone() throws {
    let before = try scratch.contents()
    let rules = [rule(to: "cars", "b.jpg")]
    try sort(rules)
    #expect(try scratch.undo().kind == .sort)
    #expect(try scratch.contents() == before)
    #expect(try sort(rules).moves.photos.isEmpty)
    #expect(try sort(rules, again: true).moves.photos.map(\.photo.id) == [2])
  }

  @Test("Sort: a run that moves nothing is no change that undo would take back")
  func marksAlone() throws {
    try move(3, to: "cars")
    let stack = try Library(path: scratch.path).undoableChanges()
    try sort([rule(to: "cars", "nothing")])
    #expect(try Library(path: scratch.path).undoableChanges() == stack)
    #expect(try sort([rule(to: "cars", "nothing")]).consideredBefore == 4)
  }

  @Test("Sort: only photos of the given categories are considered")
  func categories() throws {
    let rules = [rule(to: "cars", "*")]
    #expect(try sort(rules, categories: ["cars"]).inPlace == 2)
    // “d” has the bytes of “a”
    let plan = try sort(rules)
    #expect(plan.moves.photos.map(\.photo.id) == [1, 2, 3])
    #expect(plan.moves.photos.first?.equalPhoto == 4)
  }

  @Test("Sort: two photos with the same bytes that change places stay two photos")
  func exchanged() throws {
    let plan = try sort([rule(to: "cars", "a.jpg"), rule(to: "family", "d.jpg")])
    #expect(plan.moves.photos.allSatisfy { $0.equalPhoto == nil })
    #expect(try category(of: 1) == 2)
    #expect(try category(of: 4) == 1)
  }

  @Test("Sort: a rule with an unknown category changes nothing")
  func unknownCategory() throws {
    let before = try scratch.contents()
    #expect(throws: LibraryError.noSuchCategory("boats")) {
      try sort([rule(to: "cars", "b.jpg"), rule(to: "boats", "c.jpg")])
    }
    #expect(try scratch.contents() == before)
  }

  @Test("Sort: a library with a new ID has no marks, and has them again with its old ID")
  func otherLibrary() throws {
    let rules = [rule(to: "cars", "b.jpg")]
    try sort(rules)
    let old = try #require(try scratch.sql { try String.fetchOne($0, sql: "SELECT uuid FROM identity") })
    try scratch.sql { try $0.execute(sql: "UPDATE identity SET uuid = 'other'") }
    #expect(try sort(rules, isDryRun: true).consideredBefore == 0)
    try scratch.sql { try $0.execute(sql: "UPDATE identity SET uuid = ?", arguments: [old]) }
    #expect(try sort(rules, isDryRun: true).consideredBefore == 5)
  }
}
