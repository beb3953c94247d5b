import Operations
import Testing

@testable import smilepile

@Suite("Photo lines")
struct PhotoLineTests {
  private struct Line: Encodable {
    let messageType = "photo"
    var action: String
    var item: String
    var name: String
    var category: String?
    var source: String
    var reason: String?
  }

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
        .leftOut, "photo 7 “\(text)”", name: text, category: category, from: text, reason: reason)
      let line = Line(
        action: "left_out", item: report.item, name: text, category: category, source: text, reason: reason)
      #expect(try PhotoLine.json(report) == JSONLine.text(line))
    }
  }
}
