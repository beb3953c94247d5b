import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport

/// A folder in which an operation runs: a small library, backups to import, photos to add, a folder for archives, and
/// third-party files that no operation may change.
struct Scene: Sendable {
  let folder: FilePath

  var library: FilePath { folder.appending("Library") }
  var newLibrary: FilePath { folder.appending("NewLibrary") }
  var out: FilePath { folder.appending("out") }
  var pictures: FilePath { folder.appending("Pictures") }
  var backup: FilePath { folder.appending("backup.zip") }
  var secondBackup: FilePath { folder.appending("second.zip") }
  var inbox: FilePath { folder.appending("inbox") }
  var statusPage: FilePath { folder.appending("status/page.html") }

  /// Makes the scene from which all others are copied.
  static func make(in folder: FilePath) async throws -> Scene {
    let scene = Scene(folder: folder)
    for name in [folder, scene.out, scene.pictures] {
      try FileManager.default.createDirectory(atPath: name.string, withIntermediateDirectories: true)
    }
    let old = try SampleLibrary(
      [photo(1, 1, 2023), photo(2, 1, 2023), photo(3, 2, 2024), .init(asset: "asset.png", id: 4)],
      categories: [.sample(1, "family"), .sample(2, "pets")])
    let other = try SampleLibrary(
      [photo(2, 1, 2023), photo(5, 1, 2023), photo(6, 2, 2025), photo(7, 3, 2019)],
      categories: [.sample(1, "family"), .sample(2, "pets"), .sample(3, "sea")])
    let second = try SampleLibrary([photo(8, 1, 2018)], categories: [.sample(1, "family")])
    _ = try await Work.export(other.path, to: scene.backup).summary
    _ = try await Work.export(second.path, to: scene.secondBackup).summary
    try FileManager.default.copyItem(atPath: old.path.string, toPath: scene.library.string)
    try scene.write(photo(9, 1, 2020).bytes, to: "Pictures/sea.jpg")
    try scene.write(photo(10, 1, 2021).bytes, to: "Pictures/hill.jpg")
    try scene.write(Array("not ours".utf8), to: "out/old.zip")
    try scene.write(Array("a person's".utf8), to: "Library/photos/2023/11/notes.txt")
    return scene
  }

  /// Replaces the backup by one with so many small photos that they are flushed together.
  func enlargeBackup() async throws {
    let many = try SampleLibrary(
      (1...33).map { id in
        .init(id: id, fileName: "IMG_\(id).jpg", bytes: [0xFF, 0xD8, 0xFF, 0xE0, UInt8(id)])
      }, categories: [.sample(1, "family")])
    try FileManager.default.removeItem(atPath: backup.string)
    _ = try await Work.export(many.path, to: backup).summary
  }

  /// Leaves staged files as an interrupted import does: intact, truncated and changed ones, and one that no photo needs.
  func leaveStagedFiles() throws {
    let staging = "Library/.staging/6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    try FileManager.default.createDirectory(
      atPath: folder.appending(FilePath(staging).components).string, withIntermediateDirectories: true)
    let bytes = { (id: Int64) in Self.photo(id, 1, 2023).bytes ?? [] }
    try write(bytes(5), to: staging + "/0")
    try write(Array(bytes(6).dropLast()), to: staging + "/1")
    try write(Array(bytes(7).dropLast()) + [0], to: staging + "/5")
    try write(bytes(9), to: staging + "/2")
    try write(Array(bytes(10).dropFirst()) + [0], to: staging + "/3")
    try write(bytes(11), to: staging + "/4")
  }

  /// Empties the database, and leaves the log of another one.
  func loseDatabase() throws {
    try write([], to: "Library/library.sqlite")
    try write(Array("a log".utf8), to: "Library/library.sqlite-wal")
    try? FileManager.default.removeItem(atPath: library.appending("library.sqlite-shm").string)
  }

  /// Returns true if a folder has a database that is not empty.
  static func hasDatabase(_ library: FilePath) -> Bool {
    let path = library.appending("library.sqlite").string
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.size] as? Int ?? 0 > 0
  }

  /// Puts the backup into an inbox.
  func fillInbox() throws {
    try FileManager.default.createDirectory(atPath: inbox.string, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: backup.string, toPath: inbox.appending("phone.zip").string)
  }

  /// Returns a fault if the backup is neither in the inbox nor among the imported ones. It has another name there if the
  /// empty file that reserved its name could not be removed.
  func faultsOfInbox() throws -> [String] {
    let files = try FolderTree(inbox).files
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: backup.string)))
    let isThere = ["phone.zip", "imported/phone.zip", "imported/phone-2.zip"].contains { files[$0] == bytes }
    return isThere ? [] : ["the backup in the inbox is lost or changed"]
  }

  /// Writes the status page of the library, in place of an earlier one.
  func writeStatusPage() throws {
    try FileManager.default.createDirectory(
      atPath: statusPage.removingLastComponent().string, withIntermediateDirectories: true)
    let state = StateFolder(path: folder.appending("state"))
    try StatusPage(of: Library(path: library), state).write(to: statusPage, outside: state) { $0.message }
  }

  /// Returns how the status page differs from a complete one, and what other files are beside it after another run.
  func faultsOfStatusPage(_ isRunAgain: Bool) throws -> [String] {
    var files = try FolderTree(statusPage.removingLastComponent()).files
    let page = String(decoding: files.removeValue(forKey: "page.html") ?? [], as: UTF8.self)
    var faults: [String] = []
    if !page.hasPrefix("<!DOCTYPE html>") || !page.hasSuffix("</html>\n") {
      faults.append("the status page is not complete")
    }
    if isRunAgain { faults += files.keys.map { "\($0) is left beside the status page" } }
    return faults
  }

  /// Returns the files that a reset for good has left, although it deletes those of all photos.
  func faultsAfterResetForGood() throws -> [String] {
    try FolderTree(library).files.keys.filter { path in
      [".undo/", ".rotten/", "photos/"].contains { path.hasPrefix($0) } && !path.hasSuffix("/notes.txt")
        && !path.hasSuffix("/")
    }.map { "a reset for good left \($0)" }
  }

  /// Leaves a corrupt file as the repair of a photo does.
  func leaveCorruptFile() throws {
    let repair = library.appending(".rotten/1B4E28BA-2FA1-11D2-883F-0016D3CCA427")
    try FileManager.default.createDirectory(atPath: repair.string, withIntermediateDirectories: true)
    try Data("corrupt".utf8).write(to: URL(fileURLWithPath: repair.appending("1_IMG_1.jpg").string))
  }

  /// Returns a photo that starts like a JPEG. Its size and bytes depend on its ID only.
  private static func photo(_ id: Int64, _ category: Int64, _ year: Int) -> SampleLibrary.Member {
    var numbers = SeededNumbers(seed: UInt64(id))
    let bytes: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xE0]
      + (0..<(2000 + 700 * Int(id))).map { _ in
        UInt8.random(in: 0...255, using: &numbers)
      }
    let date = Timestamp(rawValue: 1_700_000_000_000 + Int64(year - 2023) * 31_557_600_000)
    return .init(id: id, category: category, fileName: "IMG_\(id % 7).jpg", createdAt: date, bytes: bytes)
  }

  func write(_ bytes: [UInt8]?, to name: String) throws {
    let file = folder.appending(FilePath(name).components)
    try Data(bytes ?? []).write(to: URL(fileURLWithPath: file.string))
  }

  /// Copies the scene to a folder, which is replaced.
  func copy(to folder: FilePath) throws -> Scene {
    let files = FileManager.default
    if files.fileExists(atPath: folder.string) { try files.removeItem(atPath: folder.string) }
    try files.copyItem(atPath: self.folder.string, toPath: folder.string)
    let copy = Scene(folder: folder)
    // a photo without a date gets the date of its file
    for name in try files.contentsOfDirectory(atPath: copy.pictures.string) {
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)],
        ofItemAtPath: copy.pictures.appending(name).string)
    }
    return copy
  }

  /// The third-party files with their bytes: all earlier files outside of the library, and the note in it.
  func bystanders() throws -> [String: [UInt8]] {
    try FolderTree(folder).files.filter { path, _ in
      path == "Library/photos/2023/11/notes.txt" || path == "out/old.zip" || path.hasPrefix("Pictures/")
        || path == "backup.zip" || path == "second.zip"
    }
  }

  /// The files in the folder of archives except `old.zip`.
  func archives() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: out.string).filter { $0 != "old.zip" }.sorted()
  }
}
