/// Reads and writes the document: its root object and the lists.
extension Metadata {
  /// - Parameters:
  ///   - document: the document, which is read in another order than it is written.
  ///   - gaps: receives each row that lacks a property without a default. Such a row is left out.
  init(_ document: JSONDocument, gaps: inout JSONGaps) throws(Fault) {
    // the version first: the other properties of a newer version may have other types
    version = try document.value("version") ?? Self.newestVersion
    guard version <= Self.newestVersion else {
      let reason = "made by a newer version of SmilePile (format \(version))"
      throw Fault(path: "version", reason: reason, newerVersion: version)
    }
    exportDate = try document.value("exportDate")
    appVersion = try document.value("appVersion") ?? ""
    format = try document.value("format") ?? "ZIP"
    categories = try document.rows("categories", atMost: Self.maximumElements, gaps: &gaps) {
      json throws(JSONReader.Mismatch) in
      var category = try json.record(CategoryRecord.self)
      category.takeOwnName()
      return category
    }
    photos = try document.rows("photos", gaps: &gaps) { json throws(JSONReader.Mismatch) in
      try json.record()
    }
    settings = try document.value("settings")
    // an app writes the manifest in the order of the photos, and repeats their paths in `originalPath`; this project
    // repeats the names of the entries
    var rest = photos[...]
    photoManifest = try document.rows("photoManifest", isOptional: true, gaps: &gaps) {
      json throws(JSONReader.Mismatch) in
      json.likelyText = rest.first?.path
      let entry = try json.record(ManifestEntry.self)
      rest = rest.drop { $0.id != entry.photoId }.dropFirst()
      return entry
    }
    smilepile = try document.value("smilepile")
  }

  /// Returns the document: UTF-8, keys sorted, indented.
  package func json() -> [UInt8] {
    var json: [UInt8] = []
    write(photos: photos, manifest: photoManifest) { json += $0 }
    return json
  }

  /// Writes the document with other photos and another manifest, piece by piece, because the lists of a large
  /// library and the document have fifty megabytes each.
  ///
  /// Writes the format that both apps read: every property, except that a nil `iconResource`, `colorHex` or
  /// `checksum` is omitted, as on iOS.
  func write(
    photos: some Sequence<PhotoRecord>, manifest: some Sequence<ManifestEntry>,
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var writer = JSONWriter()
    try writer.object { root in
      root.text("appVersion", appVersion)
      root.list("categories", of: zip(categories, AndroidCategoryNames(categories).names)) {
        $1.0.named($1.1).write(nil, .notNull, to: &$0)
      }
      exportDate.write("exportDate", .optional, to: &root)
      root.text("format", format)
      try root.list("photoManifest", of: manifest) { list, entry in
        entry.write(nil, .notNull, to: &list)
        try list.pass(to: write, from: Self.pieceSize)
      }
      try root.list("photos", of: photos) { list, photo in
        photo.write(nil, .notNull, to: &list)
        try list.pass(to: write, from: Self.pieceSize)
      }
      settings.write("settings", .optional, to: &root)
      smilepile.write("smilepile", .optional, to: &root)
      version.write("version", .optional, to: &root)
    }
    try writer.pass(to: write)
  }

  private static let pieceSize = 64 << 10
}

extension Metadata.CategoryRecord {
  /// Returns the category as the document has it: with a `name` for the apps, and with its identity as `ownName` if that
  /// differs.
  fileprivate func named(_ writtenName: String) -> Self {
    var category = self
    if !name.utf8.elementsEqual(writtenName.utf8) { (category.name, category.ownName) = (writtenName, name) }
    return category
  }

  /// Replaces the `name` for the apps by the identity.
  fileprivate mutating func takeOwnName() {
    if let ownName { name = ownName }
    ownName = nil
  }
}
