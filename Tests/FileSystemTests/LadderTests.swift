import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

/// Publication on file systems that lack one thing after the other, and where the last steps fail.
struct LadderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Publishes a file while these calls answer these errors in this folder.
  private func publish(
    _ missing: [SystemCall: Errno], as names: [FilePath] = ["a.zip"]
  ) throws -> (name: FilePath, durability: AtomicFile.Durability)? {
    let armed = missing.map {
      ArmedFault(Fault(.error($1), of: .only([$0]), persists: true, below: folder.path))
    }
    defer { for fault in armed { fault.disarm() } }
    let output = try AtomicFile(in: folder.path)
    try output.file.write(Array("archive".utf8), at: 0)
    return try output.publish(as: names)
  }

  private let published: [String: TemporaryFolder.Item] = ["a.zip": .file(Data("archive".utf8))]

  @Test(arguments: [Errno.notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument])
  func withoutUnnamedFilesAPartialIsRenamed(error: Errno) throws {
    #expect(try publish([.openUnnamed: error])?.durability == .durable)
    #expect(try folder.tree() == published)
  }

  @Test(arguments: [Errno.permissionDenied, .noSpace, .readOnlyFileSystem, .ioError])
  func anotherErrorOfTheFirstRungIsAFailure(error: Errno) throws {
    let thrown = #expect(throws: FileError.self) { _ = try publish([.openUnnamed: error]) }
    #expect(thrown == FileError("write in", folder.path, error))
    #expect(try folder.tree() == [:])
  }

  @Test(arguments: [Errno.invalidArgument, .noFunction])
  func withoutNoReplaceTheNameIsLinked(error: Errno) throws {
    let result = try publish([.openUnnamed: .notSupportedOnSocket, .renameNoReplace: error])
    #expect(result?.durability == .durable)
    #expect(try folder.tree() == published)
  }

  @Test(arguments: [Errno.notPermitted, .notSupportedOnSocket, .noFunction])
  func withoutLinksTheNameIsReserved(error: Errno) throws {
    let result = try publish([
      .openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument, .link: error,
    ])
    #expect(result?.durability == .durable)
    #expect(try folder.tree() == published)
  }

  @Test(arguments: [SystemCall.renameNoReplace, .link, .rename])
  func anotherErrorOfALaterRungIsAFailure(call: SystemCall) throws {
    var missing: [SystemCall: Errno] = [
      .openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument,
    ]
    if call == .rename { missing[.link] = .notPermitted }
    missing[call] = .ioError
    let error = #expect(throws: FileError.self) { _ = try publish(missing) }
    #expect(error?.errno == .ioError)
    #expect(try folder.tree() == [:])
  }

  /// The last rung takes the next name where one is taken, as the others do.
  @Test func aTakenNameIsNotReserved() throws {
    try folder.write("old", to: "a.zip")
    let result = try publish(
      [.openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument, .link: .notPermitted],
      as: ["a.zip", "b.zip"])
    #expect(result?.name == "b.zip")
    #expect(try folder.tree() == ["a.zip": .file(Data("old".utf8)), "b.zip": .file(Data("archive".utf8))])
  }

  @Test func theServersAnswerToALinkIsLost() throws {
    let fault = ArmedFault(Fault(.errorAfter(.fileExists), of: .only([.link]), below: folder.path))
    defer { fault.disarm() }
    let result = try publish([.openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument])
    #expect(fault.place != nil)
    #expect(result?.name == "a.zip")
    #expect(try folder.tree() == published)
  }

  /// The archive is there under its name; that its partial is there too does no harm, and the next run takes it.
  @Test func neitherOfTwoNamesCanBeTakenAway() throws {
    let result = try publish([
      .openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument, .unlink: .ioError,
    ])
    #expect(result?.name == "a.zip")
    #expect(try folder.tree().count == 2)
    _ = try AtomicFile(in: folder.path)
    #expect(try folder.tree() == published)
  }

  @Test(arguments: [true, false])
  func aFolderThatCannotBeFlushedLeavesADoubt(isUnnamed: Bool) throws {
    // the first flush is that of the file
    let fault = ArmedFault(Fault(.error(.ioError), at: 2, of: .only([.sync]), below: folder.path))
    defer { fault.disarm() }
    let result = try publish(isUnnamed ? [:] : [.openUnnamed: .notSupportedOnSocket])
    #expect(result?.durability == .unknown(FileError("flush to disk", folder.path, .ioError)))
    #expect(try folder.tree() == published)
  }

  @Test func aFolderThatNeedsNoFlushLeavesNone() throws {
    let fault = ArmedFault(Fault(.error(.invalidArgument), at: 2, of: .only([.sync]), below: folder.path))
    defer { fault.disarm() }
    #expect(try publish([:])?.durability == .durable)
    #expect(fault.place == "sync \(folder.path)")
  }

  @Test(arguments: [true, false])
  func aFileThatCannotBeFlushedIsNotPublished(isUnnamed: Bool) throws {
    let missing: [SystemCall: Errno] = isUnnamed ? [:] : [.openUnnamed: .notSupportedOnSocket]
    let fault = ArmedFault(Fault(.error(.ioError), of: .only([.sync]), below: folder.path))
    defer { fault.disarm() }
    let error = #expect(throws: FileError.self) { _ = try publish(missing) }
    #expect(error?.errno == .ioError)
    #expect(fault.count == 1, "a flush that failed is not tried again")
    #expect(try folder.tree() == [:])
  }

  /// What a kill leaves between the reservation of a name and the renaming.
  @Test func theReservationOfADeadRunIsSwept() throws {
    try folder.write("", to: "a.zip")
    try folder.write("half an archive", to: ".smilepile-dead+a.zip.partial")
    _ = try AtomicFile(in: folder.path)
    #expect(try folder.tree() == [:])
  }

  @Test(arguments: ["+a.zip", "+b.zip", "+", "", "+..", "+../a.zip", "+c"])
  func nothingElseIsTakenForAReservation(mark: String) throws {
    try folder.write("bytes", to: "a.zip")
    try folder.write("", to: "empty.zip")
    try folder.makeFolder("c")
    let before = try folder.tree()
    try folder.write("half", to: ".smilepile-dead\(mark.replacingOccurrences(of: "/", with: "_")).partial")
    _ = try AtomicFile(in: folder.path)
    #expect(try folder.tree() == before)
  }
}
