import Foundation

@testable import Backup

/// Reads `metadata.json` with Foundation: the oracle for this project's reader. An optional property may be missing or
/// null.
struct FoundationMetadata: Decodable {
  var version: Int?
  var exportDate: Int64?
  var appVersion: String?
  var format: String?
  var categories: [Category]
  var photos: [Photo]
  var settings: Settings?
  var photoManifest: [ManifestEntry]?

  struct Settings: Decodable {
    var isDarkMode: Bool?
    var securitySettings: SecuritySettings?
  }

  struct SecuritySettings: Decodable {
    var hasPIN: Bool?
    var hasPattern: Bool?
    var kidSafeModeEnabled: Bool?
    var deleteProtectionEnabled: Bool?
    var cameraAccessAllowed: Bool?
  }

  struct Category: Decodable {
    var id: Int64
    var name: String
    var ownName: String?
    var displayName: String
    var position: Int
    var iconResource: String?
    var colorHex: String?
    var isDefault: Bool?
    var createdAt: Int64
    var valuesAsOf: Int64?
  }

  struct Photo: Decodable {
    var id: Int64
    var path: String
    var categoryId: Int64
    var name: String
    var isFromAssets: Bool?
    var createdAt: Int64
    var fileSize: Int64?
    var width: Int?
    var height: Int?
    var isFavorite: Bool?
  }

  struct ManifestEntry: Decodable {
    var photoId: Int64
    var originalPath: String
    var zipEntryName: String
    var fileName: String
    var fileSize: Int64
    var checksum: String?
  }

  /// The optional properties that the iOS app requires. See `docs/format/archive.md`.
  private var required: [Any?] {
    let security = settings?.securitySettings
    var values: [Any?] = [
      version, exportDate, appVersion, format, photoManifest, settings?.isDarkMode, security?.hasPIN,
      security?.hasPattern, security?.kidSafeModeEnabled, security?.deleteProtectionEnabled,
    ]
    for category in categories { values.append(category.isDefault) }
    for photo in photos {
      values += [photo.isFromAssets, photo.fileSize, photo.width, photo.height] as [Any?]
    }
    return values
  }

  /// A document lacks a property that the iOS app requires.
  struct MissingProperty: Error {}

  /// Decodes a document with Foundation and converts it to `Metadata`.
  static func read(_ json: [UInt8]) throws -> Metadata {
    try JSONDecoder().decode(FoundationMetadata.self, from: Data(json)).metadata
  }

  /// Decodes a document as the iOS app does.
  ///
  /// - Throws: `MissingProperty`, `DecodingError`.
  static func readStrictly(_ json: [UInt8]) throws -> Metadata {
    let read = try JSONDecoder().decode(FoundationMetadata.self, from: Data(json))
    guard read.required.allSatisfy({ $0 != nil }) else { throw MissingProperty() }
    return read.metadata
  }

  private var metadata: Metadata {
    var metadata = Metadata()
    metadata.version = version ?? 2
    metadata.exportDate = exportDate.map { .init(rawValue: $0) }
    metadata.appVersion = appVersion ?? ""
    metadata.format = format ?? "ZIP"
    metadata.categories = categories.map {
      Metadata.CategoryRecord(
        id: $0.id, name: $0.ownName ?? $0.name, displayName: $0.displayName, position: $0.position,
        iconResource: $0.iconResource, colorHex: $0.colorHex, isDefault: $0.isDefault ?? false,
        createdAt: .init(rawValue: $0.createdAt), valuesAsOf: $0.valuesAsOf.map { .init(rawValue: $0) })
    }
    metadata.photos = photos.map {
      Metadata.PhotoRecord(
        id: $0.id, path: $0.path, categoryId: $0.categoryId, name: $0.name,
        isFromAssets: $0.isFromAssets ?? false, createdAt: .init(rawValue: $0.createdAt),
        fileSize: $0.fileSize ?? 0,
        width: $0.width ?? 0, height: $0.height ?? 0, isFavorite: $0.isFavorite)
    }
    metadata.settings = settings.map {
      let security = $0.securitySettings
      return Metadata.SettingsRecord(
        isDarkMode: $0.isDarkMode,
        securitySettings: Metadata.SecurityRecord(
          hasPIN: security?.hasPIN, hasPattern: security?.hasPattern,
          kidSafeModeEnabled: security?.kidSafeModeEnabled,
          deleteProtectionEnabled: security?.deleteProtectionEnabled,
          cameraAccessAllowed: security?.cameraAccessAllowed))
    }
    metadata.photoManifest = (photoManifest ?? []).map {
      Metadata.ManifestEntry(
        photoId: $0.photoId, originalPath: $0.originalPath, zipEntryName: $0.zipEntryName,
        fileName: $0.fileName, fileSize: $0.fileSize, checksum: $0.checksum)
    }
    return metadata
  }

  /// Returns whether the document contains a null. Both apps omit properties that are nil.
  static func holdsNull(_ json: [UInt8]) throws -> Bool {
    func isOrHoldsNull(_ value: Any) -> Bool {
      switch value {
      case is NSNull: true
      case let list as [Any]: list.contains(where: isOrHoldsNull)
      case let object as [String: Any]: object.values.contains(where: isOrHoldsNull)
      default: false
      }
    }
    return isOrHoldsNull(try JSONSerialization.jsonObject(with: Data(json)))
  }

  /// Writes a document with the layout of Foundation.
  static func layOut(_ json: [UInt8]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return Array(try encoder.encode(JSONDecoder().decode(Value.self, from: Data(json))))
  }

  /// Any JSON value that metadata can contain.
  private enum Value: Codable {
    case object([String: Value])
    case list([Value])
    case text(String)
    case number(Int64)
    case flag(Bool)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let flag = try? value.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? value.decode(Int64.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let list = try? value.decode([Value].self) {
        self = .list(list)
      } else {
        self = .object(try value.decode([String: Value].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .object(let object): try value.encode(object)
      case .list(let list): try value.encode(list)
      case .text(let text): try value.encode(text)
      case .number(let number): try value.encode(number)
      case .flag(let flag): try value.encode(flag)
      }
    }
  }
}
