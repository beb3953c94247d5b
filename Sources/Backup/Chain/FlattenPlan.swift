import Checksums
import Foundation
import Operations
import SystemPackage

/// The content of a full archive made from a chain. Reads every photo of the chain to its end.
struct FlattenPlan {
  let source: OpenedBackup
  private(set) var items: [RewrittenPhoto] = []
  /// Photos that are missing or corrupt in the chain.
  private(set) var lost: [Finding] = []
  /// The archives that should contain intact files of these photos, with the reason of one photo each.
  private(set) var damagedArchives: [FilePath: String] = [:]

  var bytes: Int { items.saturatedSum(\.size) }

  /// - Parameter source: a backup with its complete chain.
  init(_ source: OpenedBackup, _ counter: ProgressCounter) throws {
    self.source = source
    let outcomes = try Self.outcomes(of: source, counter)
    items.reserveCapacity(source.photos.count)
    for (index, photo) in source.photos.enumerated() {
      if let unavailable = photo.location.unavailable, unavailable.isDamage {
        recordLoss(of: photo, unavailable.reason)
      }
      guard let outcome = outcomes[index], let bytes = source.bytes(at: photo.location) else { continue }
      if let fault = outcome.fault(unless: photo.location.md5) {
        recordLoss(of: photo, "\(fault)")
      } else if case .intact(let content) = outcome {
        items.append(
          RewrittenPhoto(
            index, of: source, bytes, content.md5, size: content.size, isEncrypted: source.isEncrypted))
      }
    }
  }

  private mutating func recordLoss(of photo: OpenedBackup.Photo, _ reason: String) {
    let finding = Finding(source.label(of: photo), reason)
    lost.append(finding)
    damagedArchives[source.archive(of: photo)] = finding.message
  }

  /// Reads all photos, on several threads. Returns the outcomes by the photos' indices in the backup; nil for
  /// photos without a file.
  private static func outcomes(
    of source: OpenedBackup, _ counter: ProgressCounter
  ) throws -> [PhotoOutcome?] {
    let reading = PhotoReading(counter, Readers(on: source.archive?.status.identity))
    return try reading.outcomes(source.photos.count) { index in
      let photo = source.photos[index]
      guard let bytes = source.bytes(at: photo.location) else { return nil }
      counter.advance(current: photo.record.name)
      return (bytes, photo.location.size)
    }
  }

  /// Returns `metadata.json` of the newest archive without its photos. If a photo is lost, marks the archive as
  /// partial, so that it cannot replace a library.
  func metadata(uuid: UUID) -> Metadata {
    var metadata = source.metadata
    // archives of an older version of this program may lack a setting
    metadata.completeSettings()
    guard var provenance = metadata.smilepile else { return metadata }
    provenance.flattenedFrom = provenance.flattenedFrom ?? provenance.uuid
    provenance.uuid = uuid.uuidString
    (provenance.increment, provenance.repairedFrom) = (nil, [])
    provenance.isPartial = provenance.isPartial || !lost.isEmpty
    provenance.isPartiallyRecovered = provenance.isPartiallyRecovered || !lost.isEmpty
    metadata.smilepile = provenance
    return metadata
  }
}

extension OpenedBackup {
  /// True if the archive is encrypted. A new archive made from it must then be encrypted too.
  var isEncrypted: Bool { archive?.entries.contains(where: \.isEncrypted) ?? false }
}
