import Foundation
import ImageHeader
import Testing

struct DateTests {
  private static let tokyo = TimeZone(identifier: "Asia/Tokyo") ?? .gmt
  private static let newYork = TimeZone(identifier: "America/New_York") ?? .gmt

  private func taken(
    main: [(tag: Int, text: String)] = [], exif: [(tag: Int, text: String)], isBigEndian: Bool = false,
    timeZone: TimeZone = .gmt
  ) -> Date? {
    let exif = ExifBuilder(isBigEndian: isBigEndian, main: main, exif: exif).bytes
    return header(
      of: [0xFF, 0xD8] + Sample.segment(0xE1, text("Exif\0\0") + exif), timeZone: timeZone
    ).taken
  }

  private func seconds(_ text: String) throws -> Double {
    try Date(text, strategy: .iso8601).timeIntervalSince1970
  }

  @Test("Image date: the tags have an order of preference", arguments: [true, false])
  func tagOrder(isBigEndian: Bool) throws {
    var main = [(tag: 0x0132, text: "2003:03:03 03:03:03")]
    var exif = [(tag: 0x9003, text: "2001:01:01 01:01:01"), (tag: 0x9004, text: "2002:02:02 02:02:02")]
    let original = try #require(taken(main: main, exif: exif, isBigEndian: isBigEndian))
    #expect(original.timeIntervalSince1970 == (try seconds("2001-01-01T01:01:01Z")))
    exif.removeFirst()
    let digitized = try #require(taken(main: main, exif: exif, isBigEndian: isBigEndian))
    #expect(digitized.timeIntervalSince1970 == (try seconds("2002-02-02T02:02:02Z")))
    exif.removeFirst()
    let changed = try #require(taken(main: main, exif: exif, isBigEndian: isBigEndian))
    #expect(changed.timeIntervalSince1970 == (try seconds("2003-03-03T03:03:03Z")))
    main.removeFirst()
    #expect(taken(main: main, exif: exif, isBigEndian: isBigEndian) == nil)
  }

  @Test(
    "Image date: an invalid date is skipped",
    arguments: [
      "0000:00:00 00:00:00", "    :  :     :  :  ", "                   ", "", "0001:01:01 00:00:00",
      "2023:02:29 10:00:00", "1900:02:29 10:00:00", "2023:13:01 10:00:00", "2023:00:10 10:00:00",
      "2023:04:31 10:00:00", "2023:04:00 10:00:00", "2023:04:10 24:00:00", "2023:04:10 10:60:00",
      "2023:04:10 10:00:60", "2023:04:10", "2023:4:10 10:00:00", "2023:04:10 10:00", "2023:04-10 10:00:00",
      "+023:04:10 10:00:00", "\u{FF12}3:04:10 10:00:00",
    ])
  func invalid(text: String) throws {
    let next = taken(exif: [(0x9003, text), (0x9004, "2002:02:02 02:02:02")])
    #expect(next?.timeIntervalSince1970 == (try seconds("2002-02-02T02:02:02Z")))
    #expect(taken(main: [(0x0132, text)], exif: [(0x9003, text)]) == nil)
  }

  @Test(
    "Image date: the separators of ISO 8601 are accepted",
    arguments: [
      "2000:02:29 10:20:30", "2000-02-29 10:20:30", "2000-02-29T10:20:30", "2000/02/29 10:20:30",
    ])
  func separators(text: String) throws {
    #expect(taken(exif: [(0x9003, text)])?.timeIntervalSince1970 == (try seconds("2000-02-29T10:20:30Z")))
  }

  @Test(
    "Image date: a valid UTC offset is used",
    arguments: [
      ("+02:00", "2024-07-01T10:00:00Z"), ("-09:30", "2024-07-01T21:30:00Z"), ("Z", "2024-07-01T12:00:00Z"),
      ("+00:00", "2024-07-01T12:00:00Z"), ("+14:00", "2024-06-30T22:00:00Z"),
      ("", "2024-07-01T03:00:00Z"), ("   :  ", "2024-07-01T03:00:00Z"), ("+15:00", "2024-07-01T03:00:00Z"),
      ("+2", "2024-07-01T03:00:00Z"), ("02:00", "2024-07-01T03:00:00Z"), ("+02:60", "2024-07-01T03:00:00Z"),
    ])
  func utcOffset(offset: String, expected: String) throws {
    let date = taken(exif: [(0x9003, "2024:07:01 12:00:00"), (0x9011, offset)], timeZone: Self.tokyo)
    #expect(date?.timeIntervalSince1970 == (try seconds(expected)))
  }

  @Test("Image date: each date has its own offset and fraction")
  func ownTags() throws {
    let others = [(tag: 0x9011, text: "+05:00"), (tag: 0x9291, text: "999")]
    let digitized = taken(
      exif: others + [
        (0x9004, "2024:07:01 12:00:00"), (0x9012, "+01:00"), (0x9292, "5"),
      ])
    #expect(digitized?.timeIntervalSince1970 == (try seconds("2024-07-01T11:00:00Z")) + 0.5)
    let changed = taken(
      main: [(0x0132, "2024:07:01 12:00:00")], exif: others + [(0x9010, "-01:00"), (0x9290, "75")])
    #expect(changed?.timeIntervalSince1970 == (try seconds("2024-07-01T13:00:00Z")) + 0.75)
  }

  @Test(
    "Image date: a time without an offset is in the time zone at that date",
    arguments: [
      ("2024:01:15 12:00:00", "2024-01-15T17:00:00Z"), ("2024:07:15 12:00:00", "2024-07-15T16:00:00Z"),
    ])
  func timeZone(text: String, expected: String) throws {
    let date = taken(exif: [(0x9003, text)], timeZone: Self.newYork)
    #expect(date?.timeIntervalSince1970 == (try seconds(expected)))
  }

  @Test(
    "Image date: a fraction yields milliseconds",
    arguments: [
      ("1", 100), ("12", 120), ("123", 123), ("123999", 123), ("007", 7), ("", 0), ("  ", 0), ("45  ", 450),
      ("x", 0),
      ("-5", 0),
    ])
  func fraction(fraction: String, expected: Int) throws {
    let date = try #require(taken(exif: [(0x9003, "2024:07:01 12:00:00"), (0x9291, fraction)]))
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    #expect(milliseconds == (try seconds("2024-07-01T12:00:00Z")) * 1000 + Double(expected))
  }

  @Test(
    "Image date: only text types are read",
    arguments: [(2, true), (7, true), (129, true), (3, false), (4, false), (0, false)])
  func textTypes(type: Int, isRead: Bool) {
    let exif = ExifBuilder(textType: type, exif: [(0x9003, Sample.stampText)]).bytes
    let jpeg = [0xFF, 0xD8] + Sample.segment(0xE1, text("Exif\0\0") + exif)
    #expect((header(of: jpeg).taken != nil) == isRead)
  }

  @Test("Image date: Exif data without a date is skipped")
  func secondExif() {
    let empty = Sample.segment(0xE1, text("Exif\0\0") + ExifBuilder().bytes)
    let jpeg = Sample.jpeg(isBigEndian: false)
    #expect(header(of: [0xFF, 0xD8] + empty + jpeg.bytes.dropFirst(2)) == jpeg.header)
  }
}
