/// This project's own data under the key `smilepile`, which both apps ignore: how a backup relates to other
/// backups.
extension Metadata {
  /// This project's description of a backup that it made.
  package struct Provenance: Sendable, Equatable {
    /// The archive ID.
    package var uuid: String
    /// The ID of the library that the backup was made from.
    package var library: String?
    /// True if the user selected a part of the library, and the rest is not in this backup.
    package var isPartial: Bool
    /// True if the settings are the library's. Otherwise they are defaults, which both apps require.
    package var includesSettings: Bool
    /// The keys of the settings that are defaults, because no backup of the library stated them.
    package var defaultSettings: [String] = []
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
    package var baseDigest: String
    /// The chain depth: the number of increments since the full backup, including this one.
    package var chainDepth: Int
    /// The files that are stored in the base or its chain.
    package var filesStoredInBase: [FileStoredInBase] = []
  }

  /// A photo's file that is stored in the base or its chain.
  package struct FileStoredInBase: Sendable, Equatable {
    /// The photo's id in this backup.
    package var photoId: Int64
    /// The same path as in the manifest.
    package var originalPath: String
    /// The file's length in bytes.
    package var fileSize: Int64
    /// MD5 of the file, 32 hexadecimal digits.
    package var checksum: String
  }
}

// MARK: Writing

extension Metadata.Provenance {
  func write(to object: inout JSONWriter) {
    if !defaultSettings.isEmpty {
      object.list("defaultSettings", of: defaultSettings) { $0.element($1) }
    }
    if let earlierIDs { object.list("earlier", of: earlierIDs) { $0.element($1) } }
    object.property("flattenedFrom", flattenedFrom)
    object.property("includesSettings", includesSettings)
    if let increment { object.object("increment") { increment.write(to: &$0) } }
    object.property("isPartial", isPartial)
    if isPartiallyRecovered { object.property("isRemnant", isPartiallyRecovered) }
    object.property("library", library)
    if !movements.isEmpty {
      object.list("movements", of: movements) { list, movement in list.object { movement.write(to: &$0) } }
    }
    if let part {
      object.object("part") {
        $0.property("count", part.count)
        $0.property("number", part.number)
        $0.property("set", part.set)
      }
    }
    if !repairedFrom.isEmpty { object.list("repairedFrom", of: repairedFrom) { $0.element($1) } }
    object.property("selection", selection)
    object.property("sequence", sequence)
    object.property("state", fingerprint)
    if !tags.isEmpty { object.list("tags", of: tags) { $0.element($1) } }
    object.property("uuid", uuid)
  }
}

extension Metadata.Increment {
  fileprivate func write(to object: inout JSONWriter) {
    object.property("base", baseID)
    object.property("baseDigest", baseDigest)
    object.list("held", of: filesStoredInBase) { list, file in
      list.object {
        $0.property("checksum", file.checksum)
        $0.property("fileSize", file.fileSize)
        $0.property("originalPath", file.originalPath)
        $0.property("photoId", file.photoId)
      }
    }
    object.property("length", chainDepth)
  }
}

// MARK: Reading

private typealias Mismatch = JSONReader.Mismatch

extension Metadata.Provenance {
  init(_ json: inout JSONReader) throws(JSONReader.Mismatch) {
    let start = try json.beginObject()
    var uuid: String?
    var isPartial: Bool?
    var includesSettings: Bool?
    while let key = json.nextKey() {
      switch key {
      case "uuid": uuid = try json.string()
      case "isPartial": isPartial = try json.flag()
      case "includesSettings": includesSettings = try json.flag()
      case "defaultSettings":
        defaultSettings = try json.list { element throws(Mismatch) in try element.string() }
      case "library": library = try json.optionalString()
      case "state": fingerprint = try json.optionalString()
      case "selection": selection = try json.optionalString()
      case "flattenedFrom": flattenedFrom = try json.optionalString()
      case "isRemnant": isPartiallyRecovered = try json.flag()
      case "repairedFrom":
        repairedFrom = try json.list { element throws(Mismatch) in try element.string() }
      case "sequence": sequence = try json.optionalInteger()
      case "earlier":
        earlierIDs = try json.list { element throws(Mismatch) in try element.string() }
      case "movements":
        movements = try json.list(atMost: .max) { element throws(Mismatch) in
          try Metadata.Movement(&element)
        }
      case "tags": tags = try json.list { element throws(Mismatch) in try element.string() }
      case "part": part = try Metadata.Part(&json)
      case "increment": increment = try Metadata.Increment(&json)
      default: json.skip()
      }
    }
    self.uuid = try json.require(uuid, "uuid", of: start)
    self.isPartial = try json.require(isPartial, "isPartial", of: start)
    self.includesSettings = try json.require(includesSettings, "includesSettings", of: start)
  }
}

extension Metadata.Part {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var set: String?
    var number: Int?
    var count: Int?
    while let key = json.nextKey() {
      switch key {
      case "set": set = try json.string()
      case "number": number = try json.integer()
      case "count": count = try json.integer()
      default: json.skip()
      }
    }
    self.set = try json.require(set, "set", of: start)
    self.number = try json.require(number, "number", of: start)
    self.count = try json.require(count, "count", of: start)
  }
}

extension Metadata.Increment {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var base: String?
    var baseDigest: String?
    var length: Int?
    while let key = json.nextKey() {
      switch key {
      case "base": base = try json.string()
      case "baseDigest": baseDigest = try json.string()
      case "length": length = try json.integer()
      case "held":
        filesStoredInBase = try json.list(atMost: .max) { element throws(Mismatch) in
          try Metadata.FileStoredInBase(&element)
        }
      default: json.skip()
      }
    }
    self.baseID = try json.require(base, "base", of: start)
    self.baseDigest = try json.require(baseDigest, "baseDigest", of: start)
    self.chainDepth = try json.require(length, "length", of: start)
  }
}

extension Metadata.FileStoredInBase {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var photoId: Int64?
    var originalPath: String?
    var fileSize: Int64?
    var checksum: String?
    while let key = json.nextKey() {
      switch key {
      case "photoId": photoId = try json.integer()
      case "originalPath": originalPath = try json.string()
      case "fileSize": fileSize = try json.integer()
      case "checksum": checksum = try json.string()
      default: json.skip()
      }
    }
    self.photoId = try json.require(photoId, "photoId", of: start)
    self.originalPath = try json.require(originalPath, "originalPath", of: start)
    self.fileSize = try json.require(fileSize, "fileSize", of: start)
    self.checksum = try json.require(checksum, "checksum", of: start)
  }
}

// MARK: Ranges

extension Metadata.Provenance {
  func checkRanges() throws(Metadata.Fault) {
    try Metadata.require(uuid, "smilepile.uuid")
    try Metadata.require(library, "smilepile.library")
    try Metadata.require(fingerprint, "smilepile.state")
    try Metadata.require(selection, "smilepile.selection")
    try Metadata.require(flattenedFrom, "smilepile.flattenedFrom")
    for (index, digest) in repairedFrom.enumerated() {
      try Metadata.require(digest, "smilepile.repairedFrom[\(index)]")
    }
    if let sequence { try Metadata.require(sequence, in: Metadata.dates, "smilepile.sequence") }
    for (index, id) in (earlierIDs ?? []).enumerated() {
      try Metadata.require(id, "smilepile.earlier[\(index)]")
    }
    for (index, tag) in tags.enumerated() { try Metadata.require(tag, "smilepile.tags[\(index)]") }
    if let part {
      try Metadata.require(part.set, "smilepile.part.set")
      try Metadata.require(part.count, in: 1...Metadata.maximumParts, "smilepile.part.count")
      try Metadata.require(part.number, in: 1...part.count, "smilepile.part.number")
    }
    for (index, movement) in movements.enumerated() {
      try movement.checkRanges("smilepile.movements[\(index)]")
    }
    try increment?.checkRanges()
  }
}

extension Metadata.Increment {
  fileprivate func checkRanges() throws(Metadata.Fault) {
    try Metadata.require(baseID, "smilepile.increment.base")
    try Metadata.require(baseDigest, "smilepile.increment.baseDigest")
    try Metadata.require(chainDepth, in: 1...Metadata.maximumChainDepth, "smilepile.increment.length")
    for (index, file) in filesStoredInBase.enumerated() {
      let path = "smilepile.increment.held[\(index)]"
      try Metadata.require(file.originalPath, "\(path).originalPath")
      try Metadata.require(file.fileSize, in: Metadata.sizes, "\(path).fileSize")
      try Metadata.require(file.checksum, "\(path).checksum")
    }
  }
}
