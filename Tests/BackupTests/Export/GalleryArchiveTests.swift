import Foundation
import Gallery
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup
@testable import Pictures

/// Archives with thumbnails and a gallery, as the apps read them.
@Suite(
  "Archives with a gallery",
  .enabled(if: (try? PictureSupport.find()) != nil, "libvips42 is not installed"))
struct GalleryArchiveTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  /// Makes a library whose cache has a picture of each photo, so that the export draws none.
  init() throws {
    let names = [
      "IMG_1.jpg", "IMG_1.jpg", "b #?%2e%2e.png", "été.jpg", "\"><script>.jpg", "a..b.jpg", "生日 🎂.jpg",
      String(repeating: "ж", count: 150) + ".jpeg",
    ]
    let members = names.enumerated().map { index, name in
      SampleLibrary.Member(
        id: Int64(index + 1), category: Int64(index % 2 + 1), fileName: name, width: 400, height: 300,
        bytes: Array(repeating: UInt8(index), count: 2000 + index))
    }
    library = try SampleLibrary(members, categories: [.sample(1, "family"), .sample(2, "cars <b>")])
    let cache = try PictureCache(of: Library(path: library.path))
    for photo in try library.contents.photos {
      let md5 = try #require(photo.md5)
      let jpeg =
        [0xFF, 0xD8, 0xFF] + (3..<5000).map { UInt8(truncatingIfNeeded: $0 &* Int(photo.id) &+ $0 >> 3) }
      cache.store(
        .picture(Picture(width: 300, height: 225, jpeg: jpeg, format: .jpeg)),
        for: FileContent(md5: md5, size: photo.fileSize))
    }
    cache.flush()
  }

  private func exported(_ name: String, hasGallery: Bool) async throws -> WrittenBackup {
    let summary = try await library.exporting(to: scratch.path.appending(name)) {
      $0.includesThumbnails = hasGallery
      $0.gallery = hasGallery ? Gallery.Style() : nil
    }
    #expect(summary.phoneRefusals == [])
    return try WrittenBackup(try #require(summary.archive))
  }

  @Test("Gallery: the archive has a thumbnail of each photo under the name that Android restores")
  func thumbnails() async throws {
    let backup = try await exported("a.zip", hasGallery: true)
    let photos = backup.names.filter { $0.hasPrefix("photos/") }
    let thumbnails = backup.names.filter { $0.hasPrefix("thumbnails/") }
    #expect(photos.count == 8)
    #expect(thumbnails == photos.map { "thumbnails/thumb_\($0.dropFirst("photos/".count))" })
    let others = Set(backup.names).subtracting(photos).subtracting(thumbnails)
    #expect(
      others == [
        "index.html", "gallery/about.html", "gallery/1.html", "gallery/2.html", "categories_summary.json",
        "metadata.json", "checksums.md5",
      ])
  }

  @Test("Gallery: no entry has a name, a header or an MD5 that the apps or md5sum refuse")
  func faults() async throws {
    expectNone(try await exported("a.zip", hasGallery: true).faults())
  }

  @Test(
    "Gallery: the apps restore the same photos as from an archive without it",
    arguments: [PhoneReader.androidLast, .ios8])
  func restored(reader: PhoneReader) async throws {
    let plain = try await exported("plain.zip", hasGallery: false)
    let gallery = try await exported("gallery.zip", hasGallery: true)
    let expected = try reader.restore(try bytes(plain))
    let found = try reader.restore(try bytes(gallery))
    #expect(Set(found.photos) == Set(expected.photos))
    #expect(found.photos.count == 8)
    #expect(found.categories == expected.categories)
  }

  private func bytes(_ backup: WrittenBackup) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: backup.path.string)))
  }

  @Test("Gallery: pictures do not include photos that are added after they were drawn")
  func addedWhileDrawing() throws {
    let opened = try Library(path: library.path)
    let pictures = try ExportPictures(of: opened, ExportOptions(), ProgressCounter())
    #expect(pictures.include(try opened.contents().photos))
    try library.change(adding: [SampleLibrary.Member(id: 90, fileName: "new.jpg", bytes: [1, 2, 3])])
    #expect(!pictures.include(try opened.contents().photos))
  }

  @Test("Gallery: a dry run counts the pictures and pages, and plans the parts of the export")
  func dryRun() async throws {
    var limits = PhoneLimits()
    limits.entries = 14
    func parts(isDryRun: Bool) async throws -> Int {
      try await library.exporting(to: scratch.path) {
        $0.gallery = Gallery.Style()
        $0.phoneLimits = limits
        $0.isDryRun = isDryRun
      }.parts
    }
    let planned = try await parts(isDryRun: true)
    #expect(planned > 1)
    #expect(try await parts(isDryRun: false) == planned)
  }

  @Test("Gallery: with --split phone, no part of 6,000 photos exceeds the limits of the apps")
  func split() throws {
    let photos = (1...Int64(6000)).map { id in
      var photo = SampleLibrary.Member(id: id, fileName: "\(id).jpg", bytes: []).photo
      // duplicates would be in one part, so each photo has its own size
      (photo.fileSize, photo.categoryId) = (100_000 + Int(id), id % 3 + 1)
      return photo
    }
    let contents = LibraryContents(
      categories: [.sample(1, "a"), .sample(2, "b"), .sample(3, "c")], photos: photos,
      settings: Settings(createdAt: 0))
    let sizes = Dictionary(
      uniqueKeysWithValues: try photos.map { photo in
        let md5 = try #require(photo.md5)
        return (
          FileContent(md5: md5, size: photo.fileSize), PictureSize(width: 300, height: 225, bytes: 9000)
        )
      })
    var options = ExportOptions()
    options.gallery = Gallery.Style()
    let plan = try ExportPlan(contents, options, thumbnails: sizes) {
      $0.map { .success(.init(size: $0.fileSize, modified: $0.createdAt)) }
    }
    let parts = SplitPlan(plan, PhoneLimits(), set: UUID()).parts
    #expect(parts.map(\.items.count).reduce(0, +) == 6000)
    #expect(parts.count == 2)
    for part in parts {
      let entries = part.items.count + DerivedEntries(part, nil, date: 0).entries.count + 2
      #expect(entries <= 10_000)
      #expect(part.phoneRefusals(PhoneLimits(), archiveBytes: 0) == [])
    }
    #expect(plan.phoneRefusals(PhoneLimits(), archiveBytes: 0).count == 1)
  }
}
