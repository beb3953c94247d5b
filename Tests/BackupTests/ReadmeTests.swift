import Backup
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

/// The example of the article `ExportingAndImporting.md`, with only the public API.
@Suite struct ReadmeTests {
  @Test("Documentation: the example of an export and an import works")
  func example() async throws {
    let scratch = ScratchFolder()
    let (family, copy) = (scratch.path.appending("Family"), scratch.path.appending("Copy"))
    try Library.create(at: family)
    try Library.create(at: copy)
    _ = try await Work.import([Fixture.ios.path], into: family).summary

    let export = Work.export(family, to: scratch.path)
    var last: Operations.Progress?
    for await progress in export.progress { last = progress }
    #expect(last?.fractionCompleted == 1)
    let backup = try await export.summary
    let archive = try #require(backup.archive)

    let restored = try await Work.import([archive], into: copy).summary
    #expect(restored.photosImported == backup.photos)
    #expect(restored.errors == [])
  }
}
