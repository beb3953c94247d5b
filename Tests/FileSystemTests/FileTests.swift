import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import FileSystem

struct FileTests {
  let folder = ScratchFolder()

  @Test("File: reads and writes at offsets")
  func offsets() throws {
    let file = try File.open(folder.path("a"), .create)
    try file.write([1, 2, 3], at: 4)
    try file.write([9], at: 0)
    #expect(try file.read(100, at: 0) == [9, 0, 0, 0, 1, 2, 3])
    #expect(try file.read(2, at: 5) == [2, 3])
    #expect(try file.read(4, at: 6) == [3])
    #expect(try file.read(4, at: 7) == [])
    #expect(try file.read(0, at: 0) == [])
    try file.resize(to: 5)
    #expect(try file.status().size == 5)
    try file.sync()
    #expect(try folder.bytes("a") == [9, 0, 0, 0, 1])
  }

  @Test("File: a lack of file descriptors or memory does not make a file unreadable")
  func lackOfResources() {
    for errno in [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory] {
      let error = FileError("open", "photo.jpg", errno)
      #expect(throws: error) {
        try File.readPieces(opening: { () throws(FileError) in throw error }) { _ in }
      }
    }
    for errno in [Errno.noSuchFileOrDirectory, .ioError, .permissionDenied] {
      let error = FileError("open", "photo.jpg", errno)
      #expect(throws: File.Unreadable.self) {
        try File.readPieces(opening: { () throws(FileError) in throw error }) { _ in }
      }
    }
  }

  @Test("File: at most 64 MiB of bad sectors are skipped, however often they are read")
  func badSectors() throws {
    let (limit, piece, step) = (64 << 20, 1 << 20, 4096)
    try File.open(folder.path("a"), .create).resize(to: limit + 4 * step)
    let fault = ArmedFault(.badSectors(step..<limit + 3 * step), below: folder.path)
    defer { fault.disarm() }
    let file = try File.open(folder.path("a"), .readSkippingBadSectors)
    for _ in 0..<2 {
      for offset in stride(from: 0, to: limit, by: piece) {
        #expect(try file.read(piece, at: offset).count == piece)
      }
      #expect(try file.read(step, at: limit) == [UInt8](repeating: 0, count: step))
    }
    #expect(throws: FileError("read", folder.path("a"), .ioError)) {
      try file.read(step, at: limit + step)
    }
    #expect(try file.read(step, at: limit) == [UInt8](repeating: 0, count: step))
    #expect(try file.read(2 * step, at: limit + 3 * step).count == step)
  }

  @Test("File: a bad sector is not read again")
  func badSectorOnce() throws {
    let step = 4096
    let bytes = [UInt8](repeating: 7, count: 3 * step)
    try File.open(folder.path("a"), .create).write(bytes, at: 0)
    let file = try File.open(folder.path("a"), .readSkippingBadSectors)
    let fault = ArmedFault(.badSectors(step + 1..<step + 2), below: folder.path)
    let found = try file.read(bytes.count, at: 0)
    fault.disarm()
    #expect(found == bytes[..<(step + 1)] + [UInt8](repeating: 0, count: step - 1) + bytes[(2 * step)...])
    for (count, offset) in [(3 * step, 0), (step, step), (step, step / 2), (2 * step, step + 9)] {
      // the second step is not read again, although the disk could read it now
      let expected = (offset..<min(offset + count, bytes.count)).map { $0 / step == 1 ? 0 : UInt8(7) }
      #expect(try file.read(count, at: offset) == expected, "\(count) at \(offset)")
    }
  }

  @Test("File: a new file has mode 0600", arguments: [File.Mode.create, .readWrite])
  func mode(mode: File.Mode) throws {
    _ = try File.open(folder.path("a"), mode)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("a").string)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("File: create refuses an existing name")
  func createExisting() throws {
    try folder.write("old", to: "a")
    try folder.link("dangling", to: "nowhere")
    for name in ["a", "dangling"] {
      #expect(throws: FileError("open", folder.path(name), .fileExists)) {
        _ = try File.open(folder.path(name), .create)
      }
    }
    #expect(try folder.bytes("a") == Array("old".utf8))
    #expect(!folder.has("nowhere"))
  }

  @Test("File: read-write does not truncate")
  func readWriteExisting() throws {
    try folder.write("old", to: "a")
    let file = try File.open(folder.path("a"), .readWrite)
    #expect(try file.read(10, at: 0) == Array("old".utf8))
  }

  @Test("File: a symbolic link is refused", arguments: [File.Mode.read, .readWrite])
  func link(mode: File.Mode) throws {
    try folder.write("secret", to: "target")
    try folder.link("link", to: "target")
    #expect(throws: FileError("open", folder.path("link"), .tooManySymbolicLinkLevels)) {
      _ = try File.open(folder.path("link"), mode)
    }
  }

  @Test("File: a symbolic link that the user gave is followed")
  func followedLink() throws {
    try folder.write("photo", to: "target")
    try folder.link("link", to: "target")
    let file = try File.open(folder.path("link"), .readFollowingLinks)
    #expect(try file.read(10, at: 0) == Array("photo".utf8))
  }

  @Test("File: an unnamed file can be opened again by its descriptor")
  func unnamed() throws {
    let directory = try Directory.open(folder.path)
    guard let file = try directory.openUnnamed() else { return }
    try file.write([7], at: 0)
    let again = try File.open(file.descriptorPath, .readFollowingLinks)
    #expect(try again.read(10, at: 0) == [7])
    #expect(try again.status().identity == file.status().identity)
    #expect(try directory.names().isEmpty)
  }

  // 1901 to 2446, the range of ext4
  @Test(
    "File: modification times are stored to the millisecond",
    arguments: [0, 1, -1, -1000, -1001, 1_759_413_600_123, -2_147_483_648_000, 15_032_385_535_000])
  func modificationTime(time: Timestamp) throws {
    let file = try File.open(folder.path("a"), .create)
    try file.setModified(time)
    #expect(try file.status().modified == time)
  }

  @Test(
    "Timestamp: the seconds are rounded down",
    arguments: [
      (7, 0, 7), (1000, 1, 0), (0, 0, 0), (-7, -1, 993), (-1000, -1, 0),
      (Int64.min, -9_223_372_036_854_776, 192),
    ])
  func seconds(value: Int64, quotient: Int64, remainder: Int64) {
    let result = Timestamp(rawValue: value).seconds
    #expect(result.whole == quotient)
    #expect(result.milliseconds == remainder)
  }

  @Test("File status: kinds and identities")
  func status() throws {
    try folder.write("x", to: "a")
    try folder.makeFolder("b")
    try folder.link("c", to: "a")
    try FileManager.default.linkItem(atPath: folder.path("a").string, toPath: folder.path("d").string)
    let directory = try Directory.open(folder.path)
    var statuses: [FileStatus] = []
    for name in ["a", "b", "c", "d"] as [FilePath] {
      statuses.append(try #require(try directory.status(of: name)))
    }
    #expect(statuses.map(\.kind) == [.file, .directory, .symbolicLink, .file])
    #expect(statuses[0].identity == statuses[3].identity)
    #expect(Set(statuses.map(\.identity)).count == 3)
    #expect(try File.open("/dev/null", .read).status().kind == .other)
  }

  @Test("File status: another date or another file is another version")
  func version() throws {
    try folder.write("x", to: "a")
    let file = try File.open(folder.path("a"), .readWrite)
    try file.setModified(951_782_400_123)
    let first = try file.status()
    #expect(try file.status().version == first.version)
    try file.setModified(951_782_400_124)
    #expect(try file.status().version != first.version)
    try folder.write("x", to: "b")
    #expect(try File.open(folder.path("b"), .read).status().version != first.version)
  }

  @Test("File status: another inode alone, as FAT assigns it, is the same version")
  func inode() {
    var raw = stat()
    (raw.st_ino, raw.st_size, raw.st_mtim.tv_sec, raw.st_ctim.tv_nsec) = (7, 100, 5, 6)
    let first = FileStatus(raw)
    raw.st_ino = 8
    #expect(FileStatus(raw).identity != first.identity)
    #expect(FileStatus(raw).version == first.version)
    raw.st_ctim.tv_nsec = 7
    #expect(FileStatus(raw).version != first.version)
  }

  @Test("File system status: a network file system is recognized by its magic number")
  func networkFileSystem() throws {
    let status = try Directory.open(folder.path).fileSystem()
    #expect(status.networkProtocol == nil)
    #expect(status.freeBytes > 0)
    for (type, name) in [(0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2")] {
      #expect(FileSystemStatus((type: type, freeBytes: 1)).networkProtocol == name)
    }
  }

  @Test("File error: operation, path and reason are reported")
  func errors() throws {
    let error = FileError("write", "/nas/x.zip", .noSpace)
    #expect(
      error.description == "cannot write /nas/x.zip: No space left on device (errno 28); free some space")
    #expect(!error.isMissing)
    #expect(FileError("open", "x", .noSuchFileOrDirectory).isMissing)
    #expect(FileError("open", "x", .notDirectory).isMissing)
    let path = folder.path("nothing")
    #expect(throws: FileError("open", path, .noSuchFileOrDirectory)) { _ = try File.open(path, .read) }
    #expect(throws: FileError("read", folder.path, .isDirectory)) {
      _ = try File.open(folder.path, .read).read(1, at: 0)
    }
  }
}
