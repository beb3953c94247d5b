import ArgumentParser
import FileSystem
import Foundation
import Jobs
import SystemPackage

/// Which jobs of the job file a command works on.
struct JobChoice: ParsableArguments {
  @Argument(help: "Names of jobs; default: all.", completion: .jobs)
  var jobs: [String] = []

  @OptionGroup var file: JobFileOption
  @OptionGroup var library: LibraryOption

  /// The jobs. The library that the command line or the environment names stands for that of the job file; in a hook
  /// the environment tells of the one job that has it, and names none for others.
  ///
  /// - Throws: as `JobFileOption.read`, and `ValidationError` if one library would stand for those of several jobs.
  func read() throws -> [Job] {
    let chosen = try file.read().jobs(named: jobs)
    guard let named = library.ifNamed() else { return chosen }
    let isTold = !library.isGiven && ProcessInfo.processInfo.environment["SMILEPILE_HOOK"] != nil
    if !isTold, chosen.count > 1, chosen.contains(where: { $0.library != nil }) {
      throw ValidationError(
        "\(named) would replace the libraries of \(chosen.count) jobs; give one job, or unset SMILEPILE_LIBRARY"
      )
    }
    return chosen.map { job in
      if isTold, job.library != nil { return job }
      var job = job
      job.isOtherLibrary = job.library.map { !$0.isSamePlace(as: named) } ?? false
      job.library = FilePath(FileManager.default.currentDirectoryPath).pushing(named).lexicallyNormalized()
      return job
    }
  }
}
