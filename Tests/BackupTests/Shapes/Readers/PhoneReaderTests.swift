import TestSupport
import Testing

/// Compares the models with the known behavior of the apps: which version opens which backups.
@Suite struct PhoneReaderTests {
  /// The shapes, and the readers that open them.
  static let known: [(label: String, readers: [PhoneReader])] = [
    ("A01", [.android21, .android22, .android27, .androidLast]),
    ("A02", [.android21, .android22, .android27, .androidLast]),
    ("A04", [.androidLast]),
    ("A10", [.android22, .android27, .androidLast]),
    ("A12", [.android22, .android27, .androidLast]),
    ("A13", [.androidLast]),
    ("A13 without exportDate", [.androidLast]),
    ("A17", [.androidLast]),
    ("A30", []), ("A31", []), ("I03", []), ("I04", []),
    ("I05", [.ios8]),
    ("I10", [.ios8]),
  ]

  @Test("Readers: a version opens the backups that the app is known to open", arguments: known)
  func opens(_ label: String, _ readers: [PhoneReader]) throws {
    let backup = try #require(PhoneBackups.all.first { $0.label == label })
    let opening = PhoneReader.allCases.filter { (try? $0.restore(backup.bytes)) != nil }
    #expect(opening == readers)
  }

  @Test("Readers: Android puts a photo into its category, or keeps the category ID of the backup")
  func androidCategories() throws {
    var phone = Phone()
    for (index, name) in ["Fun Trips", "IMG_dump", "été", "Été", "iPad"].enumerated() {
      phone.categories.append(Phone.Category(Int64(index + 1), name))
      phone.photos.append(
        Phone.Photo(Int64(index), "photos/\(name).jpg", in: Int64(index + 1), Picture.jpeg(index)))
    }
    let backup = AndroidApp(.september27Later).backup(of: phone)
    let photos = try PhoneReader.androidLast.restore(backup).photos
    // “été” and “Été” have the same name, and the app finds “Été” by it
    #expect(photos.map(\.category) == ["Fun Trips", nil, "Été", "Été", "iPad"])
  }

  @Test("Readers: iOS refuses two dots in a name")
  func twoDots() {
    var phone = Phone.iOS
    phone.photos[0].path = "photos/a..jpg"
    #expect(throws: PhoneReader.Refusal.self) {
      try PhoneReader.ios8.restore(IOSApp(.october14).backup(of: phone))
    }
  }
}
