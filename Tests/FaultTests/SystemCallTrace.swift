import Foundation
import Testing

/// The calls of one run in the order in which they began, with the paths that they name.
struct SystemCallTrace {
  struct Call: CustomStringConvertible {
    var name: String
    /// Everything between the parentheses.
    var arguments: String
    /// Lines of the log: where it began, and where it returned.
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

  /// What `strace -f -y -o` wrote.
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
      // a file that has no name, or not any more
      arguments = arguments.replacingOccurrences(of: ">(deleted)", with: ">")
      if isUnfinished { unfinished[thread] = calls.count }
      calls.append(
        Call(
          name: String(text[..<open]), arguments: arguments, begin: number, end: number,
          hasFailed: text.contains("= -1 ")))
    }
  }

  /// The first successful call of these names that passes.
  func first(_ names: String..., where isMeant: (Call) -> Bool) throws -> Call {
    let found = calls.first { names.contains($0.name) && !$0.hasFailed && isMeant($0) }
    return try #require(found, "no such \(names)")
  }

  /// The successful calls of these names that pass.
  func all(_ names: String..., where isMeant: (Call) -> Bool = { _ in true }) -> [Call] {
    calls.filter { names.contains($0.name) && !$0.hasFailed && isMeant($0) }
  }
}
