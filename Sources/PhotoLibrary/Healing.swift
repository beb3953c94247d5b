import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage

/// Photos of a library get their right bytes back under way: they are staged, made durable, journalled, and put in
/// the place of the rotten or missing files. No row changes.
///
/// A rotten file is never deleted, since it may still be worth seeing: it is kept in `.rotten/<healing>/` under the
/// photo's id and file name. It gets that name first, as a second one, and then the right file is renamed over its
/// old name, so that at every moment one of the two is there. Where a file cannot have two names, it is moved
/// away first; if a crash comes between, the next writer finishes by the journal.
public final class Healing: Sendable {
  /// A photo and the file that was staged for it.
  public struct Item: Sendable {
    /// The row, as it is.
    public let photo: Photo
    /// The file's name in the staging folder.
    public let name: String

    /// Makes a value of these parts.
    public init(photo: Photo, name: String) {
      self.photo = photo
      self.name = name
    }
  }

  /// Where rotten files are kept.
  static let rottenFolder: FilePath = ".rotten"
  static let journalName: FilePath = "heal"
  static let unfinishedJournalName: FilePath = "heal.new"

  /// What a crash in the middle needs to be known.
  struct Journal: Codable {
    struct Item: Codable {
      /// The file's name in the staging folder.
      var name: String
      var path: String
      var md5: String
      /// The name that the rotten file gets.
      var rotten: String
    }
    var files: [Item]
  }

  let id = UUID().uuidString
  private let writer: LibraryWriter
  private let folder: FilePath
  private let staging: Directory

  init(_ writer: LibraryWriter) throws {
    self.writer = writer
    let library = writer.library
    try library.root.makeDirectory(Staging.folder)
    folder = Staging.folder.appending(id)
    try library.root.makeDirectory(folder)
    staging = try library.root.directory(folder)
  }

  /// Makes a new file in the staging folder. Any thread.
  public func stage(_ name: String) throws(FileError) -> File { try staging.open(FilePath(name), .create) }

  /// Takes a file back out of the staging folder. Any thread.
  public func unstage(_ name: String) throws(FileError) { try staging.remove(FilePath(name)) }

  /// Puts the staged files in their places. Durable when it returns.
  ///
  /// - Returns: the folder in the library that keeps what was in their places, nil if there was nothing.
  /// - Throws: `FileError`; some photos may have been healed then, and none is worse off.
  public func commit(_ items: [Item]) throws -> FilePath? {
    guard !items.isEmpty else { return nil }
    try Workers.forEach(0..<items.count, threads: 8) { index in
      try self.staging.open(FilePath(items[index].name), .read).sync()
    }
    let files = items.map { item in
      Journal.Item(
        name: item.name, path: item.photo.path, md5: item.photo.md5?.description ?? "",
        rotten: Self.rottenName(item.photo))
    }
    try write(Journal(files: files))
    var kept: FilePath?
    let byFolder = Dictionary(grouping: files) { FilePath($0.path).removingLastComponent().string }
    for (folder, files) in byFolder.sorted(by: { $0.key < $1.key }) {
      if try put(files, in: FilePath(folder)) { kept = Self.rottenFolder.appending(id) }
    }
    return kept
  }

  /// `17_IMG_0001.jpg`: a name that a person recognizes, and no other file of this healing has.
  private static func rottenName(_ photo: Photo) -> String {
    let prefix = "\(photo.id)_"
    let name = FilePath(photo.path).lastComponent?.string ?? ""
    return prefix + FileName.safe(name, limit: FileName.maximumBytes - prefix.utf8.count)
  }

  private func write(_ journal: Journal) throws {
    let unfinished = Self.unfinishedJournalName
    do {
      let file = try staging.open(unfinished, .create)
      try file.write(Array(JSONEncoder().encode(journal)), at: 0)
      try file.sync()
    }
    try staging.replace(Self.journalName, with: unfinished)
    try staging.sync()
    try writer.library.root.directory(Staging.folder).sync()
    try writer.library.root.sync()
  }

  /// Heals the photos of one folder.
  ///
  /// - Returns: whether something was in the place of one.
  private func put(_ files: [Journal.Item], in folder: FilePath) throws -> Bool {
    let library = writer.library
    try library.root.makeDirectories(folder)
    let target = try library.root.directory(folder)
    var linked: [Journal.Item] = []
    var moved: [Journal.Item] = []
    var missing: [Journal.Item] = []
    for file in files {
      switch try target.status(of: Self.last(file.path))?.kind {
      case nil: missing.append(file)
      case .file?: linked.append(file)
      case .directory?, .symbolicLink?, .other?: moved.append(file)
      }
    }
    if !linked.isEmpty || !moved.isEmpty {
      let rottenPath = Self.rottenFolder.appending(id)
      try library.root.makeDirectories(rottenPath)
      let rotten = try library.root.directory(rottenPath)
      for file in linked where try !link(file, in: target, to: rotten) { moved.append(file) }
      let cannotBeLinked = Set(moved.map(\.path))
      linked.removeAll { cannotBeLinked.contains($0.path) }
      try rotten.sync()
      for file in linked { try library.root.replace(FilePath(file.path), with: staged(file)) }
      try move(moved, from: target, to: rotten)
    }
    for file in missing { try staging.rename(FilePath(file.name), to: target, as: Self.last(file.path)) }
    try target.sync()
    return !linked.isEmpty || !moved.isEmpty
  }

  /// Gives a rotten file its second name; false where that cannot be.
  private func link(
    _ file: Journal.Item, in target: borrowing Directory, to rotten: borrowing Directory
  ) throws -> Bool {
    do {
      try rotten.link(target.open(Self.last(file.path), .read), as: FilePath(file.rotten))
      return true
    } catch {
      // no links on FAT, none to other people's files; whatever it is, moving it needs no link
      if error.errno == .noSpace || error.errno == .ioError { throw error }
      return false
    }
  }

  /// Moves rotten files away and puts the right ones in their places. Between the two a reader finds nothing, so
  /// this waits for those who read.
  private func move(
    _ files: [Journal.Item], from target: borrowing Directory, to rotten: borrowing Directory
  ) throws {
    guard !files.isEmpty else { return }
    let lock = try FileLock("readers.lock", in: writer.library.root, waiting: .seconds(10))
    for file in files {
      try target.rename(Self.last(file.path), to: rotten, as: FilePath(file.rotten))
      try rotten.sync()
      try staging.rename(FilePath(file.name), to: target, as: Self.last(file.path))
    }
    try target.sync()
    lock.release()
  }

  private func staged(_ file: Journal.Item) -> FilePath {
    folder.appending(FilePath(file.name).components)
  }

  static func last(_ path: String) -> FilePath {
    FilePath(FilePath(path).lastComponent?.string ?? "")
  }
}

extension LibraryWriter {
  /// Gives photos their right bytes back: `body` stages files and commits. Whatever way it ends, nothing stays in
  /// `.staging`.
  public func heal<Value>(_ body: (Healing) throws -> Value) throws -> Value {
    let healing = try Healing(self)
    let value: Value
    do {
      value = try body(healing)
    } catch {
      // as after a crash; if this fails too, the next start does it
      _ = try? finish(healing.id)
      throw error
    }
    // the photos are healed; what cannot be removed now is removed by the next writer
    try? removeStaging(healing.id)
    return value
  }

  /// Sees that no photo is without a file where a healing was cut short between moving a rotten file away and
  /// putting the right one in its place: that one is put there, or else the rotten one back.
  func finishHealing(_ changeId: String, in folder: FilePath) throws {
    let path = folder.appending(Healing.journalName.components)
    guard let status = try library.root.status(of: path), status.kind == .file else { return }
    let bytes = try library.root.open(path, .read).read(status.size, at: 0)
    guard let journal = try? JSONDecoder().decode(Healing.Journal.self, from: Data(bytes)) else { return }
    for item in journal.files {
      let place = FilePath(item.path)
      guard place.string == item.path, place.starts(with: "photos"), place.lexicallyNormalized() == place,
        FilePath.Component(item.name) != nil, FilePath.Component(item.rotten) != nil,
        try library.root.status(of: place) == nil, try hasPhoto(item)
      else { continue }
      let staged = folder.appending(item.name)
      let rotten = Healing.rottenFolder.appending(changeId).appending(item.rotten)
      if let digest = try? MD5Digest.ofFile(library.root.open(staged, .read)).digest,
        digest.description == item.md5
      {
        try library.root.open(staged, .read).sync()
        try putBack(staged, at: place)
      } else if try library.root.status(of: rotten) != nil {
        try putBack(rotten, at: place)
      }
    }
  }

  private func putBack(_ file: FilePath, at place: FilePath) throws {
    let parent = place.removingLastComponent()
    try library.root.makeDirectories(parent)
    try library.root.rename(file, to: library.root, as: place)
    try library.root.directory(parent).sync()
  }

  private func hasPhoto(_ item: Healing.Journal.Item) throws -> Bool {
    guard let md5 = MD5Digest(hex: item.md5) else { return false }
    return try library.read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT * FROM photo WHERE path = ? AND md5 = ? AND NOT isFromAssets)",
        arguments: [item.path, md5]) ?? false
    }
  }
}
