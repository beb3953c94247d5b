import FileSystem
import Glibc
import SystemPackage

/// The folder in which systemd finds units. Only units that this program installed are changed.
struct UnitFolder: ~Copyable {
  private let directory: Directory

  /// The owner of a unit name.
  enum Holder: Equatable {
    case nothing
    /// This program installed the unit for this job.
    case ours(text: String)
    /// This program installed the unit for another job or for a job of another job file.
    case otherJob(String)
    /// A third-party file, link or folder.
    case thirdParty
  }

  /// Opens the folder; returns nil if it is missing.
  ///
  /// - Parameter make: creates the folder and its parents.
  init?(_ path: FilePath, make: Bool) throws(FileError) {
    do throws(FileError) {
      if make { try Directory.makeAll(path) }
      directory = try Directory.open(path)
    } catch {
      if !make, error.isMissing { return nil }
      throw error
    }
  }

  /// The maximum length of a unit that is read. Units of this program have 2 KB.
  private static let longest = 64 << 10

  /// Returns the owner of a unit name. Links and files of other users are third-party.
  func holder(of name: String, mark: String) throws(FileError) -> Holder {
    let name = FilePath(name)
    guard let status = try directory.status(of: name) else { return .nothing }
    guard status.kind == .file, status.size <= Self.longest else { return .thirdParty }
    let file = try directory.open(name, .read)
    let text = String(decoding: try file.read(Self.longest, at: 0), as: UTF8.self)
    let first = text.prefix { $0 != "\n" }
    guard first.hasPrefix(UnitText.header), try file.status().owner == geteuid() else { return .thirdParty }
    let owner = String(first.dropFirst(UnitText.header.count))
    return owner == mark ? .ours(text: text) : .otherJob(owner)
  }

  /// Returns the text of a unit of this job; nil if no unit has the name.
  ///
  /// - Throws: `ScheduleInstallError` if the name belongs to another job or to a third-party file; `FileError`.
  func ownText(of name: String, mark: String) throws -> String? {
    let path = directory.path(of: FilePath(name))
    switch try holder(of: name, mark: mark) {
    case .nothing: return nil
    case .ours(let text): return text
    case .otherJob(let owner): throw ScheduleInstallError.otherJob(path, owner: owner)
    case .thirdParty: throw ScheduleInstallError.thirdPartyUnit(path)
    }
  }

  /// Returns the names and marks of all units that this program installed.
  func units() throws(FileError) -> [(name: String, mark: String)] {
    var units: [(String, String)] = []
    for name in try directory.names() where name.string.hasPrefix("smilepile-") {
      guard [".timer", ".path", ".service"].contains(where: name.string.hasSuffix),
        case .otherJob(let mark)? = try? holder(of: name.string, mark: "")
      else { continue }
      units.append((name.string, mark))
    }
    return units
  }

  /// Publishes a unit atomically and replaces a unit of the same job. Returns false if the installed unit is
  /// already identical.
  func install(_ text: String, as name: String, mark: String) throws -> Bool {
    guard try ownText(of: name, mark: mark) != text else { return false }
    try AtomicFile.replace(FilePath(name), in: directory.path, with: Array(text.utf8), mode: 0o644)
    return true
  }

  /// Removes a unit of this job. Returns false if the unit is missing.
  func remove(_ name: String, mark: String) throws -> Bool {
    guard try ownText(of: name, mark: mark) != nil else { return false }
    try directory.remove(FilePath(name))
    try directory.sync()
    return true
  }
}
