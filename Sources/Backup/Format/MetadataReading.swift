import FileSystem
import Operations

/// Reads a `metadata.json` and makes its rows consistent. Repairs contradictory rows, or leaves them out and
/// reports them. `docs/format/phone-backups.md` has the rules.
struct MetadataReading {
  /// The document after the repairs. Ids are unique, and every photo has its category.
  private(set) var metadata: Metadata
  /// Descriptions of the repairs.
  private(set) var warnings: [String] = []
  /// Rows that could not be used.
  private(set) var skipped: [Finding] = []
  /// The id in the backup for each photo that got a new id. The apps derive file names from the id in the backup.
  let writtenIDs: [Int64: Int64]
  /// The program that made the backup.
  let origin: Metadata.Origin

  /// Reads and repairs a document. Releases its bytes before the repairs, unless the caller keeps them.
  ///
  /// - Parameters:
  ///   - container: the kind of file that contains the document.
  ///   - root: the folder of the archive that contains everything; empty if no folder contains everything.
  ///   - maximumNesting: the deepest nesting of objects and lists.
  /// - Throws: `Metadata.Fault` with the path in the document, if the document is malformed JSON, has a value of a
  ///   wrong type, or comes from a newer version.
  init(
    json: consuming [UInt8], container: Metadata.Container = .zip, root: String = "",
    maximumNesting: Int = Limits().maximumNesting
  ) throws(Metadata.Fault) {
    // not a constant: only one reference to the rows may exist, or the repairs copy all of them
    var document = try Document(consume json, maximumNesting: maximumNesting)
    origin = Metadata.Origin(document, container, root: root)
    skipped = document.gaps.findings
    metadata = document.takeMetadata()
    if !document.hasVersion || metadata.version < 1 {
      let version = container == .json ? 1 : Metadata.newestVersion
      if document.hasVersion {
        warnings.append(
          "version \(metadata.version) does not exist; the backup was read as version \(version)")
      }
      metadata.version = version
    }
    warnings += try metadata.repairRanges()
    let repairs = try metadata.makeConsistent()
    warnings += repairs.warnings
    skipped += repairs.skipped
    writtenIDs = repairs.writtenIDs
  }

  /// Corrects dates that the iOS app wrote in seconds. The initializer does not call this method, because a
  /// document that is written and read again must stay the same.
  mutating func repairSeconds() {
    if origin == .ios, let warning = metadata.repairSeconds() { warnings.append(warning) }
  }

  /// The content of a document before the repairs.
  struct Document {
    var metadata: Metadata
    /// Missing lists, and rows that lack a property.
    var gaps: JSONGaps
    var hasVersion: Bool

    init(
      _ json: consuming [UInt8], maximumNesting: Int = Limits().maximumNesting
    ) throws(Metadata.Fault) {
      self = try json.withUnsafeBufferPointer { bytes throws(Metadata.Fault) in
        try Document(JSONDocument(bytes, maximumNesting: maximumNesting))
      }
    }

    /// Returns the metadata, and keeps no reference to it.
    fileprivate mutating func takeMetadata() -> Metadata {
      defer { metadata = Metadata() }
      return metadata
    }

    private init(_ document: JSONDocument) throws(Metadata.Fault) {
      gaps = JSONGaps()
      // reports a newer version before missing lists
      metadata = try Metadata(document, gaps: &gaps)
      guard document.holds("categories") || document.holds("photos") else {
        throw Metadata.Fault(path: "categories", reason: "is missing")
      }
      hasVersion = document.holds("version")
    }
  }
}

extension Metadata {
  /// Reads a document and repairs its contradictory rows.
  ///
  /// - Parameters:
  ///   - json: the document, in UTF-8.
  ///   - maximumNesting: the deepest nesting of objects and lists.
  /// - Throws: `Fault` with the path in the document.
  package init(
    json: consuming [UInt8], maximumNesting: Int = Limits().maximumNesting
  ) throws(Fault) {
    self = try MetadataReading(json: consume json, maximumNesting: maximumNesting).metadata
  }
}
