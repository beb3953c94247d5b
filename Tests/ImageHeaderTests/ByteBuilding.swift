/// Bytes of numbers and texts, from which the samples are put together.
func big(_ value: Int, _ size: Int) -> [UInt8] {
  (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

func little(_ value: Int, _ size: Int) -> [UInt8] {
  big(value, size).reversed()
}

func text(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

/// A TIFF structure with a main directory and an Exif directory of ASCII values.
struct ExifBuilder {
  var isBigEndian = false
  /// The type of every text; 2: ASCII.
  var textType = 2
  var main: [(tag: Int, text: String)] = []
  var exif: [(tag: Int, text: String)] = []

  var bytes: [UInt8] {
    let mainStart = 8
    let mainEnd = mainStart + directorySize(main.count + 1)
    let exifEnd = mainEnd + directorySize(exif.count)
    var values: [UInt8] = []
    var mainEntries: [[UInt8]] = []
    var exifEntries: [[UInt8]] = []
    for entry in main {
      mainEntries.append(ascii(entry.tag, entry.text, valuesAt: exifEnd, &values))
    }
    for entry in exif {
      exifEntries.append(ascii(entry.tag, entry.text, valuesAt: exifEnd, &values))
    }
    mainEntries.append(number(0x8769, 2) + number(4, 2) + number(1, 4) + number(mainEnd, 4))
    return text(isBigEndian ? "MM" : "II") + number(42, 2) + number(mainStart, 4)
      + directory(mainEntries) + directory(exifEntries) + values
  }

  private func number(_ value: Int, _ size: Int) -> [UInt8] {
    isBigEndian ? big(value, size) : little(value, size)
  }

  private func directorySize(_ count: Int) -> Int {
    2 + count * 12 + 4
  }

  private func directory(_ entries: [[UInt8]]) -> [UInt8] {
    number(entries.count, 2) + entries.joined() + number(0, 4)
  }

  private func ascii(_ tag: Int, _ value: String, valuesAt start: Int, _ values: inout [UInt8]) -> [UInt8] {
    let content = text(value) + [0]
    var field = content
    if content.count > 4 {
      field = number(start + values.count, 4)
      values += content
    }
    return number(tag, 2) + number(textType, 2) + number(content.count, 4) + field
      + Array(repeating: 0, count: 4 - field.count)
  }
}
