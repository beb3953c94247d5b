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
  /// When photos were taken, according to their headers.
  package private(set) var captured: [FileContent: CaptureTime] = [:]

  /// Makes an empty table.
  package init() {}

  /// Adds what is known of a content; nil for a flat picture, and for a photo without a time in its header. If a
  /// content is added several times, the first fingerprint and the last time count.
  package mutating func add(_ fingerprint: Fingerprint?, _ captured: CaptureTime?, of content: FileContent) {
    if let captured { self.captured[content] = captured }
    guard let fingerprint, places[content] == nil else { return }
    places[content] = differenceHashes.count
    differenceHashes.append(fingerprint.differenceHash)
    frequencyHashes.append(fingerprint.frequencyHash)
    luma += fingerprint.luma
  }

  /// Adds the fingerprints and times of another table that this one lacks.
  package mutating func add(_ other: FingerprintTable) {
    if places.isEmpty, captured.isEmpty {
      self = other
      return
    }
    for (content, place) in other.places where places[content] == nil {
      places[content] = differenceHashes.count
      differenceHashes.append(other.differenceHashes[place])
      frequencyHashes.append(other.frequencyHashes[place])
      luma += other.luma[(place * Fingerprint.lumaCount)..<((place + 1) * Fingerprint.lumaCount)]
    }
    captured.merge(other.captured) { own, _ in own }
  }
}
