import Foundation

/// Gives photo files their place in the library: `photos/YYYY/MM/<file name>` by the date taken (UTC), so that a
/// person with a file manager finds their way.
struct PhotoPath {
  /// Paths that are taken, compared without case and in NFC, since a library may be copied to a file system
  /// that tells neither apart.
  private var taken: Set<String>
  /// The next number to try for a name that was taken, so that a thousand photos of one name are not a
  /// million attempts.
  private var nextNumber: [String: Int] = [:]
  /// The folder that was asked for last, and its day since 1970: photos come in order, most of the time.
  private var lastFolder: (day: Int64, path: String)?

  init(taken: some Sequence<String>) {
    self.taken = Set(taken.map(Self.key))
  }

  /// A path that nothing has, neither a row nor, by `exists`, a file.
  mutating func next(
    forFileName fileName: String, createdAt: Int64, exists: (String) throws -> Bool
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

  private mutating func folder(_ createdAt: Int64) -> String {
    let day = createdAt / 86_400_000
    if let lastFolder, lastFolder.day == day, createdAt >= 0 { return lastFolder.path }
    let path = Self.folder(createdAt: createdAt)
    if createdAt >= 0 { lastFolder = (day, path) }
    return path
  }

  /// `photos/2025/10`, or `photos/undated` for years that a folder cannot show.
  static func folder(createdAt: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(createdAt) / 1000)
    // years 1…9999
    guard (-62_135_596_800_000..<253_402_300_800_000).contains(createdAt) else { return "photos/undated" }
    let parts = calendar.dateComponents([.year, .month], from: date)
    return "photos/\(digits(parts.year ?? 0, 4))/\(digits(parts.month ?? 0, 2))"
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private static func digits(_ value: Int, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  private static func key(_ path: String) -> String {
    let isASCII = path.utf8.allSatisfy { $0 < 0x80 }
    return (isASCII ? path : path.precomposedStringWithCanonicalMapping).lowercased()
  }
}

extension String {
  /// What stands before the last slash, and after it. By hand: taking a path apart otherwise costs more than asking the
  /// kernel for its status.
  var folderAndName: (folder: Substring, name: Substring) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", self[...]) }
    return (self[..<slash], self[utf8.index(after: slash)...])
  }
}
