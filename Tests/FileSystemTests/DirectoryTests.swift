import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

struct DirectoryTests {
  let folder = ScratchFolder()

  init() throws {
    try folder.write("outside", to: "outside/secret")
    try folder.makeFolder("inside/real")
    try folder.link("inside/link", to: "../outside")
    try folder.link("inside/real/link", to: "../../outside")
    try folder.write("photo", to: "inside/photo")
  }

  private func inside() throws -> Directory { try Directory.open(folder.path("inside")) }

  /// Every function that takes a name, called with this one.
  private func attempts(with name: FilePath) -> [(name: String, run: (borrowing Directory) throws -> Void)] {
    [
      ("open", { _ = try $0.open(name, .read) }),
      ("create", { _ = try $0.open(name, .create) }),
      ("directory", { _ = try $0.directory(name) }),
      ("makeDirectory", { _ = try $0.makeDirectory(name) }),
      ("remove", { _ = try $0.remove(name) }),
      ("removeDirectory", { _ = try $0.remove(name, isDirectory: true) }),
      ("rename to", { try $0.rename("photo", to: $0, as: name) }),
      ("rename from", { try $0.rename(name, to: $0, as: "new") }),
      ("replace", { try $0.replace(name, with: "photo") }),
      ("replace with", { try $0.replace("new", with: name) }),
      ("link", { try $0.link(try $0.openUnnamed() ?? $0.open("photo", .read), as: name) }),
    ]
  }

  static let leadingElsewhere: [FilePath] = [
    "", ".", "..", "../outside/secret", "real/../../outside/secret", "/etc/passwd", "/", "./photo", "real/..",
  ]

  @Test("Directory: a name that leads out of the folder is refused", arguments: leadingElsewhere)
  func escapingName(name: FilePath) throws {
    let directory = try inside()
    let before = try folder.tree()
    for attempt in attempts(with: name) {
      let error = #expect(throws: FileError.self, "\(attempt.name)") { try attempt.run(directory) }
      #expect(error?.errno == .invalidArgument, "\(attempt.name)")
    }
    #expect(throws: FileError.self) { _ = try directory.status(of: name) }
    #expect(try folder.tree() == before)
  }

  @Test(
    "Directory: a symbolic link within a path is refused",
    arguments: ["link/secret", "real/link/secret"] as [FilePath])
  func linkWithinPath(name: FilePath) throws {
    let directory = try inside()
    let before = try folder.tree()
    for attempt in attempts(with: name) {
      let error = #expect(throws: FileError.self, "\(attempt.name)") { try attempt.run(directory) }
      #expect(error?.errno == .notDirectory, "\(attempt.name)")
    }
    #expect(try directory.status(of: name) == nil)
    #expect(try folder.tree() == before)
  }

  @Test("Directory: a symbolic link at the end of a path is not followed")
  func linkAtEnd() throws {
    let directory = try inside()
    let link = folder.path("inside/link")
    #expect(throws: FileError("open", link, .notDirectory)) { _ = try directory.directory("link") }
    #expect(throws: FileError("open", link, .tooManySymbolicLinkLevels)) {
      _ = try directory.open("link", .read)
    }
    #expect(try directory.status(of: "link")?.kind == .symbolicLink)
    #expect(try directory.remove("link"))
    #expect(folder.has("outside/secret"))
  }

  @Test("Directory: names may have several components")
  func components() throws {
    let directory = try inside()
    #expect(try directory.makeDirectory("real/deeper"))
    do {
      let file = try directory.open("real/deeper/new", .create)
      #expect(file.path == folder.path("inside/real/deeper/new"))
      try file.write([1], at: 0)
    }
    #expect(try directory.status(of: "real/deeper/new")?.size == 1)
    try directory.rename("real/deeper/new", to: directory, as: "real/moved")
    #expect(try folder.bytes("inside/real/moved") == [1])
    try directory.replace("photo", with: "real/moved")
    #expect(try folder.bytes("inside/photo") == [1])
    #expect(try directory.directory("real").directory("deeper").names() == [])
  }

  @Test("Directory: creating a folder returns whether it is new")
  func makeDirectory() throws {
    let directory = try inside()
    #expect(try directory.makeDirectory("new"))
    #expect(try !directory.makeDirectory("new"))
    #expect(throws: FileError("open", folder.path("inside/none/new"), .noSuchFileOrDirectory)) {
      try directory.makeDirectory("none/new")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("inside/new").string)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test("Directory: a missing file is not an error of status and remove")
  func missing() throws {
    let directory = try inside()
    #expect(try directory.status(of: "none") == nil)
    #expect(try directory.status(of: "none/deeper") == nil)
    #expect(try directory.status(of: "photo/deeper") == nil)
    #expect(try !directory.remove("none"))
    #expect(try !directory.remove("none", isDirectory: true))
  }

  @Test("Directory: the list of names is sorted and complete")
  func names() throws {
    let names = (0..<300).map { String(format: "%03d", $0 * 7 % 300) } + [".hidden", "été", "日本"]
    for name in names { try folder.write("", to: "many/" + name) }
    #expect(try Directory.open(folder.path("many")).names().map(\.string) == names.sorted())
  }

  @Test("Directory: a name that is not UTF-8 is supported")
  func nonUTF8Name() throws {
    let directory = try inside()
    // “été.jpg” in Latin-1, as older systems wrote it
    let name = try #require(FilePath(bytes: [0xE9, 0x74, 0xE9, 0x2E, 0x6A, 0x70, 0x67]))
    do { try directory.open(name, .create).write([1, 2], at: 0) }
    #expect(try directory.names().contains(name))
    #expect(try directory.status(of: name)?.size == 2)
    #expect(try directory.open(name, .read).read(9, at: 0) == [1, 2])
    #expect(try directory.remove(name))
    #expect(try !directory.names().contains(name))
  }

  @Test("Directory: a file or a missing path cannot be opened as a folder")
  func notAFolder() throws {
    #expect(throws: FileError("open", folder.path("inside/photo"), .notDirectory)) {
      _ = try Directory.open(folder.path("inside/photo"))
    }
    #expect(throws: FileError("open", folder.path("none"), .noSuchFileOrDirectory)) {
      _ = try Directory.open(folder.path("none"))
    }
    try Directory.open(folder.path).sync()
  }

  @Test("Directory: a folder that is not empty cannot be removed")
  func notEmpty() throws {
    #expect(throws: FileError("remove", folder.path("inside/real"), .directoryNotEmpty)) {
      try inside().remove("real", isDirectory: true)
    }
  }
}
