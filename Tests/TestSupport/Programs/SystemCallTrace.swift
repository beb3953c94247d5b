import Foundation
import SystemPackage

/// The system calls of one run under strace, sorted by their start, with their paths.
package struct SystemCallTrace {
  /// A system call.
  package struct Call: CustomStringConvertible {
    /// The name of the call.
    package let name: String
    /// Everything between the parentheses.
    package let arguments: String
    /// The line of the log at which the call starts.
    package let begin: Int
    /// The line of the log at which the call returns.
    package fileprivate(set) var end: Int
    /// True if the call returned -1.
    package fileprivate(set) var hasFailed: Bool
    fileprivate let thread: Substring
    fileprivate let line: Substring

    /// Paths of descriptors in the order of the arguments, and names: `5</a>, "b"` is `/a/b`, `5</a>` is `/a`.
    package var paths: [String] {
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

    /// The first path; empty without paths.
    package var path: String { paths.first ?? "" }
    /// A short description for the message of a failed test.
    package var description: String { "\(begin): \(name)(\(arguments))" }
  }

  /// The calls, also those that failed.
  package private(set) var calls: [Call] = []

  /// Parses the output of `strace -f -y -o`.
  package init(_ log: String) {
    var unfinished: [Substring: Int] = [:]
    for (number, line) in log.split(separator: "\n").enumerated() {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2 else { continue }
      let (thread, text) = (parts[0], parts[1].trimmingCharacters(in: .whitespaces))
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
          hasFailed: text.contains("= -1 "), thread: thread, line: line))
    }
  }

  /// Runs a program under strace.
  ///
  /// - Parameters:
  ///   - calls: the names of the system calls, with commas between them.
  ///   - folder: the folder in which the program runs, and in which `trace.log` is written.
  package static func run(
    _ command: [String], tracing calls: String, in folder: FilePath, environment: [String: String] = [:]
  ) throws -> (trace: SystemCallTrace, result: Programs.Result) {
    let log = folder.appending("trace.log").string
    let options = ["-f", "-y", "-qq", "-s", "256", "-o", log, "-e", "trace=\(calls)"]
    let result = try Programs.run("strace", options + command, in: folder, environment: environment)
    return (SystemCallTrace(try String(contentsOfFile: log, encoding: .utf8)), result)
  }

  /// Returns the first successful call with one of the names that satisfies the condition; nil without such a call.
  package func first(_ names: String..., where condition: (Call) -> Bool) -> Call? {
    calls.first { names.contains($0.name) && !$0.hasFailed && condition($0) }
  }

  /// Returns the successful calls with one of the names that satisfy the condition.
  package func all(_ names: String..., where condition: (Call) -> Bool = { _ in true }) -> [Call] {
    calls.filter { names.contains($0.name) && !$0.hasFailed && condition($0) }
  }

  /// Returns the numbers of the calls whose line has a folder's path, by the name of the call, as `when=N` of strace counts
  /// them in each thread.
  package func numbers(concerning folder: String) -> [String: Set<Int>] {
    var counts: [String: Int] = [:]
    var numbers: [String: Set<Int>] = [:]
    for call in calls {
      let number = counts["\(call.thread) \(call.name)", default: 0] + 1
      counts["\(call.thread) \(call.name)"] = number
      if call.line.contains(folder) { numbers[call.name, default: []].insert(number) }
    }
    return numbers
  }
}
