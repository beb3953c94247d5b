import CLibZip

/// A source of libzip: libzip reads or writes by commands, which a subclass executes.
class LibzipSource {
  /// What libzip learns about an error. The subclass keeps the error that its command threw.
  final var error = zip_error_t()

  /// The commands that the subclass executes, besides those of every source.
  var commands: [zip_source_cmd_t] { [] }

  /// Executes a command, and returns the result that libzip expects; -1 for an error.
  func perform(_ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: Int) throws -> Int {
    -1
  }

  /// Called with each error that `perform` throws.
  func fail(_ error: any Error) {}

  /// Makes the source, which retains this value until libzip frees the source. Returns nil and sets `error` if there is no
  /// memory.
  final func source(_ error: UnsafeMutablePointer<zip_error_t>? = nil) -> OpaquePointer? {
    let context = Unmanaged<LibzipSource>.passRetained(self)
    let source = zip_source_function_create(
      { context, data, length, command in
        guard let context else { return -1 }
        let reference = Unmanaged<LibzipSource>.fromOpaque(context)
        if command == ZIP_SOURCE_FREE {
          reference.release()
          return 0
        }
        return reference.takeUnretainedValue().answer(command, data, Int(length))
      }, context.toOpaque(), error)
    if source == nil { context.release() }
    return source
  }

  private static let commandsOfAll = [
    ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
  ]

  private func answer(
    _ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: Int
  ) -> zip_int64_t {
    switch command {
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&error, data, zip_uint64_t(length))
    case ZIP_SOURCE_SUPPORTS:
      // `zip_source_make_command_bitmap` is variadic and cannot be called from Swift
      return (Self.commandsOfAll + commands).reduce(0) { $0 | 1 << zip_int64_t($1.rawValue) }
    default:
      do {
        return zip_int64_t(try perform(command, data, length))
      } catch {
        fail(error)
        return -1
      }
    }
  }
}
