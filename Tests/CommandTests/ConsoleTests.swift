import Foundation
import TestSupport
import Testing

@testable import smilepile

/// A console whose two streams are files that a test reads.
final class Captured {
  let console: Console
  private let output: FileHandle
  private let error: FileHandle

  init() throws {
    func unnamedFile() throws -> FileHandle {
      let scratch = ScratchFolder()
      let path = try scratch.write("", to: "stream")
      return try FileHandle(forUpdating: URL(fileURLWithPath: path.string))
    }
    output = try unnamedFile()
    error = try unnamedFile()
    console = Console(output: output.fileDescriptor, error: error.fileDescriptor)
  }

  var text: String { Self.contents(of: output) }
  var errorText: String { Self.contents(of: error) }

  private static func contents(of file: FileHandle) -> String {
    // The console has the same file offset. Reading to the end restores it.
    try? file.seek(toOffset: 0)
    return String(decoding: file.availableData, as: UTF8.self)
  }
}

@Suite("Console")
struct ConsoleTests {
  @Test("Console: a message replaces the status line, which is drawn again below it")
  func statusLine() throws {
    let output = try Captured()
    output.console.showStatus("50 %")
    output.console.print("warning", to: .error)
    output.console.endStatus()
    let drawn = "\r\u{1B}[?7l50 %\u{1B}[K\u{1B}[?7h"
    let erase = "\r\u{1B}[K"
    #expect(output.errorText == drawn + erase + "warning\n" + drawn + erase)
    output.console.endStatus()
    #expect(output.errorText.hasSuffix(drawn + erase), "the status line is erased once")
  }

  @Test("Console: a pipe without a reader and a closed descriptor are not failures")
  func brokenPipe() {
    let pipe = Pipe()
    let console = Console(output: pipe.fileHandleForWriting.fileDescriptor, error: -1)
    console.print("one")
    try? pipe.fileHandleForReading.close()
    console.print("two")
    console.print("three", to: .error)
    #expect(console.outputFailure == nil)
  }

  @Test("Console: a full disk is a failure")
  func fullDisk() throws {
    let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
    let console = Console(output: full.fileDescriptor, error: -1)
    #expect(console.outputFailure == nil)
    console.print("result")
    #expect(console.outputFailure == ENOSPC)
  }

  @Test(
    "Terminal: the locale variables tell whether it is UTF-8",
    arguments: [
      (["LANG": "de_DE.UTF-8"], true), (["LANG": "de_DE.UTF-8", "LC_ALL": "C"], false),
      (["LC_ALL": "", "LC_CTYPE": "C.utf8"], true), ([:], false),
    ])
  func locale(environment: [String: String], isUTF8: Bool) {
    #expect(Terminal(descriptor: -1, environment: environment).isUTF8 == isUTF8)
  }
}
