import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Foundation
import Glibc
import Logging
import Operations

/// The command `smilepile`. Each subcommand has its own file.
struct Smilepile: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Back up, restore and merge photo libraries of the SmilePile apps.",
    discussion: """
      Example, from a phone's backup to a verified archive:
        smilepile init ~/Family
        smilepile import -l ~/Family smilepile_backup_20251003_140000.zip
        archive=$(smilepile export -l ~/Family -o /backups --verify)

      -l or SMILEPILE_LIBRARY selects the library.

      Exit codes:
      \(ExitStatus.help)
      """,
    version: "smilepile \(Build.version)",
    groupedSubcommands: [
      CommandGroup(
        name: "Library",
        subcommands: [
          Init.self, AddCommand.self, PhotosCommand.self, CategoryCommand.self, Move.self, Sort.self,
          Rename.self, Remove.self, DuplicatesCommand.self, Undo.self, ResetCommand.self, Stats.self,
          Storage.self, CacheCommand.self, CatalogueCommand.self, Clean.self, History.self, Report.self,
          SettingsCommand.self, PINCommand.self,
        ]),
      CommandGroup(
        name: "Backups",
        subcommands: [
          Export.self, Import.self, Inspect.self, Extract.self, GalleryCommand.self, Diff.self, Find.self,
        ]),
      CommandGroup(
        name: "Archives",
        subcommands: [
          Archives.self, Verify.self, Repair.self, Rebuild.self, Flatten.self, Prune.self,
        ]),
      CommandGroup(
        name: "Jobs",
        subcommands: [BackupCommand.self, InboxCommand.self, Drill.self, ScheduleCommand.self, Config.self]),
      CommandGroup(name: "Program", subcommands: [About.self]),
    ])
}

/// Parses the command line, runs a command, and turns its error into messages and an exit code.
@main
enum Main {
  static func main() async {
    // SIGUSR1 prints progress, which does not exist yet
    signal(SIGUSR1, SIG_IGN)
    EnvironmentSecrets.take()
    StandardStreams.reopenIfClosed()
    // only the owner can read new files, whatever the umask is
    umask(umask(0o077) & 0o077)
    Malloc.returnLargeBlocksToSystem()
    // the Swift runtime reads /proc, and archives are published through it
    guard access("/proc/self/cmdline", R_OK) == 0 else {
      Console.standard.print("smilepile: /proc is not mounted; run mount -t proc proc /proc", to: .error)
      exit(.failed)
    }
    let arguments = ProcessArguments.all
    let options = arguments.prefix { $0 != "--" }
    let isQuiet = options.contains("--quiet") || options.contains("-q")
    Console.standard.setStyle(
      .detected(isUnattended: ["backup", "drill", "inbox"].contains(arguments.first)))
    if isQuiet {
      LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    } else {
      LoggingSystem.bootstrap { _ in ConsoleLogHandler() }
    }
    var code: ExitStatus
    var running: any ParsableCommand.Type = Smilepile.self
    do {
      var command = try Smilepile.parseAsRoot(arguments)
      // `add` reports its paths that are not UTF-8, and adds the other paths
      if !(command is AddCommand) { try ArgumentEncoding.requireUTF8(arguments) }
      running = type(of: command)
      try requireResources()
      Signals.install()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      code = .done
    } catch {
      code = Failure.report(error, of: running, arguments: arguments)
    }
    Ledger.ofThisUser.reportOlderDatabase(isQuiet: isQuiet)
    // a job reports the problem in its status
    if !(running is any JobCommand.Type) {
      code = max(code, Ledger.ofThisUser.reportKnownProblem(isQuiet: isQuiet))
    }
    Console.standard.flushSaved()
    if Console.standard.outputFailure != nil {
      Failure.reportOutputFailure()
      if code == .done { code = .failed }
    }
    exit(code)
  }

  /// Refuses to start without enough threads, memory and open files. The Swift runtime waits forever for a
  /// thread that cannot be started, and ends the program if memory is missing.
  private static func requireResources() throws {
    try MemoryShortage.requireMemory(256 << 20)
    try OpenFileLimitError.requireFiles(64)
    // the threads of the runtime, one for each core, and of this program
    try WorkerThreads.requireThreads(ProcessInfo.processInfo.activeProcessorCount + 2)
  }

  /// Ends the process without exit handlers: they would destroy what the threads that wait for signals still use.
  private static func exit(_ status: ExitStatus) -> Never {
    fflush(nil)
    _exit(status.rawValue)
  }
}
