/// An order of photos. The apps have these six.
public enum PhotoOrder: String, Sendable, CaseIterable {
  /// The newest photo first.
  case dateNewest = "date-newest"
  /// The oldest photo first.
  case dateOldest = "date-oldest"
  /// By the displayed name, without regard to case.
  case name
  /// By the displayed name, from the end of the alphabet.
  case nameDescending = "name-desc"
  /// The largest file first.
  case size
  /// The smallest file first.
  case sizeSmallest = "size-smallest"

  /// Returns photos in this order. Photos that are equal in it are ordered by ID, in the same direction.
  package func sorted(_ photos: [Photo]) -> [Photo] {
    switch self {
    case .dateNewest: photos.sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
    case .dateOldest: photos.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    case .name: Self.byName(photos)
    case .nameDescending: Self.byName(photos).reversed()
    case .size: photos.sorted { ($1.fileSize, $1.id) < ($0.fileSize, $0.id) }
    case .sizeSmallest: photos.sorted { ($0.fileSize, $0.id) < ($1.fileSize, $1.id) }
    }
  }

  private static func byName(_ photos: [Photo]) -> [Photo] {
    photos.map { (key: $0.name.lowercased(), photo: $0) }
      .sorted { ($0.key, $0.photo.id) < ($1.key, $1.photo.id) }.map(\.photo)
  }
}
