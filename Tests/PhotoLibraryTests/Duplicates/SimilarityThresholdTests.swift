import Testing

@testable import PhotoLibrary

@Suite("Threshold of similarity")
struct SimilarityThresholdTests {
  @Test(
    "Threshold: a decimal and a percentage mean the same",
    arguments: [
      ("0.85", 85), ("0.92", 92), ("0.98", 98), ("0.9", 90), ("92%", 92), ("92 %", 92), ("098%", 98),
    ])
  func accepted(_ text: String, _ percent: Int) throws {
    #expect(try SimilarityThreshold(text).percent == percent)
  }

  @Test("Threshold: all steps of 0.01 are accepted as they are printed", arguments: SimilarityThreshold.all)
  func steps(_ threshold: SimilarityThreshold) throws {
    #expect(try SimilarityThreshold("\(threshold)") == threshold)
  }

  @Test(
    "Threshold: a number that is out of range is refused",
    arguments: ["0.84", "0.99", "0.50", "0", "1", "1.0", "84%", "99%", "100%", "999%"])
  func outOfRange(_ text: String) {
    #expect(throws: SimilarityThreshold.Fault.outOfRange(text)) { try SimilarityThreshold(text) }
  }

  @Test(
    "Threshold: a text that is no number in steps of 0.01 is refused",
    arguments: [
      "", " ", "nan", "inf", "0.925", "0,92", "-0.92", "+0.92", "0x5C", "9e-1", "%", "0.92%", "92%%", ".",
      "0.", ".92", "٩٢%", "0.92 ",
    ])
  func noNumber(_ text: String) {
    #expect(throws: SimilarityThreshold.Fault.notANumber(text)) { try SimilarityThreshold(text) }
  }

  @Test("Threshold: a message has two decimals")
  func message() {
    #expect(SimilarityThreshold.Fault.outOfRange("0.50").description == "0.50 is outside of 0.85 to 0.98")
  }
}
