import Testing

@testable import Backup

struct UniqueNamesTests {
  @Test(
    "Unique names: the name of a Windows device gets an underscore",
    arguments: [
      ("con.jpg", "_con.jpg"), ("NUL", "_NUL"), ("Com1.tar.gz", "_Com1.tar.gz"), ("lpt9.png", "_lpt9.png"),
      ("console.jpg", "console.jpg"), ("com.jpg", "com.jpg"), ("com10.jpg", "com10.jpg"), ("a.con", "a.con"),
    ])
  func deviceName(_ name: String, _ expected: String) {
    var names = UniqueNames()
    #expect(names.next(name) == expected)
  }

  @Test("Unique names: a name that is in use gets a number")
  func usedName() {
    var files = UniqueNames()
    #expect(["a.jpg", "A.jpg", "a.JPG"].map { files.next($0) } == ["a.jpg", "A (2).jpg", "a (3).JPG"])
    var folders = UniqueNames(ofFolders: true)
    #expect(["aux", "AUX", "a.b", "a.b"].map { folders.next($0) } == ["_aux", "AUX (2)", "a.b", "a.b (2)"])
  }
}
