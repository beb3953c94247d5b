import Foundation
import Testing

@testable import smilepile

@Suite("Help")
struct HelpTests {
  private typealias Command = CommandReference.Dump.Command

  /// All subcommands that the help shows, at any depth.
  private let commands: [Command]

  init() throws {
    func descendants(_ command: Command) -> [Command] {
      (command.subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay != false }
        .flatMap { [$0] + descendants($0) }
    }
    let dump = try JSONDecoder().decode(
      CommandReference.Dump.self, from: Data(Smilepile._dumpHelp().utf8))
    commands = descendants(dump.command)
    try #require(commands.count > 20)
  }

  @Test("Help: every command is in a group")
  func groups() {
    #expect(Smilepile.configuration.ungroupedSubcommands.isEmpty)
    #expect(
      Smilepile.configuration.groupedSubcommands.map(\.name) == [
        "Library", "Backups", "Archives", "Jobs", "Program",
      ])
  }

  @Test("Help: a discussion has at most ten lines of 80 columns, and two examples")
  func discussions() {
    for command in commands {
      let lines = Self.wrapped(command.discussion ?? "").filter { !$0.isEmpty }
      #expect(lines.count <= 10, "\(command.commandName)")
      #expect(lines.count { $0.hasPrefix("  ") } <= 2, "\(command.commandName)")
    }
  }

  @Test("Help: every command is described by a sentence, every option by a text")
  func abstracts() {
    for command in commands {
      #expect(command.abstract?.hasSuffix(".") == true, "\(command.commandName)")
      for argument in command.arguments ?? [] where argument.shouldDisplay {
        let name = argument.names?.map(\.text).joined(separator: " ") ?? argument.valueName ?? ""
        #expect(argument.abstract?.isEmpty == false, "\(command.commandName) \(name)")
      }
    }
  }

  @Test("Help: a text does not repeat the default value that follows it")
  func defaults() {
    for command in commands {
      for argument in command.arguments ?? [] where argument.shouldDisplay {
        guard let value = argument.defaultValue else { continue }
        let name = argument.names?.map(\.text).joined(separator: " ") ?? argument.valueName ?? ""
        #expect(argument.abstract?.contains("default: \(value)") == false, "\(command.commandName) \(name)")
      }
    }
  }

  /// Wraps a text at 80 columns.
  private static func wrapped(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      paragraph.split(separator: " ", omittingEmptySubsequences: false).reduce(into: [String]()) {
        lines, word in
        if let line = lines.last, line.count + 1 + word.count <= 80 {
          lines[lines.count - 1] = "\(line) \(word)"
        } else {
          lines.append(String(word))
        }
      }
    }
  }
}
