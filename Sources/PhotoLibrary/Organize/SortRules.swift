import Crypto
import Foundation

/// A width and a height in pixels.
package struct PixelSize: Sendable, Equatable, CustomStringConvertible {
  /// From 1.
  package let width: Int
  /// From 1.
  package let height: Int

  /// Reads `1170x2532`; returns nil for any other text.
  package init?(_ text: String) {
    let numbers = text.split(separator: "x", omittingEmptySubsequences: false).map { side in
      side.allSatisfy { $0.isASCII && $0.isNumber } ? Int(side) : nil
    }
    guard numbers.count == 2, let width = numbers[0], let height = numbers[1], width > 0, height > 0 else {
      return nil
    }
    (self.width, self.height) = (width, height)
  }

  /// `1170x2532`.
  package var description: String { "\(width)x\(height)" }
}

/// A rule of `sort`: the category of the photos that meet one condition of each kind that is given.
package struct SortRule: Sendable, Equatable {
  /// Patterns for the name or the file name.
  package var names: [String] = []
  /// The times when photos were taken.
  package var taken = TakenRange()
  /// Sizes in pixels.
  package var sizes: [PixelSize] = []
  /// The category of the photos, by the displayed name or by `name`.
  package var target: String

  /// Makes a rule without conditions, which needs at least one.
  package init(target: String) { self.target = target }

  /// True if the rule has no condition.
  package var isWithoutCondition: Bool { names.isEmpty && taken.isUnlimited && sizes.isEmpty }

  /// The parts of the rule, for a digest.
  fileprivate var parts: [String] {
    names.map { "name \($0)" } + sizes.map { "size \($0)" }
      + [taken.since.map { "since \($0)" }, taken.until.map { "until \($0)" }].compactMap { $0 } + [
        "to \(target)"
      ]
  }
}

/// Rules of `sort`. The first rule that fits a photo decides.
package struct SortRules: Sendable {
  /// The rules, in the order in which they are tried.
  package let rules: [SortRule]
  private let patterns: [[NamePattern]]

  /// Makes rules in the order in which they are tried.
  package init(_ rules: [SortRule]) {
    self.rules = rules
    patterns = rules.map { $0.names.map(NamePattern.init) }
  }

  /// Returns the index of the first rule that fits a photo; nil if none does.
  func index(for photo: Photo) -> Int? {
    rules.indices.first { index in
      let rule = rules[index]
      return (patterns[index].isEmpty || patterns[index].contains { $0.matches(photo) })
        && rule.taken.contains(photo.createdAt)
        && (rule.sizes.isEmpty
          || rule.sizes.contains { $0.width == photo.width && $0.height == photo.height })
    }
  }

  /// The SHA-256 of the rules. Comments and the layout of the file do not change it.
  var digest: Data {
    var hash = SHA256()
    for rule in rules {
      for part in rule.parts { hash.update(data: Data("\(part.utf8.count) \(part)".utf8)) }
      hash.update(data: Data(";".utf8))
    }
    return Data(hash.finalize())
  }
}
