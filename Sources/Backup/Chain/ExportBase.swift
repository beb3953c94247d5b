import ArchiveCatalog
import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// What an incremental export rests on: an archive and, if that is an increment itself, all those before it. A value,
/// made once from the opened archives.
package struct ExportBase: Sendable {
  /// The archive that the next one names as its base.
  package let path: FilePath
  /// The archives before it, the newest first.
  private let others: [FilePath]
  /// Its number.
  package let uuid: String
  /// The MD5 of its `metadata.json`.
  package let digest: MD5Digest
  /// When it was made, in milliseconds since 1970.
  package let exportDate: Int64
  /// When the full archive at the beginning of its chain was made: the last one for which every photo was read.
  let fullDate: Int64
  /// How many increments there are since the full archive, with this one: 0 for the full one.
  package let length: Int
  /// The lengths of the files that the chain holds, by their MD5.
  let files: [MD5Digest: Int]

  /// Opens the archives of a chain one after the other, the newest first.
  ///
  /// - Returns: nil if one was replaced since it was listed.
  /// - Parameter folder: the folder of the archives, as the user named it.
  init?(_ members: [ArchiveDescriptor], in folder: FilePath, password: Secret?) throws {
    guard let newest = members.first, let full = members.last, let uuid = newest.archiveID,
      let digest = newest.digest.flatMap({ MD5Digest(hex: $0) })
    else { return nil }
    var files: [MD5Digest: Int] = [:]
    for member in members {
      let source = try BackupSource(path: FilePath(member.path), limits: .own, password: password)
      guard source.metadataDigest?.description == member.digest else { return nil }
      for photo in source.photos {
        guard case .entry(let entry, let md5?) = photo.content, files[md5] == nil else { continue }
        files[md5] = entry.size
      }
    }
    path = folder.appending(newest.name)
    others = members.dropFirst().map { folder.appending($0.name) }
    (self.uuid, self.digest, self.files) = (uuid, digest, files)
    (exportDate, fullDate) = (newest.date, full.date)
    length = newest.base?.depth ?? 0
  }

  /// Whether the archive is still where it was found.
  func isThere() throws(FileError) -> Bool {
    guard let name = path.lastComponent else { return false }
    return try Directory.open(path.folder).status(of: FilePath(name.string))?.kind == .file
  }

  /// Flushes the archives of the chain to the disk, which costs nothing where that was done: what rests on them is no
  /// safer than they are.
  func sync() throws(FileError) {
    for path in [path] + others { try File.open(path, .readFollowingLinks).sync() }
  }

  /// Whether the chain holds a photo's file.
  func holds(_ photo: Photo) -> Bool {
    guard let md5 = photo.md5 else { return false }
    return files[md5] == photo.fileSize
  }
}

extension ExportPlan {
  /// The same plan without the files that the base holds. One that the library has lost, and the base has not, is held
  /// as the others are.
  ///
  /// - Parameter deletions: what was removed from the library since the base was made.
  func resting(on base: ExportBase, deletions: [PhotoLibrary.Deletion]) -> ExportPlan {
    var plan = self
    plan.base = base
    plan.held = photos.indices.filter { !photos[$0].isFromAssets && base.holds(photos[$0]) }
    plan.items = items.filter { !base.holds($0.photo) }
    plan.suspects = suspects(since: base.fullDate).filter(base.holds)
    plan.deletions = deletions.map { deletion in
      Metadata.Deletion(
        category: deletion.category, checksum: deletion.md5?.description, assetPath: deletion.assetPath,
        at: deletion.at.clamped(to: Metadata.dates))
    }
    return plan
  }

  /// What the archive says of its base; nil for a full one.
  var increment: Metadata.Increment? {
    guard let base else { return nil }
    var increment = Metadata.Increment(
      base: base.uuid, baseDigest: base.digest.description, length: base.length + 1)
    increment.held = held.map { index in
      let photo = photos[index]
      return Metadata.HeldFile(
        photoId: photo.id, originalPath: photo.originalPath, fileSize: Int64(photo.fileSize),
        checksum: photo.md5?.description ?? "")
    }
    increment.deletions = deletions
    return increment
  }

  /// A number for what was selected, nil for everything: equal for equal categories, dates and settings.
  static func selection(_ categories: [PhotoLibrary.Category], _ options: ExportOptions) -> String? {
    guard !options.isWhole else { return nil }
    var parts = options.categories.isEmpty ? ["all"] : ["some"] + categories.map(\.name).sorted()
    parts += [
      options.since.map(String.init) ?? "", options.until.map(String.init) ?? "",
      options.includesSettings ? "settings" : "",
    ]
    var digest = RunningMD5()
    for part in parts {
      var text = "\(part.utf8.count):\(part)"
      text.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
    }
    return digest.digest.description
  }
}
