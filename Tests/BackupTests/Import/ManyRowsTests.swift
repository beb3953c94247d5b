import Operations
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Documents with more rows of one kind than any phone writes. Such rows must not need much more memory than the
/// document.
@Suite struct ManyRowsTests {
  private static func document(
    categories: [String] = [MetadataFaultTests.category], photos: [String] = [], more: String = ""
  ) -> [UInt8] {
    let (categories, photos) = (categories.joined(separator: ","), photos.joined(separator: ","))
    return Array(#"{"version": 2, "categories": [\#(categories)], "photos": [\#(photos)]\#(more)}"#.utf8)
  }

  private static func photo(_ id: Int, path: String = "x", category: Int = 1, more: String = "") -> String {
    #"{"id":\#(id),"path":"\#(path)","categoryId":\#(category),"name":"n","createdAt":0\#(more)}"#
  }

  private static func fault(_ json: [UInt8]) -> Metadata.Fault? {
    do {
      _ = try Metadata(json: json)
      return nil
    } catch {
      return error
    }
  }

  @Test("Metadata: of many rows without properties the first 10,000 are reported, and the others counted")
  func rowsWithoutProperties() throws {
    let rows = Array(repeating: "{}", count: 12_000) + [Self.photo(1)]
    let reading = try MetadataReading(json: Self.document(photos: rows))
    #expect(reading.metadata.photos.map(\.id) == [1])
    #expect(reading.skipped.count == 10_001)
    #expect(reading.skipped.last?.message == "2000 more rows lack a property and were skipped")
  }

  @Test("Metadata: more than 100,000 categories are refused")
  func categories() {
    let category = #"{"id":1,"name":"","displayName":"","position":0,"createdAt":0}"#
    let fault = Self.fault(Self.document(categories: Array(repeating: category, count: 100_001)))
    #expect(fault?.description == "categories: has more than 100000 elements")
  }

  @Test("Metadata: photos of more than 100,000 unlisted categories are refused")
  func unlistedCategories() {
    let photos = (1...100_001).map { Self.photo($0, category: $0 + 1) }
    let fault = Self.fault(Self.document(photos: photos))
    #expect(fault?.description == "photos: has photos of more than 100000 categories")
  }

  @Test("Metadata: more than 100,000 assets of the app are refused")
  func assets() {
    let photos = (1...100_001).map { Self.photo($0, more: #","isFromAssets":true"#) }
    let fault = Self.fault(Self.document(photos: photos))
    #expect(fault?.description == "photos: has 100001 assets of the app; at most 100000 are read")
  }

  @Test("Metadata: more than 100,000 rows with the IDs of other rows are refused")
  func equalIDs() {
    let fault = Self.fault(Self.document(photos: Array(repeating: Self.photo(7), count: 100_002)))
    #expect(fault?.description == "photos: has more than 100000 rows with the IDs of other rows")
  }

  @Test("Metadata: a document with more than 100,000 keys in one object is refused")
  func keys() {
    let keys = (0...100_000).map { #""\#($0)":0"# }.joined(separator: ",")
    #expect(Self.fault(Self.document(more: #","x":{\#(keys)}"#))?.reason == "has more than 100000 keys")
  }

  @Test("Metadata: a list of more than 100,000 tags is refused")
  func tags() {
    let tags = Array(repeating: #""""#, count: 100_001).joined(separator: ",")
    let provenance = #""uuid":"u","isPartial":false,"includesSettings":true,"tags":[\#(tags)]"#
    let fault = Self.fault(Self.document(more: #","smilepile":{\#(provenance)}"#))
    #expect(fault?.description == "smilepile.tags: has more than 100000 elements")
  }

  @Test("Metadata: a fault of a limit is not taken for damage")
  func limitIsNoDamage() {
    let photos = (1...100_001).map { Self.photo($0, more: #","isFromAssets":true"#) }
    #expect(Self.fault(Self.document(photos: photos))?.isDamage == false)
  }

  @Test("Import: of many missing photos the first 10,000 are reported, and the others counted")
  func missingPhotos() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let manifest = (1...12_000).map {
      #"{"photoId":\#($0),"originalPath":"x","zipEntryName":"photos/\#($0)","fileName":"\#($0)","fileSize":0}"#
    }.joined(separator: ",")
    let json = Self.document(
      photos: (1...12_000).map { Self.photo($0) }, more: #","photoManifest":[\#(manifest)]"#)
    let path = try scratch.write(try SampleBackup().archive(json: json), to: "backup.zip")
    let summary = try await library.importing(path)
    #expect(summary.photosNotImported == 12_000)
    #expect(summary.errors.count == 10_001)
    #expect(summary.errors.last?.message.hasSuffix("2000 more photos are missing in the same way") == true)
  }

  @Test("Import: a very long name is shortened in messages")
  func longName() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a"])
    backup.metadata.photos[0].name = String(repeating: "n", count: 50_000)
    backup.metadata.photoManifest[0].zipEntryName = "photos/" + String(repeating: "z", count: 50_000)
    backup.metadata.photoManifest[0].fileName = "z"
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosNotImported == 1)
    #expect(summary.errors.allSatisfy { $0.message.utf8.count < 2000 })
  }
}
