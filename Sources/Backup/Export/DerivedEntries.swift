import Checksums
import Gallery
import PhotoLibrary
import Pictures

/// The entries of an archive that are made from its photos: thumbnails, the pages and pictures of a gallery, and the
/// summary of the categories. They follow the photos.
final class DerivedEntries {
  /// The entries, in the order of the archive.
  private(set) var entries: [PipelineText] = []
  /// The MD5s and names of the entries. Complete after the last one was rendered.
  private(set) var checksums: [(MD5Digest, name: String)] = []
  /// The number of entries without bytes. Another process has drawn so many pictures meanwhile that the cache has lost
  /// these. Complete after the last entry was rendered.
  private(set) var lostPictures = 0

  /// - Parameters:
  ///   - plan: the plan of the archive.
  ///   - pictures: the pictures of the plan; nil if it has none.
  ///   - date: the date of the archive.
  init(_ plan: ExportPlan, _ pictures: ExportPictures?, date: Timestamp) {
    func add(
      _ name: String, _ date: Timestamp, isCompressed: Bool = false, _ bytes: @escaping () throws -> [UInt8]
    ) {
      entries.append(
        PipelineText(entryName: name, modified: date, isCompressed: isCompressed) {
          [unowned self] _, write in
          let bytes = try bytes()
          checksums.append((MD5Digest(hashing: bytes), name: name))
          if bytes.isEmpty { lostPictures += 1 }
          try bytes.withUnsafeBytes(write)
        })
    }
    func add(_ name: String, of item: ExportPlan.Item, from cache: PictureCache?) {
      guard let content = item.photo.md5.map({ FileContent(md5: $0, size: item.size) }) else { return }
      // the directory of an encrypted archive is not encrypted
      add(name, plan.isEncrypted ? date : item.photo.createdAt, isCompressed: true) {
        guard case .picture(let picture) = cache?.entry(for: content) else { return [] }
        return picture.jpeg
      }
    }
    for item in plan.items {
      if item.thumbnail != nil { add(item.thumbnailName, of: item, from: pictures?.thumbnails) }
      if item.view != nil { add(item.viewName, of: item, from: pictures?.views) }
    }
    if let style = plan.gallery {
      for page in plan.gallery(style, date: date).pages { add(page.path, date) { Array(page.render().utf8) } }
      add(CategorySummary.entryName, date) { try CategorySummary.document(of: plan) }
    }
  }
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
