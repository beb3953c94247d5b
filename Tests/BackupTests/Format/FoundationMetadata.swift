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
  var photoManifest: [StrictMetadata.ManifestEntry]?

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

  /// Decodes a document with Foundation and converts it to `Metadata`.
  static func read(_ json: [UInt8]) throws -> Metadata {
    let read = try JSONDecoder().decode(FoundationMetadata.self, from: Data(json))
    var metadata = Metadata()
    metadata.version = read.version ?? 2
    metadata.exportDate = read.exportDate
    metadata.appVersion = read.appVersion ?? ""
    metadata.format = read.format ?? "ZIP"
    metadata.categories = read.categories.map {
      Metadata.CategoryRecord(
        id: $0.id, name: $0.ownName ?? $0.name, displayName: $0.displayName, position: $0.position,
        iconResource: $0.iconResource, colorHex: $0.colorHex, isDefault: $0.isDefault ?? false,
        createdAt: $0.createdAt, valuesAsOf: $0.valuesAsOf)
    }
    metadata.photos = read.photos.map {
      Metadata.PhotoRecord(
        id: $0.id, path: $0.path, categoryId: $0.categoryId, name: $0.name,
        isFromAssets: $0.isFromAssets ?? false, createdAt: $0.createdAt, fileSize: $0.fileSize ?? 0,
        width: $0.width ?? 0, height: $0.height ?? 0, isFavorite: $0.isFavorite)
    }
    metadata.settings = read.settings.map {
      let security = $0.securitySettings
      return Metadata.SettingsRecord(
        isDarkMode: $0.isDarkMode,
        securitySettings: Metadata.SecurityRecord(
          hasPIN: security?.hasPIN, hasPattern: security?.hasPattern,
          kidSafeModeEnabled: security?.kidSafeModeEnabled,
          deleteProtectionEnabled: security?.deleteProtectionEnabled,
          cameraAccessAllowed: security?.cameraAccessAllowed))
    }
    metadata.photoManifest = (read.photoManifest ?? []).map {
      Metadata.ManifestEntry(
        photoId: $0.photoId, originalPath: $0.originalPath, zipEntryName: $0.zipEntryName,
        fileName: $0.fileName, fileSize: $0.fileSize, checksum: $0.checksum)
    }
    return metadata
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
