import FileSystem
import Operations
import SystemPackage

/// What can still be read of a truncated or damaged archive: the entries that were found by searching the file
/// from its first byte to its last, and the names of those that were lost.
///
/// An entry begins with a local header or where a surviving directory says so, and its data ends where the
/// next record begins or where its checksum holds. What lies in the data of an entry is never an entry. That
/// an entry was found does not mean that it is whole: as in any archive, reading it to its end shows that.
package struct Salvage: Sendable {
  /// An entry of which too little is left.
  package struct Loss: Sendable, Equatable {
    /// Its name, as in the archive.
    package let name: String
    /// What became of it.
    package let reason: Reason
  }

  /// What became of a lost entry.
  package enum Reason: Sendable, Equatable {
    /// The file ends in the middle of it, or begins after it.
    case truncated
    /// Its bytes are not those that were put in.
    case damaged
    /// Something else stands in its place.
    case overwritten
    /// Its name is one that no entry may have.
    case unsafeName(NameProblem)
    /// It is a symbolic link, a device or the like.
    case notARegularFile(SpecialFile)
    /// It is compressed or encrypted in a way that cannot be read here.
    case unreadable
    /// It was not looked for to the end, since more of the file leads nowhere than an accident leaves.
    case notSearched
  }

  /// The file with the entries that were found, in the order of the file. Several may have one name.
  package let archive: Archive
  /// What is wrong with the file as an archive; nil if it is a whole one, and nothing was searched.
  package let fault: ArchiveError?
  /// What was lost, as far as a name of it is left; in the order of the file.
  package let losses: [Loss]
  /// The entries, by index, that a checksum from elsewhere has to vouch for before they are believed: their
  /// own was lost, or they were found in the remains of another entry and may be a part of it. An encrypted one
  /// is vouched for, too, by the password that opens it to its end; several of those may share their data.
  package let unverified: Set<Int>

  /// Whether what was found cannot be had without a password: an entry that is certainly there is encrypted, or
  /// all that may be there are.
  package var needsPassword: Bool {
    let files = archive.entries.filter { !$0.isDirectory }
    let encrypted = files.filter(\.isEncrypted)
    return encrypted.contains { !unverified.contains($0.index) }
      || !encrypted.isEmpty && encrypted.count == files.count
  }

  /// Opens a file as an archive, and searches it if it is none, or not a whole one.
  ///
  /// Blocks; writes nothing. What the disk cannot read (EIO) counts as zeros, so that what lies there is damaged. The
  /// search reads the file once in order, and then what is needed to find where entries end. However many false headers
  /// there are: what is read and expanded in vain stays under sixteen times the file's size and 128 MiB, one half to find
  /// where data ends, and one to prove what the directory or a header says of it; and each byte of the file is expanded in
  /// earnest at most once. Memory is a few
  /// hundred bytes for each header and directory record found, of which `limits` allows so many, and the names
  /// of the records: 256 MiB in all, or `Limits.maximumDirectoryBytes` if that is less. Records may overlap, so
  /// that a small file could have far more of them.
  /// - Parameter whileReading: called with the bytes read or expanded since the last call; may throw to give up.
  /// - Throws: `ArchiveError` if the file cannot be read or there is more in it than `limits` allows; what
  ///   `whileReading` throws.
  package init(
    path: FilePath, limits: Limits = Limits(), whileReading: @escaping (Int) throws -> Void = { _ in }
  ) throws {
    let file = try ArchiveFile(path, .readSkippingBadSectors)
    do {
      archive = try Archive(file, limits: limits)
      (fault, losses, unverified) = (nil, [], [])
    } catch {
      guard error.isSalvageable else { throw error }
      let scan = try SignatureScan(file, limits: limits, whileReading: whileReading)
      var walk = SalvageWalk(file, scan, limits: limits, whileReading: whileReading)
      try walk.run()
      archive = Archive(salvagedFrom: file, entries: walk.entries)
      (fault, losses, unverified) = (error, walk.losses, walk.unverified)
    }
  }
}

extension Archive {
  init(salvagedFrom file: ArchiveFile, entries: [Entry]) {
    path = file.file.path
    size = file.status.size
    self.entries = entries
    self.file = file
  }
}

extension ArchiveError {
  /// False where searching would meet the same obstacle, or where there is nothing to search.
  fileprivate var isSalvageable: Bool {
    switch self {
    case .notAFile, .emptyFile, .libzip: false
    default: !isEnvironmentFailure && !isLimit
    }
  }
}

extension Salvage.Reason: CustomStringConvertible {
  /// What a message says after the name of the entry.
  package var description: String {
    switch self {
    case .truncated: "it is cut off"
    case .damaged: "its bytes are damaged"
    case .overwritten: "something else stands in its place"
    case .unsafeName(let fault): "its name is unsafe: it \(fault.rawValue)"
    case .notARegularFile(let kind): "it is \(kind.rawValue) and no file"
    case .unreadable: "it is compressed or encrypted in a way that cannot be read here"
    case .notSearched:
      "it was not looked for to the end, since the archive holds too many false or damaged headers"
    }
  }
}
