import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Secrets
import SystemPackage

/// A folder of archives that was named on the command line is not there.
struct NoSuchFolder: Error, CustomStringConvertible {
  let path: String
  /// Something else has its name.
  let isTaken: Bool

  /// One line, with the remedy.
  var description: String {
    isTaken
      ? "\(path) is no folder; name the folder that the archives lie in, or a job".escaped
      : "there is no folder \(path); name one that archives lie in, or a job without a slash".escaped
  }
}

/// A folder with archives that a person named: itself, or by a job.
struct ArchivePlace {
  /// The folder.
  let folder: FilePath
  /// The job whose archives are meant; nil for all in the folder.
  let job: Job?
  /// The tag that the job's archives bear.
  var tag: String? { job?.name }

  /// The folders that are meant: what has a slash or is a folder is one, anything else a job; every job's destinations
  /// if nothing is named.
  ///
  /// - Throws: `NoSuchFolder`, or what `JobFileOption.read` throws.
  static func named(_ names: [String], _ file: JobFileOption) throws -> [ArchivePlace] {
    var jobFile: JobFile?
    func jobs(_ names: [String]) throws -> [Job] {
      let read = try jobFile ?? file.read()
      jobFile = read
      return try read.jobs(named: names)
    }
    func places(of job: Job) -> [ArchivePlace] {
      job.destinations.map { ArchivePlace(folder: $0.path, job: job) }
    }
    if names.isEmpty { return try jobs([]).flatMap(places) }
    return try names.flatMap { name in
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: name, isDirectory: &isFolder)
      if name.contains("/") || isThere && isFolder.boolValue {
        guard isFolder.boolValue else { throw NoSuchFolder(path: name, isTaken: isThere) }
        return [ArchivePlace(folder: FilePath(name), job: nil)]
      }
      return try jobs([name]).flatMap(places)
    }
  }

  /// The password of its archives: the one that options or the environment give, else the job's.
  func password(_ options: PasswordOptions, _ reporter: Reporter) throws -> Secret? {
    try options.read(reporter) ?? job?.password?.read(reporter)
  }
}
