import Foundation

/// Chooses the paths of photo files: `photos/YYYY/MM/<file name>` by the date taken (UTC), which a person understands
/// in a file manager.
struct PhotoPath {
  /// Taken paths, in NFC and lower case, since a library may be copied to a file system that does not distinguish
  /// these.
  private var taken: Set<String>
  /// The next number to try for a taken name, so that a thousand photos of one name do not need a million attempts.
  private var nextNumber: [String: Int] = [:]
  /// The last folder, and its day since 1970: photos mostly come in order.
  private var lastFolder: (day: Int64, path: String)?

  init(taken: some Sequence<String>) {
    self.taken = Set(taken.map(Self.key))
  }

  /// Returns a path that neither a row nor, according to `exists`, a file has.
  mutating func next(
    forFileName fileName: String, createdAt: Timestamp, exists: (String) throws -> Bool
  ) rethrows -> String {
    let name = FileName.safe(fileName)
    let folder = folder(createdAt)
    var path = "\(folder)/\(name)"
    let first = Self.key(path)
    var key = first
    var number = nextNumber[first] ?? 1
    while try taken.contains(key) || exists(path) {
      number += 1
      path = "\(folder)/\(FileName.inserting(" (\(number))", into: name))"
      key = Self.key(path)
    }
    if number > 1 { nextNumber[first] = number }
    taken.insert(key)
    return path
  }

  private mutating func folder(_ createdAt: Timestamp) -> String {
    let day = createdAt.rawValue / 86_400_000
    if let lastFolder, lastFolder.day == day, createdAt >= 0 { return lastFolder.path }
    let path = Self.folder(createdAt: createdAt)
    if createdAt >= 0 { lastFolder = (day, path) }
    return path
  }

  /// Returns `photos/2025/10`, or `photos/undated` for years that do not have four digits.
  static func folder(createdAt: Timestamp) -> String {
    // years 1…9999
    guard (-62_135_596_800_000..<253_402_300_800_000).contains(createdAt) else { return "photos/undated" }
    let parts = calendar.dateComponents([.year, .month], from: createdAt.date)
    return "photos/\((parts.year ?? 0).digits(4))/\((parts.month ?? 0).digits(2))"
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private static func key(_ path: String) -> String {
    let isASCII = path.utf8.allSatisfy { $0 < 0x80 }
    return (isASCII ? path : path.precomposedStringWithCanonicalMapping).lowercased()
  }
}

extension String {
  /// The parts before and after the last slash. `FilePath` takes longer for this than the kernel takes for a status.
  var folderAndName: (folder: Substring, name: Substring) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", self[...]) }
    return (self[..<slash], self[utf8.index(after: slash)...])
  }
}
