import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// What counts as a copy of a library.
struct CopyTests {
  private func copies(of night: Night) -> [JobStatus.Copy] {
    night.context.state.status(of: "family").copies
  }

  @Test func whatSomebodyHasChangedIsNoCopy() async throws {
    let night = try Night()
    _ = try await night.backup()
    #expect(copies(of: night).map(\.isThere) == [true, true])
    try #require(truncate(night.archives("one")[0].path, 3000) == 0)
    try night.remove(night.archives("two")[0].path)
    #expect(copies(of: night).map(\.isThere) == [false, false])
  }

  @Test func aSelectionIsNoneOfTheLibrary() async throws {
    let night = try Night("since: 2030-01-01")
    _ = try await night.backup()
    #expect(copies(of: night).map(\.isSelection) == [true, true])
    let whole = try Night("settings: false")
    _ = try await whole.backup()
    #expect(copies(of: whole).map(\.isSelection) == [false, false])
    _ = try await whole.exportSet(to: "one")
    #expect(copies(of: whole).map(\.isSelection) == [false, false])
  }

  /// As where it is mounted twice.
  @Test func oneFolderIsOneCopyWhateverItsNames() async throws {
    var night = try Night()
    try FileManager.default.createSymbolicLink(
      atPath: night.folder("link").string, withDestinationPath: night.folder("one").string)
    night.job.destinations = ["one", "link"].map { JobDestination(path: night.folder($0)) }
    let run = try await night.backup()
    #expect(
      run.outcome == .incomplete && run.destinations[1].failure?.contains("is the same folder as") == true)
    #expect(copies(of: night).count == 1)
  }

  @Test func whatLiesInMemoryIsNoProtection() async throws {
    let night = try Night()
    let place = URL(fileURLWithPath: night.folder("one").string).resolvingSymlinksInPath().path
    let memory = Fault.Effect.fileSystem(type: 0x0102_1994, freeBytes: 1 << 30)
    let fault = ArmedFault(Fault(memory, persists: true, below: FilePath(place)))
    let run = try await night.backup()
    fault.disarm()
    #expect(run.warnings.contains { $0.hasSuffix("lies in memory, and goes with the next start") })
    #expect(copies(of: night).first?.isOnSameDevice == true)
  }

  /// Whatever of it is new, or nothing.
  @Test func bytesAreThoseOfTheLibrary() async throws {
    var night = try Night("incremental: true")
    #expect(try await night.backup().bytes == 6 * 9000)
    try night.changeLibrary(id: 7)
    night.on(day: 2)
    #expect(try await night.backup().bytes == 6 * 9000 + 7)
    let unchanged = try await night.backup()
    #expect(unchanged.outcome == .unchanged && unchanged.bytes == 6 * 9000 + 7 && unchanged.photos == 7)
  }

  @Test func aMarkerIsAFile() async throws {
    var night = try Night()
    night.job.destinations[0].marker = ".disk"
    let marker = night.folder("one").appending(".disk").string
    try FileManager.default.createSymbolicLink(atPath: marker, withDestinationPath: "/nowhere")
    #expect(try await night.backup().destinations[0].failure?.contains("has no file .disk") == true)
    try night.remove(marker)
    #expect(FileManager.default.createFile(atPath: marker, contents: nil))
    #expect(try await night.backup().destinations[0].failure == nil)
  }
}
