/// What `sort` changes: a pure function of the library, its history of sorting, the rules, and the intact files of photos with
/// equal bytes.
package struct SortPlan: Sendable {
  /// The photos that move.
  package let moves: OrganizePlan
  /// The number of photos that no rule fits.
  package private(set) var withoutRule = 0
  /// The number of photos that are in the category of their rule.
  package private(set) var inPlace = 0
  /// The number of photos that an earlier run considered by the same rules.
  package private(set) var consideredBefore = 0
  /// The number of photos that a person moved, which stay.
  package private(set) var movedByPerson = 0
  /// The marks for the photos that this run considers.
  let marks: SortMarks

  /// - Parameters:
  ///   - isIntact: returns true if the file of a photo is intact.
  /// - Throws: `LibraryError` if a category does not exist; what `isIntact` throws.
  init(
    _ library: LibraryContents, _ history: SortHistory, _ request: SortRequest, now: Timestamp,
    isIntact: (Photo) throws -> Bool
  ) throws {
    let targets = try request.rules.rules.map { try library.categories.one(named: $0.target) }
    let selected = Set(try library.categories.named(request.categories).map(\.id))
    let categories = Dictionary(library.categories.map { ($0.id, $0) }) { first, _ in first }
    var considered: [Int64] = []
    var moved: [Int64: [Photo]] = [:]
    for photo in library.photos where selected.isEmpty || selected.contains(photo.categoryId) {
      guard let place = SortedPhoto(photo, in: categories) else { continue }
      if history.movedByPerson.contains(place) {
        movedByPerson += 1
        continue
      }
      if !request.again, history.considered.contains(place) {
        consideredBefore += 1
        continue
      }
      considered.append(photo.id)
      guard let target = request.rules.index(for: photo).map({ targets[$0] }) else {
        withoutRule += 1
        continue
      }
      if target.id == photo.categoryId {
        inPlace += 1
      } else {
        moved[target.id, default: []].append(photo)
      }
    }
    moves = try OrganizePlan(
      library,
      moving: library.categories.compactMap { target in moved[target.id].map { ($0, target) } },
      now: now, isIntact: isIntact)
    marks = SortMarks(rules: request.rules.digest, photos: considered)
  }

  /// The changes of the rows.
  var edit: LibraryEdit {
    var edit = moves.edit
    edit.sortMarks = marks
    return edit
  }
}
