import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

/// The content of a library for a test.
struct GeneratedLibrary: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var members: [SampleLibrary.Member] = []
  var categories: [PhotoLibrary.Category] = [.sample(1, "family")]
  var settings: Settings?

  init(_ description: String) { testDescription = description }

  func make() throws -> SampleLibrary {
    try SampleLibrary(members, categories: categories, settings: settings)
  }

  /// A library with one photo for each name.
  init(_ description: String, fileNames: [String]) {
    self.init(description)
    members = fileNames.enumerated().map { index, name in
      SampleLibrary.Member(id: Int64(index + 1), fileName: name, bytes: Array("photo \(index)".utf8))
    }
  }

  static let all: [GeneratedLibrary] =
    [
      GeneratedLibrary("no photos"),
      noCategories,
      GeneratedLibrary("one photo", fileNames: ["one.jpg"]),
      emptyFiles,
      GeneratedLibrary(
        "names of many scripts",
        fileNames: [
          "плюшки.jpg", "生日.jpg", "🍪👨‍👩‍👧.png", "cafe\u{301}.jpg", "caf\u{E9}.jpg", "عيد ميلاد.jpg", "ธ.gif",
          "ß.JPG",
        ]),
      GeneratedLibrary(
        "names of 255 bytes",
        fileNames: [
          String(repeating: "a", count: 251) + ".jpg", String(repeating: "ж", count: 125) + ".jpeg",
          String(repeating: "🍪", count: 62) + ".png", String(repeating: "e\u{301}", count: 83) + ".jpg",
          String(repeating: "x", count: 255), String(repeating: ".a", count: 127),
          String(repeating: "a.", count: 126) + "jpg",
        ]),
      GeneratedLibrary(
        "names longer than a file system allows",
        fileNames: [
          String(repeating: "a", count: 300) + ".jpg", String(repeating: "a.", count: 200) + ".jpg",
          String(repeating: "界", count: 120) + ".png", String(repeating: "a b.", count: 100),
        ]),
      GeneratedLibrary(
        "hostile names",
        fileNames: [
          "..", ".", "", "...", "a..b.jpg", "..\u{301}.jpg", "a.\u{301}..jpg", "-rf.jpg", ".hidden",
          "con.jpg",
          "a\nb.jpg", "a\tb", "C:x.jpg", "50% \"off\"?*<>|.jpg", "trailing. ", " leading.jpg", "x.jpg/",
          "/x.jpg",
          "\u{202E}gpj.exe", "\u{301}mark.jpg", "dir/\u{301}mark.jpg", "\\\\server\\share\\x.jpg",
          "metadata.json",
          "checksums.md5",
        ]),
      GeneratedLibrary("equal names", fileNames: ["a/x.jpg", "b/x.jpg", "X.JPG", "x.jpg", "x (2).jpg"]),
      equalContent, assets, dates, icons,
    ] + themes

  private static let noCategories = {
    var library = GeneratedLibrary("no photos, no categories")
    library.categories = []
    return library
  }()

  private static let emptyFiles = {
    var library = GeneratedLibrary("empty files", fileNames: ["full.jpg"])
    library.members += (2...4).map { SampleLibrary.Member(id: $0, fileName: "empty\($0 / 3).jpg", bytes: []) }
    return library
  }()

  private static let equalContent = {
    var library = GeneratedLibrary("equal content")
    library.categories = [.sample(1, "family"), .sample(2, "cars")]
    library.members = (1...9).map { id in
      SampleLibrary.Member(
        id: id, category: id % 2 + 1, name: "n\(id / 3)", fileName: "x\(id / 4).jpg", bytes: [UInt8(id / 6)])
    }
    return library
  }()

  private static let assets = {
    var library = GeneratedLibrary("assets of the app", fileNames: ["x.jpg"])
    library.categories.append(.sample(2, "cars"))
    library.members += [
      SampleLibrary.Member(asset: "sample_images/balloon.png", id: 7),
      SampleLibrary.Member(asset: "sample_images/balloon.png", id: 8, category: 2),
      SampleLibrary.Member(asset: "sample_images/balloon.png", id: 9, category: 2),
      SampleLibrary.Member(asset: "sample_images/été.png", id: 10, category: 2),
    ]
    return library
  }()

  private static let dates = {
    var library = GeneratedLibrary("extreme dates and large IDs")
    let dates: [Timestamp] = [
      0, -1, -2_208_988_800_000, 253_402_300_800_000, 8_640_000_000_000_000, -8_640_000_000_000_000,
      4_354_819_200_001,
    ]
    library.members = dates.enumerated().map { index, date in
      SampleLibrary.Member(
        id: 1 << 53 - Int64(index), fileName: "x.jpg", createdAt: date, width: index, height: 7,
        bytes: [UInt8(index)])
    }
    return library
  }()

  private static let icons = {
    var library = GeneratedLibrary("categories with and without icon and colour", fileNames: ["x.jpg"])
    library.categories = [
      .sample(1, "plain"), .sample(2, "icon", icon: "cake"), .sample(3, "colour", color: "#4CAF50"),
      .sample(4, "плюшки & \"Ömer's\" 🍪\\", icon: "", color: "#000000"),
      .sample(9_000_000_000, "cafe\u{301}"),
    ]
    return library
  }()

  private static let themes = Settings.ThemeMode.allCases.enumerated().map { index, theme in
    var library = GeneratedLibrary("settings: \(theme)", fileNames: ["x.jpg"])
    var settings = Settings(createdAt: 5)
    let date: Int64 = 1_700_000_000_000
    settings.theme = .init(theme, asOf: .init(rawValue: date))
    settings.pin = .init(index == 0, asOf: .init(rawValue: date - Int64(index)))
    settings.pattern = index == 2 ? nil : .init(index == 1, asOf: .init(rawValue: date + Int64(index)))
    settings.kidSafeMode = index == 1 ? nil : index == 2
    settings.deleteProtection = index != 2
    settings.cameraAccess = index == 0 ? nil : index == 2
    library.settings = settings
    return library
  }
}
