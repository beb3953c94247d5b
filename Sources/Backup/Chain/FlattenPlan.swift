import Checksums
import Foundation
import Operations
import Synchronization
import SystemPackage
import Zip

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
      guard let (entry, holder, archive) = source.entry(of: photo.location), let outcome = outcomes[index]
      else { continue }
      let md5: MD5Digest
      switch outcome {
      case .intact(let digest): md5 = digest
      case .lost(let reason):
        recordLoss(of: photo, reason)
        continue
      }
      items.append(
        RewrittenPhoto(
          index, of: source, .entry(entry.index, of: archive, password: holder.password), md5,
          size: entry.size, isEncrypted: source.isEncrypted))
    }
  }

  private mutating func recordLoss(of photo: OpenedBackup.Photo, _ reason: String) {
    let finding = Finding(source.label(of: photo), reason)
    lost.append(finding)
    damagedArchives[source.archive(of: photo)] = finding.message
  }

  /// The result of reading a photo.
  private enum Outcome {
    /// The photo is intact: its MD5 equals that of the manifest, if the manifest has one.
    case intact(MD5Digest)
    case lost(reason: String)
  }

  /// Reads all photos, on several threads. Returns the outcomes by the photos' indices in the backup; nil for
  /// photos without a file.
  private static func outcomes(of source: OpenedBackup, _ counter: ProgressCounter) throws -> [Outcome?] {
    let outcomes = Mutex([Outcome?](repeating: nil, count: source.photos.count))
    try Workers.forEach(0..<source.photos.count) { index in
      let photo = source.photos[index]
      guard let (entry, holder, archive) = source.entry(of: photo.location) else { return }
      counter.advance(current: photo.record.name)
      var hash = RunningMD5()
      var counted = 0
      let fault = try PhotoBytes.entry(entry.index, of: archive, password: holder.password).read { piece in
        try counter.checkCancellation()
        hash.update(piece)
        counted += piece.count
        counter.advance(bytes: piece.count)
      }
      counter.advance(items: 1, bytes: entry.size - counted)
      let digest = hash.digest
      let outcome: Outcome =
        if let fault {
          .lost(reason: fault)
        } else if let expected = photo.location.md5, digest != expected {
          .lost(reason: "its MD5 is \(digest) and should be \(expected)")
        } else {
          .intact(digest)
        }
      outcomes.withLock { $0[index] = outcome }
    }
    return outcomes.withLock { $0 }
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
