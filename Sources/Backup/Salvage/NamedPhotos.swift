import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import Zip

/// The photos of an archive whose metadata is lost: what lies in `photos/`, at the root or in one folder, where both
/// apps and this project put them as `photos/{id}_{name}`; and wherever else something lies that is an image.
struct NamedPhotos {
  /// A stand-in: one category, and a row for each photo.
  private(set) var metadata = Metadata()
  /// The entries of these rows.
  private(set) var entries: [Entry] = []
  /// What is in the archive and does not come along, and why.
  private(set) var others: [Finding] = []

  private let salvage: Salvage
  private let proof: EntryProof

  /// The category into which such photos come.
  static let category = Metadata.CategoryRecord(
    id: 1, name: "rescued", displayName: "Rescued", position: 0, createdAt: 0)

  /// - Throws: `BackupError.passwordNeeded` where the photos are encrypted and there is no password, `.wrongPassword`
  ///   where it fits none of them.
  init(_ salvage: Salvage, _ proof: EntryProof) throws {
    self.salvage = salvage
    self.proof = proof
    try requirePassword()
    var ids: Set<Int64> = []
    var unnumbered: [Entry] = []
    for entry in try photos() {
      if let (id, name) = Self.idAndName(of: entry), ids.insert(id).inserted {
        add(entry, id: id, name: name)
      } else {
        unnumbered.append(entry)
      }
    }
    var next = (ids.max() ?? 0) + 1
    for entry in unnumbered {
      add(entry, id: next, name: FileName.lastComponent(of: entry.name))
      next += 1
    }
    if !metadata.photos.isEmpty { metadata.categories = [Self.category] }
  }

  /// Asks some of the entries, which have keys of their own, whether the password fits them.
  private func requirePassword() throws {
    guard salvage.needsPassword else { return }
    let archive = salvage.archive
    guard let password = proof.password, !password.isEmpty else {
      throw BackupError.passwordNeeded(archive.path)
    }
    var reader = try EntryReader(archive, password: password)
    let encrypted = archive.entries.filter(\.isEncrypted)
    let certain = encrypted.filter { !salvage.unproven.contains($0.index) }
    for entry in (certain.isEmpty ? encrypted : certain).prefix(16) where try reader.passwordFits(entry) {
      return
    }
    throw BackupError.wrongPassword(archive.path)
  }

  // MARK: What is a photo

  /// One entry for each name that is a photo's; the others are noted.
  private mutating func photos() throws -> [Entry] {
    let files = salvage.archive.entries.filter { !$0.isDirectory && !$0.isIgnored && !$0.isTextOfBackup }
    let byName = Dictionary(grouping: files, by: \.name)
    var names: Set<String> = []
    var photos: [Entry] = []
    var thumbnails = 0
    for entry in files where names.insert(entry.name).inserted {
      try proof.whileReading(0)
      let same = byName[entry.name] ?? []
      guard
        let right = try same.first(where: {
          try !salvage.unproven.contains($0.index) || proof.isOpenedByPassword($0)
        })
      else {
        leave(entry, entry.reasonWhyUnproven(among: same.count))
        continue
      }
      if entry.isThumbnail {
        thumbnails += 1
      } else if try entry.isInPhotos || isImage(right) {
        photos.append(right)
        let isAmbiguous = same.contains { other in
          !salvage.unproven.contains(other.index) && (other.size, other.crc32) != (right.size, right.crc32)
        }
        if isAmbiguous { leave(entry, "there are several of this name, and only the first comes along") }
      }
    }
    if thumbnails > 0 {
      others.append(Finding("thumbnails", "they are no photos of their own, and do not come along"))
    }
    return photos
  }

  /// Whether an entry is an image, by its first bytes.
  private mutating func isImage(_ entry: Entry) throws -> Bool {
    guard let start = try proof.start(of: entry, count: PhotoKind.startLength) else {
      leave(entry, "it cannot be read")
      return false
    }
    if PhotoKind.isPhoto(entry.name, start: start) { return true }
    leave(entry, "it is no photo, and nothing else in the archive says what it is")
    return false
  }

  private mutating func leave(_ entry: Entry, _ reason: String) {
    others.append(Finding(entry.name.escaped, reason))
  }

  // MARK: What the names say

  /// The number in front of the name of a photo, and the rest; an encrypted archive says no more than the number.
  private static func idAndName(of entry: Entry) -> (Int64, name: String)? {
    guard entry.isInPhotos else { return nil }
    let fileName = FileName.lastComponent(of: entry.name)
    let digits = fileName.prefix { $0.isASCII && $0.isNumber }
    let rest = fileName.dropFirst(digits.count)
    guard let id = Int64(digits), IDs.range.contains(id) else { return nil }
    if rest.first == "_" { return (id, String(rest.dropFirst())) }
    return entry.isEncrypted && (rest.isEmpty || rest.first == ".") ? (id, fileName) : nil
  }

  private mutating func add(_ entry: Entry, id: Int64, name: String) {
    let fileName = FileName.lastComponent(of: entry.name)
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    metadata.photos.append(
      Metadata.PhotoRecord(
        id: id, path: "photos/\(fileName)", categoryId: Self.category.id,
        name: stem.isEmpty ? name : String(stem), createdAt: entry.modifiedInLocalTime ?? 0,
        fileSize: Int64(entry.size)))
    metadata.photoManifest.append(
      Metadata.ManifestEntry(
        photoId: id, originalPath: name.isEmpty ? fileName : name, zipEntryName: entry.name,
        fileName: fileName, fileSize: Int64(entry.size)))
    entries.append(entry)
  }
}
