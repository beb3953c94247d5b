import Checksums
import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct RemoveTests {
  let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch()
    let writer = try scratch.writer()
    try writer.change(.add) { change in
      var (photos, files) = try LibraryScratch.stage(
        ["a.jpg": "one", "b.jpg": "two", "été.png": "three", "a2.jpg": "four"], in: change, of: writer)
      photos[3].categoryId = 2
      var edit = LibraryEdit()
      edit.newCategories = [LibraryScratch.category(), LibraryScratch.category(2, "cars")]
      edit.newPhotos = photos
      edit.newPhotos.append(
        Photo(
          id: 5, categoryId: 2, name: "asset", path: "sample/x.png", originalPath: "sample/x.png",
          isFromAssets: true, createdAt: 0, fileSize: 0, md5: nil))
      try change.commit(edit, files: files)
    }
  }

  private func selection(
    ids: [Int64] = [], names: [String] = [], categories: [String] = []
  ) -> LibrarySelection {
    LibrarySelection(ids: ids, names: names, categories: categories)
  }

  @discardableResult
  private func remove(
    _ selection: LibrarySelection, isDryRun: Bool = false, authorization: Authorization = .given
  ) throws -> RemoveSummary {
    let options = ChangeOptions(authorization: authorization, isDryRun: isDryRun)
    return try ChangeRun(path: scratch.path, options: options, counter: ProgressCounter()).remove(selection)
  }

  @Test(
    "Remove: a backslash in a pattern is an ordinary character",
    arguments: [
      (#"a\b"#, #"a\b"#, true), (#"a\b"#, "ab", false), (#"a\*"#, #"a\b"#, true), (#"a\*"#, "a*", false),
      ("a[*]", "a*", true), ("a[*]", "ab", false), (#"a[\]b"#, #"a\b"#, true), ("a[b", "a[b", true),
    ])
  func backslash(pattern: String, name: String, isMatch: Bool) {
    #expect(NamePattern(pattern).matches(name) == isMatch)
  }

  @Test("Remove: a photo must meet conditions of every kind")
  func conditions() throws {
    let expected: [(LibrarySelection, photos: [Int64], categories: [String])] = [
      (selection(ids: [1, 3]), [1, 3], []),
      (selection(names: ["photo ?"]), [1, 2, 3, 4], []),
      (selection(names: ["a*.jpg"]), [1, 4], []),
      (selection(names: ["a*.jpg"], categories: ["cars"]), [4], []),
      (selection(categories: ["cars"]), [4, 5], ["cars"]),
      (selection(ids: [1, 2], names: ["[ab].jpg"], categories: ["family"]), [1, 2], []),
      (selection(names: ["e\u{301}t?.png", "?t?.png"]), [3], []),
      (selection(names: ["b.jpg", "asset"]), [2, 5], []),
    ]
    for (selection, photos, categories) in expected {
      let plan = try RemovePlan(scratch.contents(), selection)
      #expect(plan.photos.map(\.id) == photos, "\(selection)")
      #expect(plan.categories.map(\.name) == categories, "\(selection)")
    }
  }

  @Test("Remove: a condition without a match is an error")
  func noMatch() throws {
    for wrong in [
      selection(ids: [1, 99]), selection(names: ["z*"]), selection(names: ["a*", "z*"]),
      selection(categories: ["boats"]), selection(ids: [1], categories: ["cars"]),
    ] {
      #expect(throws: LibraryError.self) { try remove(wrong) }
    }
    #expect(try scratch.contents().photos.count == 5)
  }

  @Test("Remove: files move to .undo")
  func files() throws {
    let before = try scratch.photoTexts()
    let summary = try remove(selection(names: ["a*.jpg"]))
    #expect(summary.photos.map(\.id) == [1, 4])
    #expect(summary.bytes == 7)
    let texts = try scratch.photoTexts()
    #expect(texts.filter { $0.key.hasPrefix("photos/") }.values.sorted() == ["three", "two"])
    #expect(texts.values.sorted() == before.values.sorted(), "nothing is deleted")
    #expect(try scratch.contents().photos.map(\.id) == [2, 3, 5])
    #expect(try Library(path: scratch.path).untrackedFiles() == [])
  }

  @Test("Remove: a file that another program changed stays in its place, also after the next removal")
  func changedFile() throws {
    let photo = try #require(try scratch.contents().photos.first { $0.id == 1 })
    try scratch.folder.write("edited by another program", to: "library/\(photo.path)")
    let summary = try remove(selection(ids: [1]))
    #expect(summary.missing.count == 1)
    #expect(summary.missing[0].message.hasSuffix("has changed its file \(photo.path), which stays there"))
    try remove(selection(ids: [2]))
    try remove(selection(ids: [3]))
    #expect(try scratch.photoTexts()[photo.path] == "edited by another program")
    #expect(try Library(path: scratch.path).untrackedFiles().map(\.string) == [photo.path])
  }

  @Test("Remove: a category is removed with its photos")
  func category() throws {
    try remove(selection(categories: ["cars"]))
    #expect(try scratch.contents().categories.map(\.name) == ["family"])
    #expect(try scratch.contents().photos.map(\.id) == [1, 2, 3])
  }

  @Test("Remove: removals are recorded")
  func recordedRemovals() throws {
    try remove(selection(categories: ["cars"]))
    let rows = try scratch.sql { try Row.fetchAll($0, sql: "SELECT origin, md5, assetPath FROM movement") }
    #expect(rows.map { $0["origin"] as String } == ["cars", "cars", "cars"])
    #expect(
      rows.compactMap { ($0["md5"] as Data?).flatMap { MD5Digest(bytes: $0) } } == [
        LibraryScratch.digest("four")
      ])
    #expect(rows.compactMap { $0["assetPath"] as String? } == ["sample/x.png"])
  }

  @Test("Remove: every removal needs a confirmation")
  func confirmation() throws {
    let tree = try scratch.files()
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) {
      try remove(selection(ids: [1]), authorization: .refused)
    }
    #expect(try scratch.files() == tree)
    #expect(try remove(selection(ids: [1]), isDryRun: true, authorization: .refused).photos.count == 1)
    #expect(try scratch.files() == tree)
  }

  @Test("Remove: an unreadable file is not reported as missing")
  func unreadableFile() throws {
    let place = scratch.path.appending("photos/2025/10/a.jpg")
    let fault = ArmedFault(.error(.ioError), of: [.status], persists: true, below: place)
    let summary = try remove(selection(ids: [1]), isDryRun: true)
    fault.disarm()
    #expect(summary.missing.count == 1)
    #expect(summary.missing.first?.message.contains("its file cannot be read") == true)
    try FileManager.default.removeItem(atPath: place.string)
    let gone = try remove(selection(ids: [1]), isDryRun: true)
    #expect(gone.missing.first?.message.contains("its file is missing, so undo cannot restore it") == true)
  }

  @Test("Remove: files stay in place while an export reads")
  func readLock() throws {
    let library = try Library(path: scratch.path)
    try library.withPhotoReadLock {
      let photos = try library.contents().photos
      try remove(selection(ids: [1]))
      #expect(try library.hasIntactFile(of: photos[0]))
    }
    _ = try scratch.writer()
    #expect(try !scratch.photoTexts().keys.contains("photos/2025/10/a.jpg"))
  }
}
