import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct AddTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch() }

  private var folder: ScratchFolder { scratch.folder }

  /// Something that begins as a PNG of these measures does, and goes on with a text.
  static func png(_ text: String, width: UInt8 = 4, height: UInt8 = 3) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0, 0, 0, 0, 0] + Array(text.utf8)
  }

  @discardableResult
  private func add(_ names: String..., category: String? = nil, isDryRun: Bool = false) throws -> AddSummary {
    var options = AddOptions()
    options.category = category
    options.isDryRun = isDryRun
    let run = AddRun(library: scratch.path, options: options, counter: ProgressCounter())
    return try run.run(names.map { folder.path($0) })
  }

  private func categories() throws -> [String: Int] {
    let contents = try scratch.contents()
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.displayName) })
    return Dictionary(contents.photos.map { (names[$0.categoryId] ?? "", 1) }, uniquingKeysWith: +)
  }

  @Test("Add: photos that do not fit are refused, with the sizes", arguments: [false, true])
  func lackOfSpace(
    _ isDryRun: Bool
  ) throws {
    try folder.write(Self.png("1"), to: "in/a.png")
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: 5), below: scratch.path)
    defer { fault.disarm() }
    let error = #expect(throws: LibraryError.self) { try add("in", isDryRun: isDryRun) }
    #expect(error?.description.contains("5 are free") == true)
  }

  @Test("Add: a photo whose file is missing in the library is restored")
  func missingFile() throws {
    for name in ["a", "b"] { try folder.write(Self.png(name), to: "in/\(name).png") }
    try add("in")
    let contents = try scratch.contents()
    let photo = try #require(contents.photos.first)
    let file = "library/\(photo.path)"
    let bytes = try folder.bytes(file)
    try FileManager.default.removeItem(atPath: folder.path(file).string)

    let label = "photo \(photo.id) “\(photo.name)” in “in”: its file was missing from the library, and"
    #expect(try add("in", isDryRun: true).warnings == ["\(label) would be restored"])
    let summary = try add("in")
    #expect(summary.warnings == ["\(label) was restored"])
    #expect(summary.photosAdded == 0)
    #expect(summary.photosRestored == 1)
    #expect(summary.photosSkipped == 1)
    #expect(summary.errors == [])
    #expect(try folder.bytes(file) == bytes)
    #expect(try scratch.contents() == contents)
    #expect(try add("in").photosRestored == 0)
  }

  @Test("Add: one file restores equal photos whose files are missing, in the change that adds others")
  func equalMissingFiles() throws {
    try folder.write(Self.png("a"), to: "in/a.png")
    try add("in")
    let first = try #require(try scratch.contents().photos.first)
    var second = first
    (second.id, second.path, second.createdAt) = (2, "photos/2001/02/b.png", LibraryScratch.october)
    try scratch.sql { try Photo.insert([second], into: $0) }
    try folder.remove("library/\(first.path)")
    try folder.write(Self.png("c"), to: "in/c.png")
    let changes = try scratch.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM change") ?? 0 }
    let summary = try add("in")
    #expect(summary.photosRestored == 2)
    #expect(summary.photosAdded == 1)
    #expect(summary.photosSkipped == 0)
    #expect(summary.errors == [])
    #expect(try scratch.rowsWithoutFile() == [])
    let library = try Library(path: scratch.path)
    for photo in [first, second] {
      #expect(try library.openPhoto(at: photo.path).status().modified == photo.createdAt)
    }
    #expect(
      try scratch.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM change") } == changes + 1)
    #expect(try folder.tree("library/.staging").isEmpty)
  }

  @Test("Add: nothing is added if the restoration of a photo is cancelled")
  func cancelledRestoration() throws {
    for name in ["a", "b"] { try folder.write(Self.png(name), to: "in/\(name).png") }
    try add("in/a.png")
    let contents = try scratch.contents()
    let place = try #require(contents.photos.first).path
    try folder.remove("library/" + place)
    let counter = ProgressCounter()
    let fault = ArmedFault(
      .then { counter.cancel() }, of: [.status], below: scratch.path.pushing(FilePath(place)))
    defer { fault.disarm() }
    #expect(throws: CancellationError.self) {
      try AddRun(library: scratch.path, options: AddOptions(), counter: counter).run([folder.path("in")])
    }
    #expect(fault.place != nil)
    #expect(try scratch.contents() == contents)
    #expect(try folder.tree("library/.staging").isEmpty)
  }

  @Test("Add: a photo whose file is corrupt in the library is reported, and the file stays")
  func corruptFile() throws {
    try folder.write(Self.png("a"), to: "in/a.png")
    try add("in")
    let photo = try #require(try scratch.contents().photos.first)
    var corrupt = try folder.bytes("library/\(photo.path)")
    corrupt[20] ^= 1
    try folder.write(corrupt, to: "library/\(photo.path)")
    for isDryRun in [true, false] {
      let summary = try add("in", isDryRun: isDryRun)
      #expect(summary.errors.map(\.item) == ["photo \(photo.id) “a” in “in”"])
      #expect(summary.errors.first?.remedy == .repairLibrary)
      #expect(summary.photosRestored == 0)
    }
    #expect(try folder.bytes("library/\(photo.path)") == corrupt)
  }

  @Test("Add: the category is the folder of a photo")
  func categoriesByFolder() throws {
    try folder.write(Self.png("1"), to: "in/Summer 2025/a.png")
    try folder.write(Self.png("2"), to: "in/Summer 2025/b.png")
    try folder.write(Self.png("3"), to: "in/Winter/deep/c.png")
    try folder.write(Self.png("4"), to: "in/d.png")
    let summary = try add("in")
    #expect(try categories() == ["Summer 2025": 2, "deep": 1, "in": 1])
    #expect(summary.categoriesAdded == 3)
    #expect(summary.photosAdded == 4)
    #expect(summary.photosSkipped == 0)
    #expect(summary.bytes == 4 * Self.png("1").count)
    #expect(summary.errors.isEmpty)
    #expect(summary.warnings.isEmpty)
    #expect(!summary.isDryRun)
    let contents = try scratch.contents()
    #expect(Set(contents.categories.map(\.name)) == ["summer_2025", "deep", "in"])
    #expect(contents.categories.map(\.position) == [0, 1, 2])
    #expect(contents.photos.allSatisfy { ($0.width, $0.height) == (4, 3) })
    #expect(try scratch.rowsWithoutFile().isEmpty)
    let kinds = try scratch.sql { try String.fetchAll($0, sql: "SELECT kind FROM change") }
    #expect(kinds == ["add"])
  }

  @Test("Add: a given category is made once, and used again")
  func namedCategory() throws {
    try folder.write(Self.png("1"), to: "in/a.png")
    try folder.write(Self.png("2"), to: "in/b.png")
    #expect(try add("in/a.png", category: "Our Family").categoriesAdded == 1)
    // capitals, spaces and the normal form do not make another category
    #expect(try add("in/b.png", category: "OUR family").categoriesAdded == 0)
    #expect(try categories() == ["Our Family": 2])
    try scratch.sql { try LibraryScratch.category(50, "cafe\u{301}").insert($0) }
    #expect(try add("in/b.png", category: "Caf\u{E9}").categoriesAdded == 0)
    #expect(try scratch.contents().categories.count == 2)
  }

  @Test("Add: content that its category has is skipped")
  func duplicates() throws {
    for name in ["one/a.png", "one/copy of a.png", "two/a.png"] {
      try folder.write(Self.png("same"), to: "in/" + name)
    }
    let first = try add("in")
    #expect(first.photosAdded == 2)
    #expect(first.photosSkipped == 1)
    #expect(try categories() == ["one": 1, "two": 1])
    let files = try scratch.files()
    let second = try add("in", "in/one/a.png")
    #expect(second.photosAdded == 0)
    #expect(second.photosSkipped == 4)
    #expect(try scratch.files() == files)
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Add: different photos with the same name get different paths")
  func equalNames() throws {
    for number in 1...3 {
      try folder.write(Self.png("\(number)"), to: "in/\(number)/IMG_0001.png")
    }
    try add("in", category: "All")
    let photos = try scratch.contents().photos
    #expect(Set(photos.map(\.path)).count == 3)
    #expect(photos.allSatisfy { ($0.name, $0.originalPath) == ("IMG_0001", "IMG_0001.png") })
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Add: date taken, width and height come from the header")
  func dateAndSize() throws {
    let photos = try Fixture.photos()
    for (number, photo) in photos.enumerated() {
      try folder.write(photo.bytes, to: "in/\(number)/\(photo.name)")
    }
    let summary = try add("in", category: "Fixture")
    #expect(summary.photosAdded == 8)
    #expect(summary.errors.isEmpty)
    let added = try scratch.contents().photos
    #expect(added.map(\.fileName) == photos.map(\.name))
    #expect(added.map(\.fileSize) == photos.map(\.bytes.count))
    #expect(added.filter { $0.name != "tiny" }.allSatisfy { ($0.width, $0.height) == (320, 240) })
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    let first = calendar.date(
      from: DateComponents(year: 2025, month: 2, day: 11, hour: 10, minute: 20, second: 30))
    #expect(added.first?.createdAt == first.map(Timestamp.init))
    #expect(added.first?.path == "photos/2025/02/IMG_0001.jpg")
    #expect(try scratch.rowsWithoutFile().isEmpty)
  }

  @Test("Add: without a date taken, the modification time is used")
  func modificationTime() throws {
    try folder.write(Self.png("1"), to: "in/a.png")
    try File.open(folder.path("in/a.png"), .readWrite).setModified(951_782_400_123)
    try add("in")
    let photo = try #require(try scratch.contents().photos.first)
    #expect(photo.createdAt == 951_782_400_123)
    #expect(photo.path == "photos/2000/02/a.png")
    let stored = try Library(path: scratch.path).open(photo).status()
    #expect(stored.modified == 951_782_400_123)
  }

  @Test("Add: a dry run reports the result and writes nothing")
  func dryRun() throws {
    try folder.write(Self.png("1"), to: "in/one/a.png")
    try add("in")
    try folder.write(Self.png("2"), to: "in/two/b.png")
    try folder.write("text", to: "in/two/notes.txt")
    let tree = { [folder] in
      try folder.tree().filter { path, _ in !["-shm", "-wal"].contains(where: path.hasSuffix) }
    }
    let before = try tree()
    let dry = try add("in", "in/none", isDryRun: true)
    #expect(try tree() == before)
    var real = try add("in", "in/none")
    real.isDryRun = true
    #expect(dry == real)
    #expect(dry.photosAdded == 1)
    #expect(dry.photosSkipped == 1)
    #expect(dry.categoriesAdded == 1)
    #expect(dry.errors.count == 1)
    #expect(dry.warnings.count == 1)
  }

  @Test(
    "Add: a file in the library is refused",
    arguments: ["library", "library/photos", "link/photos/2025", "library/photos/stray.png"])
  func fileInLibrary(name: String) throws {
    try folder.write(Self.png("1"), to: "library/photos/stray.png")
    try folder.write(Self.png("2"), to: "library/photos/2025/x.png")
    try folder.link("link", to: "library")
    #expect(throws: LibraryError.insideLibrary(folder.path(name))) { try add(name) }
    #expect(try scratch.contents().photos.isEmpty)
  }

  @Test("Add: a folder that contains the library is searched without it")
  func folderAroundLibrary() throws {
    try folder.write(Self.png("1"), to: "in/a.png")
    try scratch.commit(["x.jpg": "one"], as: .add)
    let summary = try add("")
    #expect(summary.photosAdded == 1)
    #expect(summary.errors.map(\.item) == [folder.path("library").string])
    #expect(try scratch.contents().photos.map(\.fileName) == ["x.jpg", "a.png"])
  }

  /// What another program does to a photo that is being read.
  enum Modification: CaseIterable {
    case cut, append, overwrite, replace

    func run(on path: FilePath) throws {
      switch self {
      case .cut: try File.open(path, .readWrite).resize(to: 30)
      case .append: try File.open(path, .readWrite).write(Array("more".utf8), at: 60)
      case .overwrite: try File.open(path, .readWrite).write(Array("other".utf8), at: 33)
      case .replace:
        try FileManager.default.removeItem(atPath: path.string)
        try File.open(path, .create).write(AddTests.png("again"), at: 0)
      }
    }
  }

  @Test(
    "Add: a photo that changes while it is read is reported and not added", arguments: Modification.allCases,
    [false, true])
  func changedWhileRead(modification: Modification, isDryRun: Bool) throws {
    let photo = folder.path("in/a.png")
    let others = try scratch.files()
    var number = 1
    while true {
      try folder.write(Self.png("first"), to: "in/a.png")
      // long ago, since the kernel's clock for files may stand still for some milliseconds
      try File.open(photo, .readWrite).setModified(951_782_400_123)
      let fault = ArmedFault(
        .then { try? modification.run(on: photo) }, at: number, of: [.read], below: folder.path("in"))
      defer { fault.disarm() }
      let summary = try add("in", isDryRun: isDryRun)
      guard fault.place != nil else { break }
      #expect(
        summary.errors.map(\.message) == ["\(photo): it changed while it was read; add it again"],
        "after read \(number)")
      #expect(summary.photosAdded == 0)
      #expect(try scratch.files() == others)
      #expect(try scratch.contents().photos.isEmpty)
      number += 1
    }
    #expect(number > 3, "both the header and the photo are read")
  }

  @Test("Add: cancellation leaves the library unchanged")
  func cancellation() async throws {
    for number in 0..<50 { try folder.write(Self.png("\(number)"), to: "in/\(number).png") }
    let (contents, files) = (try scratch.contents(), try scratch.files())
    let counter = ProgressCounter()
    counter.cancel()
    #expect(throws: CancellationError.self) {
      _ = try AddRun(library: scratch.path, options: AddOptions(), counter: counter).run([folder.path("in")])
    }
    #expect(try scratch.files() == files)
    let work = Work.add([folder.path("in")], to: scratch.path)
    work.cancel()
    // cancelled before or after its commit: nothing of it, or all
    let added = (try? await work.summary)?.photosAdded ?? 0
    #expect(added == 0 || added == 50)
    #expect(try scratch.contents().photos.count == contents.photos.count + added)
    #expect(try scratch.rowsWithoutFile().isEmpty)
    #expect(try Library(path: scratch.path).untrackedFiles() == [])
  }

  @Test("Add: a new ID is chosen whatever IDs a replaced library has")
  func newIDs() throws {
    try scratch.sql { database in
      var category = LibraryScratch.category(.max, "far")
      category.position = .max
      try category.insert(database)
      for (id, path) in [(Int64.max, "sample/a"), (-7, "sample/b"), (41, "sample/c")] {
        try Photo(
          id: id, categoryId: .max, name: "x", path: path, originalPath: path, isFromAssets: true,
          createdAt: 0,
          fileSize: 0, md5: nil
        ).insert(database)
      }
    }
    try folder.write(Self.png("1"), to: "in/a.png")
    try add("in")
    let contents = try scratch.contents()
    #expect(contents.photos.map(\.id) == [-7, 41, 42, .max])
    // and past the largest that a library gives out
    try scratch.sql {
      try $0.execute(sql: "UPDATE photo SET id = ? WHERE id = 41", arguments: [Int64(1) << 53])
    }
    try folder.write(Self.png("2"), to: "in/b.png")
    try add("in")
    #expect(try scratch.contents().photos.map(\.id) == [-7, 1, 42, 1 << 53, .max])
    #expect(contents.categories.map(\.id).sorted() == [1, .max])
  }
}
