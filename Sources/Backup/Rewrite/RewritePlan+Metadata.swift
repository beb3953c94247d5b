import Checksums
import Foundation

extension RewritePlan {
  /// Returns the old `metadata.json` without its photos. If something is missing, the backup is marked as partial, so that
  /// it replaces no library.
  func metadata() -> Metadata {
    switch kind {
    case .repair: repairedMetadata()
    case .flatten: flattenedMetadata()
    }
  }

  /// The full archive is another backup, with the dates of the newest archive of the chain.
  private func flattenedMetadata() -> Metadata {
    var metadata = source.metadata
    // archives of an older version of this program may lack a setting
    metadata.completeSettings()
    guard var provenance = metadata.smilepile else { return metadata }
    provenance.flattenedFrom = provenance.flattenedFrom ?? provenance.uuid
    provenance.uuid = UUID().uuidString
    (provenance.increment, provenance.repairedFrom) = (nil, [])
    provenance.isPartial = provenance.isPartial || !unrecoverable.isEmpty
    provenance.isPartiallyRecovered = provenance.isPartiallyRecovered || !unrecoverable.isEmpty
    metadata.smilepile = provenance
    return metadata
  }

  /// The backup's ID stays, since it is the same backup.
  private func repairedMetadata() -> Metadata {
    var metadata = source.metadata
    metadata.version = Metadata.newestVersion
    metadata.format = "ZIP"
    metadata.smilepile?.increment?.filesStoredInBase = source.filesStoredInBase
    if metadata.exportDate == nil {
      // both apps require a date, and the date of the repair must not make old values appear new
      for index in metadata.categories.indices where metadata.categories[index].valuesAsOf == nil {
        metadata.categories[index].valuesAsOf = .min
      }
      if metadata.settings != nil, metadata.settings?.valuesAsOf == nil {
        metadata.settings?.valuesAsOf = .min
      }
      metadata.exportDate = .now
    }
    metadata.completeSettings()
    if !unrecoverable.isEmpty {
      var provenance =
        metadata.smilepile
        ?? Metadata.Provenance(uuid: UUID().uuidString, isPartial: true, includesSettings: true)
      provenance.isPartial = true
      provenance.isPartiallyRecovered = true
      metadata.smilepile = provenance
    }
    noteOrigin(&metadata)
    return metadata
  }

  /// Records the original metadata in changed metadata, so that incremental backups find their base.
  private func noteOrigin(_ metadata: inout Metadata) {
    guard let old = source.metadataDigest ?? source.salvage?.metadataDigest else { return }
    var hash = RunningMD5()
    metadata.write(photos: source.records(items), manifest: source.manifest(items)) { hash.update($0) }
    if hash.digest != old { metadata.smilepile?.repairedFrom.append(old.description) }
  }
}
