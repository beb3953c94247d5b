import Checksums
import Gallery
import PhotoLibrary
import Pictures

/// The entries of an archive that are made from its photos: thumbnails, the pages and pictures of a gallery, and the
/// summary of the categories. They follow the photos.
final class DerivedEntries {
  /// The entries, in the order of the archive.
  private(set) var entries: [PipelineText] = []
  private let names: [String]
  /// The MD5s of the entries that are rendered.
  private var digests: [MD5Digest] = []
  /// The number of entries without bytes. Another process has drawn so many pictures meanwhile that the cache has lost
  /// these. Complete after the last entry was rendered.
  private(set) var lostPictures = 0

  /// - Parameters:
  ///   - plan: the plan of the archive.
  ///   - pictures: the pictures of the plan; nil if it has none.
  ///   - date: the date of the archive.
  init(_ plan: ExportPlan, _ pictures: ExportPictures?, date: Timestamp) {
    var rendered: [(name: String, date: Timestamp, isCompressed: Bool, bytes: () throws -> [UInt8])] = []
    func add(_ name: String, of item: ExportPlan.Item, from cache: PictureCache?) {
      guard let content = item.photo.md5.map({ FileContent(md5: $0, size: item.size) }) else { return }
      // the directory of an encrypted archive is not encrypted
      let taken = plan.isEncrypted ? date : item.photo.createdAt
      rendered.append(
        (
          name, taken, true,
          {
            guard case .picture(let picture) = cache?.entry(for: content) else { return [] }
            return picture.jpeg
          }
        ))
    }
    for item in plan.items {
      if item.thumbnail != nil { add(item.thumbnailName, of: item, from: pictures?.thumbnails) }
      if item.view != nil { add(item.viewName, of: item, from: pictures?.views) }
    }
    if let style = plan.gallery {
      for page in plan.gallery(style, date: date).pages {
        rendered.append((page.path, date, false, { Array(page.render().utf8) }))
      }
      rendered.append((CategorySummary.entryName, date, false, { try CategorySummary.document(of: plan) }))
    }
    names = rendered.map(\.name)
    entries = rendered.map { entry in
      PipelineText(entryName: entry.name, modified: entry.date, isCompressed: entry.isCompressed) {
        [unowned self] _, write in
        let bytes = try entry.bytes()
        digests.append(MD5Digest(hashing: bytes))
        if bytes.isEmpty { lostPictures += 1 }
        try bytes.withUnsafeBytes { if !$0.isEmpty { try write($0) } }
      }
    }
  }

  /// The MD5s and names of the entries. Complete after the last one was rendered.
  var checksums: [(MD5Digest, name: String)] { zip(digests, names).map { ($0, name: $1) } }
}

extension ExportPlan {
  /// Returns the gallery of the photos that are stored in the archive: those of a category by date, the newest first.
  func gallery(_ style: Gallery.Style, date: Timestamp) -> Gallery {
    Gallery(
      categories.map { ($0.id, $0.displayName) },
      items.map { item in
        ListedPhoto(
          id: item.photo.id, category: item.photo.categoryId, takenAt: item.photo.createdAt,
          name: item.photo.name,
          file: PhotoKind.isPhoto(fileNamed: item.photo.fileName) ? item.entryName : nil,
          view: item.view.map { _ in item.viewName },
          thumbnail: item.thumbnail.map {
            Gallery.Thumbnail(item.thumbnailName, width: $0.width, height: $0.height)
          })
      }, style: style, date: date, form: .archive(checksums: MetadataEntries.checksumsName), extent: extent)
  }

  /// Which photos of the library the archive stores.
  private var extent: Gallery.Extent {
    if let part { return .part(number: part.number, count: part.count) }
    if let base = increment?.base.path.lastComponent?.string { return .increment(base: base) }
    return isPartial ? .selection : .all
  }
}
