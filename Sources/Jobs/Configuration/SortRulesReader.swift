import Backup
import PhotoLibrary
import SystemPackage
import Yams

extension SortRules {
  /// Reads rules from a YAML file. Blocks.
  ///
  /// - Throws: `InvalidConfiguration` with every mistake; `OwnershipError` if other users can change the file; `FileError`
  ///   if it cannot be read.
  package init(contentsOf path: FilePath) throws {
    try self.init(text: ConfigurationText.read(path), path: path)
  }

  /// Reads rules from a YAML text.
  ///
  /// - Parameter path: the file in messages.
  /// - Throws: `InvalidConfiguration` with every mistake.
  package init(text: String, path: FilePath) throws(InvalidConfiguration) {
    var reader = SortRulesReader()
    let rules = reader.read(text)
    try reader.requireNoFault(in: path)
    self.init(rules)
  }
}

/// Reads the rules of `sort` from YAML and collects every mistake.
private struct SortRulesReader: ConfigurationReader {
  var faults: [ConfigurationFault] = []

  mutating func read(_ text: String) -> [SortRule] {
    let root = root(of: text, empty: "the file is empty; add “rules:”")
    guard let root, var section = section(root, "the file") else { return [] }
    var rules: [SortRule] = []
    if let node = section.node("rules") {
      if let list = node.sequence, !list.isEmpty {
        for node in list { if let rule = rule(node) { rules.append(rule) } }
      } else {
        section.fault(node.line, "“rules” must be a list; write for example “- name: 'Screenshot*'” below it")
      }
    } else if section.faults.isEmpty, !section.has("rules") {
      section.fault(section.line, "“rules:” is missing; add it")
    }
    close(&section)
    return rules
  }

  private mutating func rule(_ node: Node) -> SortRule? {
    guard var section = section(node, "a rule") else { return nil }
    defer { close(&section) }
    var rule = SortRule(target: section.text("to") ?? "")
    rule.names = section.texts("name") ?? []
    if let text = section.text("taken") { readDates(text, &rule, &section) }
    rule.sizes = (section.texts("size") ?? []).compactMap { text in
      if let size = PixelSize(text) { return size }
      section.fault("size", "must be a width and a height in pixels, for example 1170x2532")
      return nil
    }
    guard section.faults.isEmpty else { return nil }
    if rule.target.isEmpty {
      section.fault(section.line, "a rule has no “to”; write the category of the photos")
    } else if rule.isWithoutCondition {
      section.fault(section.line, "a rule has no condition; add “name”, “taken” or “size”")
    }
    return rule
  }

  /// Reads `2025-07-01..2025-08-01`, one side of which may be missing.
  private func readDates(_ text: String, _ rule: inout SortRule, _ section: inout YAMLSection) {
    let sides = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    let dates = sides.map { LocalDate.parse(String($0)).map(Timestamp.init) }
    let isValid =
      sides.count == 2 && zip(sides, dates).allSatisfy { $0.isEmpty || $1 != nil }
      && dates.contains { $0 != nil }
    guard isValid else {
      section.fault("taken", "must be two dates, for example 2025-07-01..2025-08-01")
      return
    }
    rule.taken = TakenRange(since: dates[0], until: dates[1])
    if rule.taken.isEmpty {
      section.fault("taken", "must have its later date at the end")
    }
  }
}
