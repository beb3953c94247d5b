import Foundation

/// `metadata.json` as the iOS app reads it: each missing property is an error. See `docs/format/archive.md`.
struct StrictMetadata: Decodable {
  var version: Int
  var exportDate: Int64
  var appVersion: String
  var format: String
  var categories: [Category]
  var photos: [Photo]
  var settings: Settings
  var photoManifest: [ManifestEntry]

  struct Category: Decodable {
    var id: Int64
    var name: String
    var displayName: String
    var position: Int
    var iconResource: String?
    var colorHex: String?
    var isDefault: Bool
    var createdAt: Int64
  }

  struct Photo: Decodable {
    var id: Int64
    var path: String
    var categoryId: Int64
    var name: String
    var isFromAssets: Bool
    var createdAt: Int64
    var fileSize: Int64
    var width: Int
    var height: Int
  }

  struct Settings: Decodable {
    var isDarkMode: Bool
    var securitySettings: SecuritySettings
  }

  struct SecuritySettings: Decodable {
    var hasPIN: Bool
    var hasPattern: Bool
    var kidSafeModeEnabled: Bool
    var deleteProtectionEnabled: Bool
  }

  struct ManifestEntry: Decodable {
    var photoId: Int64
    var originalPath: String
    var zipEntryName: String
    var fileName: String
    var fileSize: Int64
    var checksum: String?
  }

  /// - Throws: `DecodingError` with the property that is missing.
  init(json: [UInt8]) throws {
    self = try JSONDecoder().decode(StrictMetadata.self, from: Data(json))
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
}
