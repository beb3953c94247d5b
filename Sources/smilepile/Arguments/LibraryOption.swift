import ArchiveCatalog
import ArgumentParser
import Foundation
import SystemPackage

/// The library that a command works on.
struct LibraryOption: ParsableArguments {
  @Option(
    name: [.short, .customLong("library")],
    help: ArgumentHelp(
      "Folder of the library; default: SMILEPILE_LIBRARY.", valueName: "folder"),
    completion: .directory)
  private var library: String?

  @Flag(help: "As root, run as the owner of the library.")
  var asOwner = false

  /// True if the option was given. The environment does not count.
  var isGiven: Bool { library != nil }

  /// Returns the library's folder. With `--as-owner`, becomes its owner.
  ///
  /// - Throws: `ValidationError` if neither the option nor the variable is set; the errors of `LibraryOwner.become`.
  func path() throws -> FilePath {
    guard let path = ifNamed() else {
      throw ValidationError("no library is given; use -l FOLDER or set SMILEPILE_LIBRARY")
    }
    if asOwner { try LibraryOwner.become(of: path) }
    return path
  }

  /// Returns the library's folder as `path` does, and the ledger of the user that this process then has.
  ///
  /// - Throws: as `path`.
  func pathAndLedger() throws -> (FilePath, Ledger) { (try path(), .ofThisUser) }

  /// Returns the library's folder; nil if neither the option nor the variable is set.
  func ifNamed() -> FilePath? {
    let name = library ?? ProcessInfo.processInfo.environment["SMILEPILE_LIBRARY"]
    return name.flatMap { $0.isEmpty ? nil : FilePath($0) }
  }
}
