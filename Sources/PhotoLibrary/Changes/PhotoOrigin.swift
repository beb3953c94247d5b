import FileSystem

/// The version of a file, or of an entry of an archive, from which a photo is copied. Equal origins have equal bytes.
package struct PhotoOrigin: Hashable, Sendable {
  /// Device, inode, the numbers of the version, and the entry.
  private let fields: SIMD8<Int64>

  /// Identifies an entry of an archive by its index, or a whole file.
  package init(_ status: FileStatus, entry: Int? = nil) {
    self.init(status.identity, status.version, entry: entry)
  }

  /// Identifies a version of a whole file, or an entry in it.
  init(_ identity: FileStatus.Identity, _ version: FileStatus.Version, entry: Int? = nil) {
    let file = [identity.device, identity.inode].map(Int64.init(bitPattern:))
    fields = SIMD8(file + version.numbers + [Int64(entry ?? -1)])
  }

  /// Makes the origin that has these numbers.
  init(numbers: some Collection<Int64>) {
    precondition(numbers.count == Self.numberCount)
    fields = SIMD8(numbers)
  }

  /// The origin as numbers, for a record on disk.
  var numbers: [Int64] { (0..<Self.numberCount).map { fields[$0] } }
  /// The length of `numbers`.
  static let numberCount = 8
}
