import SystemPackage

/// What is mounted where, as this process sees it.
public struct MountTable: Sendable {
  /// The places, bind mounts too.
  public let places: Set<String>

  /// Reads `/proc/self/mountinfo`: proc(5). Blocks.
  public init() throws(FileError) {
    let file = try File.open("/proc/self/mountinfo", .readFollowingLinks)
    var bytes: [UInt8] = []
    while case let more = try file.read(64 << 10, at: bytes.count), !more.isEmpty { bytes += more }
    self.init(mountinfo: String(decoding: bytes, as: UTF8.self))
  }

  init(mountinfo: String) {
    places = Set(
      mountinfo.split(separator: "\n").compactMap { line in
        let fields = line.split(separator: " ")
        return fields.count > 4 ? Self.unescaped(fields[4]) : nil
      })
  }

  /// Whether something is mounted at this place, links followed.
  public func isMountPoint(_ path: FilePath) -> Bool {
    guard let place = path.realPath else { return false }
    return places.contains(place.string)
  }

  /// The kernel writes blanks, tabs, line feeds and backslashes as `\\040`.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = field.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
