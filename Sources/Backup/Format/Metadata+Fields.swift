/// The properties of the rows in `metadata.json`. Properties that may be missing have the defaults of the Android app's
/// serializer. Unknown keys are skipped.
extension Metadata.CategoryRecord: Record {
  static var blank: Self { Self(id: 0, name: "", displayName: "", position: 0, createdAt: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("arrangedAt", &arrangedAt, .asOf)
    try visitor.field("colorHex", &colorHex, .optional)
    try visitor.field("createdAt", &createdAt, .required(5).within(Metadata.dates))
    try visitor.field("displayName", &displayName, .required(3))
    try visitor.field("iconResource", &iconResource, .optional)
    try visitor.field("id", &id, .required(1))
    try visitor.field("isDefault", &isDefault, .optional)
    try visitor.field("name", &name, .required(2))
    try visitor.field("ownName", &ownName, .optional)
    try visitor.field("position", &position, .required(4).within(Metadata.positions))
    try visitor.field("valuesAsOf", &valuesAsOf, .asOf)
  }
}

extension Metadata.PhotoRecord: Record {
  static var blank: Self { Self(id: 0, path: "", categoryId: 0, name: "", createdAt: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("categoryId", &categoryId, .required(3))
    try visitor.field("createdAt", &createdAt, .required(5).within(Metadata.dates))
    try visitor.field("fileSize", &fileSize, .optional.within(Metadata.sizes))
    try visitor.field("height", &height, .optional.within(Metadata.pixels))
    try visitor.field("id", &id, .required(1))
    try visitor.field("isFavorite", &isFavorite, .optional)
    try visitor.field("isFromAssets", &isFromAssets, .optional)
    try visitor.field("name", &name, .required(4))
    try visitor.field("path", &path, .required(2))
    try visitor.field("shipsWithApp", &shipsWithApp, .optionalIfEmpty)
    try visitor.field("width", &width, .optional.within(Metadata.pixels))
  }
}

extension Metadata.ManifestEntry: Record {
  static var blank: Self {
    Self(photoId: 0, originalPath: "", zipEntryName: "", fileName: "", fileSize: 0)
  }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("checksum", &checksum, .optional)
    try visitor.field("expectedChecksum", &expectedChecksum, .optional)
    try visitor.field("fileName", &fileName, .required(4))
    try visitor.field("fileSize", &fileSize, .required(5).within(Metadata.sizes))
    try visitor.field("originalPath", &originalPath, .required(2))
    try visitor.field("photoId", &photoId, .required(1))
    try visitor.field("zipEntryName", &zipEntryName, .required(3))
  }
}

extension Metadata.SettingsRecord: Record {
  static var blank: Self { Self() }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("isDarkMode", &isDarkMode, .optional)
    try visitor.field("securitySettings", &securitySettings, .optionalIfEmpty)
    try visitor.field("themeMode", &themeMode, .optional.anyText)
    try visitor.field("valuesAsOf", &valuesAsOf, .asOf)
  }
}

extension Metadata.SecurityRecord: Record {
  static var blank: Self { Self() }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("cameraAccessAllowed", &cameraAccessAllowed, .optional)
    try visitor.field("deleteProtectionEnabled", &deleteProtectionEnabled, .optional)
    try visitor.field("hasPIN", &hasPIN, .optional)
    try visitor.field("hasPINAsOf", &hasPINAsOf, .asOf)
    try visitor.field("hasPattern", &hasPattern, .optional)
    try visitor.field("hasPatternAsOf", &hasPatternAsOf, .asOf)
    try visitor.field("kidSafeModeEnabled", &kidSafeModeEnabled, .optional)
  }
}
