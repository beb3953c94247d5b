import Foundation
import Jobs
import TestSupport
import Testing

/// `docs/config.example.yaml` and `docs/reference/job-file.md` list every key.
@Suite struct ExampleTests {
  private let example: String
  private let reference: Document

  init() throws {
    example = try Document.text("config.example.yaml")
    reference = try Document("reference/job-file.md")
  }

  /// What a job says that it has, where it is given a key that nobody knows.
  private func keys(of section: String) -> [String] {
    do {
      _ = try JobFile(text: section, path: "/config.yaml", home: "/home/anna")
      return []
    } catch {
      return error.faults.flatMap { fault -> [Substring] in
        guard let match = fault.message.firstMatch(of: /no key “unheard-of”; it has (.+)/) else { return [] }
        return match.1.split(separator: ", ")
      }.map(String.init)
    }
  }

  @Test func everyKeyStandsInTheExample() throws {
    let ofJobs = keys(of: "jobs:\n  a:\n    unheard-of: 1\n")
    // a key that takes others says which, and one that takes a value says something else
    let ofSections = ofJobs.map { keys(of: "jobs:\n  a:\n    \($0): {unheard-of: 1}\n") }
    #expect(ofJobs.contains("verify") && ofSections.joined().contains("force-weak-password"))
    #expect(ofSections.joined().contains("sample") && ofSections.joined().contains("marker"))
    let told = Set(reference.tables.flatMap(\.rows).flatMap { Document.code(in: $0[0]) })
    for key in Set(ofJobs + ofSections.joined()).sorted() {
      #expect(told.contains(key), "`\(key)` is not in docs/reference/job-file.md")
      let place = try Regex("(?m)(^|[ {])\(key):")
      let isThere = example.contains(place)
      #expect(isThere, "“\(key):” does not stand in docs/config.example.yaml")
    }
    for words in ["sample: all", "drill: manual", "every Sunday at 04:30"] {
      #expect(example.contains(words))
    }
    #expect(Schedule.defaultDrill.description == "every Sunday at 04:30")
  }

  /// Lines that a reader may take the `#` away from are right, too.
  @Test func whatIsCommentedOutIsRight() throws {
    let text = example.replacing(/(?m)^( +)# ([a-z-]+: )/) { "\($0.1)\($0.2)" }
    let job = try #require(
      try JobFile(text: text, path: "/config.yaml", home: "/home/anna").jobs.first { $0.name == "family" })
    #expect(
      job.verifies && job.retention?.yearly == 3 && job.prometheusFile != nil && job.hooks.before != nil)
  }
}
