import PhotoLibrary

/// Entries or files that may have the bytes of photos which no name leads to.
protocol PhotoCandidates {
  /// Returns where the bytes of an unavailable photo are; another cause if the candidates explain better why they are
  /// unavailable; nil if the candidates say nothing about the photo.
  mutating func location(of photo: OpenedBackup.Photo, _ unavailable: Unavailable) throws -> PhotoLocation?
}

extension [OpenedBackup.Photo] {
  /// Gives unavailable photos the locations that candidates have for them. Blocks.
  ///
  /// - Throws: the errors of the candidates.
  mutating func complete(from candidates: inout some PhotoCandidates) throws {
    for index in indices {
      guard let unavailable = self[index].location.unavailable,
        let location = try candidates.location(of: self[index], unavailable)
      else { continue }
      self[index] = self[index].at(location)
    }
  }
}

extension OpenedBackup {
  /// Returns the same backup with the locations that candidates have for its unavailable photos. Blocks.
  ///
  /// - Throws: the errors of the candidates.
  func completed(from candidates: inout some PhotoCandidates) throws -> OpenedBackup {
    var photos = photos
    try photos.complete(from: &candidates)
    return with(photos: photos)
  }
}
