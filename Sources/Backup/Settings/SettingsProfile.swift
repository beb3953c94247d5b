import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

/// The settings of a library as a JSON document that another library can import. It contains values of
/// `SettingDefinition.all` and nothing else: no PIN, no path, no ID and no name of a photo.
public struct SettingsProfile: Sendable, Equatable {
  /// The newest version of the format, which this program writes.
  public static let newestVersion = 1
  /// The most bytes of a document that this program reads.
  public static let maximumBytes = 64 << 10

  static let kind = "smilepile-settings"

  /// The values by key. All are keys and values of `SettingDefinition.all`.
  public let values: [String: String]
  /// When the profile was made; nil if the document does not tell.
  public let madeAt: Timestamp?
  /// The keys of the document that this version does not know.
  public let unknownKeys: [String]

  /// Describes a profile that was read.
  init(values: [String: String], madeAt: Timestamp?, unknownKeys: [String]) {
    (self.values, self.madeAt, self.unknownKeys) = (values, madeAt, unknownKeys)
  }

  /// Describes the settings of a library: the value of each setting, which is the default if nothing has stated it.
  public init(_ settings: Settings, madeAt: Date = Date()) {
    values = Dictionary(
      uniqueKeysWithValues: SettingDefinition.all.map { ($0.key, $0.value(in: settings)) })
    self.madeAt = Timestamp(madeAt)
    unknownKeys = []
  }

  /// The document, with sorted keys and a line feed at its end.
  public var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let document = Document(
        kind: Self.kind, version: Self.newestVersion, madeBy: "smilepile \(Version.current)",
        madeAt: madeAt, settings: values)
      return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }
  }

  /// The document that is written.
  struct Document: Encodable {
    var kind: String
    var version: Int
    var madeBy: String
    var madeAt: Timestamp?
    var settings: [String: String]

    enum CodingKeys: String, CodingKey {
      case kind, version, settings
      case madeBy = "made_by"
      case madeAt = "made_at"
    }
  }

  /// Writes the document into a new file with mode 0600, which appears under its name when it is complete and durable.
  /// Never replaces a file. Blocks.
  ///
  /// - Returns: a warning if the file may be lost in a power failure; otherwise nil.
  /// - Throws: `SettingsProfileError.exists` or `.noName`; `FileError` if the file cannot be written. Nothing is
  ///   published then.
  public func write(to path: FilePath) throws -> String? {
    guard let file = path.fileName else { throw SettingsProfileError.noName(path) }
    let folder = path.folder
    // before the document is written, for a clear message
    guard try Directory.open(folder).status(of: file) == nil else { throw SettingsProfileError.exists(path) }
    let output = try AtomicFile(file, in: folder)
    try output.file.write(Array(json.utf8), at: 0)
    guard let (_, durability) = try output.publish(as: [file]) else {
      throw SettingsProfileError.exists(path)
    }
    return durability.warning(for: path)
  }
}

/// Why a profile of settings was not written or read. Nothing was changed.
public enum SettingsProfileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is a file with the name of the new profile.
  case exists(FilePath)
  /// The path of the new profile has no name of a file.
  case noName(FilePath)
  /// The document is not a profile that this version can read.
  case invalid(FilePath, MetadataFault)

  /// One line for the user.
  public var description: String {
    switch self {
    case .exists(let path): "\(path) exists; choose the name of a new file".escaped
    case .noName(let path): "\(path) is not the name of a file".escaped
    case .invalid(let path, let fault) where fault.newerVersion != nil:
      "\(path) has a newer format (\(fault)); update smilepile".escaped
    case .invalid(let path, let fault): "\(path) is not a profile of settings: \(fault)".escaped
    }
  }
}
