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
    default:
      self.init(line: 0, message: "this is not YAML: \(error)")
    }
  }

  private static func isIndentedByTab(_ line: Int, of text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return false }
    return lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
  }
}
