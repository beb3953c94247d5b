import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// A copy of an archive in another folder, published when it is complete, verified and durable.
package struct ArchiveCopy {
  /// What is copied.
  package var source: FilePath
  /// Where to.
  package var folder: FilePath
  /// Opens it, to read the copy back.
  package var password: Secret?
  /// Who may read the copy, as chmod(1) has it; nil for its owner alone.
  package var permissions: UInt16?
  /// Hears a cancellation, and counts.
  package var counter: ProgressCounter

  private static let pieceSize = 1 << 20

  /// Prepares a copy.
  package init(of source: FilePath, to folder: FilePath, password: Secret? = nil, counter: ProgressCounter) {
    self.source = source
    self.folder = folder
    self.password = password
    self.counter = counter
  }

  /// Copies, under the same name; with a number behind it where that is taken. Nothing is overwritten, and a failure
  /// or a kill leaves nothing. Blocks.
  ///
  /// - Returns: the path of the copy, and a warning.
  /// - Throws: `FileError`, `ArchiveError`, `BackupError.notEnoughSpace`, or `.verificationFailed` where the copy does
  ///   not read back as it should.
  package func run() throws -> (archive: FilePath, warning: String?) {
    let input = try File.open(source, .readFollowingLinks)
    let status = try input.status()
    let output = try AtomicFile(in: folder)
    try output.requireSpace(bytes: status.size, photos: 0, in: folder)
    counter.enter(.writing)
    try copy(input, status.size, to: output.file)
    counter.enter(.verifying)
    let archive = try Archive(path: output.file.descriptorPath, limits: .own)
    let backup = try OpenedBackup(archive: archive, limits: .own, password: password)
    let damage = try ArchiveCheck(source: backup, counter: counter).run().damaged
    if !damage.isEmpty { throw BackupError.verificationFailed(folder, damage.map(\.message)) }
    if let permissions { try output.file.setPermissions(permissions) }
    try counter.checkCancellation()
    guard let (name, durability) = try output.publish(as: names) else {
      throw BackupError.destinationExists(folder.appending(source.lastComponent.map { [$0] } ?? []))
    }
    let copy = folder.appending(name.components)
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
    // another process has written to it meanwhile
    guard offset == size else { throw ArchiveError.changed(source) }
  }

  /// The archive's own name, then the same with a number.
  private var names: some Sequence<FilePath> {
    let stem = source.stem ?? "smilepile_backup"
    let ending = source.extension.map { ".\($0)" } ?? ""
    return (1..<100).lazy.map { FilePath($0 == 1 ? "\(stem)\(ending)" : "\(stem)_\($0)\(ending)") }
  }
}
