import Testing

@testable import Operations
@testable import smilepile

/// The progress of an export of 600 photos.
private func progress(
  _ bytes: Int, of total: Int = 1_880_000_000, phase: Progress.Phase = .writing, item: String? = nil,
  items: Int = 402, seconds: Double = 4, left: Duration? = .seconds(2)
) -> Progress {
  Progress(
    phase: phase, totalItems: 600, processedItems: items, totalBytes: total, bytesProcessed: bytes,
    currentItem: item, elapsed: .milliseconds(Int(seconds * 1000)), estimatedRemaining: left)
}

private let finished = progress(
  1_880_000_000, phase: .finished, items: 600, seconds: 6, left: Duration?.none)

@Suite("Progress bar")
struct BarLineTests {
  static let items = [
    nil, "a.jpg", "IMG_20250922_0402.jpg", "家族の写真 2025年の夏休みの長い長い名前.jpg",
    "👨‍👩‍👧‍👦🇫🇮☀️ e\u{301}tude \u{1B}[2J\u{202E}gpj.exe", String(repeating: "ж", count: 300),
  ]

  @Test("Progress bar: it never reaches the last column", arguments: items, [true, false])
  func width(item: String?, isUTF8: Bool) {
    for columns in 1...220 {
      let line = BarLine(columns: columns, isUTF8: isUTF8, usesColour: false)
      for (bytes, total) in [(0, 0), (0, 9), (1, 1 << 50), (1_073_741_823, 1_073_741_824)] {
        let text = line.text(for: progress(bytes, of: total, item: item), bytesPerSecond: bytes)
        #expect(text.displayWidth <= max(1, columns - 1), "at \(columns) columns: \(text)")
        #expect(!text.unicodeScalars.contains { $0.value < 32 || $0 == "\u{202E}" })
        #expect(isUTF8 || text.allSatisfy { $0.isASCII })
      }
      #expect(line.finalText(for: finished).displayWidth <= max(1, columns - 1))
    }
  }

  @Test("Progress bar: a wider terminal shows more details")
  func layout() {
    let half = progress(940_000_000, item: "IMG_0402.jpg")
    func text(_ columns: Int, isUTF8: Bool = true) -> String {
      BarLine(columns: columns, isUTF8: isUTF8, usesColour: false).text(for: half, bytesPerSecond: 300 << 20)
    }
    #expect(text(40) == "█████░░░░░░   50%  0.88/1.75 GiB   0:02")
    #expect(
      text(80) == "Writing     ███████░░░░░░░   50%  402/600  0.88/1.75 GiB   300 MiB/s  ETA  0:02")
    #expect(
      text(200)
        == "Writing     ████████████████████░░░░░░░░░░░░░░░░░░░░   50%  402/600  0.88/1.75 GiB   300 MiB/s"
        + "  ETA  0:02  IMG_0402.jpg")
    #expect(text(80, isUTF8: false).hasPrefix("Writing     [######------]   50%"))
  }

  @Test("Progress bar: the columns keep their positions while numbers grow")
  func steady() {
    let line = BarLine(columns: 80, isUTF8: true, usesColour: false)
    let widths = stride(from: 0, to: 1_880_000_000, by: 47_000_001).map {
      line.text(for: progress($0), bytesPerSecond: $0).displayWidth
    }
    #expect(Set(widths).count == 1)
  }

  @Test("Progress bar: without bytes it counts items, and it shows the phase")
  func withoutBytes() {
    let line = BarLine(columns: 80, isUTF8: true, usesColour: false)
    let text = line.text(for: progress(0, of: 0, phase: .committing), bytesPerSecond: 0)
    #expect(text.contains("67%  402/600"))
    #expect(text.hasPrefix("Committing "))
    #expect(text.components(separatedBy: "402/600").count == 2)
  }

  @Test("Progress bar: at 80 columns, the phase and the photos have priority over the speed")
  func photosAtStandardWidth() {
    var large = progress(940_000_000)
    (large.totalItems, large.processedItems) = (1_000_000, 9_000)
    let line = BarLine(columns: 80, isUTF8: true, usesColour: false)
    let text = line.text(for: large, bytesPerSecond: 300 << 20)
    #expect(text.hasPrefix("Writing "))
    #expect(text.contains("50%     9000/1000000  0.88/1.75 GiB  ETA"))
  }

  @Test("Progress bar: colour is used only if it is enabled")
  func colour() {
    let half = progress(940_000_000)
    var line = BarLine(columns: 80, isUTF8: true, usesColour: true)
    #expect(line.text(for: half, bytesPerSecond: 0).hasPrefix("Writing     \u{1B}[32m███████\u{1B}[0m"))
    line.usesColour = false
    #expect(!line.text(for: half, bytesPerSecond: 0).contains("\u{1B}"))
  }

  @Test("Progress bar: the final line has the total time and the average speed")
  func final() {
    let text = BarLine(columns: 60, isUTF8: false, usesColour: false).finalText(for: finished)
    #expect(text == "[" + String(repeating: "#", count: 23) + "]  100%  1.75 GiB  6.0 s  299 MiB/s")
  }
}

@Suite("Renderers")
struct RendererTests {
  @Test("Percent renderer: whole numbers only increase, and 100 is printed on success only")
  func percent() throws {
    let output = try Captured()
    var renderer = PercentRenderer(console: output.console)
    for bytes in [0, 1, 500_000_000, 500_000_001, 400_000_000, 1_879_999_999, 1_880_000_000] {
      renderer.show(progress(bytes))
    }
    #expect(output.text == "0\n26\n99\n")
    renderer.show(progress(900_000_000))  // the operation failed
    #expect(output.text == "0\n26\n99\n")
    renderer.show(finished)
    #expect(output.text == "0\n26\n99\n100\n")
    #expect(output.errorText == "")
  }

  @Test("Plain renderer: a line for each 10 % or 10 seconds, and one at the end")
  func plain() throws {
    let output = try Captured()
    var renderer = PlainRenderer(console: output.console)
    for (bytes, seconds) in [(0, 0.0), (100, 1), (200_000_000, 2), (210_000_000, 3), (220_000_000, 13)] {
      renderer.show(progress(bytes, item: "a\u{1B}.jpg", seconds: seconds))
    }
    renderer.show(finished)
    #expect(
      output.errorText == """
        10 %  0.19/1.75 GiB  402/600 items  95.4 MiB/s  0:02 left  writing a\\u{1B}.jpg
        11 %  0.20/1.75 GiB  402/600 items  16.1 MiB/s  0:02 left  writing a\\u{1B}.jpg
        100 %  1.75/1.75 GiB  600/600 items  299 MiB/s  in 6.0 s

        """)
    #expect(output.text == "")
  }

  @Test("JSON renderer: fields have the names of restic, and unknown values are omitted")
  func json() throws {
    let output = try Captured()
    var renderer = JSONRenderer(console: output.console)
    renderer.show(progress(470_000_000, item: "a/\"b\".jpg"))
    renderer.show(finished)
    #expect(
      output.text == #"""
        {"bytes_done":470000000,"current_files":["a/\"b\".jpg"],"error_count":0,"files_done":402,\#
        "message_type":"status","percent_done":0.25,"phase":"writing","seconds_elapsed":4,"seconds_remaining":2,\#
        "total_bytes":1880000000,"total_files":600}
        {"bytes_done":1880000000,"error_count":0,"files_done":600,"message_type":"status","percent_done":1,\#
        "phase":"finished","seconds_elapsed":6,"total_bytes":1880000000,"total_files":600}

        """#)
  }

  @Test("Progress style: it selects the renderer, and without a terminal there is no bar")
  func style() throws {
    let terminal = Terminal(descriptor: -1, environment: ["TERM": "xterm"])
    let console = try Captured().console
    func renderer(_ style: ProgressStyle) -> (any ProgressRenderer)? {
      style.renderer(console: console, terminal: terminal)
    }
    #expect(renderer(.auto) == nil)
    #expect(renderer(.none) == nil)
    #expect(renderer(.bar) is PlainRenderer)
    #expect(renderer(.percent) is PercentRenderer)
  }

  @Test("Speed meter: the speed is that of the last seconds")
  func speed() {
    var meter = SpeedMeter()
    meter.add(progress(100 << 20, seconds: 0.2))
    #expect(meter.bytesPerSecond == 0)
    meter.add(progress(100 << 20, seconds: 1))
    #expect(meter.bytesPerSecond == 100 << 20)
    for second in 2...30 { meter.add(progress((100 << 20) + (second - 1) << 20, seconds: Double(second))) }
    #expect(meter.bytesPerSecond < 2 << 20)
    meter.add(progress(0, seconds: 0))  // the next operation begins
    #expect(meter.bytesPerSecond == 0)
  }
}
