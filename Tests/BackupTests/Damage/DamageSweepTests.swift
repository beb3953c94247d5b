import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// A flipped byte anywhere in an archive is reported or harmless, and harmless are the fields that say nothing
/// about what is imported. `scripts/sweep` runs the same over the apps' own archives.
@Suite struct DamageSweepTests {
  /// What a change may leave as it is: dates, versions, flags that only describe, attributes of files that are
  /// never applied, time stamps in extra fields; of deflated data the bit that says that no block follows, and the
  /// bits after its end. The bytes that come out are the same, by CRC and MD5.
  static let harmlessFields: Set<String> = [
    "local.version", "local.flags", "local.time", "local.extra",
    "central.version made", "central.system", "central.version", "central.flags", "central.time",
    "central.internal attributes", "central.external attributes", "central.extra",
    "deflated data",
  ]

  /// An archive that this program wrote, of three small photos.
  static func exported(_ scratch: ScratchFolder) async throws -> [UInt8] {
    let library = try SampleLibrary(
      [
        .init(id: 1, fileName: "a.jpg", bytes: Array("the first photo".utf8)),
        .init(id: 2, category: 2, fileName: "été.jpg", bytes: Array("the second one".utf8)),
        .init(id: 3, category: 2, fileName: "empty.jpg", bytes: []),
      ],
      categories: [.sample(1, "family"), .sample(2, "cars")])
    let summary = try await library.exporting(to: scratch.path.appending("own.zip"))
    let path = try #require(summary.archive)
    return Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
  }

  static func fixture(_ fixture: Fixture) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: fixture.path.string)))
  }

  private func expectNothingSilent(_ tally: DamageSweep.Tally, harmless: Set<String> = harmlessFields) {
    #expect(tally.silent == [])
    #expect(Set(tally.harmless.keys).subtracting(harmless) == [])
    #expect(tally.refused + tally.named + tally.harmless.values.reduce(0, +) == tally.flips)
  }

  @Test func everyByteOfAnArchiveOfOurs() async throws {
    let bytes = try await Self.exported(ScratchFolder())
    let sweep = try DamageSweep(bytes)
    #expect(sweep.expected.photos.count == 3)
    let tally = try sweep.run(Array(bytes.indices))
    expectNothingSilent(tally)
    #expect(tally.flips > bytes.count * 2 && tally.named > 0)
    report("an archive of ours, \(bytes.count) bytes", tally)
  }

  /// Everything but most of the photos' bytes, of which each is like the others.
  @Test(arguments: [Fixture.android, .ios])
  func manyBytesOfTheApps(_ fixture: Fixture) throws {
    let bytes = try Self.fixture(fixture)
    let sweep = try DamageSweep(bytes)
    expectNothingSilent(try sweep.run(Array(stride(from: 0, to: bytes.count, by: 7993))))
  }

  /// Every byte of the fixtures but most of the photos', by `scripts/sweep`, which says how many of those to take:
  /// minutes in a release build, much longer in a debug build.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["SMILEPILE_SWEEP"] != nil),
    arguments: [Fixture.android, .ios])
  func theAppsByteByByte(_ fixture: Fixture) throws {
    let step = Int(ProcessInfo.processInfo.environment["SMILEPILE_SWEEP"] ?? "") ?? 1
    let sweep = try DamageSweep(try Self.fixture(fixture))
    let tally = try sweep.run(sweep.offsets(photoStep: step))
    expectNothingSilent(tally)
    report("\(fixture)", tally)
  }

  /// For whoever asked for the sweep.
  private func report(_ archive: String, _ tally: DamageSweep.Tally) {
    guard ProcessInfo.processInfo.environment["SMILEPILE_SWEEP"] != nil else { return }
    print(
      "\(archive): \(tally.flips) flips, \(tally.refused) refused, \(tally.named) named, "
        + "\(tally.harmless.values.reduce(0, +)) harmless, \(tally.silent.count) silent")
    for (field, count) in tally.harmless.sorted(by: { $0.key < $1.key }) {
      print("  harmless: \(count) in \(field)")
    }
  }

  @Test func everyLengthOfAnArchiveOfOurs() async throws {
    let bytes = try await Self.exported(ScratchFolder())
    try expectRefusal(of: bytes, cutTo: Array(bytes.indices))
  }

  @Test(arguments: [Fixture.android, .ios]) func manyLengthsOfTheApps(_ fixture: Fixture) throws {
    let bytes = try Self.fixture(fixture)
    let lengths = Array(stride(from: 0, to: bytes.count, by: 997)) + Array(bytes.indices.suffix(1000))
    try expectRefusal(of: bytes, cutTo: lengths)
  }

  private func expectRefusal(of bytes: [UInt8], cutTo lengths: [Int]) throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write(bytes, to: "cut.zip")
    #expect(throws: Never.self) { try OpenedBackup(path: path) }
    let file = try FileDescriptor.open(path, .readWrite)
    try file.closeAfter {
      for length in lengths.sorted(by: >) {
        try file.resize(to: Int64(length))
        #expect(throws: (any Error).self, "\(length) bytes") { try OpenedBackup(path: path) }
      }
    }
  }
}
