import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Replacement and undo of two photos with equal MD5s, sizes and categories, and different bytes.
struct CollisionReplaceTests {
  private let scene: CollidingPhotos

  init() throws { scene = try CollidingPhotos() }

  @Test("MD5 collision: an undo of an import removes only the imported photo", arguments: [0, 1])
  func undoImport(first: Int) async throws {
    let library = try await scene.bring(first, into: nil, .added)
    _ = try await scene.bring(1 - first, into: library, .imported)
    let summary = try await scene.undo(library)
    #expect(summary.photosRemoved == 1)
    try await scene.expect([first], in: library)
  }

  @Test("MD5 collision: an undo of a removal restores each photo", arguments: [0, 1])
  func undoRemoval(first: Int) async throws {
    let library = try await scene.bring(first, into: nil, .added)
    _ = try await scene.bring(1 - first, into: library, .added)
    let before = try library.bytesOfPhotos()
    for ids in [[1], [2], []] as [[Int64]] {
      try await scene.remove(ids, from: library)
      try await scene.undo(library)
      #expect(try library.bytesOfPhotos() == before)
      try await scene.expect([0, 1], in: library)
    }
  }

  @Test("MD5 collision: a replacement of one photo by the other removes a photo, and an undo restores it")
  func replacement() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    let other = try await scene.archive(of: scene.photos[1], as: "other.zip")
    await #expect(throws: AuthorizationError.notConfirmed(library.path)) {
      try await library.importing(other) {
        $0.strategy = .replace
        $0.authorization = .refused
      }
    }
    try await scene.expect([0], in: library)
    let summary = try await library.importing(other) { $0.strategy = .replace }
    #expect(summary.removal == Removal(photos: 1))
    try await scene.expect([1], in: library)
    let undo = try await scene.undo(library)
    #expect(undo.photosRemoved == 1)
    #expect(undo.photosRestored == 1)
    try await scene.expect([0], in: library)
  }

  @Test("MD5 collision: a replacement by both photos removes no photo, in both orders", arguments: [0, 1])
  func both(first: Int) async throws {
    let library = try await scene.bring(first, into: nil, .imported)
    _ = try await scene.bring(1 - first, into: library, .imported)
    let both = try await scene.archive(of: scene.photos[1 - first], scene.photos[first], as: "both.zip")
    let summary = try await library.importing(both) {
      $0.strategy = .replace
      $0.authorization = .refused
    }
    #expect(summary.removal.isEmpty)
    #expect(try library.bytesOfPhotos() == [1: scene.photos[1 - first], 2: scene.photos[first]])
    try await scene.expect([0, 1], in: library)
  }

  @Test("MD5 collision: a replacement by one photo removes the other", arguments: [0, 1])
  func one(kept: Int) async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    _ = try await scene.bring(1, into: library, .imported)
    let archive = try await scene.archive(of: scene.photos[kept], as: "kept.zip")
    let summary = try await library.importing(archive) { $0.strategy = .replace }
    #expect(summary.removal == Removal(photos: 1))
    try await scene.expect([kept], in: library)
    let undo = try await scene.undo(library)
    #expect(undo.photosRemoved == 0)
    #expect(undo.photosRestored == 1)
    try await scene.expect([0, 1], in: library)
  }

  @Test("MD5 collision: a replacement by many photos with one MD5 takes linear time")
  func manyPhotos() async throws {
    let twins = scene.photos.map { Array($0.prefix(128)) }
    let count = 3000
    func sample(_ numbers: Range<Int>, _ bytes: (Int) -> [UInt8]) throws -> SampleLibrary {
      let members = numbers.map { number in
        SampleLibrary.Member(id: Int64(number), fileName: "\(number).jpg", bytes: bytes(number))
      }
      return try SampleLibrary(members, categories: [.sample(1, "family")])
    }
    let kept = try sample(1..<count + 1) { _ in twins[0] }
    let library = try Library(path: kept.path)
    let other = try sample(2 * count..<4 * count) { twins[$0 < 3 * count ? 1 : 0] }
    let archive = scene.scratch.path.appending("many.zip")
    try await other.exporting(to: archive)
    let backup = try OpenedBackup(path: archive)
    let contents = try library.contents()
    let variants = try ContentVariants(of: backup, in: contents, KnownPhotos(in: library), ProgressCounter())
    var planning = MergePlanning(photos: backup.photos.count)
    let empty = LibraryContents(categories: [], photos: [], settings: contents.settings)
    let categories = planning.mergeCategories(backup.metadata, empty, updates: false)
    let start = ProcessorTime.ofThread
    let rows = Replacement(
      of: contents, by: backup, categories: planning.edit.newCategories, byID: categories.byID, variants
    ).rows
    #expect(ProcessorTime.ofThread - start < .seconds(3))
    #expect(rows.map(\.isKept) == (0..<2 * count).map { $0 >= count })
    #expect(Set(rows.suffix(count).map(\.photo.path)) == Set(contents.photos.map(\.path)))
  }
}
