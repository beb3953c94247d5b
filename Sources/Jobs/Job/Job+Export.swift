import Backup
import PhotoLibrary
import Secrets

extension Job {
  /// Returns the summary of a dry run of an export, with the content fingerprint. Blocks.
  ///
  /// - Parameter contents: the contents of the library.
  func forecast(
    of library: Library, contents: LibraryContents, password: Secret?
  ) throws -> ExportSummary {
    var options = exportOptions
    options.password = password
    return try ExportSummary(planning: contents, of: library, options)
  }

  /// The options of the job's exports, without the password.
  var exportOptions: ExportOptions {
    var options = ExportOptions()
    options.categories = categories
    options.taken = taken
    options.includesSettings = includesSettings
    options.allowsWeakPassword = allowsWeakPassword
    options.tags = archiveTags
    options.isIncremental = maximumChainDepth != nil
    options.maximumChainDepth = maximumChainDepth ?? options.maximumChainDepth
    options.phoneLimits = splitsForPhones ? PhoneLimits() : nil
    options.includesThumbnails = includesThumbnails
    options.gallery = gallery
    options.requiresPictures = false
    options.verifies = verifies
    options.permissions = permissions
    options.lockWait = .seconds(lockWait)
    return options
  }
}
