import SystemPackage
import Testing

@testable import FileSystem

/// The parts of paths, which are found by searching for bytes. `SystemPackage` finds the same ones.
struct PathTests {
  private static let paths: [FilePath] = [
    "", "/", "a", ".", "..", "a/b", "/a", "/a/b", "./a", "../a/b", "a/b/..", "/a/../b", "/a/.b", "a b/ü.jpg",
    "/a//b/",
  ]

  @Test("Path: the folder is the path without its last name", arguments: paths)
  func folder(path: FilePath) {
    let parent = path.removingLastComponent()
    #expect(path.folder == (parent.isEmpty ? "." : parent))
  }

  @Test("Path: the name is the last one", arguments: paths)
  func name(path: FilePath) {
    #expect(path.name == path.lastComponent?.string ?? "")
  }

  @Test("Path: invalid bytes of a name are replaced")
  func invalidName() {
    let path = FilePath(platformString: [0x61, 0x2F, -1, 0x62, 0])
    #expect(path.name == path.lastComponent?.string)
  }

  @Test("Path: the folders above an absolute path begin with the root", arguments: paths.filter(\.isAbsolute))
  func foldersAbove(path: FilePath) {
    var folders: [FilePath] = ["/"]
    for name in path.components.dropLast() { folders.append(folders[folders.count - 1].appending(name)) }
    #expect(path.foldersAbove == folders)
  }

  @Test("Path: the absolute path has no special names", arguments: paths)
  func absolute(path: FilePath) throws {
    let folder = try #require(FilePath(".").realPath)
    #expect(path.absolute == folder.pushing(path).lexicallyNormalized())
  }

  @Test(
    "Path: in an empty folder, a path stays the same",
    arguments: paths.filter { !$0.isEmpty && $0.isRelative })
  func inFolder(path: FilePath) {
    #expect(path.inFolder("") == path)
    #expect(path.inFolder("/") == FilePath("/").appending(path.components))
    #expect(path.inFolder("x/y") == FilePath("x/y").appending(path.components))
  }

  @Test("Message: a long text loses its middle, counted in scalars")
  func shortened() {
    let short = String(repeating: "写", count: 300)
    #expect(short.shortened == short)
    let long = String(repeating: "a", count: 300) + String(repeating: "写", count: 200)
    #expect(long.shortened == String(repeating: "a", count: 200) + "…" + String(repeating: "写", count: 100))
  }
}
