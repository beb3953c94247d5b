import Foundation
import TestSupport
import Testing

@testable import Backup

/// Integers that a document writes with a fraction or an exponent.
@Suite struct WholeNumberTests {
  private func read(_ number: String) throws(Metadata.Fault) -> Int64 {
    let category = MetadataFaultTests.category.replacing(#""id": 1"#, with: #""id": \#(number)"#)
    return try Metadata(json: Array(MetadataFaultTests.document(categories: category).utf8)).categories[0].id
  }

  @Test(
    "Metadata: an integer with a fraction or an exponent is read exactly",
    arguments: [
      ("1.0", 1), ("1e3", 1000), ("100e-2", 1), ("1.50e1", 15), ("-0", 0), ("-0.0", 0),
      ("0e99999999999999999999", 0),
      ("0.0e-99999999999999999999", 0), ("1E+18", 1_000_000_000_000_000_000), ("0.00007e5", 7),
      ("9223372036854775807.0", .max), ("-9223372036854775808.000", .min), ("-9223372036854775808", .min),
      ("9.223372036854775807e18", .max), ("92233720368547758070e-1", .max),
      ("9007199254740993.0", 9_007_199_254_740_993),
    ] as [(String, Int64)])
  func integer(_ number: String, _ value: Int64) throws {
    #expect(try read(number) == value)
  }

  @Test(
    "Metadata: a fraction, or an integer beyond 64 bits, is refused",
    arguments: [
      ("1.5", "should be a whole number"), ("9007199254740993.5", "should be a whole number"),
      ("123e-1", "should be a whole number"), ("1e-99999999999999999999", "should be a whole number"),
      ("0.00007e4", "should be a whole number"),
      ("9223372036854775808", "is out of range, \(Int64.min) to \(Int64.max)"),
      ("-9223372036854775809", "is out of range, \(Int64.min) to \(Int64.max)"),
      ("18446744073709551616", "is out of range, \(Int64.min) to \(Int64.max)"),
      ("18446744073709551617", "is out of range, \(Int64.min) to \(Int64.max)"),
      ("-18446744073709551615", "is out of range, \(Int64.min) to \(Int64.max)"),
      ("1e19", "is out of range, \(Int64.min) to \(Int64.max)"),
      ("1e99999999999999999999", "is out of range, \(Int64.min) to \(Int64.max)"),
    ])
  func otherNumber(_ number: String, _ reason: String) {
    let fault = #expect(throws: Metadata.Fault.self) { try read(number) }
    #expect(fault == Metadata.Fault(path: "categories[0].id", reason: reason))
  }

  /// Foundation's decimal numbers are exact up to 38 digits.
  @Test("Metadata: random numbers are read as Foundation's decimal numbers")
  func randomNumbers() throws {
    var random = SeededNumbers(seed: 11)
    var integers = 0
    for _ in 0..<3000 {
      let digits = String(
        UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0...63, using: &random))
      var text = Bool.random(using: &random) ? "-" + digits : digits
      if Bool.random(using: &random) { text += "." + (Bool.random(using: &random) ? "0" : "250") }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -6...6, using: &random))" }
      let decimal = try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
      // `Int64` parses the digits only of an integer of 64 bits
      if let expected = Int64("\(decimal)") {
        integers += 1
        #expect(try read(text) == expected, "\(text)")
      } else {
        #expect(throws: Metadata.Fault.self, "\(text)") { try read(text) }
      }
    }
    #expect(integers > 500)
  }
}
