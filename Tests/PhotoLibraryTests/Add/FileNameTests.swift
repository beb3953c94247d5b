import TestSupport
import Testing

@testable import PhotoLibrary

struct FileNameTests {
  @Test(
    "File name: unsafe characters are replaced",
    arguments: [
      ("IMG_0001.jpg", "IMG_0001.jpg"), ("été à la plage.jpg", "été à la plage.jpg"), ("生日.jpg", "生日.jpg"),
      ("👨‍👩‍👧.jpg", "👨‍👩‍👧.jpg"), ("IMG 0002 (1).jpg", "IMG 0002 (1).jpg"), ("no ending", "no ending"),
      // traversal
      ("../../etc/passwd", "_.__._etc_passwd"), ("..", "photo"), (".", "photo"),
      ("a/b\\c.jpg", "a_b_c.jpg"), ("a..jpg", "a_.jpg"), ("a...jpg", "a__.jpg"), ("C:\\x.jpg", "C__x.jpg"),
      // control characters, those of Windows, and what looks like neither
      ("a\0b\n\u{7F}\u{85}.jpg", "a_b___.jpg"), (#"a:*?"<>|b.jpg"#, "a_______b.jpg"),
      ("\u{1B}[2J.jpg", "_[2J.jpg"),
      // invisible characters, and those that change the order of letters; but not within emoji
      ("a\u{202E}gpj.\u{200B}exe\u{FEFF}", "agpj.exe"), ("\u{2028}\u{3164}\u{AD}a\u{E0041}.jpg", "a.jpg"),
      ("\u{200B}.jpg", "_jpg"), ("a\u{200D}b.jpg", "ab.jpg"), ("❤️‍🔥 1️⃣.jpg", "❤️‍🔥 1️⃣.jpg"),
      // hidden files and options
      (".hidden.jpg", "_hidden.jpg"), ("-rf.jpg", "_rf.jpg"), ("--help", "_-help"), (".-.jpg", "_-.jpg"),
      // nothing left
      ("", "photo"), ("...", "photo"), (" . . ", "photo"), ("   ", "photo"),
      // the end of a name
      ("a.jpg.", "a.jpg"), ("a.jpg ", "a.jpg"), ("a.jpg. . ", "a.jpg"), ("a .jpg", "a .jpg"),
    ])
  func safeNames(name: String, safe: String) {
    #expect(FileName.safe(name) == safe)
  }

  @Test("File name: two dots are found even if a combining mark follows")
  func combinedDots() {
    for name in ["a..\u{301}b.jpg", "a..\u{200D}/x", "..\u{FE0F}", "x\u{301}..\u{301}"] {
      let safe = FileName.safe(name)
      #expect(!safe.hasTwoDots, "\(name.unicodeScalars.map(\.value))")
    }
  }

  @Test(
    "File name: a long name is truncated between characters and keeps its extension",
    arguments: [
      (String(repeating: "a", count: 251) + ".jpg", 255), (String(repeating: "a", count: 252) + ".jpg", 255),
      (String(repeating: "é", count: 300) + ".jpeg", 255),
      (String(repeating: "日", count: 300) + ".heic", 254),
      (String(repeating: "👨‍👩‍👧", count: 50) + ".jpg", 238), (String(repeating: "a", count: 10_000), 255),
    ])
  func truncation(name: String, bytes: Int) throws {
    let safe = FileName.safe(name)
    #expect(safe.utf8.count == bytes)
    let ending = name.split(separator: ".").dropFirst().first.map { "." + $0 } ?? ""
    #expect(safe.hasSuffix(ending))
    #expect(name.hasPrefix(safe.dropLast(ending.count)))
  }

  @Test("File name: a character that is too long is truncated")
  func longCharacter() {
    let zalgo = "e" + String(repeating: "\u{301}", count: 60_000)
    let safe = FileName.safe(zalgo + ".jpg")
    #expect(safe.utf8.count == 255)
    #expect(safe.utf8.suffix(6).elementsEqual("\u{301}.jpg".utf8))
    #expect(FileName.safe(zalgo).utf8.count == 255)
  }

  @Test(
    "File name: an extension has at most sixteen bytes",
    arguments: [
      ("a.jpg", ".jpg"), ("a.tar.gz", ".gz"), ("a.0123456789abcdef", ".0123456789abcdef"),
      ("a.0123456789abcdefg", ""), (".jpg", ""), ("a", ""),
    ])
  func longExtension(name: String, ending: String) {
    let inserted = FileName.inserting(" (2)", into: name)
    #expect(inserted == name.dropLast(ending.count) + " (2)" + ending)
  }

  @Test("File name: a number fits into a long name")
  func numberedLongName() {
    let name = String(repeating: "a", count: 251) + ".jpg"
    let inserted = FileName.inserting(" (1000)", into: name)
    #expect(inserted.utf8.count == 255)
    #expect(inserted.hasSuffix("a (1000).jpg"))
  }

  @Test(
    "File name: truncation leaves no two dots",
    arguments: [
      String(repeating: "a", count: 250) + ".bcdefgh.jpg", String(repeating: "a", count: 254) + ". b",
      String(repeating: "a", count: 254) + " b", String(repeating: "a", count: 250) + ".b.c.d.e.f.jpg",
    ])
  func truncationAtDot(name: String) {
    let safe = FileName.safe(name)
    #expect(safe.utf8.count <= 255)
    #expect(!safe.hasTwoDots)
    #expect(safe.last != ".")
    #expect(safe.last != " ")
    #expect(FileName.safe(safe) == safe)
  }

  @Test(
    "File name: the last component of paths of any system",
    arguments: [
      ("/data/user/0/com.smilepile/files/photos/x.jpg", "x.jpg"), ("photos/x.jpg", "x.jpg"),
      ("x.jpg", "x.jpg"),
      ("C:\\Users\\x.jpg", "x.jpg"), ("content://media/external/images/media/42", "42"), ("a/b/", "b"),
      ("", ""),
      ("/", ""), ("photos/\u{301}x.jpg", "\u{301}x.jpg"), ("%2e%2e%2fx", "%2e%2e%2fx"),
    ])
  func lastComponent(path: String, name: String) {
    #expect(FileName.lastComponent(of: path) == name)
  }

  @Test("File name: every result is safe, and a safe name does not change")
  func idempotence() {
    let pieces = [
      ".", "..", "-", " ", "/", "\\", "\0", "\n", "a", "jpg", "é", "e\u{301}", "日", "👨‍👩‍👧", "\u{301}",
      "\u{200D}", "\u{FE0F}", "👨", "*\u{FE0F}\u{20E3}", "\u{200B}",
      ":", "*", "\u{202E}", "\u{FFFD}", "\r\n", String(repeating: "x", count: 100),
      String(repeating: "\u{302}", count: 90), ".jpg",
    ]
    var random = SeededNumbers(seed: 7)
    for _ in 0..<5000 {
      let count = Int.random(in: 0...12, using: &random)
      let name = (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined()
      let limit = Int.random(in: 40...255, using: &random)
      let safe = FileName.safe(name, limit: limit)
      let scalars = Array(safe.unicodeScalars)
      let context = "\(name.debugDescription) to \(limit)"
      #expect(!safe.isEmpty, "\(context)")
      #expect(safe.utf8.count <= limit, "\(context)")
      #expect(!safe.hasTwoDots, "\(context)")
      #expect(scalars.first != ".", "\(context)")
      #expect(scalars.first != "-", "\(context)")
      #expect(scalars.last != ".", "\(context)")
      #expect(scalars.last != " ", "\(context)")
      #expect(scalars.allSatisfy { $0.properties.generalCategory != .control }, "\(context)")
      #expect(!safe.unicodeScalars.contains("\u{202E}"), "\(context)")
      #expect(!safe.unicodeScalars.contains("\u{200B}"), "\(context)")
      #expect(scalars.allSatisfy { !"/\\:*?\"<>|".unicodeScalars.contains($0) }, "\(context)")
      #expect(Array(FileName.safe(safe, limit: limit).utf8) == Array(safe.utf8), "\(context)")
    }
  }
}

extension String {
  /// Whether the bytes have two successive dots.
  fileprivate var hasTwoDots: Bool { zip(utf8, utf8.dropFirst()).contains { $0 == (46, 46) } }
}
