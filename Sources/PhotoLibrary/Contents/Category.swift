internal import Databases
import Foundation
internal import GRDB

/// A category of photos. Its `name` is its identity on every phone and in every backup; IDs differ between phones.
public struct Category: Sendable, Equatable, Identifiable {
  /// The row's ID; 1…2⁵³ if this library chose it.
  public var id: Int64
  /// The key for merging, in Unicode NFC; unique in a library.
  public var name: String {
    didSet { name = name.precomposedStringWithCanonicalMapping }
  }
  /// The displayed name.
  public var displayName: String
  /// The position among the categories, from 0.
  public var position: Int
  /// The name of an icon in the app.
  public var iconResource: String?
  /// "#RRGGBB".
  public var colorHex: String?
  /// True if the app made it by itself.
  public var isDefault: Bool
  /// When it was made.
  public var createdAt: Timestamp
  /// The date of the values: that of their backup, or of the change in this library. If two
  /// backups differ, the newer values are used.
  public var valuesAsOf: Timestamp
  /// When a person last set values of the category in a library; nil if all values come
  /// from the apps. Values that a person set win over those of backups, whatever their dates are.
  package var arrangedAt: Timestamp?

  /// Makes a category; the name is brought into NFC.
  public init(
    id: Int64, name: String, displayName: String, position: Int = 0, iconResource: String? = nil,
    colorHex: String? = nil, isDefault: Bool = false, createdAt: Timestamp, valuesAsOf: Timestamp
  ) {
    self.id = id
    self.name = name.precomposedStringWithCanonicalMapping
    self.displayName = displayName
    self.position = position
    self.iconResource = iconResource
    self.colorHex = colorHex
    self.isDefault = isDefault
    self.createdAt = createdAt
    self.valuesAsOf = valuesAsOf
  }

  /// Returns the name that the apps give a category with this displayed name: lower case, spaces as `_`, NFC.
  public static func name(forDisplayName displayName: String) -> String {
    displayName.lowercased().replacing(" ", with: "_").precomposedStringWithCanonicalMapping
  }
}

extension Category: StoredRow {
  /// The table of categories.
  static let databaseTableName = "category"

  /// Reads a row of `category`.
  init(_ row: RowReader) throws {
    id = try row.integer("id")
    name = try row.text("name")
    displayName = try row.text("displayName")
    position = Int(try row.integer("position"))
    iconResource = try row.optionalText("iconResource")
    colorHex = try row.optionalText("colorHex")
    isDefault = try row.flag("isDefault")
    createdAt = try row.time("createdAt")
    valuesAsOf = try row.time("valuesAsOf")
    arrangedAt = try row.optionalInteger("arrangedAt").map(Timestamp.init(rawValue:))
  }

  /// Fills a row of `category`.
  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["displayName"] = displayName
    container["position"] = position
    container["iconResource"] = iconResource
    container["colorHex"] = colorHex
    container["isDefault"] = isDefault
    container["createdAt"] = createdAt
    container["valuesAsOf"] = valuesAsOf
    container["arrangedAt"] = arrangedAt
  }
}
