import Checksums
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The list of the verified files of an operation.
struct StagedFileLogTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private var list: String { scratch.path.appending(StagedFileLog.name.string).string }

  /// Writes files and appends them to a list; returns the status of each.
  @discardableResult
  private func stage(_ count: Int) throws -> [FileStatus] {
    let log = StagedFileLog()
    let folder = try Directory.open(scratch.path)
    return try (0..<count).map { number in
      let file = try folder.open(FilePath(String(number)), .create)
      let bytes = Array("photo \(number)".utf8)
      try file.write(bytes, at: 0)
      let origin = PhotoOrigin(try folder.status(), entry: number)
      log.append(file, .init(md5: MD5Digest(of: bytes), origin: origin), in: folder)
      return try file.status()
    }
  }

  private func readList() throws -> [StagedFileLog.Record] {
    StagedFileLog.records(in: try Directory.open(scratch.path))
  }

  @Test("Staged file log: files have a record with their bytes, their origin and their version")
  func records() throws {
    let files = try stage(600)
    let records = try readList()
    #expect(records.count > 400)
    for (number, (record, file)) in zip(records, files).enumerated() {
      #expect(record.inode == file.identity.inode)
      #expect(record.version == file.version.numbers)
      let bytes = Array("photo \(number)".utf8)
      #expect(record.copy.md5 == MD5Digest(of: bytes))
      #expect(record.copy.origin.numbers.last == Int64(number))
    }
  }

  @Test("Staged file log: a file that changed has another version, also if its date was restored")
  func changedFile() throws {
    try stage(300)
    let record = try #require(try readList().first)
    let path = scratch.path.appending("0").string
    let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate])
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: Data("PHOTO".utf8))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    let status = try #require(try Directory.open(scratch.path).status(of: "0"))
    #expect(status.identity.inode == record.inode)
    #expect(status.version.numbers != record.version)
  }

  @Test("Staged file log: a list of another boot is not used")
  func otherBoot() throws {
    try stage(300)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: list))
    bytes[0] = bytes[0] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    try bytes.write(to: URL(fileURLWithPath: list))
    #expect(try readList().isEmpty)
  }

  @Test("Staged file log: a truncated list has the complete records")
  func truncatedList() throws {
    try stage(300)
    let count = try readList().count
    let handle = try #require(FileHandle(forWritingAtPath: list))
    try handle.truncate(atOffset: try handle.seekToEnd() - 1)
    try handle.close()
    #expect(try readList().count == count - 1)
  }
}
