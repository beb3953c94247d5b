import Glibc
import SystemPackage

/// Files that are written anew as a whole, as reports that others read meanwhile.
package enum ReplacedFile {
  /// Puts a file with these bytes in the place of one with this name, or where none is. Whoever opens it sees the old one
  /// or the new one, whole. What a writer of the same file left that was cut off more than an hour ago, which is called
  /// `.NAME.NUMBER.new`, is removed. Blocks.
  ///
  /// - Parameters:
  ///   - mode: who may read it, as chmod(1) has it.
  ///   - syncs: whether it is on the disk when this returns.
  package static func write(
    _ bytes: [UInt8], as name: FilePath, in folder: FilePath, mode: UInt16 = 0o600, syncs: Bool = true
  ) throws(FileError) {
    let directory = try Directory.open(folder)
    let partial = FilePath("\(Self.partialPrefix(of: name))\(UInt64.random(in: .min ... .max)).new")
    do throws(FileError) {
      let file = try directory.open(partial, .create)
      try file.write(bytes, at: 0)
      if mode != 0o600 { try file.setPermissions(mode) }
      if syncs { try file.sync() }
      try directory.replace(name, with: partial)
      if syncs { try directory.sync() }
    } catch {
      _ = try? directory.remove(partial)
      throw error
    }
    sweep(directory, of: name)
  }

  private static func partialPrefix(of name: FilePath) -> String { ".\(name)." }

  /// Removes what writers of this file left that were cut off: nobody takes an hour to write it.
  private static func sweep(_ directory: borrowing Directory, of name: FilePath) {
    let oldest = (Int64(time(nil)) - 3600) * 1000
    for other in (try? directory.names()) ?? [] {
      let text = other.string
      guard text.hasPrefix(partialPrefix(of: name)), text.hasSuffix(".new"),
        UInt64(text.dropFirst(partialPrefix(of: name).count).dropLast(".new".count)) != nil,
        let status = try? directory.status(of: other), status.kind == .file, status.modified < oldest
      else { continue }
      _ = try? directory.remove(other)
    }
  }
}
