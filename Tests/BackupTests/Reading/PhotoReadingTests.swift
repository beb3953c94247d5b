import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Reading photos from archives and files, many at a time.
@Suite struct PhotoReadingTests {
  private let scratch = ScratchFolder()
  private let reading = PhotoReading(ProgressCounter(), Readers())

  private func archive(_ members: [ZipMember]) throws -> Archive {
    try Archive(path: try scratch.write(ZipBuilder(members).bytes, to: "a.zip"))
  }

  private func content(_ text: String) -> FileContent {
    FileContent(md5: MD5Digest(hashing: Array(text.utf8)), size: text.utf8.count)
  }

  /// Returns the content of each photo; nil for one that is not intact.
  private func contents(_ photos: [PhotoBytes?]) throws -> [FileContent?] {
    try reading.outcomes(photos.count) { (photos[$0], nil) }.map { $0?.content }
  }

  @Test("Photo reading: entries of all kinds and files have the right content, in their order")
  func kinds() throws {
    let texts = (0..<70).map { String(repeating: "photo \($0) ", count: $0 * 900) }
    let archive = try archive(
      texts.enumerated().map { index, text in
        index.isMultiple(of: 3) ? .deflated("\(index)", text) : .stored("\(index)", text)
      })
    let path = try scratch.write(Array("a file".utf8), to: "file.jpg")
    let file = PhotoBytes.file(path) { () throws(FileError) in try File.open(path, .read) }
    let entries = texts.indices.map { PhotoBytes.entry($0, of: archive, password: nil) }
    #expect(try contents(entries + [file]) == texts.map(content) + [content("a file")])
  }

  @Test("Photo reading: a fault of a photo does not affect the others")
  func faults() throws {
    let archive = try archive([
      .stored("a", "intact"), .stored("b", "damaged").with { $0.data[2] ^= 1 },
      .deflated("c", "damaged, too").with { $0.data[0] = 0xFF }, .deflated("d", "intact, too"),
    ])
    let missing = scratch.path.appending("missing.jpg")
    let file = PhotoBytes.file(missing) { () throws(FileError) in try File.open(missing, .read) }
    let entries: [PhotoBytes?] = (0..<4).map { .entry($0, of: archive, password: nil) }
    let photos = [nil, file] + entries
    let outcomes = try reading.outcomes(photos.count) { (photos[$0], nil) }
    #expect(
      outcomes.map { $0?.fault(unless: nil) } == [
        .noFile, .unreadable(FileError("open", missing, .noSuchFileOrDirectory)), nil, .damaged(.checksum),
        .damaged(.compressedData), nil,
      ])
  }

  @Test("Photo reading: an archive that has changed since it was opened is refused", arguments: 0..<2)
  func changedArchive(_ index: Int) throws {
    let archive = try archive([.stored("a", "stored"), .deflated("b", "deflated")])
    _ = try contents([.entry(index, of: archive, password: nil)])
    try File.open(archive.path, .readWrite).resize(to: archive.size + 1)
    #expect(throws: ArchiveError.changed(archive.path)) {
      try contents([.entry(index, of: archive, password: nil)])
    }
  }

  @Test("Photo reading: the receiver of the pieces can give up a photo, or all", arguments: 0..<2)
  func receiver(_ index: Int) throws {
    struct Full: Error {}
    let archive = try archive([.stored("a", "stored"), .deflated("b", "deflated")])
    let bytes = PhotoBytes.entry(index, of: archive, password: nil)
    let outcomes = OrderedResults<PhotoOutcome>()
    try reading.collect(1) { _ in
      PhotoReading.Photo(
        bytes: bytes, take: { _, _ in throw PhotoFault.tooLong }, end: { outcomes.add($0, at: 0) })
    }
    #expect(outcomes.values.map { $0.fault(unless: nil) } == [.tooLong])
    #expect(throws: Full.self) {
      try reading.collect(1) { _ in
        PhotoReading.Photo(bytes: bytes, take: { _, _ in throw Full() }, end: { _ in })
      }
    }
  }
}
