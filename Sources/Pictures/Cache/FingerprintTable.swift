package import PhotoLibrary

/// The fingerprints of many contents. The luma of all is in one array: 100,000 arrays would take twice the memory.
package struct FingerprintTable: Sendable {
  /// The places of contents in the arrays. Flat pictures are not among them.
  package private(set) var places: [FileContent: Int] = [:]
  /// The dHash of each place.
  package private(set) var differenceHashes: [UInt64] = []
  /// The pHash of each place.
  package private(set) var frequencyHashes: [UInt64] = []
  /// The luma, `Fingerprint.lumaCount` bytes of each place.
  package private(set) var luma: [UInt8] = []
  /// The number of pixels of the photo at each place.
  package private(set) var photoPixels: [Int] = []
  /// When photos were taken, according to their headers.
  package private(set) var captured: [FileContent: Timestamp] = [:]

  /// Adds what is known of a content, unless the picture is flat. If a content is added several times, the first fingerprint
  /// and the last time count.
  package mutating func add(_ picture: Picture, of content: FileContent) {
    if let captured = picture.captured { self.captured[content] = captured }
    guard let fingerprint = picture.fingerprint, places[content] == nil else { return }
    places[content] = differenceHashes.count
    photoPixels.append(picture.photoPixels)
    differenceHashes.append(fingerprint.differenceHash)
    frequencyHashes.append(fingerprint.frequencyHash)
    luma += fingerprint.luma
  }
}
