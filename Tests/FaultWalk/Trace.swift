import FileSystem
import Foundation
import SystemPackage
import TestSupport

/// Tries an operation of the command under strace, which makes a system call fail or kills the command at it. This
/// includes the calls of SQLite and libzip.
///
/// strace counts the calls of each thread separately, so the command runs on one processor, on which it starts one
/// worker. A run without a fault tells the numbers of the calls on the scene's files. The first openat calls of a
/// program are those of the loader, so openat is counted only on the scene's folders and databases. A call that is made to
/// fail in smilepile-catalogue ends it, since its filter refuses the number with which strace replaces that of the call.
struct Trace: Sendable {
  private let operation: WalkedOperation
  private let command: String
  private let folder: FilePath
  private let scene: Scene
  private let invariants: Invariants

  /// The system calls and the faults that are injected into each.
  private static let calls: [(name: String, injections: [String])] = [
    ("write", ["error=EIO"]),
    ("pwrite64", ["error=EIO", "error=ENOSPC", "error=EIO+"]),
    ("fsync", ["error=EIO", "error=EIO+"]),
    ("fdatasync", ["error=EIO", "error=ENOSPC", "error=EIO+"]),
    ("rename", ["error=EIO"]), ("renameat", ["error=EIO"]), ("renameat2", ["error=EIO", "error=ENOSPC"]),
    ("link", ["error=EIO"]), ("linkat", ["error=EIO", "error=EDQUOT"]),
    ("unlink", ["error=EIO"]), ("unlinkat", ["error=EIO", "error=EACCES"]),
    ("mkdir", ["error=EIO"]), ("mkdirat", ["error=EIO", "error=ENOSPC"]),
    ("openat", ["error=EIO", "error=EACCES"]), ("ftruncate", ["error=EIO", "error=ENOSPC"]),
    ("fallocate", ["error=ENOSPC"]),
  ]

  init(_ operation: WalkedOperation, _ template: Scene, in folder: FilePath, command: String) async throws {
    self.operation = operation
    self.command = command
    self.folder = folder
    scene = try template.copy(to: folder.appending("scene"))
    try await operation.prepare(scene)
    invariants = try await Invariants(operation, scene, workbench: folder.appending("reference"))
  }

  /// - Parameter word: only calls whose names contain it.
  func run(stride: Int, word: String?) async throws -> Tally {
    let points = try plainRun(filters: [], Self.calls.map(\.name))
    let inScene = try plainRun(filters: filters, ["openat"])
    var tally = Tally()
    for (name, injections) in Self.calls where word.map(name.contains) ?? true {
      let isOpen = name == "openat"
      for number in ((isOpen ? inScene : points)[name] ?? []).sorted() where number % stride == 0 {
        for injection in injections + ["signal=KILL"] {
          tally += try await attempt(name, injection, number, filters: isOpen ? filters : [])
        }
      }
    }
    return tally
  }

  /// `-P` for the scene's folders, for files that are opened by an absolute path, and for those that SQLite opens by the
  /// descriptor of their folder.
  private var filters: [String] {
    let scene = Scene(folder: folder.appending("run"))
    let library = operation.library(scene)
    let names = [
      scene.folder, library, scene.out, scene.pictures, scene.backup, library.appending("photos"),
      library.appending(".staging"), library.appending(".undo"),
    ].map(\.string)
    let databases = ["", "-wal", "-shm", ".new", ".new-wal"].map { "library.sqlite\($0)" }
    let pinned = (3..<40).flatMap { descriptor in databases.map { "/proc/self/fd/\(descriptor)/\($0)" } }
    return (names + databases.map { library.appending($0).string } + pinned).flatMap { ["-P", $0] }
  }

  /// Runs the operation without a fault, and returns the numbers of the calls on the scene's files.
  private func plainRun(filters: [String], _ calls: [String]) throws -> [String: Set<Int>] {
    let copy = try scene.copy(to: folder.appending("run"))
    let result = try strace(copy, ["-y", "-e", "trace=\(calls.joined(separator: ","))"] + filters)
    guard result.status == operation.exitCode else {
      throw Invariants.Unfit(
        reason: "\(operation.name) under strace ended with \(result.status): \(result.text)")
    }
    let text = try String(contentsOfFile: log, encoding: .utf8)
    return SystemCallTrace(text).numbers(concerning: copy.folder.string)
  }

  private var log: String { folder.appending("strace.log").string }

  /// Runs the operation's command under strace.
  private func strace(_ scene: Scene, _ arguments: [String]) throws -> Programs.Result {
    let options = ["-c", "0", "strace", "-f", "-qq", "-o", log] + arguments
    return try Programs.run("taskset", options + [command] + operation.arguments(scene))
  }

  private func attempt(
    _ call: String, _ injection: String, _ number: Int, filters: [String]
  ) async throws -> Tally {
    let copy = try scene.copy(to: folder.appending("run"))
    let persists = injection.hasSuffix("+")
    let what = persists ? String(injection.dropLast()) : injection
    let result = try strace(
      copy,
      ["-e", "trace=\(call)", "-e", "inject=\(call):\(what):when=\(number)\(persists ? "+" : "")"] + filters)
    let injected = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("(INJECTED)") }
    var tally = Tally()
    let outcome: Outcome
    var found: [String] = []
    switch result.status {
    case Programs.killed:
      outcome = .killed
      tally.kills = 1
    case 0, 1, 3, 4:
      // the order of threads can differ from that of the run without a fault
      guard !injected.isEmpty else { return tally }
      tally.errors = 1
      let isComplete = result.status == operation.exitCode && operation.exitCodeTellsParts
      outcome = result.status == 1 ? .failed(result.text) : .succeeded(isComplete: isComplete)
      // the write of the message to stderr was made to fail
      let isLost = injected.contains { $0.contains(" write(2, ") }
      if result.status == 1, !isLost, !result.text.contains("/") {
        found.append("the message names no path: \(result.text)")
      }
    default:
      tally.errors = 1
      outcome = .failed(result.text)
      found.append("it ended with \(result.status): \(result.text)")
    }
    found += await invariants.violations(in: copy, after: outcome, error: nil, isLasting: persists)
    found += try verificationFaults(copy)
    tally.violations = found.map { "\(operation.name): strace \(call):\(injection):when=\(number): \($0)" }
    return tally
  }

  /// Verifies the result with the command, and with unzip if it is installed.
  private func verificationFaults(_ scene: Scene) throws -> [String] {
    var found: [String] = []
    let library = operation.library(scene).string
    let check = try Programs.run(command, ["verify", "-l", library])
    // some photos may not be repaired yet
    if check.status != 0, !(operation.isGradual && check.status == 4) {
      found.append("verify -l ended with \(check.status): \(check.text)")
    }
    // unzip does not support AES
    for name in try scene.archives() where name.hasSuffix(".zip") && operation.password == nil {
      let archive = scene.out.appending(name).string
      if let test = try? Programs.run("unzip", ["-tqq", archive]), test.status != 0 {
        found.append("unzip -t \(name): \(test.text)")
      }
    }
    return found
  }
}
