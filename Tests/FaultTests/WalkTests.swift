import Foundation
import TestSupport
import Testing

/// A sample of what `scripts/faults` tries in full: a few operations under every kind of fault, at every so many-th
/// system call, in a process of their own.
@Suite(.waitsForPrograms) struct WalkTests {
  @Test(arguments: [
    ("export,export like FAT", 79), ("import merge,import replace", 127), ("import several,add,init", 131),
    ("import many", 89), ("export incremental,flatten,import chain", 151),
    ("extract,extract like FAT,extract many", 61),
  ])
  func nothingIsLostWhateverFails(operations: String, stride: Int) throws {
    let scratch = try ScratchFolder()
    let walk = try #require(Programs.built("FaultWalk"))
    let (status, report) = try Programs.run(
      walk, ["--only", operations, "--every", "\(stride)"], in: scratch.path.string)
    #expect(status == 0, "\(report)")
    // a walk that reached nothing would prove nothing
    let sum = try #require(report.split(separator: "\n").last?.split(separator: " "))
    #expect(sum.first == "all")
    #expect(sum.count == 5 && (Int(sum[2]) ?? 0) > 2 && (Int(sum[3]) ?? 0) > 10, "\(report)")
  }
}
