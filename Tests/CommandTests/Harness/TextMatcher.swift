import Foundation

/// What a text must be. Texts are compared byte by byte: Swift treats é and e + ´ as equal, but tests of file names
/// must distinguish them.
enum TextMatcher: Sendable {
  case empty
  /// All lines, with wildcards. A line feed at the end is optional.
  case exactly(String)
  /// Part of a line, or consecutive lines.
  case containing(String)
  case lacking(String)
  /// A regular expression that matches a part of the text; `^` and `$` are the ends of a line.
  case matching(String)
  /// Every line is a JSON object.
  case jsonLines

  /// The reason why the text does not match; nil if it matches.
  func mismatch(in text: [UInt8]) -> String? {
    switch self {
    case .empty: text.isEmpty ? nil : "it is not empty"
    case .exactly(let pattern):
      Self.match(Self.lines(pattern.utf8)[...], Self.lines(text)[...]) ? nil : "it is something else"
    case .containing(let pattern): Self.contains(pattern, text) ? nil : "the text is missing"
    case .lacking(let pattern): Self.contains(pattern, text) ? "the output contains the text" : nil
    case .matching(let pattern): Self.matches(pattern, text) ? nil : "nothing matches"
    case .jsonLines: Self.firstLineThatIsNoObject(text)
    }
  }

  private typealias Line = ArraySlice<UInt8>

  /// `…` alone on a line is any number of lines; within a line it is any text.
  private static let wildcard = Array("…".utf8)[...]

  private static func lines(_ text: some Collection<UInt8>) -> [Line] {
    var lines = Array(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func contains(_ pattern: String, _ text: [UInt8]) -> Bool {
    let wanted = lines(pattern.utf8)
    if let only = wanted.first, wanted.count == 1 {
      return lines(text).contains { match(line: $0, wildcard + only + wildcard) }
    }
    return match(([wildcard] + wanted + [wildcard])[...], lines(text)[...])
  }

  private static func match(_ pattern: ArraySlice<Line>, _ lines: ArraySlice<Line>) -> Bool {
    guard let first = pattern.first else { return lines.isEmpty }
    let rest = pattern.dropFirst()
    if first == wildcard {
      return (lines.startIndex...lines.endIndex).contains { match(rest, lines[$0...]) }
    }
    guard let line = lines.first, match(line: line, first) else { return false }
    return match(rest, lines.dropFirst())
  }

  private static func match(line: Line, _ pattern: Line) -> Bool {
    var pieces = pattern.split(wildcard)
    let first = pieces.removeFirst()
    guard let last = pieces.popLast() else { return line == first }
    guard line.starts(with: first) else { return false }
    var rest = line.dropFirst(first.count)
    for piece in pieces where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.count && rest.suffix(last.count) == last
  }

  private static func matches(_ pattern: String, _ text: [UInt8]) -> Bool {
    guard let regex = try? Regex(pattern).anchorsMatchLineEndings() else { return false }
    return String(decoding: text, as: UTF8.self).contains(regex)
  }

  private static func firstLineThatIsNoObject(_ text: [UInt8]) -> String? {
    let lines = lines(text)
    if lines.isEmpty { return "there is no line" }
    for (index, line) in lines.enumerated() {
      guard case .object? = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else {
        return "line \(index + 1) is not a JSON object: \(String(decoding: line, as: UTF8.self))"
      }
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  /// The parts between the occurrences of `separator`; one more than there are occurrences.
  fileprivate func split(_ separator: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var rest = self
    while let found = rest.firstRange(of: separator) {
      parts.append(rest[..<found.lowerBound])
      rest = rest[found.upperBound...]
    }
    return parts + [rest]
  }
}
