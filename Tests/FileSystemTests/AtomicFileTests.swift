import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

struct AtomicFileTests {
  let folder = ScratchFolder()

  private func partials() throws -> [String] {
    try folder.tree().keys.filter { $0.hasSuffix(".partial") }
  }

  @Test(
    "Atomic file: a file is visible only after it is published, with mode 0600", arguments: [true, false])
  func publication(isUnnamed: Bool) throws {
    let output = try AtomicFile(in: folder.path, allowUnnamed: isUnnamed)
    try output.file.write(Array("archive".utf8), at: 0)
    if isUnnamed {
      #expect(try folder.tree() == [:])
    } else {
      #expect(try partials() == Array(folder.tree().keys))
      #expect(try partials().allSatisfy { $0.hasPrefix(".") })
    }
    let published = try #require(try output.publish(as: ["a.zip"]))
    #expect(published.name == "a.zip")
    #expect(published.durability == .durable)
    #expect(try folder.tree() == ["a.zip": .file(Data("archive".utf8))])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("a.zip").string)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("Atomic file: a file that is not published leaves nothing", arguments: [true, false])
  func unpublished(isUnnamed: Bool) throws {
    do {
      let output = try AtomicFile(in: folder.path, allowUnnamed: isUnnamed)
      try output.file.write([1, 2, 3], at: 0)
    }
    #expect(try folder.tree() == [:])
  }

  @Test("Atomic file: a taken name is not replaced, and the next name is used", arguments: [true, false])
  func takenNames(isUnnamed: Bool) throws {
    try folder.write("old", to: "a.zip")
    try folder.link("b.zip", to: "nowhere")
    try folder.makeFolder("c.zip")
    do {
      let output = try AtomicFile(in: folder.path, allowUnnamed: isUnnamed)
      try output.file.write(Array("new".utf8), at: 0)
      let published = try output.publish(as: ["a.zip", "b.zip", "c.zip", "d.zip", "e.zip"], sync: false)
      #expect(published?.name == "d.zip")
    }
    #expect(
      try folder.tree() == [
        "a.zip": .file(Data("old".utf8)), "b.zip": .link("nowhere"), "c.zip": .folder,
        "d.zip": .file(Data("new".utf8)),
      ])
  }

  @Test("Atomic file: nothing is published if all names are taken", arguments: [true, false])
  func allNamesTaken(isUnnamed: Bool) throws {
    try folder.write("old", to: "a.zip")
    do {
      let output = try AtomicFile(in: folder.path, allowUnnamed: isUnnamed)
      #expect(try output.publish(as: ["a.zip"]) == nil)
      #expect(try output.publish(as: []) == nil)
      let later = try output.publish(as: ["b.zip"])
      #expect(later?.name == "b.zip")
    }
    #expect(try folder.tree() == ["a.zip": .file(Data("old".utf8)), "b.zip": .file(Data())])
  }

  @Test("Atomic file: a name outside of the folder is refused", arguments: [true, false])
  func escapingName(isUnnamed: Bool) throws {
    try folder.makeFolder("out")
    for name in ["../escaped.zip", "/tmp/escaped.zip"] as [FilePath] {
      let output = try AtomicFile(in: folder.path("out"), allowUnnamed: isUnnamed)
      let error = #expect(throws: FileError.self) { _ = try output.publish(as: [name]) }
      #expect(error?.errno == .invalidArgument)
    }
    #expect(try folder.tree() == ["out": .folder])
  }

  @Test("Atomic file: only unlocked partial files are removed")
  func stalePartials() throws {
    try folder.write("dead", to: ".smilepile-dead.partial")
    try folder.write("live", to: ".smilepile-live.partial")
    try folder.write("other", to: ".smilepile-note.txt")
    try folder.write("other", to: "x.partial")
    try folder.write("photo", to: ".smilepile-x.unfinished")
    try folder.makeFolder(".smilepile-folder.partial")
    try folder.write("target", to: "target")
    try folder.link(".smilepile-link.partial", to: "target")
    let live = try File.open(folder.path(".smilepile-live.partial"), .readWrite)
    #expect(try live.lock(exclusive: true))

    let output = try AtomicFile(in: folder.path)
    let names = try Set(folder.tree().keys)
    #expect(
      names.subtracting([".smilepile-live.partial"]) == [
        ".smilepile-note.txt", "x.partial", ".smilepile-folder.partial", "target", ".smilepile-link.partial",
        ".smilepile-x.unfinished",
      ])
    #expect(names.contains(".smilepile-live.partial"))
    #expect(try output.file.status().size == 0)
  }

  @Test("Atomic file: only old, unlocked partial files are abandoned, and listing them changes nothing")
  func abandonedPartials() throws {
    let old = Date(timeIntervalSinceNow: -7200)
    for name in [
      ".smilepile-dead.partial", ".smilepile-live.partial", ".smilepile-young.partial", "x.partial",
    ] {
      try folder.write("bytes", to: name)
      try FileManager.default.setAttributes(
        [.modificationDate: name.contains("young") ? Date() : old], ofItemAtPath: folder.path(name).string)
    }
    let live = try File.open(folder.path(".smilepile-live.partial"), .readWrite)
    #expect(try live.lock(exclusive: true))
    let before = try folder.tree()
    let directory = try Directory.open(folder.path)
    let limit = Date(timeIntervalSinceNow: -3600)
    let found = try AtomicFile.abandonedPartials(in: directory, unchangedSince: .init(limit))
    #expect(found.map(\.name) == [".smilepile-dead.partial"])
    #expect(try folder.tree() == before)
    for name in before.keys { try AtomicFile.removeAbandoned(FilePath(name), in: directory) }
    live.unlock()
    #expect(Set(try folder.tree().keys) == [".smilepile-live.partial", "x.partial"])
  }

  @Test("Atomic file: a file is replaced, with its new permissions, and dead partials are removed")
  func replacement() throws {
    try folder.write("old", to: "a.json")
    try folder.write("dead", to: ".smilepile-dead.partial")
    try AtomicFile.replace("a.json", in: folder.path, with: Array("new".utf8), mode: 0o644)
    try AtomicFile.replace("b.json", in: folder.path, with: [])
    #expect(try folder.tree() == ["a.json": .file(Data("new".utf8)), "b.json": .file(Data())])
    for (name, mode) in ["a.json": 0o644, "b.json": 0o600] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name).string)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  @Test("Atomic file: a file that cannot be replaced stays", arguments: [SystemCall.write, .sync, .rename])
  func failedReplacement(call: SystemCall) throws {
    try folder.write("old", to: "a.json")
    let fault = ArmedFault(.error(.noSpace), of: [call], below: folder.path)
    defer { fault.disarm() }
    let error = #expect(throws: FileError.self) {
      try AtomicFile.replace("a.json", in: folder.path, with: Array("new".utf8))
    }
    #expect(error?.errno == .noSpace)
    #expect(try folder.tree() == ["a.json": .file(Data("old".utf8))])
  }

  @Test("Atomic file: a replacement is flushed, renamed, and its folder flushed, in this order")
  func orderOfReplacement() throws {
    try folder.write("old", to: "a.json")
    var seen: [String] = []
    for number in 1...3 {
      let fault = ArmedFault(.error(.ioError), at: number, of: [.sync, .rename], below: folder.path)
      defer { fault.disarm() }
      #expect(throws: FileError.self) { try AtomicFile.replace("a.json", in: folder.path, with: [1]) }
      let place = try #require(fault.place)
      seen.append(String(place.prefix { $0 != " " }) + (place.hasSuffix(folder.path.string) ? " folder" : ""))
    }
    #expect(seen == ["sync", "rename", "sync folder"])
  }

  @Test("Atomic file: two runs in one folder keep the partial files of each other")
  func twoRuns() throws {
    let one = try AtomicFile(in: folder.path, allowUnnamed: false)
    let two = try AtomicFile(in: folder.path, allowUnnamed: false)
    #expect(try partials().count == 2)
    try one.file.write([1], at: 0)
    try two.file.write([2], at: 0)
    let names: [FilePath] = ["a.zip", "b.zip"]
    #expect(try one.publish(as: names)?.name == "a.zip")
    #expect(try two.publish(as: names)?.name == "b.zip")
    #expect(try folder.tree() == ["a.zip": .file(Data([1])), "b.zip": .file(Data([2]))])
  }

  @Test("Atomic file: no partial file is removed when many runs start at once")
  func simultaneousRuns() async throws {
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let output = try AtomicFile(in: path, allowUnnamed: false)
          try output.file.write(Array("\(number)".utf8), at: 0)
          _ = try #require(try output.publish(as: (0..<40).lazy.map { FilePath("\($0)") }, sync: false))
        }
      }
      try await group.waitForAll()
    }
    let tree = try folder.tree()
    let numbers = tree.values.map { item -> String in
      if case .file(let bytes) = item { String(decoding: bytes, as: UTF8.self) } else { "no file" }
    }
    #expect(Set(numbers) == Set((0..<40).map(String.init)))
    #expect(Set(tree.keys) == Set((0..<40).map(String.init)))
  }

  @Test("Atomic file: a missing folder is an error with its path")
  func missingFolder() throws {
    #expect(throws: FileError("open", folder.path("none"), .noSuchFileOrDirectory)) {
      _ = try AtomicFile(in: folder.path("none"))
    }
  }
}
