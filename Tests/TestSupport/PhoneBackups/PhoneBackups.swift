/// One backup of every shape and of every variant of a shape.
package enum PhoneBackups {
  /// All of them.
  package static var all: [PhoneBackup] { androidDocuments + androidArchives + androidParts + exports + iOS }

  /// Android's JSON documents.
  package static var androidDocuments: [PhoneBackup] {
    let phone = Phone.android
    return [
      PhoneBackup(
        "A01", "Android, 2025-09-21, code", AndroidApp(.september21, .json), .september21(ownCategories: 1)),
      PhoneBackup(
        "A01 two categories of id 0", "Android, 2025-09-21, code", AndroidApp(.september21, .json),
        .september21(ownCategories: 2)),
      PhoneBackup(
        "A02", "Android, 2025-09-22 to 23", AndroidApp(.september22, .json),
        phone.with { $0.photos[1].path = "content://media/external/images/media/42" }),
      PhoneBackup("A03", "Android, 2025-09-27, code", AndroidApp(.september27, .json), phone),
      PhoneBackup("A04", "Android, since 2025-09-27, code", AndroidApp(.september27Later, .json), phone),
    ]
  }

  /// Android's archives of a complete phone.
  package static var androidArchives: [PhoneBackup] {
    let (phone, last) = (Phone.android, AndroidApp(.september27Later))
    var hasty = last
    hasty.leavesOutExportDate = true
    let period = "Android, since 2025-09-27"
    return [
      PhoneBackup("A10", "Android, 2025-09-22 to 26", AndroidApp(.september22), phone),
      PhoneBackup("A11", "Android, 2025-09-26 to 27", AndroidApp(.september26), phone),
      PhoneBackup("A12", "Android, 2025-09-27, two hours", AndroidApp(.september27), phone),
      PhoneBackup("A13", period, last, phone),
      PhoneBackup("A13 without exportDate", period, hasty, phone),
      PhoneBackup(
        "A13 with a lost photo", period, last,
        phone.adding(Phone.Photo(4_711, Phone.androidFolder + "gone.jpg", in: 2, nil))),
      PhoneBackup("A17", "Android, about 2025-10-17", AndroidApp(.october17), leftOut(phone)),
      PhoneBackup("A18", period + ", ids that collide", last, colliding(phone)),
    ]
  }

  /// Backups of a part of a phone by Android's code.
  package static var androidParts: [PhoneBackup] {
    let (phone, period) = (Phone.android, "Android, since 2025-09-26, code")
    func app(_ change: (inout AndroidApp) -> Void) -> AndroidApp {
      var app = AndroidApp(.september27Later)
      change(&app)
      return app
    }
    let later = phone.with { phone in
      var category = Phone.Category(9, "New Things")
      category.createdAt = 1_760_000_000_000
      phone.categories.append(category)
      let photo = Phone.Photo(
        123, Phone.androidFolder + "new.jpg", in: 9, at: 1_760_000_001_000, Picture.jpeg(31))
      phone.photos.append(photo)
    }
    return [
      PhoneBackup("A20", period, app { $0.includesPhotos = false }, phone),
      PhoneBackup("A21", period, app { $0.includesSettings = false }, phone),
      PhoneBackup("A22", period, app { $0.categories = [2, 7] }, phone),
      PhoneBackup("A23", period, app { $0.since = 1_759_500_000_000 }, later),
      PhoneBackup(
        "A23 without a new category", period, app { $0.since = 1_759_500_000_000 },
        phone.adding(
          Phone.Photo(124, Phone.androidFolder + "n.jpg", in: 1, at: 1_760_000_001_000, Picture.jpeg(32)))),
    ]
  }

  /// Exports of Android's export manager.
  package static var exports: [PhoneBackup] {
    let (phone, period) = (Phone.android, "Android, since 2025-09-26, code")
    return [
      PhoneBackup("A30", period, exported: AndroidExport.statistics(of: phone), of: phone),
      PhoneBackup("A31", period, exported: AndroidExport.gallery(of: phone), of: phone),
    ]
  }

  /// The iOS app's backups.
  package static var iOS: [PhoneBackup] {
    let (phone, last) = (Phone.iOS, IOSApp(.october14))
    let (period, category) = ("iOS, since 2025-10-14", phone.categories[0].id)
    func backup(_ variant: String, _ photos: Phone.Photo...) -> PhoneBackup {
      PhoneBackup("I05 \(variant)", period, last, phone.with { $0.photos += photos })
    }
    var edited = Phone.Photo(51, "photos/edited.jpg", in: category, at: 1_759_000_000_456, Picture.jpeg(41))
    edited.isEdited = true
    var demo = Phone.Photo(52, "photos/demo_cat.jpg", in: category, Picture.jpeg(42))
    demo.isFromAssets = true
    return [
      PhoneBackup("I03", "iOS, 2025-10-01 to 08, code", IOSApp(.october1), phone),
      PhoneBackup("I04", "iOS, 2025-10-08 to 14", IOSApp(.october8), phone),
      PhoneBackup("I05", period, last, phone),
      backup("with an edited photo", edited),
      backup("with a demo photo", demo),
      backup(
        "with a lost photo", Phone.Photo(53, "/var/mobile/Documents/photos/old.jpg", in: category, nil)),
      backup(
        "with two files of one name",
        Phone.Photo(54, "photos/a/IMG_0001.jpg", in: category, Picture.jpeg(43)),
        Phone.Photo(55, "photos/b/IMG_0001.jpg", in: category, Picture.jpeg(44))),
      backup(
        "with two names without extension", Phone.Photo(56, "photos/scan", in: category, Picture.jpeg(45)),
        Phone.Photo(57, "photos/b/scan", in: category, Picture.jpeg(46))),
      PhoneBackup("I10", "iOS, about 2025-10-17", IOSApp(.october17), leftOut(phone)),
    ]
  }

  /// A phone with two of the categories that the apps of October 17 leave out, and an asset.
  private static func leftOut(_ phone: Phone) -> Phone {
    phone.with { phone in
      let isAndroid = phone.photos[0].path.hasPrefix("/")
      let folder = isAndroid ? Phone.androidFolder : "photos/"
      phone.categories.append(Phone.Category(41, "Friends"))
      phone.photos.append(Phone.Photo(61, folder + "friend.jpg", in: 41, Picture.jpeg(51)))
      if isAndroid {
        var demo = Phone.Photo(62, folder + "demo_cat.jpg", in: 2, nil)
        demo.isFromAssets = true
        phone.photos.append(demo)
      }
    }
  }

  /// A phone with two photos whose paths have the same hash and length.
  private static func colliding(_ phone: Phone) -> Phone {
    phone.adding(
      Phone.Photo(phone.photos[0].id, Phone.androidFolder + "IMG_Aa01.jpg", in: 2, Picture.jpeg(52)),
      Phone.Photo(phone.photos[0].id, Phone.androidFolder + "IMG_BB01.jpg", in: 1, Picture.jpeg(53)))
  }
}
