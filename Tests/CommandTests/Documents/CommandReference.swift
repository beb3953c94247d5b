import ArgumentParser
import Foundation

@testable import smilepile

/// `docs/reference/commands.md`, generated from the help of the command.
struct CommandReference {
  /// The part of `--experimental-dump-help` that the document shows.
  struct Dump: Decodable {
    struct Command: Decodable {
      var commandName: String
      var abstract: String?
      var discussion: String?
      var shouldDisplay: Bool?
      var arguments: [Argument]?
      var subcommands: [Command]?
    }

    struct Argument: Decodable {
      struct Name: Decodable {
        var kind: String
        var name: String
        var text: String { (kind == "short" ? "-" : "--") + name }
      }

      var kind: String
      var shouldDisplay: Bool
      var isOptional: Bool
      var isRepeating: Bool
      var names: [Name]?
      var valueName: String?
      var defaultValue: String?
      var abstract: String?
    }

    var command: Command
  }

  /// A command that runs, with its full name: one without subcommands, or one that has arguments of its own.
  private struct Leaf {
    var words: String
    var command: Dump.Command
    /// The text of the group of which this is the first command.
    var introduction: [String] = []
  }

  /// The row of an argument in a table.
  private struct Row: Hashable {
    /// The spellings of the argument.
    var head: String
    /// The longest name; empty for a positional argument.
    var name: String
    var meaning: String
    var line: String { "| \(head) | \(meaning) |" }
  }

  /// The whole document.
  let text: String

  init() throws {
    let dump = try JSONDecoder().decode(Dump.self, from: Data(Smilepile._dumpHelp().utf8))
    let leaves = Self.leaves(of: dump.command, below: "smilepile")
    var counts: [Row: Int] = [:]
    for leaf in leaves { for row in Self.rows(of: leaf.command) { counts[row, default: 0] += 1 } }
    let common = Set(counts.filter { $0.value >= 4 && !$0.key.name.isEmpty }.keys)

    var lines = [
      "# Commands", "",
      "<!-- Written by `SMILEPILE_WRITE_DOCS=1 swift test --filter CommandReferenceTests` from the help texts. -->",
      "",
      "`smilepile help COMMAND` shows the same in the terminal. [Exit codes](exit-codes.md) apply to all commands.",
      "",
      "| command | purpose |", "|---|---|",
    ]
    for leaf in leaves {
      let anchor = leaf.words.replacing(" ", with: "-")
      lines.append("| [`\(leaf.words)`](#\(anchor)) | \(Self.cell(leaf.command.abstract ?? "")) |")
    }
    for leaf in leaves { lines += Self.section(leaf, common) }
    lines += ["", "## Common options", "", "Each command lists which of these it has.", ""]
    lines += ["| option | meaning |", "|---|---|"]
    var shown: Set<Row> = []
    for row in leaves.flatMap({ Self.rows(of: $0.command) }) where common.contains(row) {
      if shown.insert(row).inserted { lines.append(row.line) }
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func leaves(of command: Dump.Command, below path: String) -> [Leaf] {
    (command.subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay != false }.flatMap {
      child in
      let words = "\(path) \(child.commandName)"
      let isGroup = child.subcommands?.contains { $0.commandName != "help" } ?? false
      guard isGroup else { return [Leaf(words: words, command: child)] }
      var group = leaves(of: child, below: words)
      if (child.arguments ?? []).contains(where: isShown) {
        group.insert(Leaf(words: words, command: child), at: 0)
      } else if !group.isEmpty {
        group[0].introduction =
          ["", "## \(words)", "", child.abstract ?? ""] + paragraphs(child.discussion ?? "")
      }
      return group
    }
  }

  private static func section(_ leaf: Leaf, _ common: Set<Row>) -> [String] {
    let rows = rows(of: leaf.command)
    var lines =
      leaf.introduction + [
        "", "## \(leaf.words)", "", leaf.command.abstract ?? "", "", "```text", synopsis(leaf), "```",
      ]
    lines += paragraphs(leaf.command.discussion ?? "")
    let own = rows.filter { !common.contains($0) }
    if !own.isEmpty { lines += ["", "| argument | meaning |", "|---|---|"] + own.map(\.line) }
    let shared = rows.filter(common.contains).map { "`\($0.name)`" }
    if !shared.isEmpty {
      lines += ["", "[Common options](#common-options): \(shared.joined(separator: ", "))."]
    }
    return lines
  }

  private static func synopsis(_ leaf: Leaf) -> String {
    let arguments = (leaf.command.arguments ?? []).filter(isShown)
    let hasOptions = arguments.contains { $0.kind != "positional" }
    let positional = arguments.filter { $0.kind == "positional" }.map { argument in
      let name = "\((argument.valueName ?? "").uppercased())\(argument.isRepeating ? "…" : "")"
      return argument.isOptional ? "[\(name)]" : name
    }
    return ([leaf.words] + (hasOptions ? ["[OPTIONS]"] : []) + positional).joined(separator: " ")
  }

  private static func isShown(_ argument: Dump.Argument) -> Bool {
    argument.shouldDisplay && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
  }

  private static func rows(of command: Dump.Command) -> [Row] {
    (command.arguments ?? []).filter(isShown).map { argument in
      let value = argument.valueName ?? ""
      // the values of an option keep their case
      let isList = argument.kind == "option" && value.contains("|")
      let placeholder = isList ? value : value.uppercased()
      let names = (argument.names ?? []).sorted { $0.kind == "short" && $1.kind != "short" }.map(\.text)
      var spellings = names.isEmpty ? [placeholder] : names
      if argument.kind == "option" { spellings[spellings.count - 1] += " \(placeholder)" }
      var meaning = argument.abstract ?? ""
      if let given = argument.defaultValue, argument.kind == "option",
        !meaning.lowercased().contains("default")
      {
        meaning += " Default: `\(given)`."
      }
      return Row(
        head: spellings.map { "`\($0.replacing("|", with: "\\|"))`" }.joined(separator: ", "),
        name: names.last ?? "", meaning: cell(meaning))
    }
  }

  /// The lines of a discussion. Its examples are the indented lines.
  private static func paragraphs(_ text: String) -> [String] {
    var lines: [String] = []
    var isExample = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isIndented = line.hasPrefix("  ")
      if isIndented, !isExample { lines += ["", "```text"] }
      if !isIndented, isExample { lines.append("```") }
      if isIndented {
        lines.append(String(line.dropFirst(2)))
      } else if !line.isEmpty {
        lines += ["", String(line).replacing("<", with: "\\<").replacing("*", with: "\\*")]
      }
      isExample = isIndented
    }
    return lines + (isExample ? ["```"] : [])
  }

  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ").replacing("<", with: "\\<")
  }
}
