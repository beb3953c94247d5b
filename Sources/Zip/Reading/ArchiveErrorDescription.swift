import FileSystem
import Operations
import SystemPackage

extension ArchiveError: CustomStringConvertible {
  /// One line for a person: the archive, the entry, and what is wrong. Control characters and bidirectional overrides are
  /// escaped.
  package var description: String { message.escaped }

  private var message: String {
    switch self {
    case .file(let error):
      error.description
    case .notAFile(let path):
      "\(path) is not a file"
    case .emptyFile(let path):
      "\(path) is empty (0 bytes): copy it again from its source"
    case .notAnArchive(let path):
      "\(path) is not a ZIP archive"
    case .truncated(let path):
      "\(path) is cut off: the end of the archive is missing, or stands before other data"
    case .prefix(let path, let bytes):
      "\(path) has \(Count(bytes, "byte")) before its first entry, which no backup has"
    case .trailingBytes(let path, let bytes):
      "\(path) has \(Count(bytes, "byte")) after its end, which no backup has"
    case .ambiguousEnd(let path):
      "\(path) can be read as two different archives, and is refused"
    case .multiDisk(let path):
      "\(path) is one part of an archive in several files; join them first (zip -s 0)"
    case .inconsistentHeader(let path, nil, let field):
      "\(path) is damaged: \(field.rawValue) is wrong"
    case .inconsistentHeader(let path, let entry?, let field):
      "\(path) is damaged at “\(entry)”: \(field.rawValue) is wrong"
    case .tooManyEntries(let path, let count, let limit):
      "\(path) has \(count) entries; at most \(limit) are read"
    case .directoryTooLarge(let path, let bytes, let limit):
      "\(path) has a directory of \(Count(bytes, "byte")); at most \(limit) are read"
    case .tooManyNameBytes(let path, let limit):
      "\(path) has directory records whose names take more than \(limit) bytes, which no backup has; "
        + "copy it again from its source"
    case .tooManyBytes(let path, let limit):
      "\(path) would expand to more than \(limit) bytes"
    case .compressedBytesExceedFile(let path):
      "\(path) declares more data than it holds, and is refused"
    case .unsafeName(let path, let entry, let reason):
      "\(path) holds an entry with an unsafe name, “\(entry)”: it \(reason.rawValue)"
    case .duplicateName(let path, let entry):
      "\(path) holds two entries named “\(entry)”"
    case .notARegularFile(let path, let entry, let kind):
      "\(path) holds “\(entry)”, which is \(kind.rawValue) and no file"
    case .overlapping(let path, let first, let second):
      "\(path) is refused: “\(first)” and “\(second)” share the same data"
    case .unaccountedBytes(let path, let entry, let bytes):
      "\(path) has \(Count(bytes, "byte")) after “\(entry)” that belong to no entry, and is refused"
    case .unsupportedMethod(let path, let entry, let method):
      "\(path): “\(entry)” is compressed by method \(method), which cannot be read "
        + "here; pack it again with deflate"
    case .unsupportedEncryption(let path, let entry):
      "\(path): “\(entry)” is encrypted in a way that cannot be read here; "
        + "pack it again with AES"
    case .passwordNeeded(let path, let entry):
      "\(path): “\(entry)” is encrypted"
    case .wrongPassword(let path, let entry):
      "\(path): wrong password for “\(entry)”"
    case .damaged(let path, let entry, let reason):
      "\(path): “\(entry)” is damaged: \(reason)"
    case .entryTooLarge(let path, let entry, let bytes, let limit):
      "\(path): “\(entry)” has \(Count(bytes, "byte")); at most \(limit) are read"
    case .changed(let path):
      "\(path) changed while it was being read; try again when nothing writes to it"
    case .libzip(let path, 0, _):
      // libzip gives up without a reason where it gets no memory
      "\(path) cannot be read: out of memory; \(MemoryShortage.remedy)"
    case .libzip(let path, let code, let text):
      "\(path): \(text) (libzip \(code))"
    }
  }
}

extension ArchiveError: RemediedError {
  package var remedy: Remedy? {
    switch self {
    case .truncated, .prefix, .trailingBytes, .inconsistentHeader: .repairArchive
    case .passwordNeeded: .givePassword
    default: nil
    }
  }
}

extension Damage: CustomStringConvertible {
  /// What a message says after "is damaged: ".
  package var description: String {
    switch self {
    case .checksum: "its checksum does not match"
    case .checksumOrPassword: "its checksum does not match, or the password is wrong"
    case .short(let declared, let delivered): "\(delivered) of \(declared) bytes are there"
    case .long(let declared): "it goes on after its \(Count(declared, "byte"))"
    case .compressedData: "its compressed data is broken"
    case .surplus(let bytes): "\(Count(bytes, "byte")) stand after the end of its compressed data"
    }
  }
}
