import SystemPackage

/// The mount points in the namespace of this process.
package struct MountTable: Sendable {
  /// What is mounted at a path.
  private struct Mount {
    let device: Substring
    /// The folder of the file system that is mounted.
    let root: FilePath
  }

  /// The topmost mount of each path.
  private var mounts: [FilePath: Mount] = [:]

  /// Reads `/proc/self/mountinfo`: proc(5). Blocks.
  package init() throws(FileError) {
    let file = try File.open("/proc/self/mountinfo", .readFollowingLinks)
    var bytes: [UInt8] = []
    while case let more = try file.read(64 << 10, at: bytes.count), !more.isEmpty { bytes += more }
    self.init(mountinfo: String(decoding: bytes, as: UTF8.self))
  }

  init(mountinfo: String) {
    for line in mountinfo.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 4 else { continue }
      mounts[FilePath(Self.unescaped(fields[4]))] =
        Mount(device: fields[2], root: FilePath(Self.unescaped(fields[3])))
    }
  }

  /// Returns true if another file system, or another folder, is mounted at a path. Follows symbolic links.
  package func isMountPoint(_ path: FilePath) -> Bool {
    path.realPath.map(isMountPoint(real:)) ?? false
  }

  /// Returns the mount point of the file system that a path is on; nil if the path does not exist. Follows symbolic links.
  package func mountPoint(of path: FilePath) -> FilePath? {
    guard var place = path.realPath else { return nil }
    while !isMountPoint(real: place), place.removeLastComponent() {}
    return place
  }

  /// systemd mounts each folder that a sandboxed service may write onto itself. Such a mount has the device of the file
  /// system around it, and the folder that would be at the path without it.
  func isMountPoint(real place: FilePath) -> Bool {
    guard let mount = mounts[place] else { return false }
    var outer = place
    while outer.removeLastComponent() {
      guard let around = mounts[outer] else { continue }
      let relative = place.components.dropFirst(outer.components.count)
      return mount.device != around.device || mount.root != around.root.appending(relative)
    }
    return true
  }

  /// Decodes blanks, tabs, line feeds and backslashes, which the kernel writes as octal escapes such as `\\040`.
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
