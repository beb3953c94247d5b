import Foundation
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// The import strategy `replace`: the backup replaces the complete content of the library, the old content is
/// kept for an undo, and the backup must contain a complete library.
@Suite struct ReplaceTests {
  /// A library of two photos. `backup` has one of them, with the bytes "b".
  private func library() throws -> SampleLibrary {
    try SampleLibrary(
      [
        .init(id: 50, fileName: "old.jpg", bytes: Array("old".utf8)),
        .init(id: 51, fileName: "b.jpg", bytes: Array("b".utf8)),
      ], categories: [.sample(1, "elsewhere")])
  }

  private let backup = SampleBackup(photos: ["a", "b", "c"])

  /// Options of an import that replaces without a confirmation.
  private static func unconfirmed(_ options: inout ImportOptions) {
    options.strategy = .replace
    options.authorization = .refused
  }

  @Test("Replace: old files are moved to the undo folder, files with equal content stay")
  func oldFiles() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let old = try library.contents.photos
    let summary = try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    #expect(summary.photosImported == 3)
    #expect(summary.photosSkipped == 0)
    #expect(summary.categoriesImported == 1)
    #expect(summary.photoFilesWritten == 2, "the library has the bytes of b")
    #expect(!summary.isIncomplete)

    let contents = try library.contents
    #expect(contents.photos.map(\.id) == [1, 2, 3])
    #expect(contents.categories.map(\.name) == ["family"])
    #expect(contents.photos[1].path == old[1].path)
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
    let undo = try library.tree.files.filter { $0.key.hasPrefix(".undo/") && !$0.key.hasSuffix("/") }
    #expect(Array(undo.values) == [Array("old".utf8)])
    #expect(undo.keys.allSatisfy { $0.hasSuffix("/50") })
    #expect(try library.tree.files[old[0].path] == nil)
  }

  /// The library is not locked during the question. The photos of the other import are replaced too, and an
  /// undo restores them.
  @Test("Replace: an import during the confirmation succeeds, and the question is repeated")
  func importDuringConfirmation() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    var protected = backup
    protected.metadata.settings?.securitySettings.deleteProtectionEnabled = true
    let first = try protected.write(to: scratch, as: "protected.zip")
    try await library.importing(first)
    let other = try SampleBackup(photos: ["x"]).write(to: scratch, as: "other.zip")
    let path = library.path
    let questions = Mutex(0)
    try await library.importing(try backup.write(to: scratch)) {
      $0.strategy = .replace
      $0.authorization = Authorization(
        pin: { _ in nil },
        confirms: { _ in
          let count = questions.withLock {
            $0 += 1
            return $0
          }
          if count == 1 {
            _ = try ImportRun(library: path, options: ImportOptions(), counter: ProgressCounter()).run([other]
            )
          }
          return true
        })
    }
    #expect(questions.withLock { $0 } == 2)
    #expect(try library.bytesOfPhotos() == backup.photos)
    #expect(try await Work.undo(path, options: .given).summary.photosRestored > 0)
    #expect(try library.bytesOfPhotos().values.contains(Array("x".utf8)))
    expectNone(try library.faults())
  }

  @Test("Replace: the next import deletes the files in the undo folder")
  func nextImport() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    try await library.importing(try SampleBackup(photos: ["new"]).write(to: scratch, as: "2.zip"))
    #expect(try library.tree.fileNames.filter { $0.hasPrefix(".undo/") } == [])
    #expect(try library.contents.photos.count == 4)
    expectNone(try library.faults())
  }

  @Test("Replace: old files stay in place until readers release the photo lock")
  func photoReadLock() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let old = try library.contents.photos[0]
    let path = try backup.write(to: scratch)
    let reader = try Library(path: library.path)
    let (mayEnd, end) = AsyncStream.makeStream(of: Void.self)
    let (isHolding, begin) = AsyncStream.makeStream(of: Void.self)
    let holding = Task.detached {
      try reader.withPhotoReadLock {
        begin.finish()
        let done = DispatchSemaphore(value: 0)
        Task {
          for await _ in mayEnd {}
          done.signal()
        }
        done.wait()
      }
    }
    for await _ in isHolding {}
    try await library.importing(path) { $0.strategy = .replace }
    #expect(try library.tree.files[old.path] == Array("old".utf8), "an export may be reading it")
    #expect(try library.contents.photos.map(\.id) == [1, 2, 3])
    end.finish()
    try await holding.value
    _ = try LibraryWriter(path: library.path)
    #expect(try library.tree.files[old.path] == nil)
    #expect(try library.tree.fileNames.contains { $0.wholeMatch(of: /\.undo\/.*\/50/) != nil })
    expectNone(try library.faults())
  }

  @Test("Replace: a file that another program changed stays, and the photo is restored under a new name")
  func corruptFile() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let photo = try library.contents.photos[1]
    try Data("?".utf8).write(to: URL(fileURLWithPath: library.file(of: photo).string))
    let summary = try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    #expect(summary.photosImported == 3)
    #expect(summary.photoFilesWritten == 3)
    #expect(!summary.isIncomplete)
    let warning = "another program changed \(photo.path), which stays as an untracked file"
    #expect(summary.warnings == [warning])
    #expect(try library.bytesOfPhotos() == backup.photos)
    #expect(try library.contents.photos[1].path != photo.path, "the name of a file is never used again")
    #expect(try library.faults() == ["untracked \(photo.path)"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: library.file(of: photo).string)) == Data("?".utf8))
  }

  @Test("Replace: a photo missing in the backup and corrupt in the library is an error")
  func missingEntry() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let photo = try library.contents.photos[1]
    var backup = backup
    backup.members.remove(at: 1)
    let path = try backup.write(to: scratch)
    try Data("?".utf8).write(to: URL(fileURLWithPath: library.file(of: photo).string))
    let tree = try library.tree
    let error = await #expect(throws: BackupError.self) {
      try await library.importing(path) { $0.strategy = .replace }
    }
    #expect(error?.description.contains("photo 2 “b”") == true)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Replace: a second replace by the same backup changes nothing without confirmation")
  func secondReplace() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let path = try equalPhotos.write(to: scratch)
    try await library.importing(path) { $0.strategy = .replace }
    let (before, tree) = (try library.contents, try library.tree)
    let summary = try await library.importing(path, configure: Self.unconfirmed)
    #expect(summary.photosImported == 0)
    #expect(summary.photosSkipped == 4)
    #expect(summary.categoriesImported == 0)
    #expect(summary.photoFilesWritten == 0)
    #expect(summary.removal.isEmpty)
    #expect(try library.contents == before)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Replace: a second replace by the same backup keeps the undo of the first")
  func undoAfterSecondReplace() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let (contents, bytes) = (try library.contents, try library.bytesOfPhotos())
    let path = try equalPhotos.write(to: scratch)
    for _ in 0..<3 { try await library.importing(path) { $0.strategy = .replace } }
    let summary = try await Work.undo(library.path, options: .given).summary
    #expect(summary.missing.isEmpty)
    #expect(try library.contents == contents)
    #expect(try library.bytesOfPhotos() == bytes)
    expectNone(try library.faults())
  }

  /// Equal photos, invalid IDs, and a photo whose file was missing before the backup.
  private var equalPhotos: SampleBackup {
    var backup = SampleBackup(photos: ["a", "a"])
    for id in [Int64.max, 0] { backup.add(id: id, name: "a", bytes: Array("a".utf8)) }
    backup.add(id: 7, name: "lost", bytes: [])
    backup.metadata.photoManifest.removeLast()
    backup.members.removeLast()
    return backup
  }

  @Test("Replace: a renamed photo is updated without confirmation, the others are skipped")
  func changedPhoto() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    let before = try library.contents.photos
    var renamed = backup
    renamed.metadata.photos[1].name = "renamed"
    let summary = try await library.importing(
      try renamed.write(to: scratch, as: "renamed.zip"), configure: Self.unconfirmed)
    #expect(summary.photosImported == 1)
    #expect(summary.photosSkipped == 2)
    let after = try library.contents.photos
    #expect(after[1].name == "renamed")
    #expect(after.map(\.path) == before.map(\.path))
    expectNone(try library.faults())
  }

  @Test("Replace: photos are removed only after a confirmation", arguments: [true, false])
  func confirmation(isConfirmed: Bool) async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let tree = try library.tree
    let path = try backup.write(to: scratch)
    let questions = Mutex<[DestructiveOperation]>([])
    let authorization = Authorization(
      pin: { _ in nil },
      confirms: { operation in
        questions.withLock { $0.append(operation) }
        return isConfirmed
      })
    let importing = {
      try await library.importing(path) {
        $0.strategy = .replace
        $0.authorization = authorization
      }
    }
    if isConfirmed {
      #expect(try await importing().removal == Removal(photos: 1, categories: 1))
    } else {
      await #expect(throws: AuthorizationError.notConfirmed(library.path)) { try await importing() }
      expectNone(try library.tree.differences(from: tree))
    }
    let question = try #require(questions.withLock { $0 }.first)
    #expect(question.removal == Removal(photos: 1, categories: 1))
    #expect(
      question.description
        == "replace everything in \(library.path) with \(path) (remove 1 photo and 1 category)")
  }

  @Test("Replace: an empty library needs no confirmation")
  func emptyLibrary() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let summary = try await library.importing(try backup.write(to: scratch), configure: Self.unconfirmed)
    #expect(summary.photosImported == 3)
    #expect(summary.removal.isEmpty)
  }

  @Test("Replace: an archive without photos empties a library only after a confirmation")
  func emptyArchive() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let path = try SampleBackup().write(to: scratch)
    await #expect(throws: AuthorizationError.notConfirmed(library.path)) {
      try await library.importing(path, configure: Self.unconfirmed)
    }
    #expect(try library.contents.photos.count == 2)
    let summary = try await library.importing(path) { $0.strategy = .replace }
    #expect(summary.removal.photos == 2)
    #expect(try library.contents.photos.isEmpty)
  }

  @Test("Replace: a dry run counts removed and corrupt photos without confirmation")
  func dryRun() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let path = try backup.write(to: scratch)
    let damaged = try library.contents.photos[1]
    try Data("?".utf8).write(to: URL(fileURLWithPath: library.file(of: damaged).string))
    var dry = try await library.importing(path) {
      $0.strategy = .replace
      $0.isDryRun = true
      $0.authorization = .refused
    }
    dry.isDryRun = false
    #expect(dry.removal == Removal(photos: 1, categories: 1))
    #expect(try await library.importing(path) { $0.strategy = .replace } == dry)
  }

  @Test("Replace: a different category with the same ID is removed without its photos, and undo restores it")
  func categoryOfTheSameID() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var first = backup
    first.metadata.categories[0].name = "first"
    try await library.importing(try first.write(to: scratch, as: "first.zip"))
    let before = try library.contents
    let summary = try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    #expect(summary.removal == Removal(categories: 1))
    #expect(try library.contents.categories.map(\.name) == ["family"])
    #expect(try await Work.undo(library.path, options: .given).summary.photosReverted == 3)
    #expect(try library.contents == before)
  }

  @Test(
    "Replace: a partial backup or a JSON backup without photos is refused unless forced",
    arguments: ["json", "category", "since", "until"])
  func partialBackup(_ selection: String) async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let source = try await SampleLibrary.imported(backup)
    let exported = try await source.exporting(to: scratch.path.appending("part")) { options in
      switch selection {
      case "json": options.format = .json
      case "category": options.categories = ["Family"]
      case "since": options.taken.since = 0
      default: options.taken.until = .max
      }
    }
    let path = try #require(exported.archive)
    let tree = try library.tree
    for isDryRun in [true, false] {
      let error = await #expect(throws: BackupError.self) {
        try await library.importing(path) {
          $0.strategy = .replace
          $0.isDryRun = isDryRun
        }
      }
      #expect(error?.remedy == .merge)
      #expect(error?.description.contains(path.string) == true)
    }
    expectNone(try library.tree.differences(from: tree))
    try await library.importing(path) {
      $0.strategy = .replace
      $0.isForced = true
    }
    // A JSON backup has no MD5: the photo whose bytes the library has is missing too.
    #expect(try library.contents.photos.map(\.id) == (selection == "json" ? [] : [1, 2, 3]))
    expectNone(try library.faults())
  }

  @Test("Replace: a JSON backup is complete if another library provides its photos")
  func jsonWithPhotos() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    let source = try await SampleLibrary.imported(backup)
    let path = try #require(
      try await source.exporting(to: scratch.path.appending("all.json")) { $0.format = .json }.archive)
    let summary = try await library.importing(path) {
      $0.strategy = .replace
      $0.photosFrom = source.path
    }
    #expect(summary.photosImported == 3)
    #expect(!summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == source.bytesOfPhotos())
  }

  @Test("Replace: a photo that was missing before the backup is a warning")
  func missingBeforeBackup() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    var backup = backup
    backup.metadata.photoManifest.remove(at: 0)
    backup.members.remove(at: 0)
    let summary = try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    #expect(summary.photosImported == 2)
    #expect(summary.warnings.count == 1)
    #expect(summary.isIncomplete)
  }

  @Test("Replace: IDs outside of 1…2⁵³ are replaced by new IDs")
  func idsOutOfRange() async throws {
    let (library, scratch) = (try library(), ScratchFolder())
    var backup = SampleBackup()
    for id in [Int64.min, -1, 2, 0, .max] { backup.add(id: id, name: "x", bytes: Array("\(id)".utf8)) }
    try await library.importing(try backup.write(to: scratch)) { $0.strategy = .replace }
    #expect(try library.contents.photos.map(\.id) == [2, 3, 4, 5, 6])
    let archive = try await library.exporting(to: scratch.path.appending("again.zip")).archive
    let written = try WrittenBackup.intact(archive)
    #expect(Set(written.photos.values) == Set(backup.photos.values))
  }
}

extension SampleLibrary {
  /// A new library with the content of `backup`.
  static func imported(_ backup: SampleBackup) async throws -> SampleLibrary {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    try await library.importing(try backup.write(to: scratch))
    try library.settle()
    return library
  }
}
