import ArchiveCatalog
import ArgumentParser
import PhotoLibrary
import SystemPackage

/// The library that a command changes, its lock, and the output.
struct LibraryChangeOptions: ParsableArguments {
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: CommonOptions

  var reporter: Reporter { Reporter(output) }

  /// Returns the options of a change of the library at a path.
  ///
  /// - Parameter confirmation: how the user confirms; nil for a change that needs no confirmation.
  func options(
    of library: FilePath, isDryRun: Bool, _ confirmation: ConfirmationOption?
  ) throws -> ChangeOptions {
    var options = ChangeOptions()
    (options.isDryRun, options.lockWait, options.recorder) = (isDryRun, lock.duration, Ledger.ofThisUser)
    if let confirmation { options.authorization = try confirmation.authorization(reporter, for: library) }
    return options
  }
}
