import Checksums
import FileSystem
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// The archives of a folder, found by what they say of themselves and never by their names. They are looked at one
/// after the other, the newest first, and no further than needed: whoever asks for a base mostly asks for one of the last.
final class ArchiveFolder {
  private let limits: Limits
  private let password: Secret?
  private let check: () throws -> Void
  /// What has not been looked at, the next one last.
  private var rest: [FilePath]
  private var found: [Identity] = []
  /// What the disk did not give, so that what was asked for may be there all the same.
  private(set) var unreadable: [any Error] = []

  private init(
    files: [FilePath], limits: Limits, password: Secret?, check: @escaping () throws -> Void
  ) {
    rest = files.reversed()
    self.limits = limits
    self.password = password
    self.check = check
  }

  /// - Parameter check: called between archives, and may throw to give up.
  convenience init(
    _ path: FilePath, limits: Limits, password: Secret?, check: @escaping () throws -> Void
  ) throws {
    self.init(files: try Self.files(of: path), limits: limits, password: password, check: check)
  }

  /// The archives beside one. A folder that cannot be read has none, and is `unreadable`.
  convenience init(
    beside archive: FilePath, limits: Limits, password: Secret?, check: @escaping () throws -> Void
  ) throws {
    var fault: (any Error)?
    let files = try Self.attempt(noting: { fault = $0 }) { try Self.files(of: archive.folder) }
    self.init(files: files ?? [], limits: limits, password: password, check: check)
    if let fault { unreadable.append(fault) }
  }

  /// The files of a folder, those that were changed last first.
  static func files(of path: FilePath) throws -> [FilePath] {
    let folder = try Directory.open(path)
    var files: [(path: FilePath, modified: Int64)] = []
    for name in try folder.names() {
      do {
        // one that went in the meantime is none
        guard let status = try folder.status(of: name), status.kind == .file, status.size > 0 else {
          continue
        }
        files.append((path.appending(name.components), status.modified))
      } catch {
        // whoever gets to it hears what is wrong with it
        files.append((path.appending(name.components), .min))
      }
    }
    return files.sorted { ($0.modified, $0.path.string) > ($1.modified, $1.path.string) }.map(\.path)
  }

  /// The backup of this number whose `metadata.json` has this MD5, and before it what was repaired from it, where that was
  /// changed later, as it mostly was: the folder is searched no further than to that backup. The MD5 decides, since it
  /// vouches for every file; a number alone could be another archive's that somebody has made of it.
  func backups(_ uuid: String, _ digest: MD5Digest) throws -> [BackupSource] {
    var repaired: [BackupSource] = []
    for other in found where other.repairedFrom.contains(digest.description) {
      if let source = try open(other.path, uuid, digest) { repaired.append(source) }
    }
    for other in found where other.digest == digest {
      if let source = try open(other.path, uuid, digest) { return repaired + [source] }
    }
    while let path = rest.popLast() {
      try check()
      guard let other = try attempt({ try identity(of: path) }) else { continue }
      found.append(other)
      guard other.digest == digest || other.repairedFrom.contains(digest.description),
        let source = try open(path, uuid, digest)
      else { continue }
      repaired.append(source)
      if other.digest == digest { break }
    }
    return repaired
  }

  /// What an archive is to those that rest on it.
  private struct Identity {
    let path: FilePath
    let digest: MD5Digest
    /// The MD5 of the archives that it was repaired from.
    let repairedFrom: [String]
  }

  private func open(_ path: FilePath, _ uuid: String, _ digest: MD5Digest) throws -> BackupSource? {
    let source = try attempt { try BackupSource(path: path, limits: limits, password: password) }
    guard let source, source.stands(for: uuid, digest) else { return nil }
    return source
  }

  /// Looks at the MD5 of an archive's `metadata.json`, and into it only where it speaks of a repair.
  private func identity(of path: FilePath) throws -> Identity? {
    guard try Archive.isArchive(File.open(path, .read)) else { return nil }
    let archive = try Archive(path: path, limits: limits)
    let (entry, _) = try BackupSource.metadataEntry(archive)
    let document = try BackupSource.document(in: entry, of: archive, limits, password)
    let digest = MD5Digest(hashing: document)
    // whoever repairs writes it behind all lists of photos
    guard document.suffix(64 << 10).contains(Array("\"repairedFrom\"".utf8)) else {
      return Identity(path: path, digest: digest, repairedFrom: [])
    }
    let reading = try BackupSource.reading(consume document, .zip, "", path, limits)
    return Identity(
      path: path, digest: digest, repairedFrom: reading.metadata.smilepile?.repairedFrom ?? [])
  }

  private func attempt<Value>(_ body: () throws -> Value?) throws -> Value? {
    try Self.attempt(noting: { unreadable.append($0) }, body)
  }

  /// Nil for what cannot be read, as strangers' files and damaged archives.
  ///
  /// - Parameter note: told what the disk did not give.
  static func attempt<Value>(
    noting note: (any Error) -> Void = { _ in }, _ body: () throws -> Value?
  ) throws -> Value? {
    do {
      return try body()
    } catch is BackupError {
      return nil
    } catch let error as ArchiveError {
      guard case .file(let fault) = error else { return nil }
      if fault.isShortage { throw fault }
      note(fault)
      return nil
    } catch let error as FileError where !error.isShortage {
      note(error)
      return nil
    }
  }
}

extension MD5Digest {
  /// The MD5 of some bytes.
  init(hashing bytes: [UInt8]) {
    var hash = RunningMD5()
    bytes.withUnsafeBytes { hash.update($0) }
    self = hash.digest
  }
}
