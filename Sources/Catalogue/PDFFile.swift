package import FileSystem

/// A PDF as cairo writes it, read back. ISO 32000-1, 7.5: header, objects, table of objects, trailer.
package struct PDFFile {
  /// The number of pages.
  package let pageCount: Int
  /// The length in bytes.
  package let bytes: Int
  /// Where the resources of pages begin.
  private let resources: [Int]

  /// Reads the trailer and the table, and checks that each object begins where the table tells. Blocks.
  ///
  /// - Throws: `CatalogueFault`, or `FileError` if the file cannot be read.
  package init(_ file: borrowing File) throws {
    bytes = try file.status().size
    guard try file.read(5, at: 0) == Array("%PDF-".utf8) else { throw Self.fault("it has no header") }
    let end = try Self.text(file, at: max(0, bytes - Self.trailerBytes), Self.trailerBytes)
    guard end.hasSuffix("%%EOF\n"),
      let trailer = end.firstRange(of: "trailer\n").map({ String(end[$0.lowerBound...]) }),
      let root = trailer.number(after: "/Root "), let start = trailer.number(after: "startxref\n"),
      start < bytes
    else { throw Self.fault("it has no trailer") }
    let offsets = try Self.offsets(file, at: start)
    guard offsets.indices.contains(root) else { throw Self.fault("its trailer is invalid") }
    var resources: [Int] = []
    for (number, offset) in offsets.enumerated() where number > 0 {
      let header = "\(number) 0 obj"
      let start = try Self.text(file, at: offset, header.utf8.count + Self.resourcesStart.utf8.count)
      guard start.hasPrefix(header) else {
        throw Self.fault("object \(number) is not where its table tells")
      }
      if start.hasSuffix(Self.resourcesStart) { resources.append(offset) }
    }
    self.resources = resources
    let catalog = try Self.text(file, at: offsets[root], Self.objectBytes)
    guard let pages = catalog.number(after: "/Pages "), offsets.indices.contains(pages) else {
      throw Self.fault("it has no pages")
    }
    pageCount = try Self.pageCount(file, at: offsets[pages])
  }

  /// Overwrites repeated names of pictures in the resources of pages by blanks. cairo 1.16 lists an emoji once for each
  /// place where a page shows it; ISO 32000-1, 7.3.7, wants each name once. Blocks.
  ///
  /// - Throws: `FileError`.
  func removeRepeatedNames(in file: borrowing File) throws(FileError) {
    for offset in resources {
      let object = try Self.object(file, at: offset)
      guard let start = object.firstRange(of: "/XObject <<"),
        let end = object[start.upperBound...].firstRange(of: ">>")
      else { continue }
      // `/x14 14 0 R` for each picture
      let words = object[start.upperBound..<end.lowerBound].split(separator: " ")
      var names: Set<Substring> = []
      for place in stride(from: 0, to: words.count - 3, by: 4) where !names.insert(words[place]).inserted {
        let first = words[place].startIndex
        let bytes = object[..<first].unicodeScalars.count
        let length = object[first..<words[place + 3].endIndex].unicodeScalars.count
        try file.write([UInt8](repeating: UInt8(ascii: " "), count: length), at: offset + bytes)
      }
    }
  }

  /// How cairo begins the resources of a page.
  private static let resourcesStart = "\n<<\n   /ExtGState"
  /// The most bytes of the trailer, and of the object that leads to the pages.
  private static let trailerBytes = 1024
  private static let objectBytes = 1024
  /// The bytes of a row of the table: `0000000015 00000 n \n`.
  private static let rowBytes = 20
  private static let mostObjects = 50_000_000
  private static let mostObjectBytes = 50_000_000

  /// Returns the offsets of all objects by number. The first one is free.
  private static func offsets(_ file: borrowing File, at start: Int) throws -> [Int] {
    let head = try text(file, at: start, 64)
    guard head.hasPrefix("xref\n0 "), let count = head.number(after: "xref\n0 "), count > 1,
      count <= mostObjects, let rows = head.dropFirst(5).firstIndex(of: "\n")
    else { throw fault("it has no table of objects") }
    let first = start + head[...rows].utf8.count
    let table = try file.read(count * rowBytes, at: first)
    guard table.count == count * rowBytes else { throw fault("its table of objects is truncated") }
    return try (0..<count).map { row in
      let digits = table[(row * rowBytes)..<(row * rowBytes + 10)]
      guard let offset = Int(String(decoding: digits, as: UTF8.self)) else {
        throw fault("its table of objects is invalid")
      }
      return offset
    }
  }

  /// Reads the node of all pages, which may have a long list of them before their number.
  private static func pageCount(_ file: borrowing File, at offset: Int) throws -> Int {
    guard let count = try object(file, at: offset).number(after: "/Count ") else {
      throw fault("the number of its pages is missing")
    }
    return count
  }

  /// Returns the text of an object up to its end; of a truncated file, what there is.
  private static func object(_ file: borrowing File, at offset: Int) throws(FileError) -> String {
    var object = ""
    for start in stride(from: offset, to: offset + mostObjectBytes, by: 1 << 16) {
      let part = try text(file, at: start, 1 << 16)
      object += part
      if let end = object.firstRange(of: "endobj") { return String(object[..<end.lowerBound]) }
      if part.isEmpty { break }
    }
    return object
  }

  private static func text(_ file: borrowing File, at offset: Int, _ count: Int) throws(FileError) -> String {
    // one character for each byte
    String(String.UnicodeScalarView(try file.read(count, at: offset).map { Unicode.Scalar($0) }))
  }

  private static func fault(_ reason: String) -> CatalogueFault {
    CatalogueFault("the written file is not a complete PDF: \(reason)")
  }
}

extension String {
  /// Returns the number behind the first occurrence of some text; nil if the text or the number is missing.
  fileprivate func number(after text: String) -> Int? {
    guard let place = firstRange(of: text) else { return nil }
    return Int(self[place.upperBound...].prefix { $0.isASCII && $0.isNumber })
  }
}
