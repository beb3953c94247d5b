import FileSystem
import Operations
import SystemPackage
import Zip

/// What an archive says of its encryption without a password.
public struct EncryptionSummary: Sendable, Equatable {
  /// How its entries are encrypted, each way once, in words: `AES-256`. Empty if none is.
  public let methods: [String]
  /// Entries that are encrypted.
  public let encryptedEntries: Int
  /// All entries, folders left out.
  public let entries: Int
  /// Bytes of all entries, unpacked.
  public let bytes: Int

  /// Reads the directory of an archive, which is never encrypted. Blocks; writes nothing.
  package init(path: FilePath, limits: Limits = Limits()) throws(ArchiveError) {
    self.init(try Archive(path: path, limits: limits))
  }

  /// Sums up an open archive.
  package init(_ archive: Archive) {
    let files = archive.entries.filter { !$0.isDirectory }
    methods = Set(files.compactMap(\.encryption.name)).sorted()
    encryptedEntries = files.count(where: \.isEncrypted)
    entries = files.count
    bytes = files.reduce(0) { $0 + $1.size }
  }

  /// One line for a person: `AES-256`, or `3 of 12 entries, ZipCrypto`; "no" if nothing is encrypted.
  public var description: String {
    guard encryptedEntries > 0 else { return "no" }
    let names = methods.joined(separator: " and ")
    return encryptedEntries == entries ? names : "\(encryptedEntries) of \(entries) entries, \(names)"
  }
}

extension Entry.Encryption {
  fileprivate var name: String? {
    switch self {
    case .none: nil
    case .traditional: "ZipCrypto (weak)"
    case .aes(let bits, _): "AES-\(bits)"
    }
  }
}
