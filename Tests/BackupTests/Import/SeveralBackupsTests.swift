import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import TestSupport
import Testing
import Zip

@testable import Backup

/// Several backups in one import.
struct SeveralBackupsTests {
  /// The second backup changes while the first one is imported.
  @Test("Import: if the second backup fails, the first stays and the error has its summary")
  func secondBackupFails() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var first = SampleBackup(photos: ["a", "b"])
    first.metadata.photoManifest[1].checksum = MD5Digest(of: [1]).description
    let one = try scratch.write(first.archive(), to: "1.zip")
    let two = try scratch.write(SampleBackup(photos: ["a"]).archive(), to: "2.zip")
    let error = await #expect(throws: BackupError.self) {
      _ = try await library.importing(one, two) { options in
        options.duplicates = { _ in
          // The library already has the only photo of the second backup.
          try? Data("cut".utf8).write(to: URL(fileURLWithPath: two.string))
          return .rename
        }
      }
    }
    guard case .stopped(two, after: [one], let done, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(done.photosImported == 1)
    #expect(done.errors.map(\.item) == ["photo 2 “b” in “Family”"])
    #expect(try library.contents.photos.map(\.name) == ["a"])
    expectNone(try library.faults())
  }

  @Test("Replace: several backups are refused and the library is unchanged")
  func severalBackups() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a"])), try ScratchFolder()
    )
    let one = try scratch.write(SampleBackup(photos: ["b"]).archive(), to: "1.zip")
    let before = try library.tree
    await #expect(throws: BackupError.self) {
      _ = try await library.importing(one, one) { $0.strategy = .replace }
    }
    #expect(try library.tree == before)
  }
}
