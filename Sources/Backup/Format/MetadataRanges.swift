/// What the numbers and texts of `metadata.json` may be. Ids are any 64 bits: those outside of 1…2⁵³ get new ones.
extension Metadata {
  /// Milliseconds since 1970: the dates that every calendar of a program can show, some 273,000 years either way.
  /// ECMA-262, 21.4.1.1.
  static let dates: ClosedRange<Int64> = -8_640_000_000_000_000...8_640_000_000_000_000
  /// Lengths of files, in bytes.
  static let sizes: ClosedRange<Int64> = 0 ... .max
  /// Width and height: the apps keep them in 32 bits.
  static let pixels = 0...Int(Int32.max)
  /// Places among the categories: likewise.
  static let positions = Int(Int32.min)...Int(Int32.max)
  /// Archives of one set: what is split is split into gigabytes.
  static let maximumParts = 1_000_000
  /// Increments on one full backup.
  static let maximumChain = 10_000
  /// The longest text of a property, in bytes of UTF-8. Paths are the longest that backups hold.
  static let maximumTextBytes = 64 << 10

  /// Sees that every number and text is within its range.
  func checkRanges() throws(Fault) {
    if let exportDate { try Self.require(exportDate, in: Self.dates, "exportDate") }
    for (index, category) in categories.enumerated() { try category.checkRanges("categories[\(index)]") }
    for (index, photo) in photos.enumerated() { try photo.checkRanges("photos[\(index)]") }
    for (index, entry) in photoManifest.enumerated() { try entry.checkRanges("photoManifest[\(index)]") }
    if let settings {
      try Self.require(asOf: settings.valuesAsOf, "settings.valuesAsOf")
      try Self.require(settings.themeMode, "settings.themeMode")
    }
    try Self.require(appVersion, "appVersion")
    try Self.require(format, "format")
    try smilepile?.checkRanges()
  }

  static func require<Number: BinaryInteger>(
    _ number: Number, in range: ClosedRange<Number>, _ path: @autoclosure () -> String
  ) throws(Fault) {
    guard !range.contains(number) else { return }
    throw Fault(
      path: path(), reason: "\(number) is out of range, \(range.lowerBound) to \(range.upperBound)")
  }

  /// The least number of all stands for values that nobody has dated: this project writes it.
  fileprivate static func require(asOf date: Int64?, _ path: @autoclosure () -> String) throws(Fault) {
    guard let date, date != .min else { return }
    try require(date, in: dates, path())
  }

  /// A NUL is refused where texts go into the database: SQLite's end at one, and two names that differ after one
  /// would become one name.
  static func require(_ text: String?, _ path: @autoclosure () -> String) throws(Fault) {
    guard let text else { return }
    let count = text.utf8.count
    guard count <= maximumTextBytes else {
      throw Fault(path: path(), reason: "a text of \(count) bytes; at most \(maximumTextBytes) are read")
    }
    if text.holdsNUL { throw Fault(path: path(), reason: "contains a NUL") }
  }
}

extension Metadata.CategoryRecord {
  fileprivate func checkRanges(_ path: @autoclosure () -> String) throws(Metadata.Fault) {
    try Metadata.require(position, in: Metadata.positions, "\(path()).position")
    try Metadata.require(createdAt, in: Metadata.dates, "\(path()).createdAt")
    try Metadata.require(asOf: valuesAsOf, "\(path()).valuesAsOf")
    try Metadata.require(name, "\(path()).name")
    try Metadata.require(displayName, "\(path()).displayName")
    try Metadata.require(iconResource, "\(path()).iconResource")
    try Metadata.require(colorHex, "\(path()).colorHex")
  }
}

extension Metadata.PhotoRecord {
  fileprivate func checkRanges(_ path: @autoclosure () -> String) throws(Metadata.Fault) {
    try Metadata.require(createdAt, in: Metadata.dates, "\(path()).createdAt")
    try Metadata.require(fileSize, in: Metadata.sizes, "\(path()).fileSize")
    try Metadata.require(width, in: Metadata.pixels, "\(path()).width")
    try Metadata.require(height, in: Metadata.pixels, "\(path()).height")
    try Metadata.require(name, "\(path()).name")
    try Metadata.require(self.path, "\(path()).path")
  }
}

extension Metadata.ManifestEntry {
  fileprivate func checkRanges(_ path: @autoclosure () -> String) throws(Metadata.Fault) {
    try Metadata.require(fileSize, in: Metadata.sizes, "\(path()).fileSize")
    try Metadata.require(originalPath, "\(path()).originalPath")
    try Metadata.require(zipEntryName, "\(path()).zipEntryName")
    try Metadata.require(fileName, "\(path()).fileName")
    try Metadata.require(checksum, "\(path()).checksum")
    try Metadata.require(expectedChecksum, "\(path()).expectedChecksum")
  }
}

extension String {
  /// Whether a NUL stands in it.
  fileprivate var holdsNUL: Bool {
    utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
  }
}

extension Comparable {
  /// The nearest value in a range: what an older version let into a library must not make an archive that nobody
  /// reads.
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
