import FileSystem
import Foundation
import Operations
import SystemPackage

/// The folder of one change in `.staging`: files come into it under names of this program's own, and the journal that
/// says where they go.
final class StagingFolder: Sendable {
  /// The folder's name, and what the database knows the change by.
  let id = UUID().uuidString
  /// The folder's path in the library.
  let path: FilePath
  let directory: Directory
  private let folders = PhotoFolders()
  private let library: Library

  init(in library: Library) throws {
    self.library = library
    try library.root.makeDirectory(Staging.folder)
    path = Staging.folder.appending(id)
    try library.root.makeDirectory(path)
    directory = try library.root.directory(path)
  }

  /// Makes a folder for each folder of these paths, under a number, and returns the paths with the numbers.
  func makeFolders(for paths: [String]) throws(FileError) -> [String] {
    var numbers: [Substring: Int] = [:]
    var names: [String] = []
    names.reserveCapacity(paths.count)
    for path in paths {
      let (folder, name) = path.folderAndName
      let number = numbers[folder] ?? numbers.count
      if number == numbers.count {
        try directory.makeDirectory(FilePath(String(number)))
        numbers[folder] = number
      }
      names.append("\(number)/\(name)")
    }
    return names
  }

  /// Makes a new file. Any thread.
  func stage(_ name: String) throws(FileError) -> File { try folders.open(name, .create, in: directory) }

  /// Takes a file back out. Any thread.
  func unstage(_ name: String) throws(FileError) { try directory.remove(FilePath(name)) }

  /// Makes files durable: many together with the rest of their file system, where that is possible.
  func sync(_ names: [String]) throws {
    // the folder is older than the files, so that it hears of each page of them that was lost
    if names.count >= Self.manyFiles, try directory.syncFileSystem() { return }
    try Workers.forEach(0..<names.count, threads: 8) { index in
      try self.directory.open(FilePath(names[index]), .read).sync()
    }
  }

  static let manyFiles = 32

  /// Files whose lines of a journal are made at a time: the encoder takes some ten times the memory of what it makes.
  private static let filesAtATime = 1_000

  /// Writes a journal `{"files": […]}`, whole under its name or not at all.
  func write<File>(
    journalOf files: [File], as kind: Staging.JournalKind, syncs: Bool, _ item: (File) -> some Encodable
  ) throws {
    do {
      let file = try directory.open(kind.unfinishedName, .create)
      let encoder = JSONEncoder()
      var length = 0
      var rest = files[...]
      repeat {
        let items = try encoder.encode(rest.prefix(Self.filesAtATime).map(item))
        rest = rest.dropFirst(Self.filesAtATime)
        var bytes = Array((length == 0 ? #"{"files":["# : ",").utf8)
        bytes += items.dropFirst().dropLast()
        if rest.isEmpty { bytes += Array("]}".utf8) }
        try file.write(bytes, at: length)
        length += bytes.count
      } while !rest.isEmpty
      if syncs { try file.sync() }
    }
    try directory.replace(kind.name, with: kind.unfinishedName)
    guard syncs else { return }
    try directory.sync()
    try library.root.directory(Staging.folder).sync()
    try library.root.sync()
  }
}
