import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

struct ScratchLibraryTests {
  private let folder = ScratchFolder()

  /// Makes a folder with the name and owner that a killed run of a user leaves behind.
  private func makeLeftover(of user: uid_t, _ name: String) throws -> String {
    let path = folder.path("smilepile-drill-\(geteuid())-Family.\(name)").string
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(chown(path, user, gid_t.max) == 0)
    return path
  }

  @Test("Scratch library: the folder of a killed run is removed")
  func killedRun() throws {
    let own = try makeLeftover(of: geteuid(), "killed")
    let scratch = try ScratchLibrary(in: folder.path, of: "Family")
    #expect(FileManager.default.fileExists(atPath: scratch.path.string))
    #expect(!FileManager.default.fileExists(atPath: own))
  }

  @Test("Scratch library: the folder of a running test is kept")
  func runningTest() throws {
    let running = try ScratchLibrary(in: folder.path, of: "Family")
    _ = try ScratchLibrary(in: folder.path, of: "Family")
    #expect(FileManager.default.fileExists(atPath: running.path.string))
  }

  /// In /var/tmp, any user can make a folder with a name that root's runs use.
  @Test("Scratch library: a folder of another user is kept", .enabled(if: geteuid() == 0))
  func otherUser() throws {
    let planted = try makeLeftover(of: 65_534, "planted")
    _ = try ScratchLibrary(in: folder.path, of: "Family")
    #expect(FileManager.default.fileExists(atPath: planted))
  }
}
