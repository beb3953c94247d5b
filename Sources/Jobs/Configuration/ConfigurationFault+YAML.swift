import Yams

extension ConfigurationFault {
  /// Describes why a text is not YAML.
  init(_ error: YamlError, in text: String) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self.init(
        line: mark.line,
        message: Self.isIndentedByTab(mark.line, of: text)
          ? "YAML does not allow tabs at the beginning of a line; use spaces" : "this is not YAML: \(problem)"
      )
    case .duplicatedKeysInMapping(let duplicates, let context):
      self.init(
        line: duplicates.first.flatMap { Self.secondLine(of: $0, after: context.mark, in: text) }
          ?? context.mark.line,
        message:
          "the key \(duplicates.map { "“\($0)”" }.sorted().joined(separator: ", ")) appears twice; remove one"
      )
    default:
      self.init(line: 0, message: "this is not YAML: \(error)")
    }
  }

  /// Returns the line of the second occurrence of a key in its mapping. The second occurrence has the same
  /// indentation as the first and precedes any line with less indentation.
  private static func secondLine(of key: String, after first: Mark, in text: String) -> Int? {
    let indentation = String(repeating: " ", count: first.column - 1)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    for (index, line) in lines.dropFirst(first.line) {
      let content = line.drop { $0 == " " }
      if content.isEmpty || content.hasPrefix("#") { continue }
      guard line.hasPrefix(indentation) else { return nil }
      if line.dropFirst(indentation.count).hasPrefix(key + ":") { return index + 1 }
    }
    return nil
  }

  private static func isIndentedByTab(_ line: Int, of text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return false }
    return lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
  }
}
