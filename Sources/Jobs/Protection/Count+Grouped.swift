import FileSystem
import Foundation

extension Count {
  /// The text with commas in the number, as sentences and pages have it: `12,345 photos`.
  var grouped: String { "\(number.grouped) \(noun)" }
}

extension Int {
  /// The number with commas: `12,345`.
  var grouped: String { formatted(.number.locale(Locale(identifier: "en_US"))) }
}
