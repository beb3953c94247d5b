import TestSupport

/// Random phones with few categories, IDs and contents, so that phones have many of them in common.
enum RandomPhone {
  /// The last three are named like categories that an import creates for an unknown ID, but are in the backup.
  private static let names = [
    "Family", "Friends", "Fun Trips", "Cars", "Плюшки", "Birthdays", "Category 2", "Category 7",
    "Category 41",
  ]
  private static let ids: [Int64] = [1, 2, 3, 4, 5, 7, 41]
  private static let contents = (0..<5).map { Picture.jpeg(700 + $0) }

  /// A backup of a random phone by a random version of an app.
  static func backup(_ random: inout SeededNumbers) -> PhoneBackup {
    let isIOS = Bool.random(using: &random)
    var phone = isIOS ? Phone.iOS : Phone.android
    (phone.categories, phone.photos) = ([], [])
    phone.exportDate += Int64.random(in: 0...3, using: &random) * 1000
    let ids = ids.shuffled(using: &random)
    for (id, name) in zip(ids, names.shuffled(using: &random).prefix(.random(in: 1...7, using: &random))) {
      phone.categories.append(Phone.Category(id, name))
    }
    for number in 0..<Int.random(in: 0...9, using: &random) {
      guard let category = phone.categories.randomElement(using: &random),
        let bytes = contents.randomElement(using: &random)
      else { continue }
      let folder = isIOS ? "photos/" : Phone.androidFolder
      // on Android some photos share an ID and have different names
      let id = Int64(isIOS || Bool.random(using: &random) ? 100 + number : 100)
      var photo = Phone.Photo(
        id, "\(folder)IMG_\(number).jpg", in: category.id, at: 1_759_000_000_000 + Int64(number), bytes)
      photo.isFavorite = number % 4 == 1
      phone.photos.append(photo)
    }
    return isIOS ? iOS(phone, &random) : android(phone, &random)
  }

  private static func iOS(_ phone: Phone, _ random: inout SeededNumbers) -> PhoneBackup {
    let releases: [IOSApp.Release] = [.october1, .october8, .october14, .october17, .october17]
    var app = IOSApp(releases.randomElement(using: &random) ?? .october17)
    app.seed = random.next() % 1000
    return PhoneBackup("\(app.release)", "iOS", app, phone)
  }

  private static func android(_ phone: Phone, _ random: inout SeededNumbers) -> PhoneBackup {
    let releases: [AndroidApp.Release] = [.september22, .september26, .september27Later, .october17]
    var (app, phone) = (AndroidApp(releases.randomElement(using: &random) ?? .october17), phone)
    app.seed = random.next()
    if Int.random(in: 0..<4, using: &random) == 0 {
      app.categories = Set(phone.categories.map(\.id).prefix(2))
    }
    // the app does not recompress files that it cannot decode, so contents are equal in all versions
    for index in phone.photos.indices { phone.photos[index].recompressed = nil }
    return PhoneBackup("\(app.release)", "Android", app, phone)
  }
}
