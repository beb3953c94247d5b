import Foundation
import PhotoLibrary

/// The list of a gallery's files, `.smilepile-gallery`. A file is in the list before it exists, so that an interruption
/// leaves no file that the next run does not know. A file whose size or bytes are not those in the list was changed by
/// another program.
struct GalleryFileList: Codable, Equatable, Sendable {
  /// The version of the list.
  var version = 1
  /// The MD5s of the start pages that were written: one, or two while a gallery is brought up to date.
  var startPages: [String] = []
  /// All other files by their paths, relative to the gallery's folder. Some may be missing.
  var files: [String: Mark] = [:]
  /// The paths of files that a run began to write, and that are complete if they exist.
  var unfinished: Set<String> = []

  /// What tells the file that was written from another one.
  struct Mark: Codable, Equatable, Sendable {
    var size: Int
    var md5: String

    init(_ content: FileContent) { (size, md5) = (content.size, "\(content.md5)") }
  }

  /// All paths.
  var paths: Set<String> { unfinished.union(files.keys) }

  /// The most bytes of the list, for some two million photos.
  static let mostBytes = 512 << 20

  private enum CodingKeys: CodingKey {
    case version, startPages, files, unfinished
  }

  init() {}

  /// Leaves out paths that no gallery has, since another program may have changed the list.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    startPages = try container.decode([String].self, forKey: .startPages)
    files = try container.decode([String: Mark].self, forKey: .files).filter { GalleryFile.isValid($0.key) }
    let unfinished = try container.decodeIfPresent([String].self, forKey: .unfinished) ?? []
    self.unfinished = Set(unfinished.filter(GalleryFile.isValid))
  }

  /// Encodes the paths in their order, so that equal lists have equal bytes.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(startPages, forKey: .startPages)
    try container.encode(files, forKey: .files)
    if !unfinished.isEmpty { try container.encode(unfinished.sorted(), forKey: .unfinished) }
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
