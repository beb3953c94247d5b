import Operations

/// The ranges of the numbers and texts in `metadata.json`. Ids may be any 64 bits: ids outside of 1…2⁵³ get new
/// ones.
extension Metadata {
  /// Times that every program's calendar can show, some 273,000 years either way. ECMA-262, 21.4.1.1.
  static var dates: ClosedRange<Timestamp> { -8_640_000_000_000_000...8_640_000_000_000_000 }
  /// Lengths of files, in bytes.
  static var sizes: ClosedRange<Int64> { 0 ... .max }
  /// Width and height. The apps store them in 32 bits.
  static var pixels: ClosedRange<Int> { 0...Int(Int32.max) }
  /// Positions of categories. The apps store them in 32 bits.
  static var positions: ClosedRange<Int> { Int(Int32.min)...Int(Int32.max) }
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
  /// - Throws: `Fault` if a value of this project's own data is out of range.
  mutating func repairRanges() throws(Fault) -> [String] {
    var ranges = RangeCheck(repairs: false)
    try ranges.field("smilepile", &smilepile, .optional)
    ranges = RangeCheck(repairs: true)
    try ranges.field("exportDate", &exportDate, .optional.within(Self.dates))
    try ranges.field("appVersion", &appVersion, .optional)
    try ranges.field("format", &format, .optional)
    try ranges.field("categories", &categories, .notNull)
    try ranges.field("photos", &photos, .notNull)
    try ranges.field("photoManifest", &photoManifest, .notNull)
    try ranges.field("settings", &settings, .optional)
    return ranges.warnings
  }
}

/// Repairs or refuses values that their rules do not allow. Counts repairs by property, because a document may have a
/// hundred thousand.
struct RangeCheck: FieldVisitor {
  typealias Failure = Metadata.Fault

  private struct Count {
    var first: String
    var others = 0
  }

  /// False to refuse a document with such a value.
  private let repairs: Bool
  /// The properties around the current one, each with the index of its current element if it is a list.
  private var parents: [(key: StaticString, index: Int?)] = []
  /// The current property; nil for an element of a list.
  private var key: StaticString?
  /// The rule of the current property, or of the list.
  private var rule = FieldRule.notNull
  /// True if a number out of range is to be removed.
  private var removes = false
  /// True if the current number is to be removed.
  private var isRemoved = false
  private var counts: [String: Count] = [:]

  init(repairs: Bool) { self.repairs = repairs }

  mutating func field<Value: FieldValue>(
    _ key: StaticString, _ value: inout Value, _ rule: FieldRule
  ) throws(Metadata.Fault) {
    (self.key, self.rule, removes) = (key, rule, false)
    try value.check(&self)
  }

  /// Checks the properties of a record.
  mutating func record(_ record: inout some Record) throws(Metadata.Fault) {
    guard let key else { return try record.visit(&self) }
    parents.append((key, nil))
    try record.visit(&self)
    parents.removeLast()
  }

  /// Checks a value that is removed if it is a number out of range.
  mutating func optional<Value: FieldValue>(_ value: inout Value?) throws(Metadata.Fault) {
    (removes, isRemoved) = (true, false)
    try value?.check(&self)
    if isRemoved { value = nil }
    isRemoved = false
  }

  /// Checks the elements of a list.
  mutating func list<Element: FieldValue>(_ list: inout [Element]) throws(Metadata.Fault) {
    parents.append((key ?? "", nil))
    for index in list.indices {
      parents[parents.count - 1].index = index
      key = nil
      try list[index].check(&self)
    }
    parents.removeLast()
  }

  /// Returns a number, or the nearest one in its range.
  mutating func number(_ number: Int64) throws(Metadata.Fault) -> Int64 {
    guard let range = rule.range, !range.contains(number), !(rule.allowsLeast && number == .min) else {
      return number
    }
    guard repairs else {
      throw fault(key, "\(number) is out of range, \(range.lowerBound) to \(range.upperBound)")
    }
    let repaired = number.clamped(to: range)
    note("\(number) is out of range, and was " + (removes ? "ignored" : "read as \(repaired)"))
    isRemoved = removes
    return repaired
  }

  /// Removes NULs, at which SQLite ends a text, and shortens a text that is longer than any name or path.
  mutating func text(_ text: inout String) throws(Metadata.Fault) {
    let (count, hasNUL, most) = (text.utf8.count, text.hasNUL, Metadata.maximumTextBytes)
    guard rule.limitsText, count > most || hasNUL else { return }
    guard repairs else {
      throw fault(key, count > most ? "has \(count) bytes; at most \(most) are read" : "contains a zero byte")
    }
    text.unicodeScalars.removeAll { $0 == "\0" }
    while text.utf8.count > most {
      text.unicodeScalars.removeLast(max(1, (text.utf8.count - most) / 4))
    }
    note(hasNUL ? "contains a zero byte, which was removed" : "has \(count) bytes, and was truncated")
  }

  /// Returns the fault of a property of the current record; nil for the record itself.
  func fault(_ key: StaticString?, _ reason: String) -> Metadata.Fault {
    Metadata.Fault(path: path(key) { "[\($0)]" }, reason: reason)
  }

  private mutating func note(_ fault: String) {
    let property = path(key) { _ in "" }
    if counts[property] == nil {
      counts[property] = Count(first: "\(path(key) { "[\($0)]" }): \(fault)")
    } else {
      counts[property]?.others += 1
    }
  }

  private func path(_ key: StaticString?, index text: (Int) -> String) -> String {
    let parents = parents.map { key, index in "\(key)" + (index.map(text) ?? "") }
    return (parents + [key.map { "\($0)" }].compactMap(\.self)).joined(separator: ".")
  }

  /// One warning for each property that was repaired.
  var warnings: [String] {
    counts.sorted { $0.key < $1.key }.map { _, count in
      count.others == 0 ? count.first : "\(count.first); and \(count.others) more"
    }
  }
}

extension String {
  /// True if the text contains a NUL.
  fileprivate var hasNUL: Bool {
    utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? utf8.contains(0)
  }
}

extension Comparable {
  /// Returns the nearest value in a range. A damaged library may have any value, and an archive with a value out of range
  /// would be unreadable.
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
