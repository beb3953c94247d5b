import Foundation
import SystemPackage

/// A folder for one test that is removed with everything in it at the end of the object's life. As a property of a
/// suite it lives as long as the test.
package final class ScratchFolder: Sendable {
  /// The path of the folder, without symbolic links.
  package let path: FilePath

  /// Makes an empty folder. Ends the process if that fails, since no test can run then.
  package init() {
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    path = FilePath(base.path).appending("smilepile-test-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    } catch {
      fatalError("\(path): \(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// A path in the folder.
  package func path(_ name: String) -> FilePath { path.pushing(FilePath(name)) }

  /// Writes a file, makes the folders above it, and returns its path.
  @discardableResult
  package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> FilePath {
    let file = path(name)
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(Array(bytes)).write(to: URL(fileURLWithPath: file.string))
    return file
  }

  /// Writes a text file, makes the folders above it, and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> FilePath { try write(text.utf8, to: name) }

  /// Writes a program, and returns its path. A child process writes it, since a program cannot be started while a process
  /// has it open for writing, such as a child that another test forks now.
  package func writeProgram(_ script: String, to name: String) throws -> FilePath {
    try write(script, to: "\(name).script")
    try Programs.shell("cp '\(name).script' '\(name)'; chmod 755 '\(name)'; rm '\(name).script'", in: path)
    return path(name)
  }

  /// Makes a folder, and those above it, and returns its path.
  @discardableResult
  package func makeFolder(_ name: String) throws -> FilePath {
    try FileManager.default.createDirectory(atPath: path(name).string, withIntermediateDirectories: true)
    return path(name)
  }

  /// Makes a symbolic link.
  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name).string, withDestinationPath: target)
  }

  /// The bytes of a file.
  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name).string)))
  }

  /// Whether a file, folder or link with the name exists.
  package func has(_ name: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path(name).string)) != nil
  }

  /// Removes a file or a folder with everything in it.
  package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name).string) }

  /// All files, folders and links below a folder by their relative paths, with the bytes of files and the targets of
  /// links. Two trees are equal if nothing was changed.
  package func tree(_ name: String = "") throws -> [String: Item] {
    let root = path(name).string
    var items: [String: Item] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
      let full = root + "/" + path
      switch try FileManager.default.attributesOfItem(atPath: full)[.type] as? FileAttributeType {
      case .typeDirectory?: items[path] = .folder
      case .typeSymbolicLink?:
        items[path] = .link(try FileManager.default.destinationOfSymbolicLink(atPath: full))
      default: items[path] = .file(try Data(contentsOf: URL(fileURLWithPath: full)))
      }
    }
    return items
  }

  /// An item of a folder.
  package enum Item: Equatable, Sendable, CustomStringConvertible {
    /// A folder.
    case folder
    /// A file and its bytes.
    case file(Data)
    /// A symbolic link and its target.
    case link(String)

    /// A short description for the message of a failed test.
    package var description: String {
      switch self {
      case .folder: "folder"
      case .file(let bytes): "file of \(bytes.count) bytes"
      case .link(let target): "link to \(target)"
      }
    }
  }
}

extension FilePath {
  /// A path of these bytes, which need not be UTF-8; nil if one of them is zero.
  package init?(bytes: [UInt8]) {
    guard !bytes.contains(0) else { return nil }
    self = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { text in
      text.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }
}
