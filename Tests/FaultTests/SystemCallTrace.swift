import Foundation
import Testing

/// The system calls of one run, sorted by their start, with their paths.
struct SystemCallTrace {
  struct Call: CustomStringConvertible {
    var name: String
    /// Everything between the parentheses.
    var arguments: String
    /// The lines of the log at which the call starts and returns.
    var begin: Int
    var end: Int
    var hasFailed: Bool

    /// Paths of descriptors in the order of the arguments, and names: `5</a>, "b"` is `/a/b`, `5</a>` is `/a`.
    var paths: [String] {
      var paths: [String] = []
      var folder = ""
      for part in arguments.components(separatedBy: ", ") {
        if let open = part.firstIndex(of: "<"), part.hasSuffix(">"), !part.hasPrefix("\"") {
          folder = String(part[part.index(after: open)...].dropLast())
          paths.append(folder)
        } else if part.hasPrefix("\""), part.hasSuffix("\"") {
          let name = String(part.dropFirst().dropLast())
          if paths.last == folder, !folder.isEmpty { paths.removeLast() }
          paths.append(name.hasPrefix("/") ? name : folder + "/" + name)
          folder = ""
        }
      }
      return paths
    }

    var path: String { paths.first ?? "" }
    var description: String { "\(begin): \(name)(\(arguments))" }
  }

  private(set) var calls: [Call] = []

  /// Parses the output of `strace -f -y -o`.
  init(_ log: String) {
    var unfinished: [String: Int] = [:]
    for (number, line) in log.split(separator: "\n").enumerated() {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2 else { continue }
      let (thread, text) = (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
      if text.hasPrefix("<...") {
        if let index = unfinished.removeValue(forKey: thread) {
          calls[index].end = number
          calls[index].hasFailed = text.contains("= -1 ")
        }
        continue
      }
      guard let open = text.firstIndex(of: "(") else { continue }
      var arguments = String(text[text.index(after: open)...])
      let isUnfinished = arguments.hasSuffix("<unfinished ...>")
      if isUnfinished {
        arguments = String(arguments.dropLast("<unfinished ...>".count)).trimmingCharacters(in: .whitespaces)
      } else if let close = arguments.range(of: ")", options: .backwards) {
        arguments = String(arguments[..<close.lowerBound])
      }
      // the file is unnamed or deleted
      arguments = arguments.replacingOccurrences(of: ">(deleted)", with: ">")
      if isUnfinished { unfinished[thread] = calls.count }
      calls.append(
        Call(
          name: String(text[..<open]), arguments: arguments, begin: number, end: number,
          hasFailed: text.contains("= -1 ")))
    }
  }

  /// Returns the first successful call with one of the names that satisfies the condition.
  func first(_ names: String..., where condition: (Call) -> Bool) throws -> Call {
    let found = calls.first { names.contains($0.name) && !$0.hasFailed && condition($0) }
    return try #require(found, "no such \(names)")
  }

  /// Returns the successful calls with one of the names that satisfy the condition.
  func all(_ names: String..., where condition: (Call) -> Bool = { _ in true }) -> [Call] {
    calls.filter { names.contains($0.name) && !$0.hasFailed && condition($0) }
  }
}
