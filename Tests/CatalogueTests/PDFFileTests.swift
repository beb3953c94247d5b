import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Catalogue
@testable import Pictures

/// Reading a written PDF back.
@Suite(.waitsForPrograms) struct PDFFileTests {
  private let scratch: CatalogueScratch
  private let bytes: [UInt8]

  init() throws {
    scratch = try CatalogueScratch(["Cars": (1...60).map { "photo \($0)" }])
    try scratch.write { $0.columns = 3 }
    bytes = try scratch.folder.bytes("a.pdf")
  }

  private func pages(of bytes: [UInt8]) throws -> Int {
    try scratch.folder.write(bytes, to: "changed.pdf")
    return try PDFFile(File.open(scratch.folder.path("changed.pdf"), .read)).pageCount
  }

  @Test("PDF: the number of pages is read")
  func pageCount() throws {
    let info = try scratch.run("pdfinfo", "a.pdf")
    #expect(info.contains("Pages:           \(try pages(of: bytes))\n"))
  }

  @Test("PDF: a file that is truncated anywhere is incomplete")
  func truncated() throws {
    for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 50)) {
      #expect(throws: CatalogueFault.self, "\(length)") { try pages(of: Array(bytes.prefix(length))) }
    }
    #expect(throws: CatalogueFault.self) { try pages(of: bytes.dropLast()) }
  }

  @Test("PDF: a file with missing or repeated bytes is incomplete")
  func shifted() throws {
    for place in stride(from: 20, to: bytes.count - 2000, by: max(1, bytes.count / 30)) {
      #expect(throws: CatalogueFault.self, "\(place)") {
        try pages(of: Array(bytes[..<place] + bytes[(place + 7)...]))
      }
      #expect(throws: CatalogueFault.self, "\(place)") {
        try pages(of: Array(bytes[..<place] + bytes[(place - 7)...]))
      }
    }
  }

  @Test("PDF: other files are no complete PDF")
  func otherFiles() throws {
    for text in ["", "%PDF-1.5\n", "%PDF-1.5\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"] {
      #expect(throws: CatalogueFault.self, "\(text)") { try pages(of: Array(text.utf8)) }
    }
  }
}
