import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

/// Publishes files on file systems that do not support some system calls, and under faults of the last steps.
struct PublishFallbackTests {
  let folder = ScratchFolder()

  /// Publishes a file while system calls in the folder fail with these errors.
  private func publish(
    _ missing: [SystemCall: Errno], as names: [FilePath] = ["a.zip"]
  ) throws -> (name: FilePath, durability: AtomicFile.Durability)? {
    let armed = missing.map {
      ArmedFault(.error($1), of: [$0], persists: true, below: folder.path)
    }
    defer { for fault in armed { fault.disarm() } }
    let output = try AtomicFile(in: folder.path)
    try output.file.write(Array("archive".utf8), at: 0)
    return try output.publish(as: names)
  }

  private let published: [String: ScratchFolder.Item] = ["a.zip": .file(Data("archive".utf8))]

  @Test(
    "Publish: a partial file is renamed if unnamed files are not supported",
    arguments: [Errno.notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument])
  func noUnnamedFiles(error: Errno) throws {
    #expect(try publish([.openUnnamed: error])?.durability == .durable)
    #expect(try folder.tree() == published)
  }

  @Test(
    "Publish: another error of an unnamed file is reported and leaves nothing",
    arguments: [Errno.permissionDenied, .noSpace, .readOnlyFileSystem, .ioError])
  func failedUnnamedFile(error: Errno) throws {
    let thrown = #expect(throws: FileError.self) { _ = try publish([.openUnnamed: error]) }
    #expect(thrown == FileError("write to", folder.path, error))
    #expect(try folder.tree() == [:])
  }

  @Test(
    "Publish: the name is linked if a rename without replacing is not supported",
    arguments: [Errno.invalidArgument, .noFunction])
  func noReplaceUnsupported(error: Errno) throws {
    let result = try publish([.openUnnamed: .notSupportedOnSocket, .renameNoReplace: error])
    #expect(result?.durability == .durable)
    #expect(try folder.tree() == published)
  }

  @Test(
    "Publish: the name is reserved if links are not supported",
    arguments: [Errno.notPermitted, .notSupportedOnSocket, .noFunction])
  func linksUnsupported(error: Errno) throws {
    let result = try publish([
      .openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument, .link: error,
    ])
    #expect(result?.durability == .durable)
    #expect(try folder.tree() == published)
  }

  @Test(
    "Publish: another error of a fallback is reported and leaves nothing",
    arguments: [SystemCall.renameNoReplace, .link, .rename])
  func failedFallback(call: SystemCall) throws {
    var missing: [SystemCall: Errno] = [
      .openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument,
    ]
    if call == .rename { missing[.link] = .notPermitted }
    missing[call] = .ioError
    let error = #expect(throws: FileError.self) { _ = try publish(missing) }
    #expect(error?.errno == .ioError)
    #expect(try folder.tree() == [:])
  }

  @Test("Publish: the reservation skips a taken name")
  func takenName() throws {
    try folder.write("old", to: "a.zip")
    let result = try publish(
      [.openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument, .link: .notPermitted],
      as: ["a.zip", "b.zip"])
    #expect(result?.name == "b.zip")
    #expect(try folder.tree() == ["a.zip": .file(Data("old".utf8)), "b.zip": .file(Data("archive".utf8))])
  }

  @Test("Publish: a link that was made without a reply of the server counts as published")
  func lostReply() throws {
    let fault = ArmedFault(.errorAfter(.fileExists), of: [.link], below: folder.path)
    defer { fault.disarm() }
    let result = try publish([.openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument])
    #expect(fault.place != nil)
    #expect(result?.name == "a.zip")
    #expect(try folder.tree() == published)
  }

  /// The archive is published, and its partial file stays beside it.
  @Test("Publish: the next run removes a partial file that could not be removed")
  func failedUnlink() throws {
    let result = try publish([
      .openUnnamed: .notSupportedOnSocket, .renameNoReplace: .invalidArgument, .unlink: .ioError,
    ])
    #expect(result?.name == "a.zip")
    #expect(try folder.tree().count == 2)
    _ = try AtomicFile(in: folder.path)
    #expect(try folder.tree() == published)
  }

  @Test("Publish: the durability is unknown if the folder cannot be flushed", arguments: [true, false])
  func failedFolderFlush(isUnnamed: Bool) throws {
    // the first flush is that of the file
    let fault = ArmedFault(.error(.ioError), at: 2, of: [.sync], below: folder.path)
    defer { fault.disarm() }
    let result = try publish(isUnnamed ? [:] : [.openUnnamed: .notSupportedOnSocket])
    #expect(result?.durability == .unknown(FileError("flush to disk", folder.path, .ioError)))
    #expect(try folder.tree() == published)
  }

  @Test("Publish: the file is durable if the folder does not support a flush")
  func unsupportedFolderFlush() throws {
    let fault = ArmedFault(.error(.invalidArgument), at: 2, of: [.sync], below: folder.path)
    defer { fault.disarm() }
    #expect(try publish([:])?.durability == .durable)
    #expect(fault.place == "sync \(folder.path)")
  }

  @Test("Publish: a file that cannot be flushed is not published", arguments: [true, false])
  func failedFileFlush(isUnnamed: Bool) throws {
    let missing: [SystemCall: Errno] = isUnnamed ? [:] : [.openUnnamed: .notSupportedOnSocket]
    let fault = ArmedFault(.error(.ioError), of: [.sync], below: folder.path)
    defer { fault.disarm() }
    let error = #expect(throws: FileError.self) { _ = try publish(missing) }
    #expect(error?.errno == .ioError)
    #expect(fault.count == 1, "a failed flush is not repeated")
    #expect(try folder.tree() == [:])
  }

  /// The run was killed between the reservation of the name and the rename.
  @Test("Publish: reservation and partial file of a killed run are removed")
  func staleReservation() throws {
    try folder.write("", to: "a.zip")
    try folder.write("half an archive", to: ".smilepile-dead+a.zip.partial")
    _ = try AtomicFile(in: folder.path)
    #expect(try folder.tree() == [:])
  }

  @Test(
    "Publish: files with other names or content are not removed as reservations",
    arguments: ["+a.zip", "+b.zip", "+", "", "+..", "+../a.zip", "+c"])
  func otherFiles(suffix: String) throws {
    try folder.write("bytes", to: "a.zip")
    try folder.write("", to: "empty.zip")
    try folder.makeFolder("c")
    let before = try folder.tree()
    try folder.write("half", to: ".smilepile-dead\(suffix.replacingOccurrences(of: "/", with: "_")).partial")
    _ = try AtomicFile(in: folder.path)
    #expect(try folder.tree() == before)
  }
}
