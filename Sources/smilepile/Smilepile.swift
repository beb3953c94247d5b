import ArgumentParser
import Backup
import FileSystem
import Foundation
import Glibc
import Logging
import Operations

/// The command `smilepile`. Each subcommand has a file of its own; the work is done in the libraries.
struct Smilepile: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smilepile",
    abstract: "Back up and restore the photo libraries of SmilePile, and merge those of a family.",
    discussion: """
      Example, from a phone's backup to an archive that proves itself:
        smilepile init ~/Family
        smilepile import -l ~/Family smilepile_backup_20251003_140000.zip
        archive=$(smilepile export -l ~/Family -o /backups --verify)

      The library is named by -l or by SMILEPILE_LIBRARY.

      Exit codes:
          0  done
          1  failed; nothing was published or changed but what is named
          3  incomplete: something that was asked for is absent, and named
          4  verify, drill or prune found damage
         10  no such library, archive, folder of archives, job or job file
         11  the library or the job is locked by another process
         12  wrong or missing password or PIN
         64  a mistake on the command line or in the job file
        130  interrupted (SIGINT); 131 by SIGQUIT
        143  terminated (SIGTERM, SIGHUP)
      """,
    version: "smilepile \(Version.current)",
    subcommands: [
      Init.self, Add.self, Remove.self, Undo.self, List.self, Export.self, Import.self, Inspect.self,
      Extract.self, Diff.self, Find.self, Verify.self, Flatten.self, Repair.self, Heal.self, Stats.self,
      PINCommand.self, BackupCommand.self, Archives.self, Prune.self, Drill.self, ScheduleCommand.self,
      Config.self,
    ])
}

/// Parses the command line, runs a command, and turns whatever it ends with into messages and an exit code.
@main
enum Main {
  static func main() async {
    // it asks for progress, and there is none yet
    signal(SIGUSR1, SIG_IGN)
    EnvironmentSecrets.take()
    StandardStreams.occupy()
    // what this user makes, this user can read
    umask(umask(0o077) & 0o077)
    Malloc.returnLargeBlocksToSystem()
    // without /proc the language's runtime knows no arguments, and what was asked for would not be done, in silence
    guard access("/proc/self/cmdline", R_OK) == 0 else {
      Console.standard.print("smilepile: /proc is not mounted; mount -t proc proc /proc", to: .error)
      exit(.failed)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    let options = arguments.prefix { $0 != "--" }
    Console.standard.setStyle(.detected(isUnattended: ["backup", "drill"].contains(arguments.first)))
    if !options.contains("--quiet"), !options.contains("-q") {
      LoggingSystem.bootstrap { _ in ConsoleLogHandler() }
    } else {
      LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    }
    var code: ExitStatus
    var running: any ParsableCommand.Type = Smilepile.self
    do {
      var command = try Smilepile.parseAsRoot(arguments)
      // add reports its paths that are not UTF-8, and adds the others
      if !(command is Add) { try ForeignText.refuse(arguments) }
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
    Console.standard.printKept()
    if Console.standard.outputFailure != nil {
      Failure.reportLostOutput()
      if code == .done { code = .failed }
    }
    exit(code)
  }

  /// Refuses to begin where there is no room for the threads, the memory and the open files that every command needs: the
  /// language's runtime waits for ever for a thread that cannot be started, and ends the program where there is no memory.
  private static func requireResources() throws {
    try MemoryShortage.requireMemory(256 << 20)
    try OpenFileLimitError.requireFiles(64)
    // the runtime's own, one a core, and this program's
    try WorkerThreads.requireThreads(ProcessInfo.processInfo.activeProcessorCount + 2)
  }

  private static func exit(_ status: ExitStatus) -> Never {
    Smilepile.exit(withError: status == .done ? nil : ExitCode(status.rawValue))
  }
}
