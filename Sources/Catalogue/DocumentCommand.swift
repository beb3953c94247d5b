internal import Pictures
import Processes

/// What `smilepile-catalogue` does. The layout of the messages is in `Sources/smilepile-catalogue/protocol.h`.
enum DocumentCommand {
  /// Begins the document.
  case document(title: String, page: PageSize)
  /// Begins a page.
  case page
  /// Fills a rectangle; 0 is black.
  case rectangle(Frame, gray: Double)
  /// Draws a text into a frame, or directly below the text before it.
  case text(Text, isBelow: Bool = false)
  /// Draws a JPEG.
  case image(Frame, Picture)
  /// Adds an entry to the outline, which leads to the current page.
  case outline(String)
  /// Ends the document.
  case end

  /// A text of at most `lines` lines. Its middle is left out if it is longer.
  struct Text {
    /// How a text looks.
    struct Style: OptionSet {
      let rawValue: UInt32
      static let bold = Style(rawValue: 1 << 0)
      static let centred = Style(rawValue: 1 << 1)
      /// At the right side, or at the left one if it is written from right to left.
      static let right = Style(rawValue: 1 << 2)
    }

    var text: String
    var frame: Frame
    /// The size of the font in points.
    var size: Double
    var gray = 0.0
    var lines = 1
    var style: Style = []
  }

  /// The most bytes of a JPEG.
  static let mostImageBytes = 1 << 20
  /// The most pixels of a side of a JPEG.
  static let mostPixels = 2048

  /// Appends the bytes of the command.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .document(let title, let page):
      let frame = Frame(x: 0, y: 0, width: page.width, height: page.height)
      Self.append(1, frame, Array(title.utf8), to: &bytes)
    case .page: Self.append(2, to: &bytes)
    case .rectangle(let frame, let gray): Self.append(3, frame, gray: gray, to: &bytes)
    case .text(let text, let isBelow):
      Self.append(
        isBelow ? 5 : 4, text.frame, Array(text.text.utf8), size: text.size, gray: text.gray,
        UInt32(text.lines), text.style.rawValue, to: &bytes)
    case .image(let frame, let picture):
      Self.append(6, frame, picture.jpeg, UInt32(picture.width), UInt32(picture.height), to: &bytes)
    case .outline(let title): Self.append(7, nil, Array(title.utf8), to: &bytes)
    case .end: Self.append(8, to: &bytes)
    }
  }

  private static func append(
    _ kind: UInt32, _ frame: Frame? = nil, _ data: [UInt8] = [], size: Double = 0, gray: Double = 0,
    _ first: UInt32 = 0, _ second: UInt32 = 0, to bytes: inout [UInt8]
  ) {
    bytes.append(number: kind)
    bytes.append(number: UInt32(data.count))
    let frame = frame ?? Frame(x: 0, y: 0, width: 0, height: 0)
    for number in [frame.x, frame.y, frame.width, frame.height, size, gray] {
      bytes.append(number: Float(number).bitPattern)
    }
    bytes.append(number: first)
    bytes.append(number: second)
    bytes += data
  }
}
