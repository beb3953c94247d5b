import ArchiveCatalog
import FileSystem
import Operations

extension LibraryProtection {
  /// Returns how the photos that a copy lacks get into one.
  func remedy(forPhotosMissingFrom copy: LibraryCopy) -> Remedy {
    if let remedy = damageAction?.remedy { return remedy }
    // the last run tells which photos they were
    let isKnown = jobs.contains { $0.job == copy.job && $0.run?.missing.isEmpty == false }
    let areIntactAgain = damage.lastIntactAt.map { $0 >= copy.copy.madeAt } ?? false
    return isKnown || areIntactAgain ? .runBackup(job: copy.job) : .repairLibrary
  }

  /// What to do about the photos that are known to be corrupt or missing; nil if there are none.
  package var damageAction: Finding? {
    guard let message = damage.firstMessage else { return nil }
    let count = Count(damage.photos.count, "photo of the library is", "photos of the library are")
    return Finding(
      .folder(path.string),
      message:
        "\(count.grouped) corrupt or missing"
        + (damage.isInNoArchive ? ", and no archive of the jobs has an intact file" : "")
        + ": \(message.prefix(ProtectionActions.mostCharacters))",
      remedy: damage.isInNoArchive ? .replaceOrRemovePhotos : .repairLibrary)
  }
}
