import Testing

@testable import FileSystem

@Suite("Numbers as text")
struct NumberTextTests {
  @Test(
    "Byte count: IEC units",
    arguments: [
      (-1, "0 B"), (0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (10_234, "9.99 KiB"),
      (10_239, "10.0 KiB"), (102_399, "100 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1.00 MiB"),
      (1_880_000_000, "1.75 GiB"), (5 << 40, "5.00 TiB"), (Int.max, "8.00 EiB"),
    ])
  func bytes(count: Int, text: String) { #expect("\(ByteCount(count))" == text) }

  @Test("Byte count: a part has the unit and the width of the total")
  func pair() {
    #expect(ByteCount.pair(1_610_613, of: 1_880_000_000) == "0.00/1.75 GiB")
    #expect(ByteCount.pair(9, of: 1023) == "   9/1023 B")
  }
}
