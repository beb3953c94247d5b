import FileSystem

extension ArchiveError: CustomStringConvertible {
  /// One line for the user: the archive, the entry, and what is wrong. Control characters and bidirectional overrides
  /// are escaped.
  public var description: String { message.escaped }

  private var message: String {
    switch self {
    case .file(let error):
      error.description
    case .notAFile(let path):
      "\(path) is not a file"
    case .emptyFile(let path):
      "\(path) is empty (0 bytes); copy it again from its source"
    case .notAnArchive(let path):
      "\(path) is not a ZIP archive"
    case .truncated(let path, _):
      "\(path) is truncated: the end of the archive is missing, or other data follows it"
    case .prefix(let path, let bytes):
      "\(path) has \(Count(bytes, "byte")) before its first entry, which no backup has"
    case .trailingBytes(let path, let bytes):
      "\(path) has \(Count(bytes, "byte")) after its end, which no backup has"
    case .ambiguousEnd(let path):
      "\(path) can be read as two different archives, and is refused"
    case .multiDisk(let path):
      "\(path) is a part of an archive in several files; join the files first (zip -s 0)"
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
      "\(path) expands to more than \(limit) bytes"
    case .compressedBytesExceedFile(let path):
      "\(path) declares more data than it contains, and is refused"
    case .unsafeName(let path, let entry, let reason):
      "\(path) has an entry with an unsafe name, “\(entry)”: it \(reason.rawValue)"
    case .duplicateName(let path, let entry):
      "\(path) has two entries named “\(entry)”"
    case .notARegularFile(let path, let entry, let kind):
      "\(path) contains “\(entry)”, which is \(kind.rawValue) and not a file"
    case .overlapping(let path, let first, let second):
      "\(path) is refused: “\(first)” and “\(second)” share the same data"
    case .unaccountedBytes(let path, let entry, let bytes):
      "\(path) has unknown data after “\(entry)” (\(Count(bytes, "byte"))), and is refused"
    case .unsupportedMethod(let path, let entry, let method):
      "\(path): “\(entry)” is compressed by method \(method), which smilepile cannot read; "
        + "compress it again with deflate"
    case .unsupportedEncryption(let path, let entry):
      "\(path): “\(entry)” uses an unsupported encryption; "
        + "encrypt it again with AES"
    case .passwordNeeded(let path, let entry):
      "\(path): “\(entry)” is encrypted"
    case .wrongPassword(let path, let entry):
      "\(path): wrong password for “\(entry)”"
    case .damaged(let path, let entry, let reason):
      "\(path): “\(entry)” is damaged: \(reason)"
    case .entryTooLarge(let path, let entry, let bytes, let limit):
      "\(path): “\(entry)” has \(Count(bytes, "byte")); at most \(limit) are read"
    case .changed(let path):
      "\(path) changed while it was being read; try again when no program writes to it"
    case .libzip(let path, 0, _):
      // libzip gives up without a reason where it gets no memory
      "\(path) cannot be read: out of memory; \(MemoryShortage.remedy)"
    case .libzip(let path, let code, let text):
      "\(path): \(text) (libzip \(code))"
    }
  }
}

extension Damage: CustomStringConvertible {
  /// What a message says after "is damaged: ".
  public var description: String {
    switch self {
    case .checksum: "its checksum does not match"
    case .checksumOrPassword: "its checksum does not match, or the password is wrong"
    case .short(let declared, let delivered): "only \(delivered) of \(declared) bytes exist"
    case .long(let declared): "it is longer than the declared \(Count(declared, "byte"))"
    case .compressedData: "its compressed data is corrupt"
    case .surplus(let bytes): "\(Count(bytes, "byte follows", "bytes follow")) the end of its compressed data"
    }
  }
}
