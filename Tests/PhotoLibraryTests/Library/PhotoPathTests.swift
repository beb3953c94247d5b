import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

struct PhotoPathTests {
  @Test(
    "Photo path: the folder is year and month of the date taken",
    arguments: [
      (0, "photos/1970/01"), (-1, "photos/1969/12"), (1_759_413_600_000, "photos/2025/10"),
      // the last millisecond of a month, and the next, in UTC whatever the clock here says
      (1_761_955_199_999, "photos/2025/10"), (1_761_955_200_000, "photos/2025/11"),
      (951_782_400_000, "photos/2000/02"), (-62_135_596_800_000, "photos/0001/01"),
      (-62_135_596_800_001, "photos/undated"), (253_402_300_799_999, "photos/9999/12"),
      (253_402_300_800_000, "photos/undated"), (-62_167_219_200_000, "photos/undated"),
      (.min, "photos/undated"), (.max, "photos/undated"),
    ])
  func folder(createdAt: Timestamp, folder: String) {
    #expect(PhotoPath.folder(createdAt: createdAt) == folder)
  }

  private func next(
    _ paths: inout PhotoPath, _ name: String, exists: (String) -> Bool = { _ in false }
  ) -> String {
    paths.next(forFileName: name, createdAt: LibraryScratch.october, exists: exists)
  }

  @Test("Photo path: equal names get numbers")
  func numbers() {
    var paths = PhotoPath(taken: ["photos/2025/10/a.jpg"])
    #expect(next(&paths, "a.jpg") == "photos/2025/10/a (2).jpg")
    #expect(next(&paths, "a.jpg") == "photos/2025/10/a (3).jpg")
    #expect(next(&paths, "a (3).jpg") == "photos/2025/10/a (3) (2).jpg")
    #expect(next(&paths, "b.jpg") == "photos/2025/10/b.jpg")
    #expect(
      paths.next(forFileName: "a.jpg", createdAt: 0, exists: { _ in false }) == "photos/1970/01/a.jpg")
  }

  @Test(
    "Photo path: names that differ in case or normal form get numbers",
    arguments: [
      ("IMG.JPG", "img.jpg"), ("É.jpg", "é.jpg"), ("café.jpg", "cafe\u{301}.jpg"), ("Å.jpg", "\u{212B}.jpg"),
      ("ΣΊΣΥΦΟΣ.jpg", "σίσυφοσ.jpg"), ("Привет.jpg", "пРИВЕТ.jpg"),
    ])
  func caseAndNormalForm(one: String, other: String) {
    var paths = PhotoPath(taken: [])
    let first = next(&paths, one)
    let second = next(&paths, other)
    #expect(first == "photos/2025/10/\(one)")
    #expect(second.hasSuffix(" (2).jpg"))
  }

  @Test("Photo path: the path of an existing file is not used")
  func existingFile() {
    var paths = PhotoPath(taken: [])
    let there: Set = ["photos/2025/10/a.jpg", "photos/2025/10/a (2).jpg"]
    #expect(next(&paths, "a.jpg", exists: there.contains) == "photos/2025/10/a (3).jpg")
  }

  @Test("Photo path: long names get numbers within the limit")
  func longNames() {
    var paths = PhotoPath(taken: [])
    let stem = String(repeating: "é", count: 200)
    var seen: Set<String> = []
    for number in 0..<200 {
      let path = next(&paths, "\(stem)\(number).jpg")
      #expect(seen.insert(path).inserted)
      #expect(path.utf8.count <= "photos/2025/10/".utf8.count + 255)
      #expect(path.hasSuffix(".jpg"))
    }
  }

  @Test("Photo path: a thousand equal names take a thousand attempts")
  func attempts() {
    var paths = PhotoPath(taken: [])
    var attempts = 0
    var seen: Set<String> = []
    for _ in 0..<1000 {
      seen.insert(
        next(&paths, "IMG_0001.jpg") { _ in
          attempts += 1
          return false
        })
    }
    #expect(seen.count == 1000)
    #expect(attempts == 1000)
  }

  @Test("Photo path: the paths of rows and of files are not used")
  func rowsAndFiles() throws {
    let scratch = try LibraryScratch(["a.jpg": "one"])
    try scratch.folder.write("untracked", to: "library/photos/2025/10/b.jpg")
    let writer = try scratch.writer()
    let files = ["a.jpg", "A.JPG", "b.jpg", "c.jpg", "c.jpg"].map { ($0, LibraryScratch.october) }
    #expect(
      try writer.newPaths(for: files)
        == [
          "a (2).jpg", "A (3).JPG", "b (2).jpg", "c.jpg", "c (2).jpg",
        ].map { "photos/2025/10/" + $0 })
    #expect(try writer.newPaths(for: []) == [])
  }

  @Test("Photo path: the path of a replaced photo is not used while an undo may need it")
  func replacedPath() throws {
    let scratch = try LibraryScratch(["a.jpg": "old"])
    try scratch.commit(["b.jpg": "new"], as: .replace, firstId: 2)
    #expect(!scratch.folder.has("library/photos/2025/10/a.jpg"))
    let paths = try scratch.writer().newPaths(for: [("a.jpg", LibraryScratch.october)])
    #expect(paths == ["photos/2025/10/a (2).jpg"])
  }
}
