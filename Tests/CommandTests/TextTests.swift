import Foundation
import Testing

@testable import smilepile

@Suite("Text")
struct TextTests {
  @Test(
    "Duration: as a clock and in words",
    arguments: [
      (Duration.zero, "0:00", "0.0 s"), (.milliseconds(40), "0:01", "0.0 s"),
      (.milliseconds(1440), "0:02", "1.4 s"), (.milliseconds(9960), "0:10", "10 s"),
      (.seconds(200), "3:20", "3 min 20 s"), (.seconds(7500), "2:05:00", "2 h 05 min"),
      (.seconds(273_600), "3d 04:00:00", "3 d 04 h"), (.seconds(-5), "0:00", "0.0 s"),
    ])
  func durations(duration: Duration, clock: String, words: String) {
    #expect(duration.asClock == clock)
    #expect(duration.inWords == words)
  }

  @Test(
    "Display width: columns on a terminal",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("家族", 4), ("ｱ", 1), ("Ａ", 2), ("한글", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇫🇮", 2), ("☀️", 2), ("☀", 1), ("1️⃣", 2), ("…█░", 3),
      ("𠮷", 2), ("\u{AD}", 1), ("\u{200B}", 0), ("кот", 3),
    ])
  func width(text: String, columns: Int) { #expect(text.displayWidth == columns) }

  @Test("Truncation: a text is shortened in the middle, by columns")
  func truncation() {
    #expect("IMG_20250922_0402.jpg".truncated(toColumns: 12) == "IMG_20…2.jpg")
    #expect("IMG.jpg".truncated(toColumns: 7) == "IMG.jpg")
    #expect("家族の写真.jpg".truncated(toColumns: 9) == "家族….jpg")
    #expect("家族".truncated(toColumns: 1).isEmpty)
    #expect("abcdef".truncated(toColumns: 3, ellipsis: "...") == "abc")
    #expect("abc".truncated(toColumns: 0).isEmpty)
  }

  @Test("JSONFields: infinity is a text, numbers have no needless fraction, and line feeds are escaped")
  func jsonValues() {
    #expect(
      JSONFields.line(
        "line",
        ["path": "/backups/a\nb.zip", "speed": Double.infinity, "share": 0.92, "done": 1.0, "all": true])
        == #"{"all":true,"done":1,"message_type":"line","path":"/backups/a\nb.zip","share":0.92,"speed":"inf"}"#
    )
  }

  @Test("TextTable: columns are as wide as their widest cell")
  func table() {
    let table = TextTable(
      .right, .left, .left, indentation: 2, rows: [["8", "日本", "a"], ["120", "x", ""]])
    #expect(table.text == "    8  日本  a\n  120  x     ")
  }

  @Test("TextTable: without rows there is no text")
  func emptyTable() {
    #expect(TextTable(.left, rows: []).text == nil)
  }

  @Test("JSONFields: keys are sorted, a value that is nil is left out, and Null is null")
  func jsonKeys() {
    let none: Int? = nil
    let text = JSONFields.line(
      "line",
      [
        "photo_ids": [1, 2], "archive_id": none, "md5": Null(none), "photos": Null(3),
        "base": [:] as JSONFields, "parts": [["b": 1, "a": 2] as JSONFields],
      ])
    #expect(
      text
        == #"{"base":{},"md5":null,"message_type":"line","parts":[{"a":2,"b":1}],"photo_ids":[1,2],"photos":3}"#
    )
  }
}
