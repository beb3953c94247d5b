import Glibc
import Operations
import PhotoLibrary
import Zip

/// The archives that the Android app exports besides backups. They have photo files, but no rows that assign photos
/// to categories. Both kinds are recognized by their content, never by the file's name.
public enum PhotoExport: Sendable, Equatable {
  /// `SmilePile_Export_….zip`: `photos/{id}_{name}`, and a `metadata.json` with counts instead of rows.
  case statistics
  /// `SmilePile_Gallery_….zip`: a web page with `images/{id}_{name}`, and no `metadata.json`.
  case gallery

  /// The folder that contains the photos.
  var folder: String {
    switch self {
    case .statistics: "photos"
    case .gallery: "images"
    }
  }

  // MARK: Recognition

  /// Returns true if a `metadata.json` belongs to a statistics export: it has the counts and neither list.
  static func isStatistics(_ document: [UInt8], _ limits: Limits = Limits()) -> Bool {
    // the app writes the counts before any long value; this search avoids a second scan of every backup
    let mark = Array("\"photosCount\"".utf8)
    let hasMark = document.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      let last = min(bytes.count, 64 << 10) - mark.count
      var offset = 0
      while offset <= last {
        if bytes[offset] == mark[0], memcmp(start + offset, mark, mark.count) == 0 { return true }
        offset += 1
      }
      return false
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

  /// Returns true if the entries are an HTML gallery: the three files of the page and images with the app's names,
  /// all at the root or in one folder.
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
