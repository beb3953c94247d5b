import ArgumentParser
import FileSystem
import Foundation
import Jobs

/// The jobs of the job file that a command works on.
struct JobChoice: ParsableArguments {
  @Argument(help: "Names of jobs; default: all.", completion: .jobs)
  var jobs: [String] = []

  @OptionGroup var file: JobFileOption
  @OptionGroup var library: LibraryOption

  /// Reads the chosen jobs. The library of the command line or the environment replaces the library of the
  /// job. In a hook, the environment gives the library of the hook's job and applies only to jobs without a library.
  ///
  /// - Throws: the errors of `JobFileOption.read`, and `ValidationError` if one library would replace those
  ///   of several jobs; with `--as-owner`, the errors of `LibraryOwner.become`.
  func read() throws -> [Job] {
    let chosen = try chosenJobs()
    if library.asOwner { try chosen.compactMap(\.library).forEach(LibraryOwner.become) }
    return chosen
  }

  private func chosenJobs() throws -> [Job] {
    let chosen = try file.read().jobs(named: jobs)
    guard let named = library.ifNamed() else { return chosen }
    let isFromHook = !library.isGiven && ProcessInfo.processInfo.environment["SMILEPILE_HOOK"] != nil
    if !isFromHook, chosen.count > 1, chosen.contains(where: { $0.library != nil }) {
      throw ValidationError(
        "one library cannot be used for \(chosen.count) jobs: \(named.string.escaped); give one job"
      )
    }
    return chosen.map { job in
      if isFromHook, job.library != nil { return job }
      var job = job
      job.usesOtherLibrary = job.library.map { !$0.isSamePlace(as: named) } ?? false
      job.library = named.absolute
      return job
    }
  }
}
