import FileSystem
import Operations
import Zip

/// A `metadata.json` that was read, with rows that agree with each other: what contradicts other rows is repaired, or
/// left out and reported. `docs/format/phone-backups.md` has the rules.
struct MetadataReading {
  /// What the document says, after the repairs. Ids are unique, and every photo has its category.
  private(set) var metadata: Metadata
  /// What was repaired.
  private(set) var warnings: [String] = []
  /// Rows that could not be used.
  private(set) var leftOut: [Finding] = []
  /// For each photo that got a new id, the one that the backup has: the apps name files by it.
  let writtenIDs: [Int64: Int64]
  /// Which program made the backup.
  let origin: OpenedBackup.Origin

  /// Reads and repairs a document. Releases its bytes before it repairs, if the caller does not keep them.
  ///
  /// - Parameters:
  ///   - container: the kind of file that holds the document.
  ///   - root: the folder of the archive that holds everything; empty if there is none.
  ///   - maximumNesting: how deep objects and lists may stand within each other.
  /// - Throws: `Metadata.Fault` with the place in the document, where it is malformed JSON, has a value of a wrong type, or
  ///   comes from a newer version.
  init(
    json: consuming [UInt8], container: OpenedBackup.Format = .zip, root: String = "",
    maximumNesting: Int = Limits().maximumNesting
  ) throws(Metadata.Fault) {
    let document = try Document(consume json, maximumNesting: maximumNesting)
    metadata = document.metadata
    origin = OpenedBackup.Origin(document, container, root: root)
    leftOut = document.gaps.map { gap in
      switch gap {
      case .row(let row, let key): Finding(row, message: "\(row) has no \(key); the row was left out")
      case .list(let name): Finding(name, message: "the backup has no list \(name)")
      }
    }
    if !document.hasVersion || metadata.version < 1 {
      let version = container == .json ? 1 : Metadata.newestVersion
      if document.hasVersion {
        warnings.append("version \(metadata.version) does not exist; read as version \(version)")
      }
      metadata.version = version
    }
    try metadata.smilepile?.checkRanges()
    warnings += metadata.repairRanges()
    let repairs = metadata.makeConsistent()
    warnings += repairs.warnings
    leftOut += repairs.leftOut
    writtenIDs = repairs.writtenIDs
  }

  /// Corrects dates that the iOS app wrote in seconds. Apart from reading, since a document that is written again and
  /// read again must stay the same.
  mutating func repairSeconds() {
    if origin == .ios, let warning = metadata.repairSeconds() { warnings.append(warning) }
  }

  /// What stands in a document, before anything is repaired.
  struct Document {
    var metadata: Metadata
    /// Rows, and lists, that lack something.
    var gaps: [JSONGap]
    var hasVersion: Bool

    init(
      _ json: consuming [UInt8], maximumNesting: Int = Limits().maximumNesting
    ) throws(Metadata.Fault) {
      self = try json.withUnsafeBufferPointer { bytes throws(Metadata.Fault) in
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        return try Document(
          UnsafeBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...]), maximumNesting: maximumNesting)
      }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int) throws(Metadata.Fault) {
      guard (try? UTF8Span(validating: bytes.span)) != nil else {
        throw Metadata.Fault(path: "", reason: "the text is not valid UTF-8")
      }
      let members = try JSONScan.check(bytes, maximumNesting: maximumNesting)
      do throws(JSONDocument.Refusal) {
        let document = try JSONDocument(bytes, members)
        guard document.holds("categories") || document.holds("photos") else {
          // reports a newer version first
          var unused: [JSONGap] = []
          _ = try Metadata(document, gaps: &unused)
          throw JSONDocument.Refusal.fault(Metadata.Fault(path: "categories", reason: "is missing"))
        }
        var gaps: [JSONGap] = []
        metadata = try Metadata(document, gaps: &gaps)
        self.gaps = gaps
        hasVersion = document.holds("version")
      } catch {
        switch error {
        case .fault(let fault): throw fault
        case .mismatch(let mismatch): throw Metadata.Fault(mismatch, in: bytes)
        }
      }
    }
  }
}

extension Metadata {
  /// Reads a document and repairs what its rows contradict each other in.
  ///
  /// - Parameters:
  ///   - json: the document, in UTF-8.
  ///   - maximumNesting: the deepest nesting of objects and lists.
  /// - Throws: `Fault` with the place in the document.
  package init(
    json: consuming [UInt8], maximumNesting: Int = Limits().maximumNesting
  ) throws(Fault) {
    self = try MetadataReading(json: consume json, maximumNesting: maximumNesting).metadata
  }
}

extension OpenedBackup.Origin {
  /// Tells the program by what only it writes: this project its own key; iOS every property, `isDarkMode` alone in its
  /// settings, paths relative to Documents, and until October 2025 one folder around everything; Android no property that
  /// has its default, so no `version` in an archive, and absolute paths or `content://` addresses.
  fileprivate init(_ document: MetadataReading.Document, _ container: OpenedBackup.Format, root: String) {
    let metadata = document.metadata
    self =
      if metadata.smilepile != nil {
        .smilepile
      } else if !root.isEmpty {
        .ios
      } else if metadata.photos.contains(where: \.hasAndroidPath) {
        .android
      } else if metadata.settings?.securitySettings == Metadata.SecurityRecord() {
        .ios
      } else if container == .zip, !document.hasVersion {
        .android
      } else {
        .unknown
      }
  }
}

extension Metadata.PhotoRecord {
  /// Whether only Android writes such a path.
  fileprivate var hasAndroidPath: Bool {
    !isFromAssets
      && (path.hasPrefix("/data/") || path.hasPrefix("/storage/") || path.hasPrefix("content://"))
  }
}
