import FileSystem
import Operations
import PhotoLibrary
import Secrets
import Zip

/// Finds the photos of an archive whose metadata is missing: the entries of `photos/`, or of `images/` in an HTML
/// gallery, at the root or in one folder. Both apps and this project store photos there as `photos/{id}_{name}`.
/// Also includes every image elsewhere in the archive.
struct NamedPhotos {
  /// Substitute metadata: one category, and a row for each photo.
  private(set) var metadata = Metadata()
  /// The entries of these rows.
  private(set) var entries: [Entry] = []
  /// The entries that are not used, and why.
  private(set) var others: [Finding] = []

  /// Reads the entries whose names do not show that they are photos.
  ///
  /// - Throws: `BackupError.passwordNeeded` if the photos are encrypted and there is no password, `.wrongPassword`
  ///   if the password fits no photo.
  init(_ salvage: Salvage, _ digests: EntryDigests, _ evidence: ChecksumEvidence) throws {
    try Self.requirePassword(salvage, digests.password)
    let all = salvage.archive.entries
    let folder = PhotoExport.isGallery(all) ? PhotoExport.gallery.folder : PhotoExport.statistics.folder
    var photos: [Entry] = []
    var offsets: Set<Int> = []
    var hasDerived = false
    let files = all.filter { !$0.isDirectory && !$0.isIgnored && !$0.isTextOfBackup }
    try evidence.choose(among: files) { same, chosen in
      guard let right = chosen else { return skip(same[0], evidence.reason(toSkip: same)) }
      // a header and a directory record may give two names to the same data
      guard offsets.insert(right.dataOffset).inserted || right.size == 0 else { return }
      if right.isDerived {
        hasDerived = true
      } else if try right.isIn(folder) || isImage(right, digests) {
        photos.append(right)
        let isAmbiguous = same.contains { other in
          salvage.isVerified(other) && (other.size, other.crc32) != (right.size, right.crc32)
        }
        if isAmbiguous { skip(right, "several entries have this name; only the first was copied") }
      }
    }
    if hasDerived {
      others.append(
        Finding(.entry("thumbnails and pages of a gallery"), "they are not photos, and were not copied"))
    }
    entries = photos
    metadata = try EntryRows(rescued: photos, in: folder, digests).metadata
  }

  /// Checks the password against some of the entries, which have individual keys.
  private static func requirePassword(_ salvage: Salvage, _ password: Secret?) throws {
    guard salvage.needsPassword else { return }
    let archive = salvage.archive
    guard let password, !password.isEmpty else { throw BackupError.passwordNeeded(archive.path) }
    var reader = try EntryReader(archive, password: password)
    let encrypted = archive.entries.filter(\.isEncrypted)
    let certain = encrypted.filter(salvage.isVerified)
    for entry in (certain.isEmpty ? encrypted : certain).prefix(16) where try reader.passwordFits(entry) {
      return
    }
    throw BackupError.wrongPassword(archive.path)
  }

  /// Returns true if the first bytes of an entry are those of an image.
  private mutating func isImage(_ entry: Entry, _ digests: EntryDigests) throws -> Bool {
    guard let start = try digests.start(of: entry, count: PhotoKind.startLength) else {
      skip(entry, "it cannot be read")
      return false
    }
    if PhotoKind.isPhoto(entry.name, start: start) { return true }
    skip(entry, "it is not a photo, and nothing else in the archive identifies it")
    return false
  }

  private mutating func skip(_ entry: Entry, _ reason: String) {
    others.append(Finding(.entry(entry.name.escaped), reason))
  }
}

extension EntryRows {
  /// Makes a row for each entry, in the category “Rescued”. Reads the image headers of entries without a timestamp in UTC:
  /// an app made them, and their other dates may be that of the export.
  init(rescued entries: [Entry], in folder: String, _ digests: EntryDigests) throws {
    let taken = try entries.filter { $0.modified == nil }.reduce(into: [:]) { dates, entry in
      dates[entry.index] = try digests.dateTaken(of: entry)
    }
    self.init(entries, in: folder, category: "Rescued", taken: taken)
  }
}
