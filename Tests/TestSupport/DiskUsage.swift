import Foundation
import SystemPackage

/// The disk space of a folder according to du(1).
package enum DiskUsage {
  /// Returns the allocated bytes of a folder and everything in it.
  package static func bytes(of folder: FilePath) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/du")
    process.arguments = ["--summarize", "--block-size=1", folder.string]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Int(String(decoding: text.prefix { $0 != UInt8(ascii: "\t") }, as: UTF8.self)) ?? -1
  }
}
