import Foundation
import PhotoLibrary
import SystemPackage
import Testing

/// A temporary folder with the libraries of a client.
final class ClientFolder: Sendable {
  let path: FilePath

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "smilepile-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = FilePath(url.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// Makes an empty folder.
  func folder(_ name: String) throws -> FilePath {
    try FileManager.default.createDirectory(
      atPath: path.appending(name).string, withIntermediateDirectories: false)
    return path.appending(name)
  }

  /// Makes an empty library.
  func library(_ name: String) throws -> FilePath {
    try Library.create(at: path.appending(name))
    return path.appending(name)
  }

  /// Writes a file, which replaces one with this name.
  func file(_ name: String, _ bytes: Data) throws -> FilePath {
    try bytes.write(to: URL(filePath: path.appending(name).string))
    return path.appending(name)
  }

  /// Writes different pictures of one pixel.
  func photos(_ count: Int) throws -> [FilePath] {
    let picture = try #require(
      Data(
        base64Encoded: """
          iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
          """))
    return try (0..<count).map { number in
      try file("photo \(number).png", picture + Data("\(number)".utf8))
    }
  }
}
