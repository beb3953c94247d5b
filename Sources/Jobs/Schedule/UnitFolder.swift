import FileSystem
import Glibc
import SystemPackage

/// The folder in which systemd looks for units, of which only those are touched that were made here.
struct UnitFolder: ~Copyable {
  private let directory: Directory

  /// What has the name of a unit.
  enum Holder: Equatable {
    case nothing
    /// A unit that was made here, and for this job.
    case ours(text: String)
    /// One that was made here for another job, or for one of another job file.
    case otherJob(String)
    /// A file, link or folder of somebody else's.
    case foreign
  }

  /// Opens the folder; nil if there is none.
  ///
  /// - Parameter make: makes it, and the folders above it.
  init?(_ path: FilePath, make: Bool) throws(ScheduleInstallError) {
    do throws(FileError) {
      if make { try Directory.makeAll(path) }
      directory = try Directory.open(path)
    } catch {
      if !make, error.isAbsence { return nil }
      throw .file(error)
    }
  }

  /// The longest text that is read; ours have 2 KB.
  private static let longest = 64 << 10

  /// Looks who has a name. A link is nobody's here, and neither is another user's file.
  func holder(of name: String, mark: String) throws(ScheduleInstallError) -> Holder {
    do throws(FileError) {
      let name = FilePath(name)
      guard let status = try directory.status(of: name) else { return .nothing }
      guard status.kind == .file, status.size <= Self.longest else { return .foreign }
      let file = try directory.open(name, .read)
      let text = String(decoding: try file.read(Self.longest, at: 0), as: UTF8.self)
      let first = text.prefix { $0 != "\n" }
      guard first.hasPrefix(UnitText.header), try file.status().owner == geteuid() else { return .foreign }
      let owner = String(first.dropFirst(UnitText.header.count))
      return owner == mark ? .ours(text: text) : .otherJob(owner)
    } catch {
      throw .file(error)
    }
  }

  /// All units here that were made for a job file: names and marks.
  func units() throws(ScheduleInstallError) -> [(name: String, mark: String)] {
    do throws(FileError) {
      var units: [(String, String)] = []
      for name in try directory.names() where name.string.hasPrefix("smilepile-") {
        guard name.string.hasSuffix(".timer") || name.string.hasSuffix(".service") else { continue }
        guard case .otherJob(let mark) = (try? holder(of: name.string, mark: "")) ?? .foreign else {
          continue
        }
        units.append((name.string, mark))
      }
      return units
    } catch {
      throw .file(error)
    }
  }

  /// Writes a unit whole or not at all, in the place of one that was made for the same job; false if it was there
  /// like that already.
  func install(_ text: String, as name: String, mark: String) throws(ScheduleInstallError) -> Bool {
    switch try holder(of: name, mark: mark) {
    case .ours(text): return false
    case .nothing, .ours: break
    case .otherJob(let owner): throw .otherJob(directory.path(of: FilePath(name)), owner: owner)
    case .foreign: throw .foreignUnit(directory.path(of: FilePath(name)))
    }
    do throws(FileError) {
      try AtomicFile.replace(FilePath(name), in: directory.path, with: Array(text.utf8), mode: 0o644)
      return true
    } catch {
      throw .file(error)
    }
  }

  /// Removes a unit that was made for this job; false if there was none.
  func remove(_ name: String, mark: String) throws(ScheduleInstallError) -> Bool {
    switch try holder(of: name, mark: mark) {
    case .nothing: return false
    case .otherJob(let owner): throw .otherJob(directory.path(of: FilePath(name)), owner: owner)
    case .foreign: throw .foreignUnit(directory.path(of: FilePath(name)))
    case .ours: break
    }
    do throws(FileError) {
      try directory.remove(FilePath(name))
      try directory.sync()
      return true
    } catch {
      throw .file(error)
    }
  }
}
