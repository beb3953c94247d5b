import ArchiveCatalog
import Operations
import TestSupport
import Testing

/// Which photos are damaged is a pure function of the observations of them.
@Suite struct PhotoDamageTests {
  private let scratch = ScratchFolder()
  private let ledger: Ledger

  init() throws {
    ledger = Ledger(folder: scratch.path)
  }

  private func finding(_ id: Int64) -> Finding {
    Finding(.photo(id: id, label: "photo \(id)"), "it is corrupt")
  }

  private func damaged(_ library: String = "A") -> [Int64] {
    ledger.photoDamage(ofLibrary: library).photos.keys.sorted()
  }

  // MARK: Rules

  /// What happens, and whether the operation began before all observations.
  private struct Step {
    var event: PhotoObservation.Event
    var isOld: Bool
  }

  /// Every sequence of up to this many steps.
  private static func sequences(upTo length: Int) -> [[Step]] {
    guard length > 0 else { return [[]] }
    let steps = PhotoObservation.Event.allCases.flatMap {
      [Step(event: $0, isOld: false), Step(event: $0, isOld: true)]
    }
    let shorter = sequences(upTo: length - 1)
    return shorter + shorter.filter { $0.count == length - 1 }.flatMap { start in steps.map { start + [$0] } }
  }

  @Test("Photo damage: every sequence of up to four observations follows the rules")
  func rules() {
    let sequences = Self.sequences(upTo: 4)
    #expect(sequences.count == 1 + 6 + 36 + 216 + 1296)
    for steps in sequences {
      let log = steps.enumerated().map { index, step in
        let recorded = Int64(index + 1) * 10
        return PhotoObservation(
          7, step.event, "\(index)", begun: LedgerPosition(step.isOld ? 0 : recorded - 1),
          recorded: LedgerPosition(recorded), at: Timestamp(rawValue: recorded))
      }
      // the last reading that began after all damage before it was recorded
      let reading = log.lastIndex { one in
        one.event == .intact
          && log.allSatisfy { $0.event == .intact || $0.recorded > one.recorded || $0.recorded <= one.begun }
      }
      let since = log[(reading.map { $0 + 1 } ?? 0)...].filter { $0.event != .intact }
      let photo = PhotoDamage(log).photos[7]
      let isInNoArchive = since.isEmpty ? nil : since.contains { $0.event == .inNoArchive }
      if photo?.message != since.last?.message || photo?.isInNoArchive != isInNoArchive {
        Issue.record("\(steps): \(String(describing: photo))")
      }
    }
  }

  // MARK: Ledger

  @Test("Photo damage: an operation that read every photo clears what it did not find")
  func everyPhoto() {
    ledger.observer(named: "verify").record(
      PhotoFindings(ofEveryPhoto: [finding(4), finding(5)]), ofLibrary: "A")
    #expect(damaged() == [4, 5])
    ledger.observer(named: "verify").record(PhotoFindings(ofEveryPhoto: [finding(5)]), ofLibrary: "A")
    #expect(damaged() == [5])
  }

  @Test("Photo damage: an operation that did not read a photo leaves its damage")
  func somePhotos() {
    ledger.observer(named: "verify").record(PhotoFindings(ofEveryPhoto: [finding(4)]), ofLibrary: "A")
    ledger.observer(named: "export").record(PhotoFindings(damaged: [finding(5)]), ofLibrary: "A")
    #expect(damaged() == [4, 5])
    ledger.observer(named: "backup").record(PhotoFindings(damaged: []) { $0 == 4 }, ofLibrary: "A")
    #expect(damaged() == [5])
  }

  @Test("Photo damage: an operation that began before damage was recorded does not clear it")
  func concurrent() {
    let verify = ledger.observer(named: "verify")
    ledger.observer(named: "export").record(PhotoFindings(damaged: [finding(4)]), ofLibrary: "A")
    verify.record(PhotoFindings(ofEveryPhoto: []), ofLibrary: "A")
    #expect(damaged() == [4])
  }

  @Test("Photo damage: libraries are apart")
  func libraries() {
    ledger.observer(named: "verify").record(PhotoFindings(ofEveryPhoto: [finding(4)]), ofLibrary: "A")
    ledger.observer(named: "verify").record(PhotoFindings(ofEveryPhoto: []), ofLibrary: "B")
    #expect(damaged() == [4])
    #expect(damaged("B") == [])
  }

  @Test("Photo damage: findings about other items are left out")
  func otherItems() {
    let file = Finding(.file("/a.zip"), "it is corrupt")
    ledger.observer(named: "repair").record(PhotoFindings(ofEveryPhoto: [file]), ofLibrary: "A")
    #expect(damaged() == [])
  }
}
