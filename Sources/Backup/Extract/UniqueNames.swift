import Foundation
import PhotoLibrary

/// Gives out names for files in one folder, no two of which are one on a file system that tells neither case nor
/// normal forms apart.
struct UniqueNames {
  private var taken: Set<String> = []
  /// The next number to try for a name that was taken, so that a thousand photos of one name are not a million
  /// attempts.
  private var nextNumber: [String: Int] = [:]

  /// Of folders, whose names have no extension.
  private let areFolders: Bool

  init(ofFolders areFolders: Bool = false) { self.areFolders = areFolders }

  /// The name, made safe; `name (2).jpg` where it was given out before.
  mutating func next(_ name: String) -> String {
    let safe = Self.withoutDevice(FileName.safe(name))
    let first = Self.key(safe)
    if taken.insert(first).inserted { return safe }
    var number = nextNumber[first] ?? 1
    while true {
      number += 1
      let suffix = " (\(number))"
      let numbered =
        areFolders
        ? FileName.safe(name, limit: FileName.maximumBytes - suffix.utf8.count) + suffix
        : FileName.inserting(suffix, into: safe)
      if taken.insert(Self.key(numbered)).inserted {
        nextNumber[first] = number
        return numbered
      }
    }
  }

  /// Windows takes `con.jpg` for its console, in any folder: a disk that is carried there has `_con.jpg`.
  /// https://learn.microsoft.com/windows/win32/fileio/naming-a-file#naming-conventions
  private static func withoutDevice(_ name: String) -> String {
    let stem = name.prefix { $0 != "." }.lowercased()
    let isDevice =
      ["con", "prn", "aux", "nul"].contains(stem)
      || ["com", "lpt"].contains(String(stem.prefix(3))) && stem.count == 4 && stem.last?.isNumber == true
    return isDevice ? FileName.safe("_" + name) : name
  }

  private static func key(_ name: String) -> String {
    name.precomposedStringWithCanonicalMapping.lowercased()
  }
}
