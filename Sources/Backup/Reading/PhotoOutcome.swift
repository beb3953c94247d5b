import Checksums
import FileSystem
import PhotoLibrary
import Zip

/// The result of reading a photo.
enum PhotoOutcome: Sendable {
  /// All bytes were read, and an entry has the checksum that its archive states.
  case read(FileContent)
  /// The bytes cannot be read, or are corrupt.
  case fault(PhotoFault)

  /// The MD5 and size of the bytes; nil if they cannot be read.
  var content: FileContent? { if case .read(let content) = self { content } else { nil } }

  /// Returns why the photo cannot be used; nil if it has the expected bytes.
  ///
  /// - Parameters:
  ///   - md5: the MD5 that the bytes should have; nil if it is unknown.
  ///   - size: their number, if it is known.
  func fault(unless md5: MD5Digest?, size: Int? = nil) -> PhotoFault? {
    switch self {
    case .fault(let fault): return fault
    case .read(let content):
      guard let md5, content.md5 != md5 || content.size != size ?? content.size else { return nil }
      return .otherContent(content.md5, expected: md5)
    }
  }
}

/// Why the bytes of a photo are not there, or not intact. It says nothing about other photos.
enum PhotoFault: Error, Equatable, Sendable {
  /// The backup has no file of the photo.
  case noFile
  /// An item that is no file has the photo's path.
  case notAFile
  /// The file, or the entry, cannot be opened or read.
  case unreadable(FileError)
  /// The entry's data is corrupt.
  case damaged(Damage)
  /// The entry is encrypted, and there is no password.
  case passwordNeeded
  /// The password does not decrypt the entry.
  case wrongPassword
  /// The bytes have another MD5 or another length than they should.
  case otherContent(MD5Digest, expected: MD5Digest)
  /// The file is shorter than its size, and ends after `bytes`.
  case tooShort(bytes: Int)
  /// The file is longer than its size.
  case tooLong

  /// Returns nil for an error that concerns other photos too.
  ///
  /// If the metadata of the archive could be read, a password that does not fit an entry is a fault of the entry: its
  /// first bytes are corrupt, or it was encrypted with another password.
  private init?(_ error: any Error) {
    switch error {
    case let error as FileError where error.cause != .environment: self = .unreadable(error)
    case ArchiveError.file(let error) where error.operation == "read" && error.cause != .environment:
      self = .unreadable(error)
    case ArchiveError.damaged(_, _, let damage): self = .damaged(damage)
    case ArchiveError.passwordNeeded: self = .passwordNeeded
    case ArchiveError.wrongPassword: self = .wrongPassword
    default: return nil
    }
  }

  /// Runs `body`, and throws a `PhotoFault` instead of an error that concerns one photo.
  static func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw PhotoFault(error) ?? error
    }
  }

  /// True if a disk could not read the photo, which says nothing about its bytes.
  var isOfDisk: Bool { if case .unreadable = self { true } else { false } }

  /// True if the file does not exist.
  var isMissing: Bool { if case .unreadable(let error) = self { error.isMissing } else { false } }
}

extension PhotoFault: CustomStringConvertible {
  /// One line for the user, without the name of the photo.
  var description: String {
    switch self {
    case .noFile: "it has no file"
    case .notAFile: "it is not a file"
    case .unreadable(let error): "\(error)"
    case .damaged(let damage): "\(damage)"
    case .passwordNeeded: "it is encrypted, and there is no password"
    case .wrongPassword: "the password is wrong, or the first bytes of the file are damaged"
    case .otherContent(let md5, let expected): "its MD5 is \(md5) and should be \(expected)"
    case .tooShort(let bytes): "the file ends after \(bytes) bytes, before its recorded size"
    case .tooLong: "the file is longer than its recorded size"
    }
  }
}
