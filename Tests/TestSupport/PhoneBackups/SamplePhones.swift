extension Phone {
  /// The folder of photos of the Android app.
  package static let androidFolder = "/data/user/0/com.smilepile/files/photos/"

  /// An Android phone with three categories and six photos: a PNG, a name that is not ASCII, two equal contents in one
  /// category, and a file that cannot be decoded.
  package static var android: Phone {
    var phone = Phone()
    phone.categories = [
      Category(1, "Family", color: "#E91E63", isDefault: true), Category(2, "Fun Trips", icon: "flight"),
      Category(7, "Плюшки", color: "#FF9800"),
    ]
    phone.photos = [
      Photo(6_320_688_398_408, androidFolder + "IMG_0001.jpg", in: 1, Picture.jpeg(1)),
      Photo(6_320_688_398_409, androidFolder + "drawing.png", in: 1, Picture.png(2)),
      Photo(77_041, androidFolder + "été à la plage.jpg", in: 2, at: 1_600_000_000_001, Picture.jpeg(3)),
      Photo(88_000_000_001, androidFolder + "IMG_0002.jpg", in: 7, at: -5_000, Picture.jpeg(4)),
      Photo(88_000_000_002, androidFolder + "IMG_0003.jpg", in: 7, Picture.jpeg(4)),
      Photo(99_000_000_003, androidFolder + "odd.bmp", in: 2, Array("no picture".utf8)),
    ]
    phone.photos[0].isFavorite = true
    phone.photos[2].isFavorite = true
    phone.photos[5].recompressed = nil
    phone.settings.cameraAccess = false
    return phone
  }

  /// A phone with Android 09-21: category ids are 0 where the app's own id is no number, photo ids are 32-bit hashes.
  package static func september21(ownCategories: Int) -> Phone {
    var phone = Phone()
    phone.exportDate = 1_758_480_000_000
    phone.appVersion = "25.09.21.001"
    phone.categories = [Category(1, "Family")]
    for name in ["Fun trips", "Zoo"].prefix(ownCategories) {
      var category = Category(0, name)
      category.name = name.lowercased()
      phone.categories.append(category)
    }
    phone.photos = [
      Photo(-1_234_567_890, "content://media/external/images/media/41", in: 1, Picture.jpeg(11)),
      Photo(998_877_665, "content://media/external/images/media/42", in: 0, Picture.jpeg(12)),
      Photo(-7, androidFolder + "IMG_0007.jpg", in: 0, Picture.jpeg(13)),
    ]
    phone.photos[1].isFavorite = true
    return phone
  }

  /// An iPhone with three categories and five photos: a PNG, a name with accents, two equal contents in one category.
  package static var iOS: Phone {
    var phone = Phone()
    phone.appVersion = "1.0"
    phone.categories = [
      Category(1_760_000_000_001, "Family", color: "#E91E63", isDefault: true),
      Category(1_760_000_000_002, "Été au lac"),
      Category(4_611_686_018_427_387_905, "Cars", color: "#2196F3"),
    ]
    for index in phone.categories.indices { phone.categories[index].position = index }
    let ids = phone.categories.map(\.id)
    phone.photos = [
      Photo(1_760_100_000_001, "photos/IMG_0001.jpg", in: ids[0], Picture.jpeg(21)),
      Photo(9_223_372_036_854_775_806, "photos/drawing.png", in: ids[0], Picture.png(22)),
      Photo(1_760_100_000_003, "photos/café.jpg", in: ids[1], at: 1_500_000_000_999, Picture.jpeg(23)),
      Photo(1_760_100_000_004, "photos/IMG_0004.jpg", in: ids[2], Picture.jpeg(24)),
      Photo(1_760_100_000_005, "photos/IMG_0005.jpg", in: ids[2], Picture.jpeg(24)),
    ]
    phone.settings.hasPattern = false
    phone.settings.deleteProtection = false
    return phone
  }

  /// This phone with more photos.
  package func adding(_ photos: Photo...) -> Phone {
    var phone = self
    phone.photos += photos
    return phone
  }

  /// This phone after a change.
  package func with(_ change: (inout Phone) -> Void) -> Phone {
    var phone = self
    change(&phone)
    return phone
  }
}
