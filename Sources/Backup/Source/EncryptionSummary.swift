import Operations
import SystemPackage
import Zip

/// The encryption of an archive, as far as it is visible without a password.
public struct EncryptionSummary: Sendable, Equatable {
  /// The encryption methods of the entries, each once: `AES-256`. Empty if no entry is encrypted.
  public let methods: [String]
  /// The number of encrypted entries.
  public let encryptedEntries: Int
  /// The number of all entries except folders.
  public let entries: Int
  /// Uncompressed bytes of all entries.
  public let bytes: Int

  /// Reads the directory of an archive, which is never encrypted. Blocks; writes nothing.
  package init(path: FilePath, limits: Limits = Limits()) throws(ArchiveError) {
    self.init(try Archive(path: path, limits: limits))
  }

  /// Describes an open archive.
  package init(_ archive: Archive) {
    let files = archive.entries.filter { !$0.isDirectory }
    methods = Set(files.compactMap(\.encryption.name)).sorted()
    encryptedEntries = files.count(where: \.isEncrypted)
    entries = files.count
    bytes = files.saturatedSum(\.size)
  }

  /// One line for the user: `AES-256`, or `3 of 12 entries, ZipCrypto`; "no" if nothing is encrypted.
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
