import PhotoLibrary

/// The values of a row, which are not part of its identity, and the order that decides which values win if backups
/// disagree. The order is total and depends only on the values, so that the order of imports does not matter.

extension PhotoLibrary.Category {
  func hasValues(of other: Self) -> Bool { orderKey == other.orderKey }

  /// Values that a person set in a library are newer than those of all phones.
  func isNewer(than other: Self) -> Bool {
    let (date, otherDate) = ((arrangedAt ?? .min, valuesAsOf), (other.arrangedAt ?? .min, other.valuesAsOf))
    return date > otherDate
      || date == otherDate && other.orderKey.lexicographicallyPrecedes(orderKey)
  }

  private var orderKey: [UInt8] {
    OrderKey.bytes([
      displayName, String(position), iconResource, colorHex, String(isDefault), "\(createdAt)",
    ])
  }
}

extension Photo {
  /// Returns this row with the values of another, except the favorite mark. Unknown dimensions (0) do not replace known
  /// ones.
  func taking(valuesOf other: Photo) -> Photo {
    var photo = self
    photo.name = other.name
    photo.createdAt = other.createdAt
    photo.originalPath = other.originalPath
    if other.width > 0, other.height > 0 { (photo.width, photo.height) = (other.width, other.height) }
    return photo
  }
}

private enum OrderKey {
  /// Returns the texts as bytes. Nil sorts before any text.
  static func bytes(_ texts: [String?]) -> [UInt8] {
    texts.flatMap { text in text.map { [1] + Array($0.utf8) + [0] } ?? [0] }
  }
}
