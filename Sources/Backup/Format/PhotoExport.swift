import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// What the Android app exports besides backups: archives with photo files, and without the rows that say which photo
/// is in which category. Both are recognized by their content, never by the file's name.
package enum PhotoExport: Sendable, Equatable {
  /// `SmilePile_Export_….zip`: `photos/{id}_{name}`, and a `metadata.json` with counts in the place of rows.
  case statistics
  /// `SmilePile_Gallery_….zip`: a web page with `images/{id}_{name}`, and no `metadata.json`.
  case gallery

  /// The folder that holds its photos.
  var folder: String {
    switch self {
    case .statistics: "photos"
    case .gallery: "images"
    }
  }

  // MARK: Recognition

  /// Whether a `metadata.json` is that of a statistics export: it has the counts, and neither of the lists.
  static func isStatistics(_ document: [UInt8], _ limits: Limits = Limits()) -> Bool {
    // the app writes the counts before everything that may be long; a backup is not scanned twice for them
    let mark = Array("\"photosCount\"".utf8)
    let hasMark = document.withUnsafeBytes { bytes in
      // by hand: the library's search through 64 KiB takes longer than reading the rows of a thousand photos
      (0..<max(0, min(bytes.count, 64 << 10) - mark.count + 1)).contains { place in
        bytes[place] == mark[0] && bytes[place..<(place + mark.count)].elementsEqual(mark)
      }
    }
    guard hasMark else { return false }
    return document.withUnsafeBufferPointer { bytes in
      guard let members = try? JSONScan.check(bytes, maximumNesting: limits.maximumNesting) else {
        return false
      }
      let text = JSONText(bytes: bytes)
      let has = { (name: StaticString) in members.contains { name ~= JSONKey($0.key, of: text) } }
      return has("photosCount") && has("categoriesCount") && !has("photos") && !has("categories")
    }
  }

  /// Whether the entries are those of an HTML gallery: the three files of the page, and beside them images that are
  /// named as the app names them, all at the root or in one folder.
  static func isGallery(_ entries: [Entry]) -> Bool {
    let folder = PhotoExport.gallery.folder
    let roots = Set(
      entries.filter { EntryRows.idAndName(of: $0, in: folder) != nil }.map { image in
        let parts = image.name.split(separator: "/")
        return parts.count == 2 ? "" : "\(parts[0])/"
      })
    guard !roots.isEmpty else { return false }
    let names = Set(entries.map(\.name))
    return roots.contains { root in
      ["index.html", "style.css", "script.js"].allSatisfy { names.contains(root + $0) }
    }
  }
}

extension OpenedBackup {
  /// Opens a photo export as if it were a backup with one category, “Photos”: each photo has the name of its entry
  /// without the id, and the entry's date. Blocks; writes nothing.
  ///
  /// - Throws: `ArchiveError` where the archive cannot be read.
  init(_ export: PhotoExport, at path: FilePath, limits: Limits, password: Secret?) throws(ArchiveError) {
    let archive = try Archive(path: path, limits: limits)
    let photos = archive.entries.filter { $0.isIn(export.folder) && !$0.isDirectory && !$0.isIgnored }
    let metadata = EntryRows(photos, in: export.folder, category: "Photos").metadata
    let matching = EntryMatching(metadata: metadata, entries: archive.entries, root: "")
    self.init(
      path: path, origin: .android, metadata: metadata, photos: matching.photos, warnings: matching.warnings,
      leftOut: matching.leftOut, unknownEntries: matching.unknownEntries, archive: archive,
      password: password)
  }
}
