import Foundation
import TestSupport
import Testing

/// Runs a sample of `scripts/faults`: a few operations under every kind of fault, at every nth system call.
@Suite(.waitsForPrograms) struct WalkTests {
  @Test(
    "Fault walk: no invariant is violated by kills and failing system calls",
    arguments: [
      ("export,export like FAT", 79), ("import merge,import replace", 127), ("import several,add,init", 131),
      ("clean", 53), ("reset,reset for good,undo reset", 37), ("rebuild,rebuild like FAT", 61),
      ("inbox,inbox like FAT", 151), ("import many", 89), ("report", 23),
      ("import continued,continued like FAT,add continued", 113),
      ("export incremental,flatten,import chain", 151),
      ("extract,extract like FAT,extract many", 61), ("catalogue,catalogue like FAT", 43),
    ])
  func sampleOfFaults(operations: String, stride: Int) throws { try walk(operations, stride) }

  /// If the cache cannot be read, these operations draw pictures.
  @Test(
    "Fault walk: no invariant of galleries and caches is violated",
    .enabled("libvips-tools is not installed") { Programs.installed("vips") != nil },
    arguments: [("gallery,gallery like FAT,gallery update,update like NFS", 97), ("cache fill", 41)])
  func sampleOfPictureFaults(operations: String, stride: Int) throws { try walk(operations, stride) }

  private func walk(_ operations: String, _ stride: Int) throws {
    let scratch = try ScratchFolder()
    let walk = try #require(Programs.built("FaultWalk"))
    let (status, report) = try Programs.run(
      walk, ["--only", operations, "--every", "\(stride)"], in: scratch.path.string)
    #expect(status == 0, "\(report)")
    // the walk must have reached system calls
    let sum = try #require(report.split(separator: "\n").last?.split(separator: " "))
    #expect(sum.first == "all")
    try #require(sum.count == 5, "\(report)")
    #expect((Int(sum[2]) ?? 0) > 2, "\(report)")
    #expect((Int(sum[3]) ?? 0) > 10, "\(report)")
  }
}
