import Checksums
import Foundation
import PhotoLibrary
import TestSupport
import Testing

/// Other programs read archives of `export`. The tests compare every byte with `checksums.md5` in the archive, which
/// has the MD5 of every other entry.
@Suite("Archives in other programs", .waitsForPrograms)
struct ReaderTests {
  /// The libraries that are exported.
  enum Source: String, CaseIterable, CustomTestStringConvertible {
    case android = "Android backup"
    case generated = "odd names and sizes"
    case empty = "empty library"
    case gallery = "Android backup, with a gallery"

    /// Those that this machine can export.
    static let possible = allCases.filter { $0 != .gallery || Programs.has("vips") }

    var testDescription: String { rawValue }
  }

  @Test("Export: unzip extracts every file", .enabled(if: Programs.has("unzip")), arguments: Source.possible)
  func unzip(source: Source) throws {
    let (bench, names) = try exported(source)
    try bench.run("unzip -tq archive.zip")
    try bench.run("mkdir out; cd out; unzip -q ../archive.zip && md5sum --check --strict checksums.md5")
    try checkUnpacked(bench, names)
  }

  @Test("Export: 7z extracts every file", .enabled(if: Programs.has("7z")), arguments: Source.possible)
  func sevenZip(source: Source) throws {
    let (bench, names) = try exported(source)
    #expect(try bench.run("7z t archive.zip").contains("Everything is Ok"))
    try bench.run("7z x -oout archive.zip && cd out && md5sum --check --strict checksums.md5")
    try checkUnpacked(bench, names)
  }

  /// bsdtar reads a file by the central directory, and a pipe forward.
  @Test(
    "Export: bsdtar extracts every file, also from a pipe", .enabled(if: Programs.has("bsdtar")),
    arguments: Source.possible, ["-xf ../archive.zip", "-xf -"])
  func bsdtar(source: Source, options: String) throws {
    let (bench, names) = try exported(source)
    let listed = try bench.run("bsdtar -tf archive.zip").split(separator: "\n").map(String.init)
    #expect(listed.sorted() == names)
    try bench.run("mkdir out; cd out; cat ../archive.zip | bsdtar \(options)")
    try checkUnpacked(bench, names)
  }

  @Test(
    "Export: Python reads every entry", .enabled(if: Programs.has("python3")), arguments: Source.possible)
  func python(source: Source) throws {
    let (bench, names) = try exported(source)
    let script = """
      import hashlib, json, zipfile
      archive = zipfile.ZipFile("archive.zip")
      assert archive.testzip() is None
      sums = archive.read("checksums.md5").decode().splitlines()
      for line in sums:
        assert hashlib.md5(archive.read(line[34:])).hexdigest() == line[:32], line
        print(line[34:])
      metadata = json.loads(archive.read("metadata.json"))
      for item in metadata["photoManifest"]:
        bytes = archive.read("photos/" + item["fileName"])
        assert hashlib.md5(bytes).hexdigest() == item["checksum"] and len(bytes) == item["fileSize"], item
      """
    let read = try bench.run("cat > read.py <<'END'\n\(script)\nEND\npython3 read.py")
    #expect(read.split(separator: "\n").map(String.init).sorted() == names.filter { $0 != "checksums.md5" })
  }

  /// The Android app reads the same way: forward, by the local headers only.
  @Test(
    "Export: a forward reader in Java reads every entry", .enabled(if: Programs.has("java")),
    arguments: Source.possible)
  func java(source: Source) throws {
    let (bench, names) = try exported(source)
    let read = try bench.run("java -Dfile.encoding=UTF-8 \"$READERS/ForwardReader.java\" archive.zip")
    #expect(read.split(separator: "\n").map(String.init).sorted() == names.filter { $0 != "checksums.md5" })
  }

  /// Exports a library as `archive.zip`. Returns its folder, and the names of its entries, sorted.
  private func exported(_ source: Source) throws -> (Workbench, names: [String]) {
    let bench = Workbench()
    let photos: [String]
    var derived: [String] = []
    switch source {
    case .android:
      try bench.run("smilepile init Library && smilepile import -l Library '\(Fixture.androidV2)'", exit: 3)
      try bench.run("smilepile export -l Library -o archive.zip")
      photos = try Fixture.entries().keys.filter { $0.hasPrefix("photos/") }
    case .generated:
      let library = try SampleLibrary(Self.oddPhotos, categories: [Self.category])
      try bench.run("smilepile export -l '\(library.path)' -o archive.zip")
      photos = Self.oddPhotos.map { "photos/\($0.photo.id)_\($0.photo.originalPath)" }
        .map { $0.utf8.count <= 255 + "photos/".utf8.count ? $0 : Self.shortenedName }
    case .empty:
      try bench.run("smilepile init Library && smilepile export -l Library -o archive.zip")
      photos = []
    case .gallery:
      try bench.run("smilepile init Library && smilepile import -l Library '\(Fixture.androidV2)'", exit: 3)
      try bench.run("smilepile export -l Library -o archive.zip --gallery")
      photos = try Fixture.entries().keys.filter { $0.hasPrefix("photos/") }
      derived =
        photos.map { "thumbnails/thumb_\($0.dropFirst("photos/".count))" }
        + ["index.html", "gallery/about.html", "gallery/1.html", "gallery/2.html", "gallery/3.html"]
        + ["categories_summary.json"]
    }
    return (bench, (photos + derived + ["checksums.md5", "metadata.json"]).sorted())
  }

  /// Checks that `out/` has exactly these files, with the exported bytes.
  private func checkUnpacked(_ bench: Workbench, _ names: [String]) throws {
    let unpacked = try FolderTree(bench.folder.path.appending("out"))
    #expect(unpacked.fileNames == names)
    let checksums = String(decoding: unpacked.files["checksums.md5"] ?? [], as: UTF8.self)
    for line in checksums.split(separator: "\n") {
      // libarchive converts names to NFC; Swift compares them by canonical equivalence
      let bytes = try #require(unpacked.files[String(line.dropFirst(34))], "\(line)")
      #expect("\(MD5Digest(of: bytes))" == line.prefix(32), "\(line)")
    }
    #expect(checksums.count { $0 == "\n" } == names.count - 1)
  }

  private static let category = Category(
    id: 1, name: "odd", displayName: "Odd", createdAt: 0, valuesAsOf: 0)

  /// 300 bytes and an extension. The entry has 255 bytes, with the ID in front and the same extension.
  private static let longName = String(repeating: "ж", count: 150) + ".jpeg"
  private static let shortenedName = "photos/1_" + String(repeating: "ж", count: 124) + ".jpeg"

  private static let oddPhotos: [SampleLibrary.Member] = {
    let names = [
      longName, "пикник.jpg", "生日.png", "🎂👨‍👩‍👧.jpg", "e\u{301}te\u{301}.jpg", "same.jpg", "same.jpg",
      "with  spaces & 'quotes'.jpg", "no_extension", "%s%n.gif",
    ]
    let sizes = [0, 1, 511, 65_536, 300_001, 4_194_304, 5_000_000]
    return names.enumerated().map { index, name in
      let bytes = (0..<sizes[index % sizes.count]).map {
        UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8) + index)
      }
      return SampleLibrary.Member(id: Int64(index + 1), fileName: name, bytes: bytes)
    }
  }()
}
