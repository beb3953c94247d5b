import ArchiveCatalog
import ArgumentParser
import PhotoLibrary
import SystemPackage

/// The library that a command changes, its lock, and the output.
struct LibraryChangeOptions: ParsableArguments {
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var reporter: Reporter

  /// Prepares a change of the library. With `--as-owner`, becomes the owner of the library.
  ///
  /// - Parameter confirmation: how the user confirms; nil for a change that needs no confirmation.
  func prepare(isDryRun: Bool, _ confirmation: ConfirmationOption? = nil) throws -> LibraryChange {
    let (path, ledger) = try library.pathAndLedger()
    var options = ChangeOptions()
    (options.isDryRun, options.lockWait, options.recorder) = (isDryRun, lock.duration, ledger)
    if let confirmation { options.authorization = try confirmation.authorization(reporter, for: path) }
    return LibraryChange(reporter: reporter, library: path, options: options)
  }
}

/// A change of a library, and where its result is reported.
struct LibraryChange {
  let reporter: Reporter
  let library: FilePath
  let options: ChangeOptions
}
