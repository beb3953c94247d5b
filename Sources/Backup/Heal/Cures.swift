import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// Photos of a library that get their right bytes back, and where those are.
struct Cures {
  private struct Cure {
    var photo: Photo
    var md5: MD5Digest
    var places: [PhotoBytes]
  }

  /// What became of them.
  struct Outcome {
    /// The folder in the library that keeps what was in their places, nil if there was nothing.
    var kept: FilePath?
    /// Why photos could not be healed, by their ids.
    var failures: [Int64: String] = [:]
    /// Where the bytes came from, by the photos' ids.
    var places: [Int64: FilePath] = [:]
    /// Places that did not give a photo any more, and why.
    var faults: [FilePath: String] = [:]
  }

  private var cures: [Cure] = []

  /// Bytes that will be brought.
  var size: Int { cures.reduce(0) { $0 + $1.photo.fileSize } }

  var isEmpty: Bool { cures.isEmpty }

  /// Adds a photo, with the places that its bytes can be had from, the best first.
  mutating func add(_ photo: Photo, _ md5: MD5Digest, from places: [PhotoBytes]) {
    cures.append(Cure(photo: photo, md5: md5, places: places))
  }

  /// Stages the files and puts them in their places. Durable when it returns; blocks. A photo whose bytes can be had
  /// nowhere any more does not keep the others from it.
  func apply(_ writer: LibraryWriter, _ counter: ProgressCounter) throws -> Outcome {
    try writer.requireSpace(size)
    return try writer.repair { repair in
      var result = Outcome()
      var items: [LibraryRepair.Item] = []
      for (index, cure) in cures.enumerated() {
        let name = String(index)
        for place in cure.places {
          try counter.checkCancellation()
          guard let fault = try Self.copy(cure, from: place, to: repair.stage(name), counter) else {
            result.places[cure.photo.id] = place.place
            items.append(LibraryRepair.Item(photo: cure.photo, name: name))
            break
          }
          try repair.unstage(name)
          result.failures[cure.photo.id] = fault
          result.faults[place.place] = fault
        }
      }
      try counter.checkCancellation()
      counter.enter(.committing)
      let outcome = try repair.commit(items)
      for item in items { result.failures[item.photo.id] = outcome.failures[item.name] }
      result.kept = outcome.corruptFiles
      return result
    }
  }

  /// - Returns: why a place does not give the photo, which it did a moment ago; nil if it does.
  /// - Throws: what keeps the others from being copied too, as a full disk.
  private static func copy(
    _ cure: Cure, from place: PhotoBytes, to file: consuming File, _ counter: ProgressCounter
  ) throws -> String? {
    let file = file
    var hash = RunningMD5()
    var written = 0
    let fault: String?
    do {
      fault = try place.read { piece in
        try counter.checkCancellation()
        hash.update(piece)
        try file.write(piece, at: written)
        written += piece.count
      }
    } catch let error as ArchiveError {
      return "\(error)"
    }
    guard fault == nil, hash.digest == cure.md5, written == cure.photo.fileSize else {
      return "\(place.place.string.escaped): \(fault ?? "its bytes have changed while they were read")"
    }
    try file.setModified(milliseconds: cure.photo.createdAt)
    file.startWriteBack(from: 0, count: written)
    return nil
  }
}
