import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Pictures
import Synchronization
import SystemPackage
import Testing
import Zip

/// Catches each documented error by its type.
@Suite("Errors that a client catches")
struct ClientErrors {
  private let folder: ClientFolder
  private let family: FilePath

  init() throws {
    folder = try ClientFolder()
    family = try folder.library("Family")
  }

  /// Returns an archive of a library with two photos in the category “Sea”.
  private func archive() async throws -> FilePath {
    var options = AddOptions()
    options.category = "Sea"
    _ = try await Work.add(folder.photos(2), to: family, options: options).summary
    return try #require(try await Work.export(family, to: folder.path).summary.archive)
  }

  // MARK: Backup

  @Test("BackupError: the archive of an import is missing")
  func backupError() async {
    do {
      _ = try await Work.import(["/missing.zip"], into: family).summary
      Issue.record("the import found the archive")
    } catch BackupError.noSuchBackup(let path) {
      #expect(path == "/missing.zip")
    } catch {
      Issue.record(error)
    }
  }

  @Test("ExtractError: an archive has no photos of a category")
  func extractError() async throws {
    let archive = try await archive()
    var options = ExtractOptions()
    options.selection.categories = ["Mountains"]
    let error = await #expect(throws: ExtractError.self) {
      try await Work.extract(archive, to: folder.path.appending("out"), options: options).summary
    }
    #expect(error?.remedy == .listArchive)
  }

  @Test("GalleryFolderError: the folder of a gallery has another file")
  func galleryFolderError() async throws {
    let notes = try folder.folder("Gallery").appending("notes.txt")
    try Data("mine".utf8).write(to: URL(filePath: notes.string))
    await #expect(throws: GalleryFolderError.unknownFile(notes)) {
      try await Work.gallery(ofLibrary: family, to: folder.path.appending("Gallery")).summary
    }
  }

  @Test("RebuildError: the database of a library is intact")
  func rebuildError() async {
    await #expect(throws: RebuildError.isIntact(family)) { try await Work.rebuild(family).summary }
  }

  @Test("SettingsProfileError: a file has the name of a new profile")
  func settingsProfileError() throws {
    let file = try folder.file("settings.json", Data())
    #expect(throws: SettingsProfileError.exists(file)) {
      try SettingsProfile(Library(path: family).contents().settings).write(to: file)
    }
  }

  // MARK: PhotoLibrary

  @Test("LibraryError: a folder is not a library")
  func libraryError() async {
    await #expect(throws: LibraryError.notALibrary(folder.path)) {
      try await Work.export(folder.path, to: "/tmp").summary
    }
  }

  @Test("AuthorizationError: a removal is not confirmed")
  func authorizationError() async throws {
    _ = try await archive()
    var sea = LibrarySelection()
    sea.categories = ["Sea"]
    await #expect(throws: AuthorizationError.notConfirmed(family)) {
      try await Work.remove(sea, from: family).summary
    }
  }

  @Test("KeptPhotoNotIntact: the photo that stays in the place of another one is corrupt")
  func keptPhotoNotIntact() async throws {
    _ = try await archive()
    let photos = try Library(path: family).contents().photos
    _ = try folder.file("Family/\(photos[0].path)", Data("corrupt".utf8))
    var removed = LibrarySelection()
    removed.ids = [photos[1].id]
    await #expect(throws: KeptPhotoNotIntact.self) {
      try await Work.remove(removed, from: family, keeping: [photos[0].id]).summary
    }
  }

  @Test("UndoError: a new library has nothing to undo")
  func undoError() async {
    await #expect(throws: UndoError.nothingToUndo(family)) { try await Work.undo(family).summary }
  }

  @Test("SimilarityThreshold.Fault: a text is no threshold")
  func similarityThresholdFault() {
    #expect(throws: SimilarityThreshold.Fault.notANumber("much")) { try SimilarityThreshold("much") }
  }

  // MARK: FileSystem

  @Test("FileError: a file is missing")
  func fileError() {
    let error = #expect(throws: FileError.self) { try SettingsProfile(contentsOf: "/missing.json") }
    #expect(error?.path == "/missing.json")
    #expect(error?.errno == .noSuchFileOrDirectory)
  }

  @Test("FileLock.Busy: another operation changes the library")
  func busy() async throws {
    let archive = try await archive()
    let family = family
    let found = Mutex<FilePath?>(nil)
    var options = ImportOptions()
    options.duplicates = { _ in
      // called while the import has the lock
      do {
        _ = try ImportRun(library: family, options: ImportOptions(), counter: ProgressCounter()).run([archive]
        )
      } catch let error as FileLock.Busy {
        found.withLock { $0 = error.path }
      } catch {
        Issue.record(error)
      }
      return .skip
    }
    _ = try await Work.import([archive], into: family, options: options).summary
    #expect(found.withLock { $0?.starts(with: family) } == true)
  }

  @Test("OwnershipError: other users can write to the folder of a new library")
  func ownershipError() throws {
    let shared = try folder.folder("shared")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: shared.string)
    let error = #expect(throws: OwnershipError.self) { try Library.create(at: shared.appending("Library")) }
    #expect(error?.control == .writable)
  }

  // MARK: Zip

  @Test("ArchiveError: an archive is truncated")
  func archiveError() async throws {
    let archive = try await archive()
    let bytes = try Data(contentsOf: URL(filePath: archive.string))
    let truncated = try folder.file("truncated.zip", bytes.dropLast(100))
    let error = await #expect(throws: ArchiveError.self) { try await Work.verify([truncated]).summary }
    #expect(error == .truncated(truncated))
    #expect(error?.remedy == .repairArchive)
  }

  // MARK: Pictures

  @Test("HelperError, CacheNotWritable: an export with thumbnails succeeds or tells why nothing can be drawn")
  func helperError() async throws {
    _ = try await archive()
    var options = ExportOptions()
    options.includesThumbnails = true
    options.date = Date(timeIntervalSince1970: 1_000_000_000)
    do {
      #expect(try await Work.export(family, to: folder.path, options: options).summary.photos == 2)
    } catch let error as HelperError {
      #expect(error.cause != .noFont)
    } catch let error as CacheNotWritable {
      #expect(!error.description.isEmpty)
    }
  }

  // MARK: Operations

  @Test("CancellationError: a client stops its work")
  func cancellation() async {
    let work = Work<Int> { counter in
      while true { try counter.checkCancellation() }
    }
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.summary }
  }

  @Test("ExplainedError: the cause of every error is known")
  func cause() async {
    do {
      _ = try await Work.verify(library: folder.path).summary
      Issue.record("the folder is a library")
    } catch let error as any ExplainedError {
      #expect(error.cause == .notFound)
    } catch {
      Issue.record(error)
    }
  }
}
