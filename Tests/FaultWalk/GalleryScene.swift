import Backup
import Checksums
import Foundation
import Operations
import PhotoLibrary
import Pictures
import SystemPackage
import TestSupport

/// The folder of a gallery, and the cache of pictures.
extension Scene {
  var gallery: FilePath { folder.appending("Gallery") }

  /// The header of a JPEG of 300 × 200 pixels, without image data.
  private static let thumbnail: [UInt8] = [
    0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 200, 1, 44, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xD9,
  ]

  /// Puts thumbnails of all photos into the cache, so that nothing must be drawn.
  func keepThumbnails() throws {
    let library = try Library(path: library)
    let cache = try PictureCache(of: library)
    for content in try library.contents().photos.compactMap(\.content) {
      cache.store(
        .picture(Picture(width: 300, height: 200, jpeg: Self.thumbnail, format: .jpeg)), for: content)
    }
    cache.flush()
  }

  /// Writes a gallery of the photos that were taken before or after a moment.
  ///
  /// - Returns: false if a photo or its thumbnail is missing.
  func writeGallery(after: Bool) async throws -> Bool {
    var options = GalleryFolderOptions()
    options.originals = .copy
    options.threads = 1
    options.lockWait = .seconds(10)
    options.date = Date(timeIntervalSince1970: 1_750_000_000)
    let moment: Timestamp = 1_710_000_000_000
    if after { options.taken.since = moment } else { options.taken.until = moment }
    return try await !Work.gallery(ofLibrary: library, to: gallery, options: options).summary.isIncomplete
  }

  /// Writes a gallery of one photo.
  func prepareGallery() async throws {
    try keepThumbnails()
    _ = try await writeGallery(after: true)
  }

  /// Returns what is wrong with the gallery.
  ///
  /// - Parameters:
  ///   - counts: the numbers of photos that it may have; 0 if it may be missing.
  ///   - isComplete: true if it must have no other files.
  func faultsOfGallery(photos counts: Set<Int>, isComplete: Bool) throws -> [String] {
    guard FileManager.default.fileExists(atPath: gallery.string) else {
      return counts.contains(0) ? [] : ["gallery: the folder is missing"]
    }
    let files = try FolderTree(gallery).files
    var faults: [String] = []
    let found = references(in: files)
    faults += found.filter { files[$0] == nil && $0 != "index.html" }.map { "gallery: \($0) is missing" }
    let digests = Set(try Library(path: library).contents().photos.compactMap(\.md5))
    let copies = found.filter { $0.hasPrefix("photos/") }
    faults += copies.filter { !digests.contains(MD5Digest(of: files[$0] ?? [])) }
      .map { "gallery: \($0) is no whole photo" }
    for thumbnail in found.filter({ $0.hasPrefix("thumbnails/") }) {
      let bytes = files[thumbnail] ?? []
      if !bytes.starts(with: [0xFF, 0xD8]) || !bytes.suffix(2).elementsEqual([0xFF, 0xD9]) {
        faults.append("gallery: \(thumbnail) is no whole picture")
      }
    }
    if !counts.contains(copies.count) { faults.append("gallery: it shows \(copies.count) photos") }
    if isComplete {
      let others = Set(files.keys.filter { !$0.hasSuffix("/") }).subtracting(found)
      faults += others.map { "gallery: \($0) is left behind" }
    }
    return faults
  }

  /// Returns the files to which the start page leads, directly or through other pages.
  private func references(in files: [String: [UInt8]]) -> Set<String> {
    guard files["index.html"] != nil else { return [] }
    var found: Set<String> = []
    var pages = ["index.html"]
    while let page = pages.popLast() {
      guard found.insert(page).inserted, page.hasSuffix(".html") else { continue }
      let text = String(decoding: files[page] ?? [], as: UTF8.self)
      let folder = FilePath(page).removingLastComponent()
      for part in text.split(separator: "\"") where part.contains(".") && !part.contains(" ") {
        guard ["html", "jpg"].contains(where: { part.hasSuffix(".\($0)") }) else { continue }
        pages.append(folder.pushing(FilePath(String(part))).lexicallyNormalized().string)
      }
    }
    return found
  }

  // MARK: The cache

  /// Adds two photos that can be drawn. The others cannot.
  func addDrawablePhotos() async throws {
    for (name, colour) in [("red", UInt8(200)), ("blue", UInt8(20))] {
      // a GIF of one pixel. https://www.w3.org/Graphics/GIF/spec-gif89a.txt
      let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, colour, 60, 40, 0, 0, 0]
        + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
      try write(gif, to: "\(name).gif")
      var options = AddOptions()
      options.category = "pets"
      _ = try await Work.add([folder.appending("\(name).gif")], to: library, options: options).summary
    }
  }

  /// Returns what is wrong with the cache. It may lack pictures unless `isComplete`.
  func faultsOfCache(isComplete: Bool) throws -> [String] {
    let status = try PictureCache.status(of: Library(path: library))
    if status.isCorrupt { return ["the cache is corrupt"] }
    return isComplete && status.pictures != 2 ? ["the cache has \(status.pictures) pictures"] : []
  }
}
