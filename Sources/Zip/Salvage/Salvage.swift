import FileSystem
import Operations
import SystemPackage

/// The entries that can still be read of a truncated or damaged archive, and the names of those that were lost.
/// Searches the file from its first byte to its last.
///
/// Each entry is judged by its own evidence, so damage elsewhere in the file does not affect it: see `EvidenceSearch`.
/// Bytes within the data of an entry are never taken for an entry. An entry that was found may still be damaged: as in
/// any archive, only reading it to its end shows that it is intact.
package struct Salvage: Sendable {
  /// An entry that cannot be recovered.
  package struct Loss: Sendable, Equatable {
    /// Its name, as in the archive.
    package let name: String
    /// Why it cannot be recovered.
    package let reason: Reason
    /// The CRC-32s of its content in the records that are left; nil among them if one declares none.
    package var crc32s: Set<UInt32?> = []
  }

  /// Why an entry cannot be recovered.
  package enum Reason: Sendable, Equatable {
    /// The file ends within it, or begins after it.
    case truncated
    /// Its checksum does not match.
    case damaged
    /// Other data has overwritten it.
    case overwritten
    /// `EntryName` refuses its name.
    case unsafeName(NameProblem)
    /// It is a symbolic link, a device or another special file.
    case notARegularFile(SpecialFile)
    /// Its compression or encryption is not supported.
    case unreadable
    /// The search for it was not completed: the file has more false headers than an accident causes.
    case notSearched
  }

  /// The file with the entries that were found, in the order of the file. Several may have the same name.
  package let archive: Archive
  /// Why the file is not an intact archive; nil if it is one and was not searched.
  package let fault: ArchiveError?
  /// The entries that were lost and whose names are left, in the order of the file.
  package let losses: [Loss]
  /// The indices of the entries that the caller must verify by a checksum from elsewhere: their own was lost, they are
  /// encrypted, or they are in `remains`. A password that decrypts an entry to its end verifies it too. Several
  /// encrypted entries may share their data.
  package let unverified: Set<Int>
  /// The entries whose own checksum proves them, but which begin within the bytes of a lost entry and are in no
  /// directory: they may be a part of the lost entry. The value is its name. They are in `unverified` too.
  package let remains: [Int: String]
  /// The indices of the entries that a directory of the archive lists, with the same name, size and checksum.
  package let listed: Set<Int>
  /// Where the entries of complete directories begin; nil without one. An entry that begins behind it and is not listed
  /// is not of the archive. An incomplete directory says nothing about entries that it does not list.
  package let listStart: Int?

  /// True if a password is needed: a verified entry is encrypted, or every entry that was found is.
  package var needsPassword: Bool {
    let files = archive.entries.filter { !$0.isDirectory }
    let encrypted = files.filter(\.isEncrypted)
    return encrypted.contains { !unverified.contains($0.index) }
      || !encrypted.isEmpty && encrypted.count == files.count
  }

  /// Opens a file as an archive, and searches it if it is not an intact one. Blocks; writes nothing.
  ///
  /// Bytes that the disk cannot read (EIO) are read as zeros, which damages the entries there. The search reads the
  /// file once in order, and then what it needs to find the ends of entries.
  ///
  /// Work is bounded even for adversarial input. Failed attempts read or inflate at most 16 times the file's size and
  /// 128 MiB in total, half of it to locate data and half to verify entries. Each byte is inflated successfully at most
  /// once. The checksum of stored data costs two short reads, however much data it is.
  ///
  /// Memory is a few hundred bytes for each header and directory record, whose number `limits` bounds, and the names of
  /// the records: at most 256 MiB, or `Limits.maximumDirectoryBytes` if that is less. The names have their own bound
  /// because records may overlap, so that a small file could have many.
  /// - Parameter whileReading: called with the bytes read or inflated since the last call; may throw to stop the
  ///   search.
  /// - Throws: `ArchiveError` if the file cannot be read or exceeds `limits`; what `whileReading` throws.
  package init(
    path: FilePath, limits: Limits = Limits(), whileReading: @escaping (Int) throws -> Void = { _ in }
  ) throws {
    let file = try OpenFile(path, .readSkippingBadSectors)
    do {
      archive = try Archive(file, limits: limits)
      (fault, losses, unverified, remains) = (nil, [], [], [:])
      (listed, listStart) = (Set(archive.entries.indices), 0)
    } catch {
      // a search would fail for the same reason, or has nothing to search
      guard [.damage, .unsupported].contains(error.cause), file.status.size > 0 else { throw error }
      let found = try EvidenceSelection(of: EvidenceSearch(file, limits: limits, whileReading: whileReading))
      archive = Archive(salvagedFrom: file, entries: found.entries)
      (fault, losses, unverified) = (error, found.losses, found.unverified)
      (remains, listed, listStart) = (found.remains, found.listed, found.listStart)
    }
  }
}

extension Archive {
  init(salvagedFrom file: OpenFile, entries: [Entry]) {
    path = file.file.path
    size = file.status.size
    self.entries = entries
    self.file = file
  }
}

extension Salvage.Reason: CustomStringConvertible {
  /// What a message says after the name of the entry.
  package var description: String {
    switch self {
    case .truncated: "it is truncated"
    case .damaged: "its bytes are damaged"
    case .overwritten: "it was overwritten with other data"
    case .unsafeName(let fault): "its name is unsafe: it \(fault.rawValue)"
    case .notARegularFile(let kind): "it is \(kind.rawValue) and not a file"
    case .unreadable: "it uses an unsupported compression or encryption"
    case .notSearched:
      "the search for it ended early: the archive has too many false or damaged headers"
    }
  }
}
