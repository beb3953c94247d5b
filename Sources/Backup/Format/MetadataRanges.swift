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

  /// Brings every number and text of the rows into its range.
  ///
  /// - Returns: what was changed, one warning for each property.
  mutating func repairRanges() -> [String] {
    var repairs = RangeRepairs()
    if let date = exportDate, !Self.dates.contains(date) {
      repairs.note("exportDate", "\(date) is out of range, and was ignored")
      exportDate = nil
    }
    repairs.repair(&appVersion, "appVersion")
    repairs.repair(&format, "format")
    for index in categories.indices { categories[index].repairRanges(index, &repairs) }
    for index in photos.indices { photos[index].repairRanges(index, &repairs) }
    for index in photoManifest.indices { photoManifest[index].repairRanges(index, &repairs) }
    if var settings {
      repairs.repair(asOf: &settings.valuesAsOf, "settings.valuesAsOf")
      repairs.repair(asOf: &settings.securitySettings.hasPINAsOf, "settings.securitySettings.hasPINAsOf")
      repairs.repair(
        asOf: &settings.securitySettings.hasPatternAsOf, "settings.securitySettings.hasPatternAsOf")
      self.settings = settings
    }
    return repairs.warnings
  }

  static func require<Number: BinaryInteger>(
    _ number: Number, in range: ClosedRange<Number>, _ path: @autoclosure () -> String
  ) throws(Fault) {
    guard !range.contains(number) else { return }
    throw Fault(
      path: path(), reason: "\(number) is out of range, \(range.lowerBound) to \(range.upperBound)")
  }

  /// Refuses a text that the database cannot hold: SQLite's end at a NUL.
  static func require(_ text: String?, _ path: @autoclosure () -> String) throws(Fault) {
    guard let text else { return }
    let count = text.utf8.count
    guard count <= maximumTextBytes else {
      throw Fault(path: path(), reason: "a text of \(count) bytes; at most \(maximumTextBytes) are read")
    }
    if text.holdsNUL { throw Fault(path: path(), reason: "contains a NUL") }
  }
}

/// Repairs values out of range, and counts them by property: a document may have a hundred thousand.
private struct RangeRepairs {
  private struct Count {
    var first: String
    var others = 0
  }

  private var counts: [String: Count] = [:]

  mutating func note(_ path: String, _ fault: String) {
    let property = path.replacing(/\[[0-9]+\]/, with: "")
    if counts[property] == nil {
      counts[property] = Count(first: "\(path): \(fault)")
    } else {
      counts[property]?.others += 1
    }
  }

  /// Takes the nearest value that is in the range.
  mutating func repair<Number: BinaryInteger>(
    _ number: inout Number, in range: ClosedRange<Number>, _ path: @autoclosure () -> String
  ) {
    guard !range.contains(number) else { return }
    let old = number
    number = number.clamped(to: range)
    note(path(), "\(old) is out of range, and was read as \(number)")
  }

  /// Removes a date that is out of range. The least number of all means that the values have no date: this project
  /// writes it.
  mutating func repair(asOf date: inout Int64?, _ path: @autoclosure () -> String) {
    guard let old = date, old != .min, !Metadata.dates.contains(old) else { return }
    date = nil
    note(path(), "\(old) is out of range, and was ignored")
  }

  /// Removes NULs, which end a text for SQLite, and cuts what is longer than any name or path.
  mutating func repair(_ text: inout String, _ path: @autoclosure () -> String) {
    guard text.needsRepair else { return }
    let (old, count) = (text, text.utf8.count)
    text.unicodeScalars.removeAll { $0 == "\0" }
    while text.utf8.count > Metadata.maximumTextBytes {
      text.unicodeScalars.removeLast(max(1, (text.utf8.count - Metadata.maximumTextBytes) / 4))
    }
    note(
      path(), old.holdsNUL ? "contains a NUL, which was removed" : "a text of \(count) bytes, which was cut")
  }

  mutating func repair(_ text: inout String?, _ path: @autoclosure () -> String) {
    guard var repaired = text, repaired.needsRepair else { return }
    repair(&repaired, path())
    text = repaired
  }

  var warnings: [String] {
    counts.sorted { $0.key < $1.key }.map { _, count in
      count.others == 0 ? count.first : "\(count.first); and \(count.others) more"
    }
  }
}

extension Metadata.CategoryRecord {
  fileprivate mutating func repairRanges(_ index: Int, _ repairs: inout RangeRepairs) {
    repairs.repair(&position, in: Metadata.positions, "categories[\(index)].position")
    repairs.repair(&createdAt, in: Metadata.dates, "categories[\(index)].createdAt")
    repairs.repair(asOf: &valuesAsOf, "categories[\(index)].valuesAsOf")
    repairs.repair(&name, "categories[\(index)].name")
    repairs.repair(&displayName, "categories[\(index)].displayName")
    repairs.repair(&iconResource, "categories[\(index)].iconResource")
    repairs.repair(&colorHex, "categories[\(index)].colorHex")
  }
}

extension Metadata.PhotoRecord {
  fileprivate mutating func repairRanges(_ index: Int, _ repairs: inout RangeRepairs) {
    repairs.repair(&createdAt, in: Metadata.dates, "photos[\(index)].createdAt")
    repairs.repair(&fileSize, in: Metadata.sizes, "photos[\(index)].fileSize")
    repairs.repair(&width, in: Metadata.pixels, "photos[\(index)].width")
    repairs.repair(&height, in: Metadata.pixels, "photos[\(index)].height")
    repairs.repair(&name, "photos[\(index)].name")
    repairs.repair(&self.path, "photos[\(index)].path")
  }
}

extension Metadata.ManifestEntry {
  fileprivate mutating func repairRanges(_ index: Int, _ repairs: inout RangeRepairs) {
    repairs.repair(&fileSize, in: Metadata.sizes, "photoManifest[\(index)].fileSize")
    repairs.repair(&originalPath, "photoManifest[\(index)].originalPath")
    repairs.repair(&zipEntryName, "photoManifest[\(index)].zipEntryName")
    repairs.repair(&fileName, "photoManifest[\(index)].fileName")
    repairs.repair(&checksum, "photoManifest[\(index)].checksum")
    repairs.repair(&expectedChecksum, "photoManifest[\(index)].expectedChecksum")
  }
}

extension String {
  /// Whether no row can hold it as it is.
  fileprivate var needsRepair: Bool { utf8.count > Metadata.maximumTextBytes || holdsNUL }

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
