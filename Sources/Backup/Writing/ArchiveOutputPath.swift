import FileSystem
import Foundation
import SystemPackage

/// The destination of an export: a folder, in which the archive gets a name with the time, or a file name that the
/// user chose.
struct ArchiveOutputPath {
  let folder: FilePath
  /// The name that the user chose, nil for a folder.
  let name: FilePath?

  /// - Throws: `BackupError.noSuchDestination`, `.destinationExists`, `.destinationInLibrary`, or `FileError`.
  init(_ path: FilePath, outside library: FilePath?) throws {
    try self.init(path)
    if let library, folder.leads(into: library) { throw BackupError.destinationInLibrary(path) }
  }

  private init(_ path: FilePath) throws {
    do {
      _ = try Directory.open(path)
      folder = path
      name = nil
      return
    } catch {
      guard error.isMissing else { throw error }
    }
    folder = path.folder
    guard let last = path.fileName else { throw BackupError.noSuchDestination(path) }
    name = last
    do {
      if try Directory.open(folder).status(of: last) != nil {
        throw BackupError.destinationExists(path)
      }
    } catch let error as FileError where error.errno == .noSuchFileOrDirectory {
      throw BackupError.noSuchDestination(folder)
    }
  }

  /// Returns the names to try, without part and extension: the chosen name, or `smilepile_backup_YYYYMMDD_HHMMSS`
  /// with the local time, for each second of an hour.
  func stems(at date: Date) -> some Sequence<String> {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyyMMdd_HHmmss"
    return (0..<(name == nil ? 3600 : 1)).lazy.map { second in
      let time = format.string(from: date.addingTimeInterval(Double(second)))
      return name?.stem ?? "smilepile_backup_\(time)"
    }
  }

  /// Returns the name of an archive. Adds the number of the part, if the archive is one of several.
  func name(_ stem: String, part: Metadata.Part? = nil, fileExtension: String) -> FilePath {
    if let name, part == nil { return name }
    let suffix = part.map { "_\($0.number)of\($0.count)" } ?? ""
    let ending = name.map { $0.extension.map { ".\($0)" } ?? "" } ?? ".\(fileExtension)"
    return FilePath(stem + suffix + ending)
  }

  /// Returns the first stem with which all of these names are free. Another process may take them later.
  func freeStem(at date: Date, _ names: (String) -> [FilePath]) throws -> String? {
    let directory = try Directory.open(folder)
    for stem in stems(at: date) {
      var isFree = true
      for name in names(stem) where isFree { isFree = try directory.status(of: name) == nil }
      if isFree { return stem }
    }
    return nil
  }
}
