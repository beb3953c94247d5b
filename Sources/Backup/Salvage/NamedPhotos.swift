import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import Zip

/// Finds the photos of an archive whose metadata is missing: the entries of `photos/`, or of `images/` in an HTML
/// gallery, at the root or in one folder. Both apps and this project store photos there as `photos/{id}_{name}`.
/// Also includes every image elsewhere in the archive.
struct NamedPhotos {
  /// Substitute metadata: one category, and a row for each photo.
  let metadata: Metadata
  /// The entries of these rows.
  let entries: [Entry]
  /// The entries that are left out, and why.
  let others: [Finding]

  /// - Throws: `BackupError.passwordNeeded` if the photos are encrypted and there is no password, `.wrongPassword`
  ///   if the password fits no photo.
  init(_ salvage: Salvage, _ proof: EntryProof, _ witnesses: SalvageWitnesses) throws {
    let isGallery = PhotoExport.isGallery(salvage.archive.entries)
    let folder = isGallery ? PhotoExport.gallery.folder : PhotoExport.statistics.folder
    var search = Search(salvage, proof, witnesses, folder: folder)
    try search.requirePassword()
    entries = try search.photos()
    others = search.others
    metadata = try Self.rows(of: entries, in: folder, proof).metadata
  }

  /// Returns a row for each entry, in the category “Rescued”.
  static func rows(of entries: [Entry], in folder: String, _ proof: EntryProof) throws -> EntryRows {
    // an entry without a timestamp in UTC is of an app, and may have the date of the export
    let taken = try entries.filter { $0.modified == nil }.reduce(into: [Int: Int64]()) { dates, entry in
      dates[entry.index] = try proof.dateTaken(of: entry)
    }
    return EntryRows(entries, in: folder, category: "Rescued", taken: taken)
  }
}

/// Finds the photos among an archive's entries.
private struct Search {
  private let salvage: Salvage
  private let proof: EntryProof
  private let witnesses: SalvageWitnesses
  /// The folder in which every entry is a photo.
  private let folder: String
  private(set) var others: [Finding] = []

  init(_ salvage: Salvage, _ proof: EntryProof, _ witnesses: SalvageWitnesses, folder: String) {
    self.salvage = salvage
    self.proof = proof
    self.witnesses = witnesses
    self.folder = folder
  }

  /// Checks the password against some of the entries, which have individual keys.
  func requirePassword() throws {
    guard salvage.needsPassword else { return }
    let archive = salvage.archive
    guard let password = proof.password, !password.isEmpty else {
      throw BackupError.passwordNeeded(archive.path)
    }
    var reader = try EntryReader(archive, password: password)
    let encrypted = archive.entries.filter(\.isEncrypted)
    let certain = encrypted.filter { !salvage.unverified.contains($0.index) }
    for entry in (certain.isEmpty ? encrypted : certain).prefix(16) where try reader.passwordFits(entry) {
      return
    }
    throw BackupError.wrongPassword(archive.path)
  }

  // MARK: Recognizing photos

  /// Returns one entry for each name of a photo. Records the other entries.
  mutating func photos() throws -> [Entry] {
    let files = salvage.archive.entries.filter { !$0.isDirectory && !$0.isIgnored && !$0.isTextOfBackup }
    let byName = Dictionary(grouping: files, by: \.name)
    var names: Set<String> = []
    var photos: [Entry] = []
    var offsets: Set<Int> = []
    var derived = 0
    for entry in files where names.insert(entry.name).inserted {
      try proof.whileReading(0)
      let same = byName[entry.name] ?? []
      guard let right = try witnesses.choose(among: same) else {
        leave(entry, witnesses.reason(toLeaveOut: entry, among: same.count))
        continue
      }
      // a header and a directory record may give two names to the same data
      guard offsets.insert(right.dataOffset).inserted || right.size == 0 else { continue }
      if entry.isDerived {
        derived += 1
      } else if try entry.isIn(folder) || isImage(right) {
        photos.append(right)
        let isAmbiguous = same.contains { other in
          !salvage.unverified.contains(other.index) && (other.size, other.crc32) != (right.size, right.crc32)
        }
        if isAmbiguous { leave(entry, "several entries have this name; only the first was copied") }
      }
    }
    if derived > 0 {
      others.append(
        Finding(.entry("thumbnails and pages of a gallery"), "they are not photos, and were not copied"))
    }
    return photos
  }

  /// Returns true if the first bytes of an entry are those of an image.
  private mutating func isImage(_ entry: Entry) throws -> Bool {
    guard let start = try proof.start(of: entry, count: PhotoKind.startLength) else {
      leave(entry, "it cannot be read")
      return false
    }
    if PhotoKind.isPhoto(entry.name, start: start) { return true }
    leave(entry, "it is not a photo, and nothing else in the archive identifies it")
    return false
  }

  private mutating func leave(_ entry: Entry, _ reason: String) {
    others.append(Finding(.entry(entry.name.escaped), reason))
  }
}
