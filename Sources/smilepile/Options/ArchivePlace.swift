import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Secrets
import SystemPackage

/// A folder of archives is missing.
struct NoSuchFolder: Error, CustomStringConvertible {
  let path: String
  /// A file that is no folder has its name.
  let isTaken: Bool
  /// The job that has it as a destination; nil if the folder is an argument.
  let job: String?

  /// One line, with the remedy.
  var description: String {
    switch (job, isTaken) {
    case (let job?, false):
      "the destination \(path) of job “\(job)” is missing; create it, or mount its disk".escaped
    case (let job?, true):
      "the destination \(path) of job “\(job)” is not a folder; correct the job file".escaped
    case (nil, true): "\(path) is not a folder; give the folder of the archives, or a job".escaped
    case (nil, false):
      "there is no folder \(path); give a folder of archives, or a job without a slash".escaped
    }
  }
}

/// A folder with archives: an argument, or a destination of a job.
struct ArchivePlace {
  /// The folder.
  let folder: FilePath
  /// The job whose archives are meant; nil for all in the folder.
  let job: Job?
  /// What the job says of the folder.
  var destination: JobDestination?
  /// The tag that the job's archives bear.
  var tag: String? { job?.name }

  /// The folders that are meant: what has a slash is one, anything else a job, or else a folder; every job's
  /// destinations if nothing is named.
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
      job.destinations.map { ArchivePlace(folder: $0.path, job: job, destination: $0) }
    }
    if names.isEmpty { return try jobs([]).flatMap(places) }
    var seen: Set<FilePath?> = []
    return try names.flatMap { name -> [ArchivePlace] in
      // an unreadable job file does not matter for a folder
      let isFolder =
        name.contains("/") || Self.look(at: name) == .folder && (try? jobs([name])) == nil
      if isFolder {
        let folder = FilePath(name)
        // several names of a folder give one place
        return seen.insert(folder.realPath ?? folder).inserted ? [ArchivePlace(folder: folder, job: nil)] : []
      }
      do {
        return try jobs([name]).flatMap(places)
      } catch let error as JobFile.Missing {
        guard Self.look(at: name) == .other else { throw error }
        throw NoSuchFolder(path: name, isTaken: true, job: nil)
      }
    }
  }

  /// - Throws: `NoSuchFolder` if it is not a folder, `DestinationFault` if it is not on the disk of the job.
  func check() throws {
    let found = Self.look(at: folder.string)
    guard found == .folder else {
      throw NoSuchFolder(path: folder.string, isTaken: found == .other, job: job?.name)
    }
    try destination?.checkDisk()
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
