import CLibZip
import Secrets

/// libzip's handle of an encrypted archive that is being written. Unless `close` succeeds, the deinitializer discards
/// it: a failed `zip_close` does not free it.
struct WriteHandle: ~Copyable {
  private let archive: OpaquePointer
  /// The fastest level: texts are small compared with photos, and an export waits for them at its end.
  private static let level: UInt32 = 1

  /// Opens an archive that libzip writes through `session`, which libzip retains.
  init(_ session: WriteSession) throws(ArchiveWriteError) {
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    guard let sink = session.source(&error) else { throw ArchiveWriteError(&error) }
    guard let archive = zip_open_from_source(sink, ZIP_CREATE | ZIP_TRUNCATE, &error) else {
      zip_source_free(sink)
      throw ArchiveWriteError(&error)
    }
    self.archive = archive
    session.archive = archive
  }

  deinit { zip_discard(archive) }

  /// Adds an encrypted entry as a regular file of mode 0600. libzip retains `source` and a copy of the password until
  /// the archive is closed or discarded, and then wipes the copy.
  func add(_ entry: NewEntry, _ source: EntrySource, _ password: Secret) throws(ArchiveWriteError) {
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    guard let function = source.source(&error) else { throw ArchiveWriteError(&error) }
    let added = zip_file_add(archive, entry.name, function, UInt32(ZIP_FL_ENC_UTF_8))
    guard added >= 0 else {
      let failure = lastError()
      zip_source_free(function)
      throw failure
    }
    let index = UInt64(added)
    let mode = UInt32(0o100600) << 16
    let method = if case .stored = entry.contents { ZIP_CM_STORE } else { ZIP_CM_DEFLATE }
    guard zip_set_file_compression(archive, index, method, Self.level) == 0,
      zip_file_set_mtime(archive, index, entry.seconds, 0) == 0,
      zip_file_set_external_attributes(archive, index, 0, UInt8(ZIP_OPSYS_UNIX), mode) == 0
    else { throw lastError() }
    let result = password.withCString {
      zip_file_set_encryption(archive, index, UInt16(ZIP_EM_AES_256), $0)
    }
    guard result == 0 else { throw lastError() }
  }

  /// Writes the archive and frees the handle.
  consuming func close() throws(ArchiveWriteError) {
    guard zip_close(archive) == 0 else {
      let error = lastError()
      _ = consume self
      throw error
    }
    discard self
  }

  private func lastError() -> ArchiveWriteError {
    ArchiveWriteError(zip_get_error(archive))
  }
}

extension ArchiveWriteError {
  /// Makes an error with libzip's code and message.
  init(_ error: UnsafeMutablePointer<zip_error_t>) {
    self = .library(
      code: Int(zip_error_code_zip(error)), message: String(cString: zip_error_strerror(error)))
  }
}
