/// Exports of Android's export manager that are not backups: they have photos, but no rows to restore.
package enum AndroidExport {
  /// `SmilePile_Export_….zip`: counts, options and the device, the photos, a summary of the categories.
  package static func statistics(of phone: Phone) -> [UInt8] {
    var zip = JavaZip()
    let document: PhoneJSON = .object(of: [
      "exportDate": .number(phone.exportDate), "appVersion": .string(phone.appVersion),
      "categoriesCount": .number(Int64(phone.categories.count)),
      "photosCount": .number(Int64(phone.photos.count)), "exportOptions": .object([]),
      "deviceInfo": .object(of: [
        "manufacturer": .string("Google"), "model": .string("Pixel 8"), "androidVersion": .string("15"),
      ]),
    ])
    zip.add("metadata.json", Array(document.kotlin.utf8))
    for photo in phone.photos {
      if let bytes = photo.bytes { zip.add("photos/\(photo.id)_\(photo.fileName)", bytes) }
    }
    let summary: [PhoneJSON] = phone.categories.map { category in
      let photos = phone.photos(in: category.id)
      return .object(of: [
        "categoryId": .number(category.id), "categoryName": .string(category.displayName),
        "photoCount": .number(Int64(photos.count)), "totalSize": .number(0),
        "oldestPhoto": photos.map(\.createdAt).min().map { .number($0) } ?? .null,
        "newestPhoto": photos.map(\.createdAt).max().map { .number($0) } ?? .null,
      ])
    }
    zip.add("categories_summary.json", Array(PhoneJSON.array(summary).kotlin.utf8))
    return zip.bytes
  }

  /// `SmilePile_Gallery_….zip`: a web page with pictures and previews.
  package static func gallery(of phone: Phone) -> [UInt8] {
    var (zip, items) = (JavaZip(), "")
    let photos = phone.photos.compactMap { photo in
      photo.bytes.map { (name: "\(photo.id)_\(photo.fileName)", title: photo.name, bytes: $0) }
    }
    for photo in photos { zip.add("images/\(photo.name)", photo.bytes) }
    for (number, photo) in photos.enumerated() {
      zip.add("thumbnails/thumb_\(photo.name)", Picture.jpeg(900_000 + number))
      items += """
        <div class="gallery-item">
            <img src="thumbnails/thumb_\(photo.name)" alt="\(photo.title)" loading="lazy">
            <a href="images/\(photo.name)" class="view-full">View Full Size</a>
        </div>

        """
    }
    let page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
          <meta charset="UTF-8">
          <title>SmilePile Photo Gallery</title>
          <link rel="stylesheet" href="style.css">
      </head>
      <body>
      \(items)<script src="script.js"></script>
      </body>
      </html>
      """
    zip.add("index.html", Array(page.utf8))
    zip.add("style.css", Array("body { margin: 0; }\n".utf8))
    zip.add("script.js", Array("document.querySelectorAll('.filter-btn');\n".utf8))
    return zip.bytes
  }
}
