import Foundation
import Operations
import SystemPackage

/// The job file: every job of a user or a machine, in YAML.
package struct JobFile: Sendable, Equatable {
  /// Where it lies.
  package var path: FilePath
  /// The jobs, in the file's order.
  package var jobs: [Job]
  /// What is no mistake by itself, and may be one.
  package var warnings: [Fault]

  /// A mistake in a job file, or what may be one.
  package struct Fault: Error, Sendable, Equatable {
    /// From 1; 0 for the file as a whole.
    package var line: Int
    /// What is wrong, and what to write instead.
    package var message: String

    /// `/etc/smilepile/config.yaml:12: unknown key “retension”; did you mean “retention”?`
    package func text(in path: FilePath) -> String {
      line > 0 ? "\(path):\(line): \(message)" : "\(path): \(message)"
    }
  }

  /// What is wrong with a job file, all of it.
  package struct Invalid: Error, Sendable, CustomStringConvertible {
    /// The file.
    package var path: FilePath
    /// The mistakes, by line.
    package var faults: [Fault]

    /// Each on a line of its own.
    package var lines: [String] { faults.map { $0.text(in: path) } }

    /// All of them.
    package var description: String { lines.joined(separator: "\n") }
  }

  /// There is no job file where one is looked for, or no job of a name.
  package enum Missing: RemediedError, Sendable, Equatable, CustomStringConvertible {
    /// None of these files is there.
    case file([FilePath])
    /// The file has no such job; it has these.
    case job(String, FilePath, [String])

    package var remedy: Remedy? { if case .file = self { .nameJobFile } else { nil } }

    /// One line.
    package var description: String {
      switch self {
      case .file(let places):
        "there is no job file: \(places.map(\.string).joined(separator: ", "))"
      case .job(let name, let path, let names):
        "\(path) has no job “\(name)”"
          + (Spelling.nearest(to: name, among: names).map { "; did you mean “\($0)”?" }
            ?? "; it has \(names.joined(separator: ", "))")
      }
    }
  }

  /// The longest job file that is read, in bytes.
  static let maximumBytes = 1 << 20

  /// Where job files are looked for, in this order: `$XDG_CONFIG_HOME/smilepile/config.yaml` (`~/.config` if that is not
  /// set), `/etc/smilepile/config.yaml`. https://specifications.freedesktop.org/basedir-spec/latest/
  package static func places(environment: [String: String]) -> [FilePath] {
    var places: [FilePath] = []
    // the specification has relative paths ignored
    if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") {
      places.append(FilePath(home).appending("smilepile/config.yaml"))
    } else if let home = environment["HOME"], !home.isEmpty {
      places.append(FilePath(home).appending(".config/smilepile/config.yaml"))
    }
    return places + ["/etc/smilepile/config.yaml"]
  }

  /// Where the job file is: the one that is named, whether it is there or not; else the first of `places` that is.
  ///
  /// - Throws: `Missing.file`.
  package static func find(named path: FilePath?, environment: [String: String]) throws(Missing) -> FilePath {
    if let path { return path }
    let places = places(environment: environment)
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.string) }) else {
      throw .file(places)
    }
    return found
  }

  /// Reads the job file. Blocks.
  ///
  /// - Parameters:
  ///   - path: the file; nil for the first of `places` that is there.
  ///   - environment: for `~` and the places.
  /// - Throws: `Missing`, `Invalid` with every mistake, or `FileError`.
  package init(_ path: FilePath?, environment: [String: String]) throws {
    let found = try Self.find(named: path, environment: environment)
    guard FileManager.default.fileExists(atPath: found.string) else { throw Missing.file([found]) }
    try self.init(
      text: try JobFileText.read(found), path: found, home: environment["HOME"],
      state: StateFolder(environment: environment).path)
  }

  /// Reads the text of a job file.
  ///
  /// - Parameters:
  ///   - home: what `~` stands for.
  ///   - state: the folder in which jobs keep what they remember, and which is for nothing else; nil if that is not known.
  /// - Throws: `Invalid`, with every mistake.
  package init(text: String, path: FilePath, home: String?, state: FilePath? = nil) throws(Invalid) {
    // from the root, since units and status files outlive this process's working folder
    let place = FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized()
    var reader = JobFileReader(folder: place.removingLastComponent(), home: home, state: state)
    let jobs = reader.read(text)
    guard reader.faults.isEmpty else {
      throw Invalid(path: path, faults: reader.faults.sorted { $0.line < $1.line })
    }
    self.path = path
    self.jobs = jobs
    warnings = reader.warnings
  }

  /// The jobs of these names, in this order; all if there are none.
  ///
  /// - Throws: `Missing.job`.
  package func jobs(named names: [String]) throws(Missing) -> [Job] {
    if names.isEmpty { return jobs }
    var found: [Job] = []
    for name in names {
      guard let job = jobs.first(where: { $0.name == name }) else {
        throw .job(name, path, jobs.map(\.name))
      }
      if !found.contains(job) { found.append(job) }
    }
    return found
  }
}
