import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// What a backup says of itself, read from its own metadata.
public struct ArchiveRecord: Sendable, Equatable, Codable {
  /// Where it lies, from the root.
  public var path: String
  /// The file's length in bytes.
  public var fileBytes: Int
  /// The backup's own number; nil in those of the apps.
  public var uuid: String?
  /// The number of the library that it was made of.
  public var library: String?
  /// When it was made, in milliseconds since 1970; the file's date where the backup does not say.
  public var date: Int64
  /// The rows.
  public var photos = 0
  /// Photos whose files are in it.
  public var photoFiles = 0
  /// The categories.
  public var categories = 0
  /// Bytes of the photo files in it.
  public var bytes = 0
  /// Some of it is encrypted.
  public var isEncrypted = false
  /// It is encrypted, and there is no password that opens it: nothing else is known of it.
  public var isLocked = false
  /// It holds a selection, one part of a set, or less than it should, or it is a document without photo files.
  public var isPartial = false
  /// It is a JSON document, which holds no photo files.
  public var isDocument = false
  /// What was selected: equal for equal selections, nil for everything.
  public var selection: String?
  /// Photos that it promises and whose files it does not hold; those that its base holds are not among them.
  public var absent = 0
  /// Photos of the library that are not in it, or not as they should be, in archives of this project's.
  public var lacking: [Lack] = []
  /// The MD5 of what was selected; equal for two backups of one state.
  public var state: String?
  /// What it was called.
  public var tags: [String] = []
  /// Its place in a set.
  public var part: Part?
  /// What it rests on.
  public var base: Base?
  /// The MD5 of its `metadata.json`, by which an increment knows it.
  public var digest: String?
  /// Photos could not be rescued when it was repaired or flattened; nil if none is known of.
  var hasLost: Bool?
  /// The same of the archives that it was repaired from; nil if it was not.
  public var repairedFrom: [String]?

  /// One of several archives that hold a library together.
  public struct Part: Sendable, Equatable, Codable {
    /// The number that all parts share.
    public var set: String
    /// From 1.
    public var number: Int
    /// How many there are.
    public var count: Int
  }

  /// A photo that is not in an archive as it should be.
  public struct Lack: Sendable, Equatable, Codable {
    /// The photo's number in the library.
    public var id: Int64
    /// How messages name it.
    public var photo: String
    /// It is there as it was in the library, where its bytes had changed; else it is not there.
    public var isDamaged: Bool

    /// The photo and what is wrong with it.
    public var finding: Finding {
      Finding(
        photo,
        isDamaged
          ? "it was already damaged when the backup was made"
          : "it could not be read when the backup was made")
    }
  }

  /// The archive that an increment rests on.
  public struct Base: Sendable, Equatable, Codable {
    /// Its number.
    public var uuid: String
    /// The MD5 of its `metadata.json`.
    public var digest: String
    /// How many increments there are since the full backup.
    public var length: Int
  }

  /// The same under another path.
  func moved(to path: String) -> Self {
    var record = self
    record.path = path
    return record
  }

  /// The file's name.
  public var name: String { FilePath(path).lastComponent?.string ?? path }

  /// It is what could be rescued of another, and does not stand for that where something is decided: not all was. Those of
  /// an earlier version are told by being marked as a part of everything.
  public var isRemnant: Bool {
    hasLost == true || isPartial && !isDocument && selection == nil && part == nil
  }

  /// Whether it was made under a clock that went ahead, so that it says nothing of today.
  public func isAhead(of now: Date) -> Bool { Self.isAhead(date, of: now) }

  /// The clocks of two computers that share a folder may be a minute apart.
  static func isAhead(_ date: Int64, of now: Date) -> Bool { date > now.milliseconds + 60_000 }

  /// Whether this project made it, as far as one can tell.
  public var isOurs: Bool { uuid != nil }

  /// Reads a backup's directory and metadata, and no photo. Blocks; writes nothing.
  ///
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` where the file cannot be read as a backup. One that is
  ///   encrypted and that the password does not open is no error.
  public init(path: FilePath, password: Secret? = nil, limits: Limits = Limits()) throws {
    try self.init(fileAt: path)
    do {
      let source = try BackupSource(path: path, limits: limits, password: password)
      fill(from: source)
    } catch BackupError.passwordNeeded, BackupError.wrongPassword, BackupError.wrongPasswordOrDamaged {
      isEncrypted = true
      isLocked = true
    }
  }

  /// What a backup that is open says of itself. Blocks; writes nothing.
  ///
  /// - Throws: `BackupError` or `FileError` where its file is not there any more.
  init(_ source: BackupSource) throws {
    try self.init(fileAt: source.path)
    fill(from: source)
  }

  /// What can be said of the file.
  private init(fileAt path: FilePath) throws {
    do {
      let status = try File.open(path, .readFollowingLinks).status()
      self.path = path.absoluteString
      fileBytes = status.size
      date = status.modified
    } catch {
      throw error.isAbsence ? BackupError.noSuchBackup(path) : error as any Error
    }
  }

  private mutating func fill(from source: BackupSource) {
    let metadata = source.metadata
    date = metadata.exportDate ?? date
    photos = source.photos.count
    photoFiles = source.photoFiles
    categories = metadata.categories.count
    bytes = source.photoBytes
    isEncrypted = source.archive?.entries.contains { $0.isEncrypted } ?? false
    digest = source.metadataDigest?.description
    absent = source.photos.count(where: \.isAbsent)
    guard let provenance = metadata.smilepile else { return }
    uuid = provenance.uuid
    library = provenance.library
    isDocument = source.format == .json
    isPartial = provenance.isPartial || isDocument
    selection = provenance.selection
    if !isDocument {
      lacking = source.photos.filter { $0.isAbsent || $0.expected != nil }.map { photo in
        Lack(id: photo.record.id, photo: source.label(of: photo), isDamaged: !photo.isAbsent)
      }
    }
    state = provenance.state
    hasLost = provenance.isRemnant ? true : nil
    repairedFrom = provenance.repairedFrom.isEmpty ? nil : provenance.repairedFrom
    tags = provenance.tags
    part = provenance.part.map { Part(set: $0.set, number: $0.number, count: $0.count) }
    base = provenance.increment.map { Base(uuid: $0.base, digest: $0.baseDigest, length: $0.length) }
  }
}

extension BackupSource.Photo {
  /// The backup promises its file, and neither has it nor says that another archive has.
  fileprivate var isAbsent: Bool {
    if case .absent = content { !isHeld } else { false }
  }
}
