import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

struct ScratchLibraryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func left(by user: uid_t, _ name: String) throws -> String {
    let path = folder.path("smilepile-drill-\(geteuid())-Family.\(name)").string
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(chown(path, user, gid_t.max) == 0)
    return path
  }

  @Test func whatAKilledRunLeftIsRemoved() throws {
    let own = try left(by: geteuid(), "killed")
    let scratch = try ScratchLibrary(in: folder.path, of: "Family")
    #expect(FileManager.default.fileExists(atPath: scratch.path.string))
    #expect(!FileManager.default.fileExists(atPath: own))
  }

  /// In /var/tmp everybody can make a folder with the name of one of root's.
  @Test(.enabled(if: geteuid() == 0))
  func whatAnotherUserMadeStays() throws {
    let planted = try left(by: 65_534, "planted")
    _ = try ScratchLibrary(in: folder.path, of: "Family")
    #expect(FileManager.default.fileExists(atPath: planted))
  }
}
