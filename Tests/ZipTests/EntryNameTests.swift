import Testing
import Zip

/// Names that are accepted, and names that are refused.
struct EntryNameTests {
  @Test(
    "Entry name: a valid name is accepted",
    arguments: [
      "metadata.json", "photos/101_IMG_0001.jpg", "backup_temp_1759500000123/", "a/b/c/d", "./", "./a.jpg",
      "été à la plage.jpg", "生日.jpg", "👨‍👩‍👧.jpg", ".nomedia", "photos/.hidden", "photos/...", "a..b", "..a",
      "a..",
      "photos/..jpg", "ab:c", "12:30.jpg", "photos/C:.jpg", " ", "-", "~", "a ", "__MACOSX/._a.jpg", "CON",
      String(repeating: "x", count: 255), String(repeating: "x/", count: 500) + "y",
    ])
  func valid(_ name: String) { #expect(EntryName.problem(of: name) == nil) }

  @Test(
    "Entry name: an unsafe name is refused with its reason",
    arguments: [
      ("", .empty), ("a\0b", .nul), ("a\nb", .controlCharacter), ("a\u{7F}", .controlCharacter),
      ("a\u{85}b", .controlCharacter), ("a\\b", .backslash), ("/a", .absolute), ("/", .absolute),
      ("//a", .absolute), ("C:", .driveLetter), ("c:/a", .driveLetter), ("a:b", .driveLetter),
      ("..", .parentComponent),
      ("../a", .parentComponent), ("a/../b", .parentComponent), ("a/..", .parentComponent),
      ("a/../", .parentComponent), ("../", .parentComponent), (".", .dotComponent), ("a/.", .dotComponent),
      ("a/./b", .dotComponent), ("./.", .dotComponent), ("a//b", .emptyComponent), ("a//", .emptyComponent),
      (String(repeating: "x", count: 256), .longComponent),
      ("a/" + String(repeating: "é", count: 128) + ".jpg", .longComponent),
    ] as [(String, NameProblem)])
  func unsafe(_ name: String, _ fault: NameProblem) { #expect(EntryName.problem(of: name) == fault) }
}
