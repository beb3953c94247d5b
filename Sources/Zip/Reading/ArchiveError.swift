import CLibZip
import FileSystem
import Operations
import SystemPackage

/// Why an archive, or an entry of it, cannot be read. The first value is always the archive's path; names of
/// entries are as in the archive, and are made safe for a terminal by `description` alone.
package enum ArchiveError: Error, Sendable, Equatable {
  /// The operating system refused.
  case file(FileError)
  /// The path is a folder, a device or a pipe.
  case notAFile(FilePath)
  /// The file has no bytes.
  case emptyFile(FilePath)
  /// The file is something else than a ZIP archive.
  case notAnArchive(FilePath)
  /// The file begins as an archive and its end is missing.
  case truncated(FilePath)
  /// Bytes stand before the first entry, as in a self-extracting program.
  case prefix(FilePath, bytes: Int)
  /// Bytes stand after the end of the archive.
  case trailingBytes(FilePath, bytes: Int)
  /// Two end records are both credible, so that two programs would see two archives.
  case ambiguousEnd(FilePath)
  /// One part of an archive that was split over several files.
  case multiDisk(FilePath)
  /// A field of the directory, or of an entry's own header, contradicts the rest of the file.
  case inconsistentHeader(FilePath, entry: String?, field: HeaderField)
  /// More entries than `Limits.maximumEntries`.
  case tooManyEntries(FilePath, count: Int, limit: Int)
  /// A directory larger than `Limits.maximumDirectoryBytes`.
  case directoryTooLarge(FilePath, bytes: Int, limit: Int)
  /// Directory records, which may overlap in a file that is searched, with names of more bytes than are kept.
  case tooManyNameBytes(FilePath, limit: Int)
  /// The declared sizes add up to more than `Limits.maximumBytes`.
  case tooManyBytes(FilePath, limit: Int)
  /// The compressed sizes add up to more than the file holds: a bomb whose entries share their data.
  case compressedBytesExceedFile(FilePath)
  /// A name that no entry may have.
  case unsafeName(FilePath, entry: String, reason: NameProblem)
  /// Two entries with one name, byte for byte or after Unicode normalization.
  case duplicateName(FilePath, entry: String)
  /// A symbolic link, a device or the like.
  case notARegularFile(FilePath, entry: String, kind: SpecialFile)
  /// Two entries share bytes of the file.
  case overlapping(FilePath, String, String)
  /// Bytes between two records that belong to no entry of the directory: another program may see one there.
  case unaccountedBytes(FilePath, after: String, bytes: Int)
  /// A compression method that this machine's libzip cannot undo. APPNOTE 4.4.5.
  case unsupportedMethod(FilePath, entry: String, method: UInt16)
  /// An encryption other than WinZip's AES and the traditional one. APPNOTE 7.
  case unsupportedEncryption(FilePath, entry: String)
  /// The entry is encrypted and no password was given.
  case passwordNeeded(FilePath, entry: String)
  /// The password does not fit the entry.
  case wrongPassword(FilePath, entry: String)
  /// The entry's bytes are not those that were put in.
  case damaged(FilePath, entry: String, reason: Damage)
  /// The entry is larger than the caller is ready to hold in memory.
  case entryTooLarge(FilePath, entry: String, bytes: Int, limit: Int)
  /// The file changed after its directory was read, or the entry is not of this archive.
  case changed(FilePath)
  /// libzip failed for a reason of its own: its code and its text.
  case libzip(FilePath, code: Int32, text: String)

  /// Whether it says nothing of the entry that was to be read: the disk, the memory or another process is in the way,
  /// and would be in that of all others too.
  package var isEnvironmentFailure: Bool {
    switch self {
    case .file, .changed, .libzip(_, ZIP_ER_MEMORY, _), .libzip(_, 0, _): true
    default: false
    }
  }

  /// Whether this process, or the machine, has no more of what every entry needs, as memory. It is no damage.
  package var isResourceExhaustion: Bool {
    switch self {
    case .file(let error): error.isResourceExhaustion
    case .libzip(_, ZIP_ER_MEMORY, _), .libzip(_, 0, _): true
    default: false
    }
  }

  /// Whether more is in the file than `Limits` allow, which no damage brings about.
  package var isLimit: Bool {
    switch self {
    case .tooManyEntries, .directoryTooLarge, .tooManyNameBytes, .tooManyBytes, .entryTooLarge: true
    default: false
    }
  }
}

/// The field that lies; the raw value completes "the archive is damaged: … is wrong".
package enum HeaderField: String, Sendable {
  /// The number of entries in the end record.
  case entryCount = "its number of entries"
  /// The directory's length in the end record.
  case directorySize = "the length of its directory"
  /// The directory's place in the end record.
  case directoryOffset = "the place of its directory"
  /// The ZIP64 end record or its locator.
  case zip64End = "its ZIP64 end record"
  /// The mark at the start of a directory record or local header.
  case signature = "the mark of a header"
  /// The extra fields, or the ZIP64 one among them.
  case extraField = "an extra field"
  /// The place of the local header.
  case headerOffset = "the place of its data"
  /// The name, which differs between the two headers.
  case name = "its second name"
  /// The compression method.
  case method = "its compression method"
  /// The flags.
  case flags = "its encryption flag"
  /// The compressed size.
  case compressedSize = "its compressed size"
  /// The size.
  case size = "its size"
  /// The checksum.
  case crc32 = "its checksum"
  /// The record after the data, of an entry that was written before its sizes were known. APPNOTE 4.3.9.
  case descriptor = "the record after its data"
}

/// What an entry is, when it is neither a file nor a folder.
package enum SpecialFile: String, Sendable {
  /// S_IFLNK.
  case symbolicLink = "a symbolic link"
  /// S_IFBLK or S_IFCHR.
  case device = "a device"
  /// S_IFIFO.
  case pipe = "a pipe"
  /// S_IFSOCK.
  case socket = "a socket"
  /// S_IFDIR under a name that does not end in a slash.
  case directory = "a folder under a file's name"
  /// A type that stat(2) does not have.
  case unknown = "of an unknown type"
}

/// How an entry's bytes differ from what its header promised.
package enum Damage: Sendable, Equatable {
  /// The checksum over the delivered bytes is another.
  case checksum
  /// As `checksum`, for an encrypted entry: a wrong password is mistaken for a right one once in 65,536
  /// times with AES, once in 256 with the traditional encryption.
  case checksumOrPassword
  /// The compressed data ends early.
  case short(declared: Int, delivered: Int)
  /// The compressed data goes on after the declared size.
  case long(declared: Int)
  /// The compressed data cannot be expanded.
  case compressedData
  /// Other bytes stand between the end of the compressed data and the end of the entry.
  case surplus(bytes: Int)
}
