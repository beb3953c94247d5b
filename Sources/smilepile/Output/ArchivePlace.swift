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
  /// - Throws: what `JobFileOption.read` throws.
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
      if name.contains("/") || Self.look(at: name) == .folder {
        return [ArchivePlace(folder: FilePath(name), job: nil)]
      }
      return try jobs([name]).flatMap(places)
    }
  }

  /// - Throws: `NoSuchFolder` if it was named as a folder and is none.
  func check() throws {
    let found = Self.look(at: folder.string)
    guard job != nil || found == .folder else {
      throw NoSuchFolder(path: folder.string, isTaken: found == .other)
    }
  }

  private enum Found { case nothing, folder, other }

  private static func look(at path: String) -> Found {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .nothing }
    return isFolder.boolValue ? .folder : .other
  }

  /// The password of its archives: the one that options or the environment give, else the job's.
  func password(_ options: PasswordOptions, _ reporter: Reporter) throws -> Secret? {
    try options.read(reporter) ?? job?.password?.read(reporter)
  }
}
