import Foundation
import TestSupport
import Testing

@testable import smilepile

/// Compares reference documents with the program.
@Suite("Reference documents")
struct CommandReferenceTests {
  /// `SMILEPILE_WRITE_DOCS=1 swift test --filter CommandReferenceTests` writes the document.
  @Test("Documents: commands.md agrees with the help texts")
  func commands() throws {
    let expected = try CommandReference().text
    let path = Fixture.path("../docs/reference/commands.md").string
    if ProcessInfo.processInfo.environment["SMILEPILE_WRITE_DOCS"] != nil {
      try Data(expected.utf8).write(to: URL(fileURLWithPath: path))
    }
    let document = try Document.text("reference/commands.md")
    #expect(document == expected)
  }

  @Test("Documents: exit-codes.md lists every exit code")
  func exitCodes() throws {
    let documented = try Document("reference/exit-codes.md").rows(below: "Exit codes").flatMap {
      $0[0].split(separator: ", ").compactMap { Int32($0) }
    }
    #expect(documented.sorted() == (0...255).filter { ExitStatus(rawValue: $0) != nil })
  }

  @Test("Documents: environment-and-files.md or hooks.md lists every variable of the sources")
  func variables() throws {
    let root = Fixture.path("../Sources").string
    var used: Set<String> = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
      used.formUnion(text.matches(of: /"(SMILEPILE_[A-Z_]*[A-Z])"/).map { String($0.1) })
    }
    let documents =
      try Document.text("reference/environment-and-files.md") + Document.text("reference/hooks.md")
    #expect(!used.isEmpty)
    for name in used.sorted() {
      #expect(documents.contains("`\(name)`"), "\(name) is not in the reference")
    }
  }
}
