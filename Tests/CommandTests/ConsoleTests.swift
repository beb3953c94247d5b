import Foundation
import Testing

@testable import smilepile

/// A console whose two streams are files, to be read back.
final class Captured {
  let console: Console
  private let output: FileHandle
  private let error: FileHandle

  init() throws {
    func unnamedFile() throws -> FileHandle {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data().write(to: path)
      defer { try? FileManager.default.removeItem(at: path) }
      return try FileHandle(forUpdating: path)
    }
    output = try unnamedFile()
    error = try unnamedFile()
    console = Console(output: output.fileDescriptor, error: error.fileDescriptor)
  }

  var text: String { Self.contents(of: output) }
  var errorText: String { Self.contents(of: error) }

  private static func contents(of file: FileHandle) -> String {
    // The offset is shared with the console, and reading to the end puts it back where it was.
    try? file.seek(toOffset: 0)
    return String(decoding: file.availableData, as: UTF8.self)
  }
}

@Suite("Console")
struct ConsoleTests {
  @Test("a message takes the place of the status line, which is drawn again below it")
  func status() throws {
    let output = try Captured()
    output.console.showStatus("50 %")
    output.console.print("warning", to: .error)
    output.console.endStatus()
    let drawn = "\r\u{1B}[?7l50 %\u{1B}[K\u{1B}[?7h"
    let erase = "\r\u{1B}[K"
    #expect(output.errorText == drawn + erase + "warning\n" + drawn + erase)
    output.console.endStatus()
    #expect(output.errorText.hasSuffix(drawn + erase), "nothing stands there any more")
  }

  @Test("a reader that goes away is no error")
  func brokenPipe() {
    let pipe = Pipe()
    let console = Console(output: pipe.fileHandleForWriting.fileDescriptor, error: -1)
    console.print("one")
    try? pipe.fileHandleForReading.close()
    console.print("two")
    console.print("three", to: .error)  // a closed descriptor is survived as well
    #expect(console.outputFailure == nil)
  }

  @Test("a full disk is one")
  func fullDisk() throws {
    let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
    let console = Console(output: full.fileDescriptor, error: -1)
    #expect(console.outputFailure == nil)
    console.print("result")
    #expect(console.outputFailure == ENOSPC)
  }

  @Test(
    "colours and blocks follow the environment",
    arguments: [
      (["LANG": "de_DE.UTF-8"], true), (["LANG": "de_DE.UTF-8", "LC_ALL": "C"], false),
      (["LC_ALL": "", "LC_CTYPE": "C.utf8"], true), ([:], false),
    ])
  func locale(environment: [String: String], isUTF8: Bool) {
    #expect(Terminal(descriptor: -1, environment: environment).isUTF8 == isUTF8)
  }
}
