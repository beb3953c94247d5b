import Foundation
import Jobs
import PhotoLibrary
import Testing

struct SortRulesTests {
  private func faults(_ text: String) -> [ConfigurationFault] {
    do {
      _ = try SortRules(text: text, path: "rules.yaml")
      return []
    } catch {
      return error.faults
    }
  }

  @Test("Sort rules: names, dates and sizes are read in their order")
  func allConditions() throws {
    let text = """
      rules:
        - {name: 'Screenshot*', to: Screenshots}
        - name: ['IMG-*-WA*', 'VID*']
          taken: 2025-07-01..2025-08-01
          size: 1170x2532
          to: Messages
        - {taken: 2025-07-01.., to: Later}
        - {taken: ..2025-07-01T12:30, to: Earlier}
      """
    let rules = try SortRules(text: text, path: "rules.yaml").rules
    #expect(rules.map(\.target) == ["Screenshots", "Messages", "Later", "Earlier"])
    #expect(rules[0].names == ["Screenshot*"])
    #expect(rules[1].names == ["IMG-*-WA*", "VID*"])
    #expect(rules[1].sizes.map(\.description) == ["1170x2532"])
    let since = try #require(rules[1].taken.since)
    #expect(try #require(rules[1].taken.until).milliseconds(since: since) >= 30 * 86_400_000)
    #expect(rules[2].taken.since == since)
    #expect(rules[2].taken.until == nil)
    #expect(rules[3].taken.since == nil)
    #expect(try #require(rules[3].taken.until).milliseconds(since: since) == 45_000_000)
  }

  @Test(
    "Sort rules: each mistake is reported with its line and correction",
    arguments: [
      ("", 0, "the file is empty; add “rules:”"),
      ("rule: []", 1, "“rules:” is missing; add it"),
      ("rules: x", 1, "“rules” must be a list"),
      ("rules: []", 1, "“rules” must be a list"),
      ("rules:\n  - to: A", 2, "a rule has no condition; add “name”, “taken” or “size”"),
      ("rules:\n  - name: a", 2, "a rule has no “to”; write the category of the photos"),
      ("rules:\n  - {name: a, to: A, nam: b}", 2, "unknown key “nam” in a rule"),
      (
        "rules:\n  - {size: 1170, to: A}", 2,
        "“size” must be a width and a height in pixels, for example 1170x2532"
      ),
      ("rules:\n  - {size: 0x4, to: A}", 2, "“size” must be"),
      ("rules:\n  - {size: 1x2x3, to: A}", 2, "“size” must be"),
      (
        "rules:\n  - {taken: 2025-07-01, to: A}", 2,
        "“taken” must be two dates, for example 2025-07-01..2025-08-01"
      ),
      ("rules:\n  - {taken: .., to: A}", 2, "“taken” must be two dates"),
      ("rules:\n  - {taken: 2025-02-30..2025-03-01, to: A}", 2, "“taken” must be two dates"),
      (
        "rules:\n  - {taken: 2025-08-01..2025-07-01, to: A}", 2, "“taken” must have its later date at the end"
      ),
      ("rules:\n  - &a {name: a, to: A}", 2, "anchors"),
      ("rules:\n  - x", 2, "a rule must be a list of “key: value” lines"),
    ])
  func mistakes(text: String, line: Int, message: String) throws {
    let fault = try #require(faults(text).first)
    #expect(fault.line == line)
    #expect(fault.message.contains(message))
  }
}
