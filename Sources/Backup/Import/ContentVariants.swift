import Checksums
import Operations
import PhotoLibrary

/// Distinguishes photos whose bytes differ although their MD5s and sizes are equal: the photos with each different
/// content get another number. Nearly always all photos have the number 0.
///
/// A photo whose bytes are unknown, since its file is missing or corrupt on its side, has the number 0. A photo that is
/// corrupt in the backup has the number of the photo with the CRC-32 that the archive states.
package struct ContentVariants: Sendable, Equatable {
  private var incoming: [Int: Int] = [:]
  private var existing: [Int64: Int] = [:]
  /// The photos of the backup that are corrupt although the library has, or had, a photo with the MD5 that the backup
  /// states for them: the reasons, by index.
  private(set) var corrupt: [Int: String] = [:]
  /// The numbers of the content tags of moved and removed photos; empty if they are all 0.
  private var tagNumbers: [FileContent: TagNumbers] = [:]

  /// Makes variants in which equal MD5s and sizes mean equal bytes.
  package init() {}

  /// The variant of a photo of the backup, by index.
  subscript(incoming index: Int) -> Int { incoming[index] ?? 0 }

  /// The variant of a photo of the library, by ID.
  subscript(existing id: Int64) -> Int { existing[id] ?? 0 }

  /// The variant of a photo that a person moved or removed.
  func number(of tag: ContentTag?, of content: FileContent) -> Int {
    tag.flatMap { tagNumbers[content]?[$0] } ?? 0
  }

  /// The identity of a photo of the library.
  func identity(ofExisting photo: Photo) -> PhotoIdentity {
    PhotoIdentity(photo, variant: existing.isEmpty ? 0 : self[existing: photo.id])
  }

  /// The identity of the row of a photo of the backup.
  func identity(ofIncoming row: Photo, at index: Int) -> PhotoIdentity {
    PhotoIdentity(row, variant: incoming.isEmpty ? 0 : self[incoming: index])
  }

  /// Returns the variants of some photos of the backup, by their positions among the selected indices.
  func selecting(_ indices: [Int]) -> ContentVariants {
    guard !incoming.isEmpty else { return self }
    var result = self
    result.incoming = [:]
    for (position, index) in indices.enumerated() { result.incoming[position] = incoming[index] }
    return result
  }

  /// Returns the variants of the library's photos before and after an import, by ID.
  func numbers(
    before: LibraryContents, after: LibraryContents, _ plan: MergePlan
  ) -> (before: [Int64: Int], after: [Int64: Int]) {
    guard !existing.isEmpty || !incoming.isEmpty else { return ([:], [:]) }
    // a photo that is kept may get another ID
    let kept = Dictionary(
      before.photos.lazy.filter { !$0.isFromAssets }.map { ($0.path, self[existing: $0.id]) },
      uniquingKeysWith: { first, _ in first })
    let extracted = Dictionary(
      plan.filesToExtract.map { ($0.id, self[incoming: $0.source]) }, uniquingKeysWith: { first, _ in first })
    let numbers = after.photos.map { ($0.id, extracted[$0.id] ?? kept[$0.path] ?? 0) }
    return (existing, Dictionary(numbers, uniquingKeysWith: { first, _ in first }))
  }
}

extension ContentVariants {
  /// Reads the photos of a backup whose MD5s and sizes photos of the library have, and compares them with those photos.
  /// Blocks; writes nothing.
  ///
  /// - Throws: an error that concerns all photos, such as an archive that has changed, or a cancellation.
  init(
    of backup: OpenedBackup, in contents: LibraryContents, _ known: KnownPhotos, _ counter: ProgressCounter
  ) throws {
    let moved = contents.movements.compactMap { movement -> (content: FileContent, tag: ContentTag)? in
      if case .photo(let content, let tag?) = movement.subject { (content, tag) } else { nil }
    }
    let candidates = Set(
      contents.photos.lazy.compactMap { photo in
        photo.md5.map { FileContent(md5: $0, size: photo.fileSize) }
      }
    ).union(moved.map(\.content))
    let indices = backup.photos.indices.filter { index in
      backup.content(at: index).map(candidates.contains) ?? false
    }
    guard !indices.isEmpty else { return }
    let wanted = Set(indices.compactMap(backup.content(at:)))
    let existingPhotos = contents.photos.having(wanted)
    let tags = try known.tags(of: existingPhotos, counter)
    // lazy, since only few backups have corrupt photos
    lazy var byContent = Dictionary(grouping: existingPhotos) { photo in
      photo.md5.map { FileContent(md5: $0, size: photo.fileSize) }
    }
    var incomingTags = try backup.tags(of: indices, tags.key, counter)

    // the number of each tag of a content
    var numbers: [FileContent: TagNumbers] = [:]
    numbers.reserveCapacity(wanted.count)
    for photo in contents.photos {
      guard let tag = tags.byID[photo.id], let md5 = photo.md5 else { continue }
      numbers[FileContent(md5: md5, size: photo.fileSize), default: TagNumbers()].number(of: tag)
    }
    for (content, tag) in moved where wanted.contains(content) {
      numbers[content, default: TagNumbers()].number(of: tag)
    }
    for index in indices {
      guard let content = backup.content(at: index), numbers[content] != nil else { continue }
      if let tag = incomingTags[index], numbers[content]?[tag] != nil { continue }
      // the backup may state a wrong MD5 for the photo, or have corrupt bytes of it
      if let fault = try backup.fault(ofPhotoAt: index, counter) {
        corrupt[index] = fault
        incomingTags[index] = nil
        guard let checksum = try backup.crc32(ofCorruptPhotoAt: index, counter) else { continue }
        // a new number if no photo of the library has the intact bytes
        let photo = try byContent[content]?.first { photo in
          try tags.byID[photo.id] != nil && known.crc32(of: photo, counter) == checksum
        }
        let number = photo.flatMap { tags.byID[$0.id] }.flatMap { numbers[content]?[$0] }
        incoming[index] = number ?? numbers[content]?.count
      } else if let tag = incomingTags[index] {
        numbers[content, default: TagNumbers()].number(of: tag)
      }
    }
    guard numbers.values.contains(where: { $0.count > 1 }) || !incoming.isEmpty else { return }
    tagNumbers = moved.isEmpty ? [:] : numbers
    for photo in contents.photos {
      guard let tag = tags.byID[photo.id], let md5 = photo.md5 else { continue }
      let number = numbers[FileContent(md5: md5, size: photo.fileSize)]?[tag] ?? 0
      if number > 0 { existing[photo.id] = number }
    }
    for index in indices {
      guard let tag = incomingTags[index], let content = backup.content(at: index) else { continue }
      let number = numbers[content]?[tag] ?? 0
      if number > 0 { incoming[index] = number }
    }
  }
}

extension OpenedBackup {
  /// The MD5 and size of a photo that the backup has intact, as far as it states; nil for other photos.
  fileprivate func content(at index: Int) -> FileContent? {
    let photo = photos[index]
    guard photo.md5NotInBackup == nil, let md5 = photo.location.md5, let size = photo.location.size else {
      return nil
    }
    return FileContent(md5: md5, size: size)
  }

  /// Returns why a photo is corrupt in the backup; nil if it has the MD5 and size that the backup states.
  fileprivate func fault(ofPhotoAt index: Int, _ counter: ProgressCounter) throws -> String? {
    var reader = try ChainReader(self)
    var hash = RunningMD5()
    var size = 0
    let fault = try reader.read(photos[index].location, of: self) { bytes in
      try counter.checkCancellation()
      hash.update(bytes)
      size += bytes.count
    }
    if let fault { return fault }
    guard let content = content(at: index), FileContent(md5: hash.digest, size: size) != content else {
      return nil
    }
    return "its MD5 is \(hash.digest) and should be \(content.md5)"
  }
}
