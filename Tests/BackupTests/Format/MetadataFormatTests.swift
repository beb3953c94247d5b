import Foundation
import TestSupport
import Testing

@testable import Backup

/// Compares the reader and the writer of `metadata.json` with Foundation, on generated documents.
@Suite struct MetadataFormatTests {
  // MARK: Writing

  @Test("Metadata: documents are written with the layout of Foundation", arguments: 0..<200)
  func writtenLayout(_ seed: Int) throws {
    var generator = MetadataGenerator(seed: seed)
    var metadata = generator.metadata()
    if seed.isMultiple(of: 3) {
      metadata.smilepile = Metadata.Provenance(uuid: "u", isPartial: true, includesSettings: false)
      metadata.settings?.themeMode = "dark"
      metadata.settings?.valuesAsOf = .min
    }
    let json = metadata.json()
    let layout = try FoundationMetadata.layOut(json)
    #expect(json == layout, "\(String(decoding: json, as: UTF8.self))")
    #expect(try Metadata(json: json) == metadata)
  }

  /// The text has every character with an escape, and the neighbours of these characters.
  @Test("Metadata: characters are escaped as Foundation escapes them")
  func escapes() throws {
    var metadata = Metadata()
    metadata.appVersion = String(
      String.UnicodeScalarView((1...0xA0).compactMap { Unicode.Scalar($0 as UInt32) }))
    metadata.format = "\u{2028}\u{FEFF}\u{10FFFF}/"
    let json = metadata.json()
    #expect(json == (try FoundationMetadata.layOut(json)))
    #expect(try FoundationMetadata.read(json) == metadata)
  }

  @Test("Metadata: the smallest and the largest integers are written and read")
  func extremeIntegers() throws {
    var metadata = Metadata()
    metadata.categories = [.min, -1, 0, 10, .max].map { id in
      Metadata.CategoryRecord(id: id, name: "", displayName: "", position: 0, createdAt: 0)
    }
    #expect(try FoundationMetadata.read(metadata.json()) == metadata)
    #expect(try Metadata(json: metadata.json()) == metadata)
  }

  // MARK: Reading

  @Test("Metadata: any spelling of a document is read as Foundation reads it", arguments: 0..<400)
  func anySpelling(_ seed: Int) throws {
    var generator = MetadataGenerator(seed: 1000 + seed)
    let metadata = generator.metadata()
    let json = generator.respelled(metadata)
    let text = String(decoding: json, as: UTF8.self)
    #expect(try FoundationMetadata.read(json) == metadata, "\(text)")
    #expect(try Metadata(json: json) == metadata, "\(text)")
  }

  /// The reader stores equal paths of a photo and its manifest entry once. Paths with different bytes stay different.
  @Test("Metadata: paths keep their bytes, without normalization", arguments: [[1, 2, 3], [3, 1, 2]])
  func pathBytes(manifest ids: [Int64]) throws {
    var metadata = Metadata()
    let spellings = ["a/é.jpg", "a/e\u{301}.jpg", "a/é.jpg"]
    metadata.categories = [.init(id: 1, name: "", displayName: "", position: 0, createdAt: 0)]
    for id in 1...3 as ClosedRange<Int64> {
      metadata.photos.append(.init(id: id, path: "a/é.jpg", categoryId: 1, name: "", createdAt: 0))
    }
    for (id, path) in zip(ids, spellings) {
      metadata.photoManifest.append(
        .init(photoId: id, originalPath: path, zipEntryName: "\(id)", fileName: "", fileSize: 0))
    }
    let read = try Metadata(json: metadata.json())
    #expect(read == metadata)
    #expect(read.photoManifest.map { Array($0.originalPath.utf8) } == spellings.map { Array($0.utf8) })
  }

  /// Changes, removes or inserts one to three bytes. If the reader accepts a document, Foundation reads the same
  /// metadata from it. If the reader refuses a document as invalid JSON, Foundation refuses it too.
  @Test("Metadata: a broken document is refused, or read as Foundation reads it", arguments: 0..<40)
  func brokenDocuments(_ seed: Int) throws {
    var generator = MetadataGenerator(seed: 5000 + seed)
    let original = generator.respelled(generator.metadata())
    var (accepted, refused) = (0, 0)
    for _ in 0..<150 {
      var json = original
      for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
        let place = Int.random(in: 0..<json.count, using: &generator.random)
        let byte = Array("{}[]\",:\\u0e-.1nt \n\u{0}".utf8).randomElement(using: &generator.random) ?? 0
        switch UInt8.random(in: 0..<4, using: &generator.random) {
        case 0: json[place] = byte
        case 1: json.remove(at: place)
        case 2: json.insert(byte, at: place)
        default: json[place] = UInt8.random(in: 0 ... .max, using: &generator.random)
        }
      }
      let text = String(decoding: json, as: UTF8.self)
      do {
        let document = try MetadataReading.Document(json)
        accepted += 1
        // if this reader leaves a row out, Foundation refuses the document
        guard document.gaps.isEmpty else { continue }
        #expect(try FoundationMetadata.read(json) == document.metadata, "\(text)")
      } catch let error as Metadata.Fault {
        refused += 1
        // Foundation accepts half a surrogate pair, and a comma before the end of an object or a list
        let place = error.reason.split(separator: " ").last.flatMap { Int($0) } ?? json.count
        let isStricter =
          error.reason.contains("incomplete char") || place < json.count && "}]".utf8.contains(json[place])
        guard error.reason.hasPrefix("not valid JSON") || error.reason.contains("UTF-8"), !isStricter else {
          continue
        }
        #expect(throws: (any Error).self, "\(error): seed \(seed)") {
          try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
        }
      }
    }
    #expect(accepted > 0)
    #expect(refused > 0)
  }

  @Test("Metadata: a truncated document is refused", arguments: 0..<40)
  func truncatedDocument(_ seed: Int) throws {
    var generator = MetadataGenerator(seed: 9000 + seed)
    let json = String(decoding: generator.respelled(generator.metadata()), as: UTF8.self).utf8
    let document = Array(json).reversed().drop { " \n\t\r".utf8.contains($0) }.reversed()
    for length in stride(from: 0, to: document.count, by: 7) {
      #expect(throws: Metadata.Fault.self) { try Metadata(json: Array(document.prefix(length))) }
    }
  }

  @Test("Metadata: a document that is not an object is refused", arguments: ["7", "[]", "\"x\"", "true"])
  func otherRoot(_ json: String) {
    let fault = #expect(throws: Metadata.Fault.self) { try Metadata(json: Array(json.utf8)) }
    #expect(fault == Metadata.Fault(path: "", reason: "should be an object"))
  }

  // MARK: Bytes

  /// Sequences that Unicode's table 3-7 excludes, and truncated sequences.
  @Test(
    "Metadata: invalid UTF-8 is refused",
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF],
      [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ] as [[UInt8]])
  func invalidUTF8(_ bytes: [UInt8]) {
    let document = MetadataFaultTests.document(more: #", "x": "?", "?": 1"#).utf8
    for place in document.indices where document[place] == UInt8(ascii: "?") {
      let json = Array(document[..<place]) + bytes + Array(document[document.index(after: place)...])
      let fault = #expect(throws: Metadata.Fault.self) { try Metadata(json: json) }
      #expect(fault == Metadata.Fault(path: "", reason: "the text is not valid UTF-8", isMalformed: true))
    }
    #expect(throws: Metadata.Fault.self) { try Metadata(json: Array(document) + bytes) }
  }
}
