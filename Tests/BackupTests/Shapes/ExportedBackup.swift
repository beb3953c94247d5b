import Foundation
import SystemPackage
import TestSupport

/// An exported archive, read without this project's reader.
struct ExportedBackup {
  let bytes: [UInt8]
  private let document: [String: Any]

  init(_ path: FilePath) throws {
    bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    let metadata = try ReaderZip(bytes: bytes).forward().first { $0.name == "metadata.json" }
    let object = try JSONSerialization.jsonObject(with: Data(metadata?.content ?? []))
    document = object as? [String: Any] ?? [:]
  }

  /// The names of the photos that are favorites, sorted.
  var favorites: [String] {
    let rows = document["photos"] as? [[String: Any]] ?? []
    return rows.filter { $0["isFavorite"] as? Bool == true }.compactMap { $0["name"] as? String }.sorted()
  }

  /// The flags and the theme of the settings by key.
  var settings: [String: Bool] {
    let settings = document["settings"] as? [String: Any] ?? [:]
    var flags = settings["securitySettings"] as? [String: Bool] ?? [:]
    flags["isDarkMode"] = settings["isDarkMode"] as? Bool
    return flags
  }
}

extension PhoneBackup {
  /// The settings of an empty library after the import: those of the backup, and defaults for the missing ones.
  var expectedSettings: [String: Bool] {
    var flags = [
      "isDarkMode": false, "hasPIN": false, "hasPattern": false, "kidSafeModeEnabled": true,
      "cameraAccessAllowed": true, "deleteProtectionEnabled": false,
    ]
    let settings = app?.document(of: phone)["settings"]
    for key in flags.keys {
      let value = settings?[key] ?? settings?["securitySettings"]?[key]
      if case .bool(let flag)? = value { flags[key] = flag }
    }
    return flags
  }

  /// The names of the imported photos that are favorites, sorted.
  var expectedFavorites: [String] {
    taken.photos.filter { $0.isFavorite && $0.bytes != nil }.map(\.name).sorted()
  }
}
