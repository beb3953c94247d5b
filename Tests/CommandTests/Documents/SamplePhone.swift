import Checksums
import TestSupport

/// The phones whose backups the documents import. Both have the photo of the birthday cake.
struct SamplePhone {
  /// The name of the backup file.
  var fileName: String
  /// The content of the backup file.
  var backup: [UInt8]

  static let all = [mum, dad]

  /// Five photos in two categories, on Android; delete protection is on.
  private static let mum: SamplePhone = {
    var phone = Phone()
    phone.exportDate = 1_760_450_000_123
    phone.categories = [
      Phone.Category(1, "Family", color: "#E91E63", isDefault: true), Phone.Category(2, "Holidays"),
    ]
    phone.photos = [
      photo(101, Phone.androidFolder + "cake.jpg", in: 1, day: 0, picture: 1),
      photo(102, Phone.androidFolder + "grandma.jpg", in: 1, day: 3, picture: 2),
      photo(103, Phone.androidFolder + "beach.jpg", in: 2, day: 20, picture: 3),
      photo(104, Phone.androidFolder + "castle.jpg", in: 2, day: 20, picture: 4),
      photo(105, Phone.androidFolder + "lake.jpg", in: 2, day: 22, picture: 5),
    ]
    phone.settings.hasPIN = false
    phone.settings.hasPattern = false
    phone.settings.deleteProtection = true
    return SamplePhone(
      fileName: "smilepile_backup_20251014_135320.zip",
      backup: AndroidApp(.september27Later).backup(of: phone))
  }()

  /// Four photos in two categories, on iOS.
  private static let dad: SamplePhone = {
    var phone = Phone()
    phone.exportDate = 1_760_536_400_123
    phone.appVersion = "1.0"
    phone.categories = [
      Phone.Category(1_760_000_000_001, "Family", color: "#E91E63", isDefault: true),
      Phone.Category(1_760_000_000_002, "Cars", color: "#2196F3"),
    ]
    for index in phone.categories.indices {
      phone.categories[index].position = index
      // both phones have an equal category “Family”
      phone.categories[index].createdAt = 1_758_500_000_000 + Int64(index) * 1000
    }
    let ids = phone.categories.map(\.id)
    phone.photos = [
      photo(1_760_100_000_001, "photos/IMG_0001.jpg", in: ids[0], day: 0, picture: 1),
      photo(1_760_100_000_002, "photos/IMG_0002.jpg", in: ids[0], day: 9, picture: 6),
      photo(1_760_100_000_003, "photos/IMG_0003.jpg", in: ids[1], day: 10, picture: 7),
      photo(1_760_100_000_004, "photos/IMG_0004.jpg", in: ids[1], day: 11, picture: 8),
    ]
    phone.settings.hasPIN = false
    return SamplePhone(
      fileName: "SmilePileBackup_2025-10-15_135320.zip", backup: IOSApp(.october14).backup(of: phone))
  }()

  /// A photo that was taken some days after 2025-09-01, with the bytes of a picture.
  private static func photo(
    _ id: Int64, _ path: String, in category: Int64, day: Int64, picture: Int
  ) -> Phone.Photo {
    var tail: [UInt8] = []
    // bytes after the end of a JPEG do not change the picture, and give it the size of a small photo
    var state = UInt32(truncatingIfNeeded: picture) &* 2_654_435_761 | 1
    for _ in 0..<30_000 + picture * 7_001 {
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      tail.append(UInt8(truncatingIfNeeded: state))
    }
    var photo = Phone.Photo(
      id, path, in: category, at: 1_756_720_800_000 + day * 86_400_000, Picture.jpeg(picture) + tail)
    // Android recompresses photos that it can decode, but both phones must have the same bytes
    photo.recompressed = nil
    return photo
  }
}
