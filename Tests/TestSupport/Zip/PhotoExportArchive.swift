import SystemPackage
import Zip

/// The Android app's exports other than backups, byte by byte as `java.util.zip` writes them: deflated entries with
/// data descriptors and UTF-8 names, without extra fields and folder entries.
package struct PhotoExportArchive: Sendable {
  /// A photo of an export.
  package struct Photo: Sendable {
    /// The ID. Two photos may have the same.
    package var id: Int64
    /// The file's name on the phone.
    package var name: String
    /// DOS time in the lower half, DOS date in the upper.
    package var dosTime: UInt32
    /// The file's bytes.
    package var bytes: [UInt8]
  }

  /// The photos.
  package var photos: [Photo]
  /// The root folder of all entries, with its slash; empty if there is none.
  package var root = ""
  /// Whether a statistics export has a summary, which is optional.
  package var hasSummary = true

  /// An export of these photos.
  package init(_ photos: [Photo]) { self.photos = photos }

  /// Four photos: two with the same name, and two with the same ID.
  package static func sample() throws -> PhotoExportArchive {
    let tiny = try Fixture.photos().first { $0.name == "tiny.jpg" }?.bytes ?? []
    // 2025-10-03 14:00:00, 2024-02-29 12:00:00, 2019-12-31 23:59:58
    let (autumn, leapDay, newYear): (UInt32, UInt32, UInt32) = (0x5B43_7000, 0x585D_6000, 0x4F9F_BF7D)
    return PhotoExportArchive([
      Photo(id: 84_215_045_365_760, name: "IMG_0001.jpg", dosTime: autumn, bytes: tiny),
      Photo(id: 99_000_000_000_012, name: "IMG_0001.jpg", dosTime: leapDay, bytes: tiny + [1]),
      Photo(id: 7, name: "été à la plage.jpg", dosTime: newYear, bytes: tiny + [2]),
      Photo(id: 7, name: "2025_10_03.jpg", dosTime: autumn, bytes: tiny + [3]),
    ])
  }

  /// `SmilePile_Export_….zip`.
  package var statistics: ZipBuilder {
    let metadata = """
      {"exportDate":1759500000000,"appVersion":"25.10.03.001","categoriesCount":2,"photosCount":\(photos.count),\
      "exportOptions":{"compressImages":true},\
      "deviceInfo":{"manufacturer":"Google","model":"Pixel 8","androidVersion":"14"}}
      """
    let summary = """
      [{"categoryId":1,"categoryName":"Family","photoCount":\(photos.count),"totalSize":2806,\
      "oldestPhoto":1577836798000,"newestPhoto":null}]
      """
    var members = [text("metadata.json", metadata)]
    members += photos.map { file("photos/\($0.id)_\($0.name)", $0) }
    if hasSummary { members.append(text("categories_summary.json", summary)) }
    return ZipBuilder(members)
  }

  /// `SmilePile_Gallery_….zip`.
  package var gallery: ZipBuilder {
    let images = photos.map { "<img src=\"images/\($0.id)_\($0.name)\">" }.joined()
    var members = [
      text("index.html", "<!DOCTYPE html><html><body>\(images)</body></html>"),
      text("style.css", "body { margin: 0 }"), text("script.js", "document.title = 'SmilePile'"),
    ]
    for photo in photos {
      members.append(file("images/\(photo.id)_\(photo.name)", photo))
      var thumbnail = photo
      thumbnail.bytes.removeLast()
      members.append(file("thumbnails/thumb_\(photo.id)_\(photo.name)", thumbnail))
    }
    return ZipBuilder(members)
  }

  private func text(_ name: String, _ text: String) -> ZipMember {
    member(name, Array(text.utf8), dosTime: 0x5B43_7000)
  }

  private func file(_ name: String, _ photo: Photo) -> ZipMember {
    member(name, photo.bytes, dosTime: photo.dosTime)
  }

  private func member(_ name: String, _ bytes: [UInt8], dosTime: UInt32) -> ZipMember {
    // deflate in one stored block. RFC 1951, 3.2.4
    var data: [UInt8] = [1]
    data.append(littleEndian: UInt16(bytes.count))
    data.append(littleEndian: ~UInt16(bytes.count))
    return ZipMember(Array((root + name).utf8), content: bytes, data: data + bytes, method: 8).with {
      member in
      member.both { header in
        header.madeBy = 20
        header.flags = 1 << 11
        header.dosTime = dosTime
        header.externalAttributes = 0
      }
    }.streamed
  }
}
