/// The ranges of the numbers and texts in `metadata.json`. Ids may be any 64 bits: ids outside of 1…2⁵³ get new
/// ones.
extension Metadata {
  /// Milliseconds since 1970 that every program's calendar can show, some 273,000 years either way. ECMA-262,
  /// 21.4.1.1.
  static let dates: ClosedRange<Int64> = -8_640_000_000_000_000...8_640_000_000_000_000
  /// Lengths of files, in bytes.
  static let sizes: ClosedRange<Int64> = 0 ... .max
  /// Width and height. The apps store them in 32 bits.
  static let pixels = 0...Int(Int32.max)
  /// Positions of categories. The apps store them in 32 bits.
  static let positions = Int(Int32.min)...Int(Int32.max)
  /// The most archives in one set. The parts of a split archive have gigabytes.
  static let maximumParts = 1_000_000
  /// The most increments that depend on one full backup.
  static let maximumChainDepth = 10_000
  /// The longest text of a property, in bytes of UTF-8. Paths are the longest texts of backups.
  static let maximumTextBytes = 64 << 10
  /// The most categories, assets of the app, rows with the ID of another row, keys of an object, and elements of a list
  /// of texts. Each of them needs more than three times the memory of its text in the document. Backups have a few dozen
  /// categories and assets.
  static let maximumElements = 100_000

  /// Brings every number and text of the rows into its range.
  ///
  /// - Returns: one warning for each property that changed.
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

  /// Refuses a text that the database cannot store. SQLite's texts end at a NUL.
  static func require(_ text: String?, _ path: @autoclosure () -> String) throws(Fault) {
    guard let text else { return }
    let count = text.utf8.count
    guard count <= maximumTextBytes else {
      throw Fault(path: path(), reason: "has \(count) bytes; at most \(maximumTextBytes) are read")
    }
    if text.holdsNUL { throw Fault(path: path(), reason: "contains a zero byte") }
  }
}

/// Repairs values out of range and counts them by property, because a document may have a hundred thousand.
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

  /// Replaces a number by the nearest value in the range.
  mutating func repair<Number: BinaryInteger>(
    _ number: inout Number, in range: ClosedRange<Number>, _ path: @autoclosure () -> String
  ) {
    guard !range.contains(number) else { return }
    let old = number
    number = number.clamped(to: range)
    note(path(), "\(old) is out of range, and was read as \(number)")
  }

  /// Removes a date that is out of range. Keeps the least number, which this project writes for values without a
  /// date.
  mutating func repair(asOf date: inout Int64?, _ path: @autoclosure () -> String) {
    guard let old = date, old != .min, !Metadata.dates.contains(old) else { return }
    date = nil
    note(path(), "\(old) is out of range, and was ignored")
  }

  /// Removes NULs, at which SQLite ends a text, and shortens a text that is longer than any name or path.
  mutating func repair(_ text: inout String, _ path: @autoclosure () -> String) {
    guard text.needsRepair else { return }
    let (old, count) = (text, text.utf8.count)
    text.unicodeScalars.removeAll { $0 == "\0" }
    while text.utf8.count > Metadata.maximumTextBytes {
      text.unicodeScalars.removeLast(max(1, (text.utf8.count - Metadata.maximumTextBytes) / 4))
    }
    note(
      path(),
      old.holdsNUL ? "contains a zero byte, which was removed" : "has \(count) bytes, and was truncated")
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
    repairs.repair(asOf: &arrangedAt, "categories[\(index)].arrangedAt")
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
  /// True if the text cannot be stored in a row.
  fileprivate var needsRepair: Bool { utf8.count > Metadata.maximumTextBytes || holdsNUL }

  /// True if the text contains a NUL.
  fileprivate var holdsNUL: Bool {
    utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
  }
}

extension Comparable {
  /// Returns the nearest value in a range. A damaged library may have any value, and an archive with a value out of range
  /// would be unreadable.
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
