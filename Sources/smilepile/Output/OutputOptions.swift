import ArgumentParser
import Backup
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// How a command speaks, the same for all.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON lines; the last one is a summary or an exit_error.")
  var json = false

  @Flag(name: .shortAndLong, help: "No progress and no warnings; errors and the result stay.")
  var quiet = false

  @Option(help: ArgumentHelp("How progress is shown.", valueName: "auto|bar|plain|percent|none"))
  var progress = ProgressStyle.auto

  func validate() throws {
    if json, progress == .percent {
      throw ValidationError("--progress percent and --json both want standard output; choose one")
    }
  }
}

extension ProgressStyle: ExpressibleByArgument {}

/// A file or folder on the command line.
enum PathArgument {
  /// An empty name comes from a variable that is not set, and would be taken for the working folder or for a file
  /// without a name.
  static func parse(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("the name is empty") }
    return text
  }
}

/// The library that a command works on.
struct LibraryOption: ParsableArguments {
  @Option(
    name: [.short, .customLong("library")],
    help: ArgumentHelp(
      "The library's folder; SMILEPILE_LIBRARY if not given.", valueName: "folder"),
    completion: .directory)
  private var library: String?

  /// Whether the option was given; the environment does not count.
  var isGiven: Bool { library != nil }

  /// The library's folder.
  ///
  /// - Throws: `ValidationError` if nobody named one.
  func path() throws -> FilePath {
    guard let path = ifNamed() else {
      throw ValidationError("no library was named; use -l FOLDER or set SMILEPILE_LIBRARY")
    }
    return path
  }

  /// The library's folder, nil if nobody named one.
  func ifNamed() -> FilePath? {
    let name = library ?? ProcessInfo.processInfo.environment["SMILEPILE_LIBRARY"]
    return name.flatMap { $0.isEmpty ? nil : FilePath($0) }
  }
}

/// How long to wait for another writer.
struct LockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another process that is changing the library.", valueName: "seconds"))
  var lockWait = 0.0

  func validate() throws { try checkLockWait(lockWait) }

  var duration: Duration { .seconds(lockWait) }
}

/// How long to wait for a writer, for those who only read.
struct ReaderLockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another process that is deleting photo files.", valueName: "seconds"))
  var lockWait = Double(Library.readersWait.components.seconds)

  func validate() throws { try checkLockWait(lockWait) }

  var duration: Duration { .seconds(lockWait) }
}

/// Refuses what is no length of time.
func checkLockWait(_ seconds: Double) throws {
  guard seconds >= 0, seconds <= 1e9 else {
    throw ValidationError("--lock-wait takes a number of seconds, 0 or more")
  }
}
