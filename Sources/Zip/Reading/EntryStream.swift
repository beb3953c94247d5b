import CLibZip
import CZLib
import Secrets
import SystemPackage

/// An entry that libzip has open; translates libzip's errors. The deinitializer closes it.
struct EntryStream: ~Copyable {
  private let handle: OpaquePointer
  private var file: OpaquePointer?
  private let view: EntryView
  private let entry: Entry
  private let path: FilePath

  private init(
    handle: OpaquePointer, file: OpaquePointer, view: EntryView, entry: Entry, path: FilePath
  ) {
    self.handle = handle
    self.file = file
    self.view = view
    self.entry = entry
    self.path = path
  }

  deinit {
    if let file { zip_fclose(file) }
    zip_discard(handle)
  }

  /// Opens the entry of a view. With `isRaw`, libzip decrypts the bytes and does not decompress them.
  static func open(
    _ view: EntryView, _ entry: Entry, path: FilePath, password: Secret?, isRaw: Bool
  ) throws(ArchiveError) -> EntryStream {
    if entry.isEncrypted, password?.isEmpty ?? true { throw .passwordNeeded(path, entry: entry.name) }
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    guard let source = view.source() else {
      throw .libzip(path, code: ZIP_ER_MEMORY, text: "out of memory")
    }
    guard let handle = zip_open_from_source(source, ZIP_RDONLY, &error) else {
      zip_source_free(source)
      throw fault(&error, view, entry, path)
    }
    let flags = isRaw ? zip_flags_t(ZIP_FL_COMPRESSED) : 0
    let file =
      if entry.isEncrypted, let password {
        password.withCString { zip_fopen_index_encrypted(handle, 0, flags, $0) }
      } else {
        zip_fopen_index(handle, 0, flags)
      }
    guard let file else {
      let reason = fault(zip_get_error(handle), view, entry, path)
      zip_discard(handle)
      throw reason
    }
    return EntryStream(handle: handle, file: file, view: view, entry: entry, path: path)
  }

  /// Reads up to the size of `buffer`. Returns 0 at the end, when libzip has verified the checksum.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let count = zip_fread(file, buffer.baseAddress, zip_uint64_t(buffer.count))
    guard count >= 0 else { throw Self.fault(zip_file_get_error(file), view, entry, path) }
    return Int(count)
  }

  /// Closes the entry. libzip may report a last error.
  mutating func close() throws(ArchiveError) {
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
