import Backup
import PhotoLibrary
import Secrets

extension Job {
  /// Plans an export of a library. The plan includes the content fingerprint.
  ///
  /// - Parameter contents: the contents of the library.
  func plan(
    of library: Library, holding contents: LibraryContents, password: Secret?
  ) throws -> ExportSummary {
    var options = exportOptions
    options.password = password
    return try ExportSummary(planning: contents, of: library, options)
  }

  /// The options of the job's exports, without the password.
  var exportOptions: ExportOptions {
    var options = ExportOptions()
    options.categories = categories
    options.since = since
    options.until = until
    options.includesSettings = includesSettings
    options.allowsWeakPassword = allowsWeakPassword
    options.tags = archiveTags
    options.isIncremental = maximumChain != nil
    options.maximumChain = maximumChain ?? options.maximumChain
    options.split = splitsForPhones ? .phone(PhoneLimits()) : nil
    options.verifies = verifies
    options.permissions = permissions
    options.lockWait = .seconds(lockWait)
    return options
  }
}
