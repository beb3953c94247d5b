import FileSystem
import Foundation
import HTML

/// The copies of the library on the page.
extension StatusPage {
  /// Writes a card for each copy.
  func copies(_ main: inout HTMLDocument) {
    main.newline()
    main.element("h2", text: "Copies")
    guard !protection.copies.isEmpty else { return main.element("p", text: "No job has made a copy yet.") }
    main.element("ul", ["class": "copies"]) { list in
      for copy in protection.copies { list.element("li") { card(copy, &$0) } }
    }
  }

  private func card(_ copy: LibraryCopy, _ card: inout HTMLDocument) {
    card.element("h3") { $0.name(copy.copy.path) }
    card.element("dl") { list in
      func row(_ key: String, _ value: String) {
        list.element("dt", text: key)
        list.element("dd", text: value)
      }
      row("State", copy.state)
      row("Made", "\(days.ago(copy.copy.madeAt)) by job \(copy.job)")
      row("Verified", copy.verifiedAt.map(days.ago) ?? "no")
      row("Place", copy.device.words)
      row("Restore test", copy.test.map(text) ?? "none yet")
      if let points = history.freeSpace[copy.copy.path], let last = points.last {
        let full = BackupHistory.daysUntilFull(points, now: now)
        list.element("dt", text: "Free space")
        list.element("dd") { space in
          space.text("\(ByteCount(last.bytes)) (\(days.ago(last.at)))")
          guard let full else { return }
          space.text("; full in about \(Count(full, "day").grouped), ")
          space.element("time", text: day(after: full))
        }
      }
    }
  }

  private func text(of test: JobStatus.DestinationTestRecord) -> String {
    let passed = test.lastPassedAt.map { "passed \(days.ago($0))" }
    if test.outcome == .passed, let passed { return passed }
    return "\(test.outcome.words) \(days.ago(test.at))" + (passed.map { ", \($0)" } ?? "")
  }

  private func day(after days: Int) -> String {
    self.days.day(.init(now.addingTimeInterval(Double(days) * 86_400)))
  }
}

extension JobStatus.DestinationTestRecord.Outcome {
  /// The outcome for people.
  fileprivate var words: String {
    switch self {
    case .passed: "passed"
    case .incomplete: "incomplete"
    case .failed: "failed"
    case .missing: "found no archive"
    case .unreachable: "could not read it"
    }
  }
}
