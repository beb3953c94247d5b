import CLibZip
import CZLib
import FileSystem
import Secrets
import SystemPackage

/// The bytes of an entry that libzip decrypts or decompresses. Verifies their number, and translates libzip's errors.
/// The deinitializer closes the entry.
final class EntryStream: ByteStream {
  private let handle: OpaquePointer
  private var file: OpaquePointer?
  private let view: EntryView
  private let entry: Entry
  private let path: FilePath
  /// The number of bytes that the entry declares, and the number that libzip has returned.
  private let declared: Int
  private var delivered = 0

  deinit {
    if let file { zip_fclose(file) }
    zip_discard(handle)
  }

  /// Opens an entry in a view, which belongs to the stream from then on.
  ///
  /// - Parameter declared: the number of bytes, if libzip shall decrypt them only; nil for those of the entry.
  init(
    _ view: EntryView, _ entry: Entry, as presentation: EntryView.Presentation, path: FilePath,
    password: Secret?, declared: Int? = nil
  ) throws(ArchiveError) {
    view.show(entry, as: presentation)
    if entry.isEncrypted, password?.isEmpty ?? true { throw .passwordNeeded(path, entry: entry.name) }
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    guard let source = view.source() else {
      throw .libzip(path, code: ZIP_ER_MEMORY, text: "out of memory")
    }
    guard let handle = zip_open_from_source(source, ZIP_RDONLY, &error) else {
      zip_source_free(source)
      throw Self.fault(&error, view, entry, path)
    }
    let flags = presentation == .deflated ? zip_flags_t(ZIP_FL_COMPRESSED) : 0
    let file =
      if entry.isEncrypted, let password {
        password.withCString { zip_fopen_index_encrypted(handle, 0, flags, $0) }
      } else {
        zip_fopen_index(handle, 0, flags)
      }
    guard let file else {
      let reason = Self.fault(zip_get_error(handle), view, entry, path)
      zip_discard(handle)
      throw reason
    }
    (self.handle, self.file) = (handle, file)
    (self.view, self.entry, self.path) = (view, entry, path)
    self.declared = declared ?? entry.size
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    guard file != nil else { return 0 }
    // one byte more than is left, to detect data that is too long
    let wanted = min(buffer.count - 1, declared - delivered) + 1
    let count = Int(zip_fread(file, buffer.baseAddress, zip_uint64_t(wanted)))
    guard count >= 0 else { throw Self.fault(zip_file_get_error(file), view, entry, path) }
    guard count <= declared - delivered else { throw damaged(.long(declared: declared)) }
    delivered += count
    if count == 0 {
      try close()
      guard delivered == declared else { throw damaged(.short(declared: declared, delivered: delivered)) }
    }
    return count
  }

  private func damaged(_ reason: Damage) -> ArchiveError {
    .damaged(path, entry: entry.name, reason: reason)
  }

  /// Closes the entry, whose checksum libzip has verified. libzip may report a last error.
  private func close() throws(ArchiveError) {
    let code = zip_fclose(file)
    file = nil
    guard code != 0 else { return }
    var error = zip_error_t()
    zip_error_init_with_code(&error, code)
    defer { zip_error_fini(&error) }
    throw Self.fault(&error, view, entry, path)
  }

  private static func fault(
    _ error: UnsafeMutablePointer<zip_error_t>, _ view: EntryView, _ entry: Entry, _ path: FilePath
  ) -> ArchiveError {
    // libzip reports a failure to read the file as an early end of the data
    if let failure = view.failure { return .file(failure) }
    let code = zip_error_code_zip(error)
    switch code {
    case ZIP_ER_ZLIB where zip_error_code_system(error) == Z_MEM_ERROR:
      return .libzip(path, code: ZIP_ER_MEMORY, text: "out of memory")
    case ZIP_ER_NOPASSWD: return .passwordNeeded(path, entry: entry.name)
    case ZIP_ER_WRONGPASSWD: return .wrongPassword(path, entry: entry.name)
    case ZIP_ER_ENCRNOTSUPP: return .unsupportedEncryption(path, entry: entry.name)
    case ZIP_ER_COMPNOTSUPP: return .unsupportedMethod(path, entry: entry.name, method: entry.method)
    case ZIP_ER_CRC:
      return .damaged(path, entry: entry.name, reason: entry.isEncrypted ? .checksumOrPassword : .checksum)
    case ZIP_ER_COMPRESSED_DATA, ZIP_ER_ZLIB, ZIP_ER_EOF, ZIP_ER_INCONS, ZIP_ER_INTERNAL:
      return .damaged(
        path, entry: entry.name, reason: entry.isEncrypted ? .checksumOrPassword : .compressedData)
    default:
      return .libzip(path, code: code, text: String(cString: zip_error_strerror(error)))
    }
  }
}
