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
    /// The name under which `add` has staged the source.
    let stagedName: String

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

  /// Looks at the files of photos, and adds the photos whose files are missing. Reads the file of each photo once. Blocks.
  ///
  /// - Parameters:
  ///   - source: a file that is equal to all of the photos.
  ///   - content: the content of `source`.
  ///   - name: the name under which `source` was staged.
  /// - Returns: the worst state of the files.
  mutating func add(
    _ photos: [Photo], from source: PhotoSearch.Found, _ content: FileContent, stagedAs name: String,
    _ counter: ProgressCounter
  ) throws -> Outcome {
    var outcome = Outcome.intact
    for photo in photos where checked.insert(photo.id).inserted {
      let label = contents.label(of: photo)
      if case .failure(let error) = library.status(of: photo), error.isMissing {
        items.append(
          Item(photo: photo, label: label, source: source, content: content, stagedName: name))
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

  /// Stages a file for each photo: the one that `add` has staged, or another copy if a source restores several photos.
  /// Blocks.
  ///
  /// - Parameters:
  ///   - first: the number of the first copy.
  ///   - failures: gets the reasons why photos cannot be restored, by ID.
  /// - Throws: `CancellationError`, or an error that concerns all files, such as a full disk.
  func stage(
    in change: Change, numberedFrom first: Int, _ counter: ProgressCounter,
    _ failures: inout [Int64: any Error]
  ) throws -> [FileRepair] {
    var repairs: [FileRepair] = []
    var used: Set<String> = []
    for (index, item) in items.enumerated() {
      var name = item.stagedName
      do {
        if !used.insert(name).inserted {
          name = String(first + index)
          guard try AddRun.copy(item.source, to: change.staging.stage(name), counter) == item.content else {
            throw PhotoSearch.Found.Changed()
          }
        }
        try change.staging.setModified(name, item.photo.createdAt)
        repairs.append(FileRepair(photo: item.photo, name: name))
      } catch let error as File.Unreadable {
        failures[item.photo.id] = error.error
      } catch is PhotoSearch.Found.Changed {
        failures[item.photo.id] = Unrestored(description: item.source.changed.finding.message)
      }
    }
    return repairs
  }

  /// The reason why a photo cannot be restored.
  private struct Unrestored: Error, CustomStringConvertible { let description: String }
}
