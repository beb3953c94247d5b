import CLibZip
import FileSystem
import Operations
import SystemPackage

/// Why an archive, or an entry of it, cannot be read. The first value is always the archive's path. Names of entries
/// are those of the archive; only `description` escapes them for a terminal.
public enum ArchiveError: Error, Sendable, Equatable {
  /// A system call failed.
  case file(FileError)
  /// The path is a folder, a device or a pipe.
  case notAFile(FilePath)
  /// The file has no bytes.
  case emptyFile(FilePath)
  /// The file is not a ZIP archive.
  case notAnArchive(FilePath)
  /// The file begins like an archive, and its end is missing.
  case truncated(FilePath, isEncrypted: Bool = false)
  /// There are bytes before the first entry, as in a self-extracting program.
  case prefix(FilePath, bytes: Int)
  /// There are bytes after the end of the archive.
  case trailingBytes(FilePath, bytes: Int)
  /// Two end records are both valid, so that two programs may see different archives.
  case ambiguousEnd(FilePath)
  /// The file is one part of an archive that was split into several files.
  case multiDisk(FilePath)
  /// A field of the directory, or of an entry's own header, contradicts the rest of the file.
  case inconsistentHeader(FilePath, entry: String?, field: HeaderField)
  /// More entries than `Limits.maximumEntries`.
  case tooManyEntries(FilePath, count: Int, limit: Int)
  /// A directory larger than `Limits.maximumDirectoryBytes`.
  case directoryTooLarge(FilePath, bytes: Int, limit: Int)
  /// The names of directory records, which may overlap in a damaged file, have more bytes than a search keeps.
  case tooManyNameBytes(FilePath, limit: Int)
  /// The declared sizes add up to more than `Limits.maximumBytes`.
  case tooManyBytes(FilePath, limit: Int)
  /// The compressed sizes add up to more than the file's size: a ZIP bomb whose entries share their data.
  case compressedBytesExceedFile(FilePath)
  /// `EntryName` refuses the name of an entry.
  case unsafeName(FilePath, entry: String, reason: NameProblem)
  /// Two entries have the same name, byte for byte or after Unicode normalization.
  case duplicateName(FilePath, entry: String)
  /// An entry is a symbolic link, a device or another special file.
  case notARegularFile(FilePath, entry: String, kind: SpecialFile)
  /// Two entries share bytes of the file.
  case overlapping(FilePath, String, String)
  /// Bytes between two records do not belong to any entry of the directory. Another program may find an entry there.
  case unaccountedBytes(FilePath, after: String, bytes: Int)
  /// The installed libzip does not support the compression method. APPNOTE 4.4.5.
  case unsupportedMethod(FilePath, entry: String, method: UInt16)
  /// The encryption is neither WinZip's AES nor the traditional one. APPNOTE 7.
  case unsupportedEncryption(FilePath, entry: String)
  /// The entry is encrypted and no password was given.
  case passwordNeeded(FilePath, entry: String)
  /// The password does not decrypt the entry.
  case wrongPassword(FilePath, entry: String)
  /// The entry's data is corrupt.
  case damaged(FilePath, entry: String, reason: Damage)
  /// The entry is larger than the caller's limit for reading into memory.
  case entryTooLarge(FilePath, entry: String, bytes: Int, limit: Int)
  /// The file changed after its directory was read, or the entry belongs to another archive.
  case changed(FilePath)
  /// libzip failed: its error code and its message.
  case libzip(FilePath, code: Int32, text: String)
}

extension ArchiveError: ExplainedError {
  /// Why the archive cannot be read.
  public var cause: ErrorCause {
    switch self {
    case .file(let error): error.cause
    case .libzip(_, ZIP_ER_MEMORY, _), .libzip(_, 0, _): .environment
    case .tooManyEntries, .directoryTooLarge, .tooManyNameBytes, .tooManyBytes, .entryTooLarge: .limit
    case .notAFile, .multiDisk, .unsupportedMethod, .unsupportedEncryption: .unsupported
    case .passwordNeeded, .wrongPassword: .password
    case .changed: .other
    case .emptyFile, .notAnArchive, .truncated, .prefix, .trailingBytes, .ambiguousEnd, .inconsistentHeader,
      .compressedBytesExceedFile, .unsafeName, .duplicateName, .notARegularFile, .overlapping,
      .unaccountedBytes,
      .damaged, .libzip:
      .damage
    }
  }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .truncated(_, isEncrypted: true): .salvageEncrypted
    case .truncated, .prefix, .trailingBytes, .inconsistentHeader: .repairArchive
    case .passwordNeeded: .givePassword
    case .tooManyEntries: .increaseEntryLimit
    case .tooManyBytes: .increaseByteLimit
    default: nil
    }
  }
}

/// A field that contradicts the rest of the file. The raw value completes “the archive is damaged: … is wrong”.
public enum HeaderField: String, Sendable {
  /// The number of entries in the end record.
  case entryCount = "its number of entries"
  /// The directory's length in the end record.
  case directorySize = "the length of its directory"
  /// The directory's offset in the end record.
  case directoryOffset = "the position of its directory"
  /// The ZIP64 end record or its locator.
  case zip64End = "its ZIP64 end record"
  /// The signature of a directory record or local header.
  case signature = "the signature of a header"
  /// The extra fields, or the ZIP64 one among them.
  case extraField = "an extra field"
  /// The offset of the local header.
  case headerOffset = "the position of its data"
  /// The name, which differs between the two headers.
  case name = "its name in the local header"
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
  /// The data descriptor of an entry that was written before its sizes were known. APPNOTE 4.3.9.
  case descriptor = "the record after its data"
}

/// The kind of an entry that is neither a file nor a folder.
public enum SpecialFile: String, Sendable {
  /// S_IFLNK.
  case symbolicLink = "a symbolic link"
  /// S_IFBLK or S_IFCHR.
  case device = "a device"
  /// S_IFIFO.
  case pipe = "a pipe"
  /// S_IFSOCK.
  case socket = "a socket"
  /// S_IFDIR, with a name that does not end in a slash.
  case directory = "a folder under a file's name"
  /// A type that stat(2) does not define.
  case unknown = "of an unknown type"
}

/// How an entry's data differs from what its header declares.
public enum Damage: Sendable, Equatable {
  /// The checksum of the delivered bytes does not match.
  case checksum
  /// As `checksum`, for an encrypted entry. A wrong password passes the password check with a probability of 1/65,536
  /// for AES, and of 1/256 for the traditional encryption.
  case checksumOrPassword
  /// The compressed data ends early.
  case short(declared: Int, delivered: Int)
  /// The compressed data continues after the declared size.
  case long(declared: Int)
  /// The compressed data cannot be decompressed.
  case compressedData
  /// There are other bytes between the end of the compressed data and the end of the entry.
  case surplus(bytes: Int)
}
