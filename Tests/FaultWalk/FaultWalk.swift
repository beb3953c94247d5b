import Foundation
import Logging
import SystemPackage

/// Runs operations under every fault that `FileSystem` can inject. `scripts/faults` runs this program. It is not part
/// of any product.
///
/// ```
/// FaultWalk [--every K] [--only NAMES] [--series WORD] [--strace COMMAND]
/// ```
///
/// NAMES are operations, separated by commas. WORD is part of the name of a series, or with `--strace` of a call.
@main
enum FaultWalk {
  static func main() async throws {
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--child" {
      try await Walk.runChild(Array(arguments.dropFirst()))
      return
    }
    func value(_ option: String) -> String? {
      guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
      defer { arguments.removeSubrange(index...index + 1) }
      return arguments[index + 1]
    }
    let stride = max(1, value("--every").flatMap { Int($0) } ?? 1)
    let only = value("--only")?.split(separator: ",").map(String.init)
    let word = value("--series")
    let command = value("--strace")
    guard arguments.isEmpty else {
      print("FaultWalk: unknown arguments: \(arguments)")
      exit(64)
    }
    let unknown = Set(only ?? []).subtracting(WalkedOperation.all.map(\.name))
    guard unknown.isEmpty else {
      print("FaultWalk: unknown operations: \(unknown.sorted().joined(separator: ", "))")
      exit(64)
    }
    let operations = WalkedOperation.all.filter {
      (only?.contains($0.name) ?? true) && (command == nil || $0.lacks.isEmpty && $0.hasCommand)
    }
    let series = Series.all.filter { word.map($0.name.contains) ?? true }

    let folder = FilePath(NSTemporaryDirectory()).appending("smilepile-faults-\(UUID().uuidString)")
    let template = try await Scene.make(in: folder.appending("template"))
    var sum = Tally()
    Table.print(Table.head)
    for operation in operations {
      let tally: Tally
      if let command {
        tally = try await Trace(operation, template, in: folder, command: command)
          .run(stride: stride, word: word)
      } else {
        tally = try await Walk(operation, template, in: folder).run(series, stride: stride)
      }
      Table.print(Table.row(operation.name, tally))
      for violation in tally.violations.prefix(20) {
        Table.print("  \(violation.replacing(folder.string, with: ""))")
      }
      sum += tally
    }
    Table.print(Table.row("all", sum))
    try FileManager.default.removeItem(atPath: folder.string)
    if !sum.violations.isEmpty || sum.kills + sum.errors == 0 { exit(1) }
  }
}

/// The report.
enum Table {
  /// Prints a line without buffering, so that the user can follow the report.
  static func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  static let head = row("operation", "points", "kills", "errors", "violations")

  static func row(_ name: String, _ tally: Tally) -> String {
    row(
      name, "\(tally.kills + tally.errors)", "\(tally.kills)", "\(tally.errors)", "\(tally.violations.count)")
  }

  private static func row(_ name: String, _ columns: String...) -> String {
    let cells = columns.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }
    return name.padding(toLength: 22, withPad: " ", startingAt: 0) + cells.joined()
  }
}
