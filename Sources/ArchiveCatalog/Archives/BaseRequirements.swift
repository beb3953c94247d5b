import Foundation

/// What the next incremental export requires of its base.
package struct BaseRequirements: Sendable {
  /// The archive IDs of the library's exports. Two libraries that share a folder never use each other's archives.
  package var exportIDs: Set<String>
  /// The digest of the selection; nil for everything.
  package var selection: String?
  /// True if the export contains a selection.
  package var isPartial = false
  /// True if the export is encrypted.
  package var isEncrypted = false
  /// A tag that the base must have; nil for none.
  package var tag: String?
  /// The greatest chain depth.
  package var maximumChainDepth: Int
  /// The date of the export.
  package var date: Date

  /// Makes the requirements of an export of everything, without encryption.
  package init(exportIDs: Set<String>, maximumChainDepth: Int, date: Date) {
    (self.exportIDs, self.maximumChainDepth, self.date) = (exportIDs, maximumChainDepth, date)
  }
}

/// Why an archive cannot be the base of the next export.
package enum BaseRejection: Error, Sendable, Equatable {
  /// The archive is of another library, a phone, or another selection.
  case otherContent
  /// The archive is a part of a split archive, or a JSON document.
  case notComplete
  /// The archive does not have the tag of the job.
  case otherTag
  /// A repair could not recover every photo.
  case partiallyRecovered
  /// The archive belongs to another user of this machine.
  case otherOwner
  /// Either the archive or the export is encrypted, and the other is not.
  case otherEncryption
  /// The password does not open the archive or an archive of its chain.
  case otherPassword
  /// The archive is dated in the future.
  case datedInFuture
  /// The chain has the maximum depth.
  case chainTooDeep(Int)
  /// An archive of the chain is missing.
  case brokenChain(BrokenChain)
  /// The archive or an archive of its chain is corrupt.
  case corrupt(path: String)
}
