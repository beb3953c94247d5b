/// This project's own data under the key `smilepile`, which both apps ignore: how a backup relates to other
/// backups.
extension Metadata {
  /// This project's description of a backup that it made.
  package struct Provenance: Sendable, Equatable {
    /// The archive ID.
    var uuid: String
    /// The ID of the library that the backup was made from.
    package var library: String?
    /// True if the user selected a part of the library, and the rest is not in this backup.
    package var isPartial: Bool
    /// True if the settings are the library's. Otherwise they are defaults, which both apps require.
    package var includesSettings: Bool
    /// The keys of the settings that are defaults, because no backup of the library stated them.
    var defaultSettings: [String] = []
    /// The content fingerprint: the MD5, 32 hexadecimal digits, of everything that was selected. Backups with equal
    /// fingerprints have equal content.
    package var fingerprint: String?
    /// A description of the selection. Equal for equal selections, nil for everything.
    package var selection: String?
    /// The ID of the archive whose content this archive has, if it was made from archives instead of a library.
    package var flattenedFrom: String?
    /// True if a repair or `flatten` could not recover photos that the archive should contain.
    package var isPartiallyRecovered = false
    /// The MD5 of the `metadata.json` of every archive that this one was repaired from, the first archive first. An
    /// archive that depends on one of them can depend on this one.
    package var repairedFrom: [String] = []
    /// The place of the archive among the exports of its library; nil in archives of older versions. See
    /// `ExportHistory`.
    package var sequence: Int64?
    /// The IDs of all earlier archives of its library, oldest first; nil in archives of older versions.
    package var earlierIDs: [String]?
    /// The tags that the user gave the backup, for retention.
    package var tags: [String] = []
    /// What a person moved and removed in the library, oldest first; empty in a partial backup.
    package var movements: [Movement] = []
    /// The number of this archive in a set of archives that together contain the library.
    package var part: Part?
    /// The base of this backup; nil if the backup stores all files itself.
    package var increment: Increment?
  }

  /// The number of an archive in the set that an export was split into. Each part is a complete backup of a part of
  /// the library.
  package struct Part: Sendable, Equatable {
    /// The ID that all parts share.
    package var set: String
    /// From 1.
    package var number: Int
    /// The number of parts.
    package var count: Int
  }

  /// The base of an incremental backup. The rows are those of the complete library. The backup does not store the
  /// files that are stored in the base or in the base's own chain.
  package struct Increment: Sendable, Equatable {
    /// The archive ID of the base.
    package var baseID: String
    /// The MD5 of the base's `metadata.json`, which contains the MD5 of every file in the base.
    var baseDigest: String
    /// The chain depth: the number of increments since the full backup, including this one.
    package var chainDepth: Int
    /// The files that are stored in the base or its chain.
    var filesStoredInBase: [FileStoredInBase] = []
  }

  /// A photo's file that is stored in the base or its chain.
  struct FileStoredInBase: Sendable, Equatable {
    /// The photo's id in this backup.
    var photoId: Int64
    /// The same path as in the manifest.
    var originalPath: String
    /// The file's length in bytes.
    var fileSize: Int64
    /// MD5 of the file, 32 hexadecimal digits.
    var checksum: String
  }
}

extension Metadata.Provenance: Record {
  static var blank: Self { Self(uuid: "", isPartial: false, includesSettings: false) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("defaultSettings", &defaultSettings, .notNullIfEmpty.anyText)
    try visitor.field("earlier", &earlierIDs, .notNull)
    try visitor.field("flattenedFrom", &flattenedFrom, .optional)
    try visitor.field("includesSettings", &includesSettings, .required(3))
    try visitor.field("increment", &increment, .notNull)
    try visitor.field("isPartial", &isPartial, .required(2))
    try visitor.field("isRemnant", &isPartiallyRecovered, .notNullIfEmpty)
    try visitor.field("library", &library, .optional)
    try visitor.field("movements", &movements, .notNullIfEmpty)
    try visitor.field("part", &part, .notNull)
    try visitor.field("repairedFrom", &repairedFrom, .notNullIfEmpty)
    try visitor.field("selection", &selection, .optional)
    try visitor.field("sequence", &sequence, .optional.within(Metadata.dates))
    try visitor.field("state", &fingerprint, .optional)
    try visitor.field("tags", &tags, .notNullIfEmpty)
    try visitor.field("uuid", &uuid, .required(1))
  }
}

extension Metadata.Part: Record {
  static var blank: Self { Self(set: "", number: 0, count: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("count", &count, .required(3).within(1...Metadata.maximumParts))
    try visitor.field("number", &number, .required(2).within(1...max(1, count)))
    try visitor.field("set", &set, .required(1))
  }
}

extension Metadata.Increment: Record {
  static var blank: Self { Self(baseID: "", baseDigest: "", chainDepth: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("base", &baseID, .required(1))
    try visitor.field("baseDigest", &baseDigest, .required(2))
    try visitor.field("held", &filesStoredInBase, .notNull)
    try visitor.field("length", &chainDepth, .required(3).within(1...Metadata.maximumChainDepth))
  }
}

extension Metadata.FileStoredInBase: Record {
  static var blank: Self { Self(photoId: 0, originalPath: "", fileSize: 0, checksum: "") }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("checksum", &checksum, .required(4))
    try visitor.field("fileSize", &fileSize, .required(3).within(Metadata.sizes))
    try visitor.field("originalPath", &originalPath, .required(2))
    try visitor.field("photoId", &photoId, .required(1))
  }
}
