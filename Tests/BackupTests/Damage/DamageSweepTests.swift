import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// A changed byte anywhere in an archive is reported or harmless. It is harmless only in fields that do not affect the
/// import. `scripts/sweep` runs the same tests on all bytes of the apps' archives.
@Suite struct DamageSweepTests {
  /// The fields in which a change can be harmless: dates, versions, descriptive flags, file attributes that are never
  /// applied, and time stamps in extra fields. In deflated data, the bit of the last block and the padding after it:
  /// CRC and MD5 show that the inflated bytes are the same.
  static let harmlessFields: Set<String> = [
    "local.version", "local.flags", "local.time", "local.extra",
    "central.version made", "central.system", "central.version", "central.flags", "central.time",
    "central.internal attributes", "central.external attributes", "central.extra",
    "deflated data",
  ]

  /// An archive of three small photos that this program exports.
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

  private func expectNoSilentChange(_ tally: DamageSweep.Tally, harmless: Set<String> = harmlessFields) {
    #expect(tally.silent == [])
    #expect(Set(tally.harmless.keys).subtracting(harmless) == [])
    #expect(tally.refused + tally.reported + tally.harmless.values.reduce(0, +) == tally.flips)
  }

  @Test("Damage: every changed byte of an exported archive is reported or harmless")
  func everyByte() async throws {
    let bytes = try await Self.exported(ScratchFolder())
    let sweep = try DamageSweep(bytes)
    #expect(sweep.expected.photos.count == 3)
    let tally = try sweep.run(Array(bytes.indices))
    expectNoSilentChange(tally)
    #expect(tally.flips > bytes.count * 2)
    #expect(tally.reported > 0)
    report("exported archive, \(bytes.count) bytes", tally)
  }

  @Test(
    "Damage: sampled changed bytes of the apps' archives are reported or harmless",
    arguments: [Fixture.android, .ios])
  func sampledBytes(_ fixture: Fixture) throws {
    let bytes = try Self.fixture(fixture)
    let sweep = try DamageSweep(bytes)
    expectNoSilentChange(try sweep.run(Array(stride(from: 0, to: bytes.count, by: 7993))))
  }

  /// `scripts/sweep` enables this test and sets the step between the photos' bytes. It takes minutes in a release
  /// build, much longer in a debug build.
  @Test(
    "Damage: all changed bytes of the apps' archives are reported or harmless",
    .enabled(if: ProcessInfo.processInfo.environment["SMILEPILE_SWEEP"] != nil),
    arguments: [Fixture.android, .ios])
  func appArchives(_ fixture: Fixture) throws {
    let step = Int(ProcessInfo.processInfo.environment["SMILEPILE_SWEEP"] ?? "") ?? 1
    let sweep = try DamageSweep(try Self.fixture(fixture))
    let tally = try sweep.run(sweep.offsets(photoStep: step))
    expectNoSilentChange(tally)
    report("\(fixture)", tally)
  }

  /// Prints the counts if the environment asks for the sweep.
  private func report(_ archive: String, _ tally: DamageSweep.Tally) {
    guard ProcessInfo.processInfo.environment["SMILEPILE_SWEEP"] != nil else { return }
    print(
      "\(archive): \(tally.flips) flips, \(tally.refused) refused, \(tally.reported) reported, "
        + "\(tally.harmless.values.reduce(0, +)) harmless, \(tally.silent.count) silent")
    for (field, count) in tally.harmless.sorted(by: { $0.key < $1.key }) {
      print("  harmless: \(count) in \(field)")
    }
  }

  @Test("Damage: an exported archive truncated at any length is refused")
  func everyLength() async throws {
    let bytes = try await Self.exported(ScratchFolder())
    try expectRefusal(of: bytes, truncatedTo: Array(bytes.indices))
  }

  @Test(
    "Damage: the apps' archives are refused if truncated at any of many lengths",
    arguments: [Fixture.android, .ios])
  func sampledLengths(_ fixture: Fixture) throws {
    let bytes = try Self.fixture(fixture)
    let lengths = Array(stride(from: 0, to: bytes.count, by: 997)) + Array(bytes.indices.suffix(1000))
    try expectRefusal(of: bytes, truncatedTo: lengths)
  }

  private func expectRefusal(of bytes: [UInt8], truncatedTo lengths: [Int]) throws {
    let scratch = ScratchFolder()
    let path = try scratch.write(bytes, to: "truncated.zip")
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
