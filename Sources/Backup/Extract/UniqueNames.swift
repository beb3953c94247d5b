import Foundation
import PhotoLibrary

/// Chooses unique file names for one folder. The names stay distinct on a file system that ignores case and Unicode
/// normal forms.
struct UniqueNames {
  private var taken: Set<String> = []
  /// The next number to try for a taken name, so that a thousand photos with one name do not take a million
  /// attempts.
  private var nextNumber: [String: Int] = [:]

  /// True for names of folders, which have no extension.
  private let areFolders: Bool

  init(ofFolders areFolders: Bool = false) { self.areFolders = areFolders }

  /// Returns the name, made safe; `name (2).jpg` if the name is taken.
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

  /// Avoids names that Windows reserves: it opens its console for `con.jpg` in any folder, so the name becomes
  /// `_con.jpg`.
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
