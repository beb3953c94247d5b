import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// Photos of a library that get their right bytes back, and where those are.
struct Cures {
  private struct Cure {
    var photo: Photo
    var md5: MD5Digest
    var label: String
    var bytes: PhotoBytes
  }

  private var cures: [Cure] = []

  /// Bytes that will be brought.
  var size: Int { cures.reduce(0) { $0 + $1.photo.fileSize } }

  var isEmpty: Bool { cures.isEmpty }

  /// Adds a photo; its label is for messages.
  mutating func add(_ photo: Photo, _ md5: MD5Digest, label: String, from bytes: PhotoBytes) {
    cures.append(Cure(photo: photo, md5: md5, label: label, bytes: bytes))
  }

  /// Stages the files and puts them in their places. Durable when it returns; blocks.
  ///
  /// - Returns: the folder in the library that keeps what was in their places, nil if there was nothing, and why
  ///   photos could not be healed, by their ids.
  func apply(
    _ writer: LibraryWriter, _ counter: ProgressCounter
  ) throws -> (kept: FilePath?, failures: [Int64: String]) {
    try writer.requireSpace(size)
    return try writer.heal { healing in
      var items: [Healing.Item] = []
      for cure in cures {
        try counter.checkCancellation()
        let name = String(items.count)
        try Self.copy(cure, to: healing.stage(name), counter)
        items.append(Healing.Item(photo: cure.photo, name: name))
      }
      try counter.checkCancellation()
      counter.enter(.committing)
      let outcome = try healing.commit(items)
      let failures = items.compactMap { item in outcome.failures[item.name].map { (item.photo.id, $0) } }
      return (outcome.kept, Dictionary(failures, uniquingKeysWith: { first, _ in first }))
    }
  }

  private static func copy(_ cure: Cure, to file: consuming File, _ counter: ProgressCounter) throws {
    let file = file
    var hash = RunningMD5()
    var written = 0
    let fault = try cure.bytes.read { piece in
      try counter.checkCancellation()
      hash.update(piece)
      try file.write(piece, at: written)
      written += piece.count
    }
    // it was right a moment ago
    guard fault == nil, hash.digest == cure.md5, written == cure.photo.fileSize else {
      throw BackupError.unstablePhoto(cure.label, reason: fault ?? "its bytes have changed")
    }
    try file.setModified(milliseconds: cure.photo.createdAt)
    file.startWriteBack(from: 0, count: written)
  }
}
