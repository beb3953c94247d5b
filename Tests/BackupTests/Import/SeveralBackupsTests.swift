import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import TestSupport
import Testing
import Zip

@testable import Backup

/// Several backups in one run.
struct SeveralBackupsTests {
  /// The second one changes while the first is imported: the first stays, and what was found in it is said.
  @Test func oneThatFailsSaysWhatCameBeforeIt() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var first = SampleBackup(photos: ["a", "b"])
    first.metadata.photoManifest[1].checksum = MD5Digest(of: [1]).description
    let one = try scratch.write(first.archive(), to: "1.zip")
    let two = try scratch.write(SampleBackup(photos: ["a"]).archive(), to: "2.zip")
    let error = await #expect(throws: BackupError.self) {
      _ = try await library.importing(one, two) { options in
        options.duplicates = { _ in
          // the second backup's only photo is in the library by now
          try? Data("cut".utf8).write(to: URL(fileURLWithPath: two.string))
          return .rename
        }
      }
    }
    guard case .stopped(two, after: [one], let done, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(done.photosImported == 1 && done.errors.map(\.item) == ["photo 2 “b” in “Family”"])
    #expect(try library.contents.photos.map(\.name) == ["a"])
    expectNone(try library.faults())
  }

  @Test func eachWouldReplaceTheOneBefore() async throws {
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
