import SystemPackage

extension ArchiveError: CustomStringConvertible {
  /// One line for a person: the archive, the entry, what is wrong, and what to do where something can be
  /// done. Control characters and bidirectional overrides are escaped.
  public var description: String {
    switch self {
    case .file(let error):
      EntryName.escaped(error.description)
    case .notAFile(let path):
      "\(Self.shown(path)) is not a file"
    case .emptyFile(let path):
      "\(Self.shown(path)) is empty (0 bytes): copy it again from its source"
    case .notAnArchive(let path):
      "\(Self.shown(path)) is not a ZIP archive"
    case .truncated(let path):
      "\(Self.shown(path)) is cut off: the end of the archive is missing; copy it again from its source"
    case .prefix(let path, let bytes):
      "\(Self.shown(path)) has \(bytes) bytes before its first entry, which no backup has"
    case .trailingBytes(let path, let bytes):
      "\(Self.shown(path)) has \(bytes) bytes after its end, which no backup has; copy it again from its source"
    case .ambiguousEnd(let path):
      "\(Self.shown(path)) can be read as two different archives, and is refused"
    case .multiDisk(let path):
      "\(Self.shown(path)) is one part of an archive in several files; join them first (zip -s 0)"
    case .directoryLies(let path, nil, let field):
      "\(Self.shown(path)) is damaged: \(field.rawValue) is wrong; copy it again from its source"
    case .directoryLies(let path, let entry?, let field):
      "\(Self.shown(path)) is damaged at \(Self.shown(entry)): \(field.rawValue) is wrong; "
        + "copy it again from its source"
    case .tooManyEntries(let path, let count, let limit):
      "\(Self.shown(path)) has \(count) entries; at most \(limit) are read"
    case .directoryTooLarge(let path, let bytes, let limit):
      "\(Self.shown(path)) has a directory of \(bytes) bytes; at most \(limit) are read"
    case .tooManyBytes(let path, let limit):
      "\(Self.shown(path)) would expand to more than \(limit) bytes"
    case .compressedBytesExceedFile(let path):
      "\(Self.shown(path)) declares more data than it holds, and is refused"
    case .unsafeName(let path, let entry, let reason):
      "\(Self.shown(path)) holds an entry with an unsafe name, \(Self.shown(entry)): it \(reason.rawValue)"
    case .duplicateName(let path, let entry):
      "\(Self.shown(path)) holds two entries named \(Self.shown(entry))"
    case .notARegularFile(let path, let entry, let kind):
      "\(Self.shown(path)) holds \(Self.shown(entry)), which is \(kind.rawValue) and no file"
    case .overlapping(let path, let first, let second):
      "\(Self.shown(path)) is refused: \(Self.shown(first)) and \(Self.shown(second)) share the same data"
    case .unsupportedMethod(let path, let entry, let method):
      "\(Self.shown(path)): \(Self.shown(entry)) is compressed by method \(method), which cannot be read "
        + "here; pack it again with deflate"
    case .unsupportedEncryption(let path, let entry):
      "\(Self.shown(path)): \(Self.shown(entry)) is encrypted in a way that cannot be read here; "
        + "pack it again with AES"
    case .passwordNeeded(let path, let entry):
      "\(Self.shown(path)): \(Self.shown(entry)) is encrypted; give the password"
    case .wrongPassword(let path, let entry):
      "\(Self.shown(path)): wrong password for \(Self.shown(entry))"
    case .damaged(let path, let entry, let reason):
      "\(Self.shown(path)): \(Self.shown(entry)) is damaged: \(reason)"
    case .entryTooLarge(let path, let entry, let bytes, let limit):
      "\(Self.shown(path)): \(Self.shown(entry)) has \(bytes) bytes; at most \(limit) are read"
    case .changed(let path):
      "\(Self.shown(path)) changed while it was being read; try again when nothing writes to it"
    case .libzip(let path, let code, let text):
      "\(Self.shown(path)): \(EntryName.escaped(text)) (libzip \(code))"
    }
  }

  private static func shown(_ path: FilePath) -> String { EntryName.escaped(path.string) }

  private static func shown(_ entry: String) -> String { "“\(EntryName.escaped(entry))”" }
}

extension Damage: CustomStringConvertible {
  /// What a message says after "is damaged: ".
  public var description: String {
    switch self {
    case .checksum: "its checksum does not match"
    case .checksumOrPassword: "its checksum does not match, or the password is wrong"
    case .short(let declared, let delivered): "\(delivered) of \(declared) bytes are there"
    case .long(let declared): "it goes on after its \(declared) bytes"
    case .compressedData: "its compressed data is broken"
    }
  }
}
