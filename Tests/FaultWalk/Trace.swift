import FileSystem
import Foundation
import Glibc
import SystemPackage

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
    let ending = try strace(copy, ["-y", "-e", "trace=\(calls.joined(separator: ","))"] + filters)
    guard ending == .exited(operation.exitCode) else {
      throw Invariants.Unfit(reason: "\(operation.name) under strace: \(ending)")
    }
    let text = try String(contentsOfFile: log, encoding: .utf8)
    return TraceLog(text, concerning: copy.folder.string).points
  }

  private var log: String { folder.appending("strace.log").string }
  private var output: String { folder.appending("output").string }

  /// Runs the operation's commands under strace, and stops after the first that does not exit with 0.
  private func strace(_ scene: Scene, _ arguments: [String]) throws -> ChildProcess.Ending {
    var ending = ChildProcess.Ending.exited(0)
    for words in operation.arguments(scene) where ending == .exited(0) {
      ending = try ChildProcess(
        "taskset", ["-c", "0", "strace", "-f", "-qq", "-o", log] + arguments + [command] + words,
        output: output
      ).ending
    }
    return ending
  }

  private func attempt(
    _ call: String, _ injection: String, _ number: Int, filters: [String]
  ) async throws -> Tally {
    let copy = try scene.copy(to: folder.appending("run"))
    let persists = injection.hasSuffix("+")
    let what = persists ? String(injection.dropLast()) : injection
    let ending = try strace(
      copy,
      ["-e", "trace=\(call)", "-e", "inject=\(call):\(what):when=\(number)\(persists ? "+" : "")"] + filters)
    let message = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    let injected = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("(INJECTED)") }
    var tally = Tally()
    let outcome: Outcome
    var found: [String] = []
    switch ending {
    case .signalled(SIGKILL):
      outcome = .killed
      tally.kills = 1
    case .exited(let code) where [0, 1, 3, 4].contains(code):
      // the order of threads can differ from that of the run without a fault
      guard !injected.isEmpty else { return tally }
      tally.errors = 1
      let isComplete = code == operation.exitCode && operation.exitCodeTellsParts
      outcome = code == 1 ? .failed(message) : .succeeded(isComplete: isComplete)
      // the write of the message to stderr was made to fail
      let isLost = injected.contains { $0.contains(" write(2, ") }
      if code == 1, !isLost, !message.contains("/") {
        found.append("the message names no path: \(message)")
      }
    default:
      tally.errors = 1
      outcome = .failed(message)
      found.append("it ended by \(ending): \(message)")
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
    let check = try ChildProcess(command, ["verify", "-l", library], output: output).ending
    // some photos may not be repaired yet
    if check != .exited(0), !(operation.isGradual && check == .exited(4)) {
      found.append("verify -l: \(check): \((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
    }
    // unzip does not support AES
    for name in try scene.archives() where name.hasSuffix(".zip") && operation.password == nil {
      let archive = scene.out.appending(name).string
      if let ending = try? ChildProcess("unzip", ["-tqq", archive], output: output).ending,
        ending != .exited(0)
      {
        found.append("unzip -t \(name): \(ending)")
      }
    }
    return found
  }
}
