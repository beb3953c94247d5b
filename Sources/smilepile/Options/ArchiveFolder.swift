import FileSystem
import Foundation
import Jobs
import Operations
import Secrets
import SystemPackage

/// A folder of archives is missing.
struct NoSuchFolder: ExplainedError, CustomStringConvertible {
  let path: String
  /// True if the path is not a folder.
  let isTaken: Bool
  /// The job with this destination; nil if the folder is an argument.
  let job: String?
  /// True if the argument can be no job, since there is no job file.
  var isJobFileMissing = false

  var cause: ErrorCause { .notFound }

  /// Describes the error and its remedy in one line.
  var description: String {
    switch (job, isTaken) {
    case (let job?, false):
      "the destination \(path) of job “\(job)” is missing; check that its disk is mounted".escaped
    case (let job?, true):
      "the destination \(path) of job “\(job)” is not a folder; correct the job file".escaped
    case (nil, true): "\(path) is not a folder; give a folder or the name of a job".escaped
    case (nil, false) where isJobFileMissing:
      "there is no folder \(path), and no job file was found; give an existing folder, or use --config FILE"
        .escaped
    case (nil, false):
      "there is no folder \(path); give an existing folder, or the name of a job".escaped
    }
  }
}

/// A folder with archives: an argument, or a destination of a job.
struct ArchiveFolder {
  /// The folder.
  let folder: FilePath
  /// The job that owns the archives; nil for all archives in the folder.
  let job: Job?
  /// The destination in the job file; nil if the folder is an argument.
  var destination: JobDestination?
  /// The tag of the job's archives.
  var tag: String? { job?.name }

  /// Returns the folders for arguments. An argument with a slash is a folder; any other argument is a job or,
  /// if there is no such job, a folder. Without arguments, returns the destinations of all jobs.
  ///
  /// - Throws: the errors of `JobFileOption.read`.
  static func named(_ names: [String], _ file: JobFileOption) throws -> [ArchiveFolder] {
    var jobFile: JobFile?
    func jobs(_ names: [String]) throws -> [Job] {
      let read = try jobFile ?? file.read()
      jobFile = read
      return try read.jobs(named: names)
    }
    func folders(of job: Job) -> [ArchiveFolder] {
      job.destinations.map { ArchiveFolder(folder: $0.path, job: job, destination: $0) }
    }
    if names.isEmpty { return try jobs([]).flatMap(folders) }
    var seen: Set<FilePath?> = []
    return try names.flatMap { name -> [ArchiveFolder] in
      // a folder does not need a readable job file
      let isFolder =
        name.contains("/") || FilePath(name).isFolder && (try? jobs([name])) == nil
      if isFolder {
        let folder = FilePath(name)
        // a folder with several names appears once
        let isNew = seen.insert(folder.realPath ?? folder).inserted
        return isNew ? [ArchiveFolder(folder: folder, job: nil)] : []
      }
      do {
        return try jobs([name]).flatMap(folders)
      } catch let error as JobFile.Missing {
        let isTaken = FileManager.default.fileExists(atPath: name)
        if case .job = error, !isTaken { throw error }
        throw NoSuchFolder(path: name, isTaken: isTaken, job: nil, isJobFileMissing: true)
      }
    }
  }

  /// Checks that the folder exists and is on the intended disk.
  ///
  /// - Throws: `NoSuchFolder` if the path is not a folder, `DestinationFault` if it is not on the disk of the job.
  func check() throws {
    guard folder.isFolder else {
      let isTaken = FileManager.default.fileExists(atPath: folder.string)
      throw NoSuchFolder(path: folder.string, isTaken: isTaken, job: job?.name)
    }
    try destination?.checkDisk()
  }

  /// Returns the password of the archives from the options or the environment, else from the job.
  func password(_ options: PasswordOptions, _ reporter: Reporter) throws -> Secret? {
    try options.read(reporter) ?? job?.password?.read(reporter)
  }
}
