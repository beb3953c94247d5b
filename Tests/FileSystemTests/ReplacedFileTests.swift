import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

struct ReplacedFileTests {
  /// What a writer left that was cut off goes with the next, unless somebody may be at it still; nothing else does.
  @Test func whatWasCutOffIsRemoved() throws {
    let folder = try TemporaryFolder()
    let old = [".a.json.17.new", ".a.json.x.new", ".a.json.17", "a.json.17.new", ".b.json.17.new"]
    for name in old {
      try folder.write("half", to: name)
      try #require(utimes(folder.path(name).string, [timeval(), timeval()]) == 0)
    }
    try folder.write("half", to: ".a.json.18.new")
    try ReplacedFile.write([1], as: "a.json", in: folder.path(""))
    let names = try Directory.open(folder.path("")).names().map(\.string)
    #expect(Set(names) == Set(old).subtracting([".a.json.17.new"]).union([".a.json.18.new", "a.json"]))
  }
}
