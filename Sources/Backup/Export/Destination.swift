import FileSystem
import Foundation
import SystemPackage

/// Where an export goes: a folder, in which it gets a name with the time, or a file name that a person chose.
struct Destination {
  let folder: FilePath
  /// The name that a person chose, nil for a folder.
  let name: FilePath?

  /// - Throws: `BackupError.noSuchDestination`, `.destinationExists`, or `FileError`.
  init(_ path: FilePath) throws {
    if (try? Directory.open(path)) != nil {
      folder = path
      name = nil
      return
    }
    let parent = path.removingLastComponent()
    folder = parent.isEmpty ? "." : parent
    guard let last = path.lastComponent, last.kind == .regular else {
      throw BackupError.noSuchDestination(path)
    }
    name = FilePath(last.string)
    do {
      if try Directory.open(folder).status(of: FilePath(last.string)) != nil {
        throw BackupError.destinationExists(path)
      }
    } catch let error as FileError where error.isAbsence {
      throw BackupError.noSuchDestination(folder)
    }
  }

  /// The names to try: the chosen one; or `smilepile_backup_YYYYMMDD_HHMMSS` with the local time, and the seconds
  /// after it, for an hour.
  func names(at date: Date, fileExtension: String) -> [FilePath] {
    if let name { return [name] }
    let calendar = Calendar(identifier: .gregorian)
    return (0..<3600).lazy.map { second in
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: date.addingTimeInterval(Double(second)))
      let digits = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
        .enumerated().map { index, part in String(format: index == 0 ? "%04d" : "%02d", part ?? 0) }
      return FilePath(
        "smilepile_backup_\(digits[0...2].joined())_\(digits[3...5].joined()).\(fileExtension)")
    }
  }
}

extension FilePath {
  /// The path from the root, for a record that outlives this process's working folder.
  var absoluteString: String {
    FilePath(FileManager.default.currentDirectoryPath).pushing(self).lexicallyNormalized().string
  }
}
