import Checksums
import FileSystem
import Synchronization
import SystemPackage

/// The list of verified files in a staging folder: `.staging/ID/verified`. The next import uses these files without
/// reading them.
///
/// An operation appends a record for each file whose checksum it has verified: where the bytes came from, and the inode
/// and the version of the staged file. An equal version shows that nothing has changed the file since then. After a
/// power failure this is not enough, since a file may lack bytes that were never flushed. Therefore the list begins with
/// the boot ID of the kernel (random(4)), and a list of another boot is not used.
///
/// All functions may be called on any thread. The list only saves time, so that every error is ignored.
final class StagedFileLog: Sendable {
  static let name: FilePath = "verified"

  /// The bytes that a staged file was verified to have.
  struct Copy {
    let md5: MD5Digest
    let origin: PhotoOrigin
  }

  /// A file that was verified.
  struct Record {
    let copy: Copy
    let inode: UInt64
    let version: [Int64]

    static let numberCount = PhotoOrigin.numberCount + 1 + FileStatus.Version.numberCount
    static let length = 16 + 8 * numberCount
  }

  private struct State: ~Copyable {
    /// The list; nil before the first write.
    var file: File?
    /// Bytes that are not written yet.
    var pending: [UInt8]
    var pendingPhotoBytes = 0
    /// The length of the file.
    var length = 0
    var hasFailed = false
  }

  private let state = Mutex(State(pending: StagedFileLog.bootID ?? []))

  /// Adds a file of a staging folder. Call this method after the last change of the file.
  func append(_ file: borrowing File, _ copy: Copy, in folder: borrowing Directory) {
    guard Self.bootID != nil, let status = try? file.status() else { return }
    let inode = Int64(bitPattern: status.identity.inode)
    state.withLock { state in
      guard !state.hasFailed else { return }
      state.pending += copy.md5.bytes
      for number in copy.origin.numbers + [inode] + status.version.numbers {
        state.pending.append(number: number)
      }
      state.pendingPhotoBytes += status.size
      guard state.pending.count >= Self.mostPending || state.pendingPhotoBytes >= Self.mostPhotoBytes else {
        return
      }
      do {
        if state.file == nil { state.file = try folder.open(Self.name, .readWrite) }
        try state.file?.write(state.pending, at: state.length)
        state.length += state.pending.count
      } catch {
        state.hasFailed = true
      }
      (state.pending, state.pendingPhotoBytes) = ([], 0)
    }
  }

  /// A killed operation loses the records that were not written: those of at most so many bytes of photos.
  private static let mostPhotoBytes = 1 << 20
  private static let mostPending = 16 << 10

  /// The length of the longest list that is read: that of a million files.
  private static let maximumBytes = Record.length * 1_000_000

  /// Reads the list in a staging folder. Returns no records if the list is missing, too long, or of
  /// another boot.
  static func records(in folder: borrowing Directory) -> [Record] {
    guard let header = bootID, let file = try? folder.open(name, .read),
      let bytes = try? file.contents(atMost: maximumBytes), bytes.starts(with: header)
    else { return [] }
    return stride(from: header.count, through: bytes.count - Record.length, by: Record.length).compactMap {
      Record(bytes[$0..<$0 + Record.length])
    }
  }

  private static let bootID: [UInt8]? = {
    let file = try? File.open("/proc/sys/kernel/random/boot_id", .read)
    return (try? file?.read(64, at: 0)).flatMap { $0.count >= 36 ? $0 : nil }
  }()
}

extension StagedFileLog.Record {
  /// Reads a record of `length` bytes.
  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    guard let md5 = MD5Digest(bytes: Array(bytes.prefix(16))) else { return nil }
    let numbers = (0..<Self.numberCount).map { index in
      Int64(
        bitPattern: bytes.dropFirst(16 + 8 * index).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    let origin = PhotoOrigin(numbers: numbers.prefix(PhotoOrigin.numberCount))
    let file = numbers.dropFirst(PhotoOrigin.numberCount)
    copy = StagedFileLog.Copy(md5: md5, origin: origin)
    inode = UInt64(bitPattern: file[file.startIndex])
    version = Array(file.dropFirst())
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: Int64) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
