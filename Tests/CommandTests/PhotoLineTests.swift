import Foundation
import Operations
import Testing

@testable import smilepile

@Suite("Photo lines")
struct PhotoLineTests {
  @Test(
    "Photo lines: the JSON equals that of the encoder",
    arguments: [
      "", "IMG_0001", "\"quoted\"", "back\\slash", "a/b", "line\nfeed\r\t", "\u{0}\u{8}\u{C}\u{1B}\u{1F}",
      "\u{7F}",
      "\u{85}\u{2028}\u{2029}", "été", "e\u{301}", "👨‍👩‍👧‍👦 🍪", "\r\n", "</script>",
    ])
  func json(text: String) throws {
    for (category, reason) in [(nil, nil), (text, nil), (nil, text), (text, text)] {
      let report = PhotoReport(
        .leftOut, .photo(id: 7, label: "photo 7 “\(text)”"), name: text, category: category, from: text,
        reason: reason)
      let fields = [
        "action": "left_out", "message_type": "photo", "item": report.item, "name": text,
        "category": category,
        "source": text, "reason": reason,
      ].compactMapValues(\.self)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      #expect(try report.json == String(decoding: encoder.encode(fields), as: UTF8.self))
    }
  }

  @Test("Photo lines: the text has the action, the photo and the reason")
  func text() {
    let report = PhotoReport(
      .leftOut, .file("a.jpg"), name: "a", category: nil, from: "in", reason: "it is damaged")
    #expect(report.text == "left out: a.jpg: it is damaged")
    #expect(
      PhotoReport(.imported, .file("a.jpg"), name: "a", category: nil, from: "in").text
        == "imported: a.jpg")
  }
}
