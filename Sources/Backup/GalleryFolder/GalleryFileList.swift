import Foundation

/// The list of a gallery's files, `.smilepile-gallery`. A file is in the list before it exists, so that an interruption
/// leaves no file that the next run does not know.
struct GalleryFileList: Codable, Equatable, Sendable {
  /// The version of the list.
  var version = 1
  /// The MD5s of the start pages that were written: one, or two while a gallery is brought up to date.
  var startPages: [String] = []
  /// The paths of all other files, relative to the gallery's folder. Some may be missing.
  var files: Set<String> = []

  static let mostBytes = 64 << 20

  private enum CodingKeys: CodingKey {
    case version, startPages, files
  }

  init() {}

  /// Leaves out paths that no gallery has, since another program may have changed the list.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    startPages = try container.decode([String].self, forKey: .startPages)
    files = Set(try container.decode([String].self, forKey: .files).filter(GalleryFile.isValid))
  }

  /// Encodes the files in their order, so that equal lists have equal bytes.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(startPages, forKey: .startPages)
    try container.encode(files.sorted(), forKey: .files)
  }

  /// The bytes of the document.
  var document: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
  }
}
