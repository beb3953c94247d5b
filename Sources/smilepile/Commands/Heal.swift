import ArgumentParser
import SystemPackage

/// An alias of `smilepile repair -l`, hidden from help.
struct Heal: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heal",
    abstract: "The same as repair -l.", shouldDisplay: false)

  @Argument(
    help: "Intact or damaged archives to take photos from.", completion: .file(),
    transform: PathArgument.parse)
  var archives: [String]

  @Flag(name: [.customShort("n"), .long], help: "Report what would be repaired, and write nothing.")
  var dryRun = false

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: CommonOptions

  func run() async throws {
    let repair = LibraryRepair(
      library: try library.path(), archives: archives.map { FilePath($0) }, origin: .given,
      isDryRun: dryRun, lockWait: lock.duration, password: password, limits: limits.limits)
    try await repair.run(Reporter(output))
  }
}
