import FileSystem
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Catalogue
@testable import Pictures

/// The program that writes catalogues: its protections, and what happens if it ends.
@Suite(.waitsForPrograms) struct CatalogueHelperTests {
  private let folder = ScratchFolder()

  private let page = DocumentCommand.document(title: "t", page: PageSize(.a4))

  private func write(
    with helper: CatalogueHelper, isCancelled: @escaping () -> Bool = { false },
    _ commands: some Sequence<DocumentCommand>
  ) throws -> CatalogueHelper.Reply {
    let output = try AtomicFile(in: folder.path)
    return try helper.write(to: output.file, isCancelled: isCancelled) { pass in
      for command in commands { try pass(command) }
    }
  }

  /// Many pages with images, more than the socket holds.
  private var manyPages: [DocumentCommand] {
    let frame = Frame(x: 10, y: 10, width: 100, height: 100)
    let picture = Picture(width: 16, height: 16, jpeg: SampleImage.jpeg)
    return [page] + (1...1000).flatMap { _ in [DocumentCommand.page, .image(frame, picture)] } + [.end]
  }

  @Test("Catalogue program: it has the protections of the kernel, and tells its libraries")
  func support() throws {
    let support = try CatalogueSupport.find()
    #expect(!support.missingProtections.contains(.seccomp))
    #expect(!support.missingProtections.contains(.limits))
    #expect(!support.missingProtections.contains(.privileges))
    #expect(support.cairo.hasPrefix("1."))
    #expect(support.pango.hasPrefix("1."))
  }

  @Test("Catalogue program: if it is killed, the catalogue fails, and no file is left")
  func killed() throws {
    let helper = try CatalogueHelper()
    kill(try #require(helper.id), SIGKILL)
    #expect(throws: CatalogueFault.ofHelper("it was ended by signal 9")) {
      try write(with: helper, manyPages)
    }
    #expect(try folder.tree().isEmpty)
  }

  @Test("Catalogue program: if it is killed while it writes, the catalogue fails")
  func killedLater() throws {
    let helper = try CatalogueHelper()
    let id = try #require(helper.id)
    let commands = manyPages.enumerated().lazy.map { index, command in
      if index == 1200 { kill(id, SIGTERM) }
      return command
    }
    #expect(throws: CatalogueFault.ofHelper("it was ended by signal 15")) {
      try write(with: helper, commands)
    }
  }

  @Test("Catalogue program: a cancellation ends the wait for a program that does not read")
  func cancelled() throws {
    let helper = try CatalogueHelper()
    kill(try #require(helper.id), SIGSTOP)
    #expect(throws: CancellationError.self) {
      try write(with: helper, isCancelled: { true }, manyPages)
    }
  }

  @Test("Catalogue program: a cancellation ends the wait for a program that does not start")
  func cancelledStart() throws {
    #expect(throws: CancellationError.self) {
      // it waits for a message, and sends none
      try CatalogueHelper(program: "/bin/cat", isCancelled: { true })
    }
  }

  @Test("Catalogue program: an error of the file is reported with its number")
  func fullFile() throws {
    // writing to a file that is open for reading fails
    try folder.write("x", to: "readonly")
    let file = try File.open(folder.path("readonly"), .read)
    let helper = try CatalogueHelper()
    let error = try #require(throws: FileError.self) {
      try helper.write(to: file, isCancelled: { false }) { pass in
        for command in manyPages { try pass(command) }
      }
    }
    #expect(error.errno == .badFileDescriptor)
    #expect(error.path == folder.path("readonly"))
  }

  @Test("Catalogue program: invalid commands are refused")
  func invalidCommands() throws {
    let frame = Frame(x: 0, y: 0, width: 10, height: 10)
    let nowhere = Frame(x: .nan, y: 0, width: 10, height: 10)
    let huge = Picture(width: 100_000, height: 100_000, jpeg: SampleImage.jpeg)
    let long = String(repeating: "x", count: Catalogue.mostTextBytes + 1)
    let invalid: [[DocumentCommand]] = [
      [.page, .end], [page, .rectangle(frame, gray: 0), .end], [page, .page, page, .end],
      [page, .page, .rectangle(nowhere, gray: 0), .end], [page, .page, .rectangle(frame, gray: 2), .end],
      [page, .page, .image(frame, huge), .end],
      [page, .page, .text(.init(text: "x", frame: frame, size: 0)), .end],
      [page, .page, .text(.init(text: long, frame: frame, size: 8)), .end],
      [page, .page, .outline(long), .end],
    ]
    for (index, commands) in invalid.enumerated() {
      #expect(throws: CatalogueFault.ofHelper("it refused a command"), "\(index)") {
        try write(with: CatalogueHelper(), commands)
      }
    }
  }
}
