import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// A copy of an archive in another folder, published when it is complete, verified and durable.
package struct ArchiveCopy {
  /// The archive to copy.
  package var source: FilePath
  /// The folder to copy to.
  package var folder: FilePath
  /// Opens the copy to verify it.
  package var password: Secret?
  /// The permissions of the copy, as in chmod(1); nil for access by the owner alone.
  package var permissions: UInt16?
  /// Reports cancellation, and counts progress.
  package var counter: ProgressCounter

  private static let pieceSize = 1 << 20

  /// Prepares a copy.
  package init(of source: FilePath, to folder: FilePath, password: Secret? = nil, counter: ProgressCounter) {
    self.source = source
    self.folder = folder
    self.password = password
    self.counter = counter
  }

  /// Copies the archive under the same name, with a number added if the name is taken. Overwrites nothing. A
  /// failure or a kill leaves nothing. Blocks.
  ///
  /// - Returns: the path of the copy, and a warning.
  /// - Throws: `FileError`, `ArchiveError`, `BackupError.notEnoughSpace`, or `.verificationFailed` if the copy is
  ///   corrupt.
  package func run() throws -> (archive: FilePath, warning: String?) {
    let input = try File.open(source, .readFollowingLinks)
    let status = try input.status()
    let output = try AtomicFile(in: folder)
    try output.requireSpace(bytes: status.size, photos: 0, in: folder)
    counter.enter(.writing)
    try copy(input, status.size, to: output.file)
    counter.enter(.verifying)
    let archive = try Archive(path: output.file.descriptorPath, limits: .trusted)
    let backup = try OpenedBackup(archive: archive, limits: .trusted, password: password)
    let damage = try ArchiveCheck(source: backup, counter: counter).run().damaged
    if !damage.isEmpty { throw BackupError.verificationFailed(folder, damage.map(\.message)) }
    if let permissions { try output.file.setPermissions(permissions) }
    try counter.checkCancellation()
    guard let (name, durability) = try output.publish(as: names) else {
      throw BackupError.destinationExists(folder.appending(source.lastComponent.map { [$0] } ?? []))
    }
    let copy = name.inFolder(folder)
    return (copy, durability.warning(for: copy))
  }

  private func copy(_ input: borrowing File, _ size: Int, to output: borrowing File) throws {
    let piece = try UnsafeMutableRawBufferPointer.pages(byteCount: Self.pieceSize)
    defer { piece.freePages() }
    var offset = 0
    while true {
      try counter.checkCancellation()
      let count = try input.read(into: piece, at: offset)
      if count == 0 { break }
      try output.write(UnsafeRawBufferPointer(rebasing: piece[..<count]), at: offset)
      offset += count
    }
    // another process has written to the archive meanwhile
    guard offset == size else { throw ArchiveError.changed(source) }
  }

  /// The archive's own name, then names with a number.
  private var names: some Sequence<FilePath> {
    let stem = source.stem ?? "smilepile_backup"
    let ending = source.extension.map { ".\($0)" } ?? ""
    return (1..<100).lazy.map { FilePath($0 == 1 ? "\(stem)\(ending)" : "\(stem)_\($0)\(ending)") }
  }
}
