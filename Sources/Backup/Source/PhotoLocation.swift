import Checksums
import FileSystem
import PhotoLibrary
import SystemPackage
import Zip

/// Where the bytes of a photo are.
package enum PhotoLocation: Sendable {
  /// An asset of the app, which has no file.
  case asset
  /// An entry of the archive, or of an archive in its chain. Indirect, so that photos without an entry need less
  /// memory.
  indirect case entry(EntryReference)
  /// A file in the folder of `ImportOptions.photosFrom`, with its length and MD5.
  case file(FilePath, size: Int, md5: MD5Digest)
  /// Unavailable, with the cause.
  case unavailable(Unavailable)

  /// The length of the file in bytes; nil if there is no file.
  package var size: Int? {
    switch self {
    case .asset, .unavailable: nil
    case .entry(let reference): reference.entry.size
    case .file(_, let size, _): size
    }
  }

  /// The MD5 that the file has or should have; nil if it is unknown.
  package var md5: MD5Digest? {
    switch self {
    case .asset: nil
    case .entry(let reference): reference.md5
    case .file(_, _, let md5): md5
    case .unavailable(let unavailable): unavailable.md5
    }
  }

  /// The MD5 and size of the file; nil if one of them is unknown.
  package var content: FileContent? { md5.flatMap { md5 in size.map { FileContent(md5: md5, size: $0) } } }

  /// Why the bytes are unavailable; nil if they are available, or an asset of the app.
  package var unavailable: Unavailable? {
    if case .unavailable(let unavailable) = self { unavailable } else { nil }
  }

  /// The entry, if the archive itself contains it.
  var ownEntry: EntryReference? {
    if case .entry(let reference) = self, reference.base == nil { reference } else { nil }
  }

  /// True if the file is stored in the base or its chain, or should be.
  var isStoredInBase: Bool {
    switch self {
    case .entry(let reference): reference.base != nil
    case .unavailable(let unavailable): unavailable.isStoredInBase
    case .asset, .file: false
    }
  }

  /// True if a password is needed to read the bytes.
  var isEncrypted: Bool {
    if case .entry(let reference) = self { reference.entry.isEncrypted } else { false }
  }
}

/// An entry that has a photo's bytes.
package struct EntryReference: Sendable {
  /// The entry.
  package let entry: Entry
  /// The MD5 in the manifest; nil if the manifest has no MD5.
  package let md5: MD5Digest?
  /// The index of the entry's archive among the bases of the chain; nil for the archive itself.
  let base: Int32?

  init(_ entry: Entry, md5: MD5Digest?, base: Int32? = nil) {
    (self.entry, self.md5, self.base) = (entry, md5, base)
  }
}

/// Why the bytes of a photo are unavailable.
package struct Unavailable: Sendable {
  /// The cause.
  package enum Cause: Sendable {
    /// The backup is a JSON document.
    case documentOnly
    /// The file was missing in the library before the backup was made or repaired.
    case missingBeforeBackup(isRepaired: Bool)
    /// The file is stored in the archive with this ID, or in the chain of that archive.
    case storedInBase(archiveID: String)
    /// The file is stored in the base with this ID, which is missing.
    case baseMissing(archiveID: String)
    /// No archive of the complete chain has the file.
    case notInChain
    /// The archive has no entry with this name.
    case notInArchive(name: String)
    /// The entry with this name belongs to another photo too.
    case sharedEntry(name: String)
    /// The bytes are corrupt or cannot be read, for this reason.
    case damaged(String)
    /// No file with this name and size was found.
    case notFound(name: String, size: Int)
    /// Several files have the photo's name and size.
    case ambiguous([FilePath])
    /// The file with the photo's name and size has other bytes.
    case otherContent(FilePath)
  }

  /// The cause.
  package let cause: Cause
  /// The MD5 in the backup; nil if it is unknown. The library may have the photo.
  package let md5: MD5Digest?

  init(_ cause: Cause, md5: MD5Digest? = nil) {
    (self.cause, self.md5) = (cause, md5)
  }
}

extension Unavailable {
  /// True if an archive should have the file but does not.
  var isDamage: Bool {
    switch cause {
    case .notInChain, .notInArchive, .sharedEntry, .damaged: true
    case .documentOnly, .missingBeforeBackup, .storedInBase, .baseMissing, .notFound, .ambiguous,
      .otherContent:
      false
    }
  }

  /// True if the file should be stored in the base or its chain.
  var isStoredInBase: Bool {
    switch cause {
    case .storedInBase, .baseMissing, .notInChain: true
    default: false
    }
  }

  /// True if no archive is expected to have the file: it was missing before the backup was made, or the backup is a
  /// JSON document, with or without a folder of `photosFrom`.
  var isExpectedInNoArchive: Bool { !isDamage && !isStoredInBase }

  /// The cause, for a message.
  package var reason: String {
    switch cause {
    case .documentOnly: return "a JSON backup has no photo files"
    case .missingBeforeBackup(let isRepaired):
      return "its file was lost before the backup was \(isRepaired ? "made, or repaired" : "made")"
    case .storedInBase(let archiveID):
      return "its file is in the base, archive \(archiveID.shortened.escaped)"
    case .baseMissing(let archiveID):
      return
        "its file is in the base, archive \(archiveID.shortened.escaped), which is missing or cannot be read"
    case .notInChain: return "no archive of the chain contains its file"
    case .notInArchive(let name): return "its file \(name.shortened.escaped) is not in the archive"
    case .sharedEntry(let name): return "its file \(name.shortened.escaped) is also the file of another photo"
    case .damaged(let reason): return reason
    case .notFound(let name, let size):
      // without a recorded size, the search compared only the names
      return "no file \(name.shortened.escaped)\(size > 0 ? " of \(Count(size, "byte"))" : "") was found"
    case .ambiguous(let paths):
      let list = paths.map(\.string.escaped).joined(separator: ", ")
      return "\(paths.count) files match it: \(list)"
    case .otherContent(let path): return "\(path.string.escaped) contains another photo"
    }
  }
}
