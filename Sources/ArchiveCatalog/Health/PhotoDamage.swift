/// A fact that an operation found about a photo of a library. The ledger appends observations and never changes them.
package struct PhotoObservation: Sendable, Equatable {
  /// What an operation found.
  package enum Event: String, Sendable, CaseIterable {
    /// The file of the photo is corrupt or missing.
    case damaged
    /// The file of the photo is corrupt or missing, and no archive of the library's jobs has an intact one.
    case inNoArchive
    /// The file of the photo is intact, or the library no longer has the photo.
    case intact
  }

  /// The ID of the photo.
  package var photo: Int64
  /// What the operation found.
  package var event: Event
  /// The message about the damage; empty for an intact photo.
  package var message: String
  /// The ledger's position when the operation began to read.
  package var begun: LedgerPosition
  /// The ledger's position when the observation was recorded.
  package var recorded: LedgerPosition
  /// When the observation was recorded. For display only: clocks jump.
  package var at: Timestamp

  /// Makes an observation.
  package init(
    _ photo: Int64, _ event: Event, _ message: String = "", begun: LedgerPosition, recorded: LedgerPosition,
    at: Timestamp
  ) {
    (self.photo, self.event, self.message) = (photo, event, message)
    (self.begun, self.recorded, self.at) = (begun, recorded, at)
  }
}

/// The photos of a library that are corrupt or missing: a pure function of the ledger's observations.
///
/// | before \ event | intact | damaged | in no archive |
/// |---|---|---|---|
/// | intact | intact | damaged | damaged, in no archive |
/// | damaged | intact if the operation began after the last damage was recorded, otherwise damaged | damaged, with the last message | damaged, in no archive |
/// | damaged, in no archive | intact if the operation began after the last damage was recorded, otherwise as before | damaged, in no archive, with the last message | damaged, in no archive, with the last message |
///
/// An operation that began earlier may have read the file before the damage.
package struct PhotoDamage: Sendable, Equatable {
  /// A photo whose file is corrupt or missing.
  package struct Photo: Sendable, Equatable {
    /// The last message about the damage.
    package var message: String
    /// True if no archive of the library's jobs has an intact file of the photo.
    package var isInNoArchive: Bool
    fileprivate var lastFound: LedgerPosition
  }

  /// The photos by ID.
  package private(set) var photos: [Int64: Photo] = [:]
  /// When a damaged photo was last found intact again; nil if none was.
  package private(set) var lastIntactAt: Timestamp?

  /// Derives the damage.
  ///
  /// - Parameter log: the observations of the photos of one library, in the order in which they were recorded.
  package init(_ log: some Sequence<PhotoObservation> = []) {
    for observation in log {
      let known = photos[observation.photo]
      switch observation.event {
      case .damaged, .inNoArchive:
        photos[observation.photo] = Photo(
          message: observation.message,
          isInNoArchive: observation.event == .inNoArchive || known?.isInNoArchive == true,
          lastFound: observation.recorded)
      case .intact:
        guard let known, known.lastFound <= observation.begun else { continue }
        photos[observation.photo] = nil
        lastIntactAt = observation.at
      }
    }
  }

  /// True if no photo is known to be corrupt or missing.
  package var isEmpty: Bool { photos.isEmpty }

  /// True if no archive of the library's jobs has an intact file of any of the photos.
  package var isInNoArchive: Bool { photos.values.allSatisfy(\.isInNoArchive) }

  /// The message about the first photo; of a photo that a repair may bring back, if there is one.
  package var firstMessage: String? {
    let ids = photos.keys.sorted()
    return (ids.first { photos[$0]?.isInNoArchive == false } ?? ids.first).flatMap { photos[$0]?.message }
  }

  /// Keeps only the photos with these IDs.
  package mutating func keepOnly(_ ids: Set<Int64>) { photos = photos.filter { ids.contains($0.key) } }
}
