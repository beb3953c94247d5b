import Checksums
import FileSystem
import Operations

/// Restores photos of a library whose files are missing, from equal files that `add` would skip otherwise. Reports photos
/// whose files are corrupt, and leaves these files alone, since another program may have changed them.
struct PhotoRestoration {
  /// A photo whose file is missing, and the file that has its bytes.
  struct Item {
    let photo: Photo
    /// The label of the photo in messages.
    let label: Finding.Subject
    let source: PhotoSearch.Found
    let content: FileContent

    /// What is wrong with the photo's file, for a message.
    static let fault = "its file was missing from the library"
  }

  /// What the file of a photo needs.
  enum Outcome {
    case intact
    /// It is missing and will be restored.
    case restored
    case unusable(Finding)
  }

  private(set) var items: [Item] = []
  /// The number of files that restore photos.
  private(set) var usedFiles = 0
  private let library: Library
  private let contents: LibraryContents
  /// The IDs of the photos whose files were read.
  private var checked: Set<Int64> = []

  init(of library: Library, _ contents: LibraryContents) {
    (self.library, self.contents) = (library, contents)
  }

  /// Bytes of the photos.
  var bytes: Int { items.saturatedSum(\.content.size) }

  /// Looks at the files of photos, and adds the photos whose files are missing. Reads the file of each photo once. Blocks.
  ///
  /// - Parameters:
  ///   - source: a file that is equal to all of the photos.
  ///   - content: the content of `source`.
  /// - Returns: the worst state of the files.
  mutating func add(
    _ photos: [Photo], from source: PhotoSearch.Found, _ content: FileContent, _ counter: ProgressCounter
  ) throws -> Outcome {
    var outcome = Outcome.intact
    for photo in photos where checked.insert(photo.id).inserted {
      let label = contents.label(of: photo)
      if case .failure(let error) = library.status(of: photo), error.isMissing {
        items.append(Item(photo: photo, label: label, source: source, content: content))
        if case .intact = outcome { outcome = .restored }
        continue
      }
      let isIntact = try library.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
      guard !isIntact else { continue }
      outcome = .unusable(
        Finding(
          label, "its file in the library is corrupt or was changed, or cannot be read",
          remedy: .repairLibrary))
    }
    if case .restored = outcome { usedFiles += 1 }
    return outcome
  }

  /// Copies the files into the library. They are durable when the method returns. Blocks.
  ///
  /// - Returns: why photos could not be restored, by ID.
  /// - Throws: `CancellationError`.
  func apply(_ writer: LibraryWriter, _ counter: ProgressCounter) throws -> [Int64: String] {
    do {
      return try copyAll(writer, counter)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return Dictionary(items.map { ($0.photo.id, "\(error)") }, uniquingKeysWith: { first, _ in first })
    }
  }

  private func copyAll(_ writer: LibraryWriter, _ counter: ProgressCounter) throws -> [Int64: String] {
    try writer.requireSpace(bytes, counter)
    return try writer.repair { repair in
      var failures: [Int64: String] = [:]
      var staged: [LibraryRepair.Item] = []
      for (index, item) in items.enumerated() {
        let name = String(index)
        if let fault = try copy(item, to: repair.stage(name), counter) {
          try repair.unstage(name)
          failures[item.photo.id] = fault
        } else {
          staged.append(LibraryRepair.Item(photo: item.photo, name: name))
        }
        counter.advance(items: 1)
      }
      try counter.checkCancellation()
      counter.enter(.committing)
      let outcome = try repair.commit(staged)
      for item in staged {
        if let failure = outcome.failures[item.name] { failures[item.photo.id] = failure }
      }
      return failures
    }
  }

  /// - Returns: why the file can no longer be copied; nil if it was.
  private func copy(
    _ item: Item, to target: consuming File, _ counter: ProgressCounter
  ) throws -> String? {
    do {
      let copied = try AddRun.copy(item.source, to: target, counter)
      guard copied == item.content else { return item.source.changed.finding.message }
      try target.setModified(milliseconds: item.photo.createdAt)
      return nil
    } catch let error as File.Unreadable {
      return "\(error.error)"
    } catch is PhotoSearch.Found.Changed {
      return item.source.changed.finding.message
    }
  }
}
