/// What a person can do about an error. Libraries give it as data; the command renders it as an option or a command, a
/// job as a key of the job file.
public enum Remedy: Sendable, Hashable, Codable {
  /// Wait longer for the lock that another process holds.
  case waitForLock
  /// Give the password of an encrypted archive.
  case givePassword
  /// Give the PIN of a library.
  case givePIN
  /// Set a PIN for a library that has none.
  case setPIN
  /// Change the PIN that a library has.
  case changePIN
  /// Create a library in this folder.
  case createLibrary(String)
  /// Name the library of a job.
  case nameLibrary
  /// Write a job file, or name another one.
  case nameJobFile
  /// List the categories and photos of a library.
  case listLibrary
  /// Rebuild the database of the library in this folder.
  case rebuildLibrary(String)
  /// Verify the archive at this path.
  case verifyArchive(String)
  /// Back up with this job.
  case runBackup(job: String)
  /// Test whether the newest archive of this job restores.
  case testRestore(job: String)
  /// Install the schedule of the jobs.
  case installSchedule
  /// Name an archive of a library, or rebuild the library without one.
  case nameArchive
  /// Move the photos of a category to another one, or remove them with it.
  case moveOrRemovePhotos
  /// List the contents of an archive.
  case listArchive
  /// Repair a corrupt archive.
  case repairArchive
  /// Import what is left of a corrupt, encrypted archive, and export it again with encryption.
  case salvageEncrypted
  /// Repair photos that are corrupt or missing in the library.
  case repairLibrary
  /// Give a repair an archive that has the photos, or remove them.
  case replaceOrRemovePhotos
  /// Extract the photos of this archive as files.
  case extractPhotos(String)
  /// Import a document together with a folder that has its photos.
  case importPhotosFromFolder
  /// Replace files that differ from the ones in the archive.
  case overwriteChanged
  /// Export an archive instead of a document.
  case exportArchive
  /// Import with the strategy that keeps what the library has.
  case merge
  /// Allow archives with more entries.
  case increaseEntryLimit
  /// Allow backups whose files have more bytes.
  case increaseByteLimit
  /// Choose a shorter name for an archive.
  case shortenName
  /// Write a verified archive of the library.
  case archiveLibrary
  /// Run the command as the owner of the library.
  case actAsOwner
  /// Trust this folder, although other users may write to it.
  case trustFolder(String)

  /// The message of an error and, if it has a remedy, what `render` makes of the remedy.
  package static func message(of error: any Error, _ render: (Remedy) -> String?) -> String {
    error.remedy.flatMap(render).map { "\(error); \($0)" } ?? "\(error)"
  }
}
