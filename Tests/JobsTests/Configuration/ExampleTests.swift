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

  /// The keys that the error for an unknown key in `section` lists.
  private func keys(of section: String) -> [String] {
    do {
      _ = try JobFile(text: section, path: "/config.yaml", home: "/home/anna")
      return []
    } catch {
      return error.faults.flatMap { fault -> [Substring] in
        guard let match = fault.message.firstMatch(of: /unknown key “unheard-of” in .+; known keys: (.+)/)
        else { return [] }
        return match.1.split(separator: ", ")
      }.map(String.init)
    }
  }

  @Test("Job file documents: every key is in the example and in the reference")
  func everyKey() throws {
    let ofJobs = keys(of: "jobs:\n  a:\n    unheard-of: 1\n")
    // the error lists keys only if the value is a mapping
    let ofSections = ofJobs.map { keys(of: "jobs:\n  a:\n    \($0): {unheard-of: 1}\n") }
    #expect(ofJobs.contains("verify"))
    #expect(ofSections.joined().contains("force-weak-password"))
    #expect(ofSections.joined().contains("sample"))
    #expect(ofSections.joined().contains("sentinel"))
    let documented = Set(reference.tables.flatMap(\.rows).flatMap { Document.code(in: $0[0]) })
    for key in Set(ofJobs + ofSections.joined()).sorted() {
      #expect(documented.contains(key), "`\(key)` is not in docs/reference/job-file.md")
      let pattern = try Regex("(?m)(^|[ {])\(key):")
      let isInExample = example.contains(pattern)
      #expect(isInExample, "“\(key):” is not in docs/config.example.yaml")
    }
    for words in ["sample: all", "drill: manual", "every Sunday at 04:30"] {
      #expect(example.contains(words))
    }
    #expect(Schedule.defaultForRestoreTests.description == "every Sunday at 04:30")
  }

  @Test("Job file documents: the commented-out lines of the example are valid")
  func commentedLines() throws {
    let text = example.replacing(/(?m)^( +)# ([a-z-]+: )/) { "\($0.1)\($0.2)" }
    let job = try #require(
      try JobFile(text: text, path: "/config.yaml", home: "/home/anna").jobs.first { $0.name == "family" })
    #expect(job.verifies)
    #expect(job.retention?.yearly == 3)
    #expect(job.prometheusFile != nil)
    #expect(job.hooks.before != nil)
  }
}
