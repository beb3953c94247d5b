import Foundation
import TestSupport
import Testing

/// Runs a sample of `scripts/faults`: a few operations under every kind of fault, at every nth system call.
@Suite(.waitsForPrograms) struct WalkTests {
  @Test(
    "Fault walk: no invariant is violated by kills and failing system calls",
    arguments: [
      ("export,export like FAT", 113), ("import merge,import replace", 179), ("import several,add,init", 191),
      ("clean", 79), ("reset,reset for good,undo reset,backup", 53), ("rebuild,rebuild like FAT", 89),
      ("inbox,inbox like FAT", 211), ("import many", 127), ("report", 23),
      ("import continued,continued like FAT,add after an interruption", 163),
      ("export incremental,flatten,import chain", 211),
      ("extract,extract like FAT,extract many", 89), ("catalogue,catalogue like FAT", 61),
    ])
  func sampleOfFaults(operations: String, stride: Int) throws { try walk(operations, stride) }

  /// If the cache cannot be read, these operations draw pictures.
  @Test(
    "Fault walk: no invariant of galleries and caches is violated",
    .enabled("libvips-tools is not installed") { Programs.has("vips") },
    arguments: [("gallery,gallery like FAT,gallery update,update like NFS", 139), ("cache fill", 59)])
  func sampleOfPictureFaults(operations: String, stride: Int) throws { try walk(operations, stride) }

  private func walk(_ operations: String, _ stride: Int) throws {
    let walk = try #require(Programs.built("FaultWalk"))
    let result = try Programs.run(walk, ["--only", operations, "--every", "\(stride)"])
    let report = result.text
    #expect(result.status == 0, "\(report)")
    // the walk must have reached system calls
    let sum = try #require(report.split(separator: "\n").last?.split(separator: " "))
    #expect(sum.first == "all")
    try #require(sum.count == 5, "\(report)")
    #expect((Int(sum[2]) ?? 0) > 2, "\(report)")
    #expect((Int(sum[3]) ?? 0) > 10, "\(report)")
  }
}
