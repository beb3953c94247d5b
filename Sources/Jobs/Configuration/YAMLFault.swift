import Yams

extension JobFile.Fault {
  /// What is wrong with a text that is no YAML.
  init(_ error: YamlError, in text: String) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self.init(
        line: mark.line,
        message: Self.isIndentedByTab(mark.line, of: text)
          ? "YAML takes no tabs at the beginning of a line; write spaces" : "this is no YAML: \(problem)")
    case .duplicatedKeysInMapping(let duplicates, let context):
      self.init(
        line: Self.secondLine(of: duplicates, in: context.mark, of: text) ?? context.mark.line,
        message: "given twice: \(duplicates.map { "“\($0)”" }.sorted().joined(separator: ", "))")
    default:
      self.init(line: 0, message: "this is no YAML: \(error)")
    }
  }

  /// Where the first key stands again that a mapping has twice: at the mapping's own indentation.
  private static func secondLine(of keys: [String], in mapping: Mark, of text: String) -> Int? {
    let indentation = String(repeating: " ", count: mapping.column - 1)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .dropFirst(mapping.line - 1)
    return keys.compactMap { key in
      lines.filter { $0.element.hasPrefix(indentation + key + ":") }.dropFirst().first.map { $0.offset + 1 }
    }
    .min()
  }

  private static func isIndentedByTab(_ line: Int, of text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return false }
    return lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
  }
}
