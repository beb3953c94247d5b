import Checksums
import PhotoLibrary

/// The categories in which an import looks for the photos of a backup, after what a person moved and removed in the library.
struct PhotoPlaces {
  /// The photos that are not in the category that their backup states, by index.
  private let moved: [Int: String]
  /// What happens to the photos that are left out, by index.
  let leftOut: [Int: MergePlan.Outcome]
  /// The photos that were removed, and are restored.
  private let restored: Set<Int>
  /// The `name`s of categories that a person removed or merged, and to which no photo goes.
  private let unused: Set<String>

  /// The categories that a backup states.
  static let inBackup = PhotoPlaces()

  private init() { (moved, leftOut, restored, unused) = ([:], [:], [], []) }

  /// - Parameter restoresRemoved: true to put removed photos into the categories that they were in.
  init(of backup: OpenedBackup, _ replay: MovementReplay, restoresRemoved: Bool) {
    var moved: [Int: String] = [:]
    var leftOut: [Int: MergePlan.Outcome] = [:]
    var restored: Set<Int> = []
    for (index, place) in replay.places {
      switch place {
      case .category(let name):
        moved[index] = name
      case .removed(let name) where restoresRemoved:
        moved[index] = name
        restored.insert(index)
      case .removed: leftOut[index] = .removedBefore
      case .joined: leftOut[index] = .joined
      }
    }
    let former = backup.metadata.categories.map(\.name).filter(replay.isFormer)
    var unused = Set(former)
    if !unused.isEmpty {
      let names = Dictionary(backup.metadata.categories.map { ($0.id, $0.name) }) { first, _ in first }
      for (index, photo) in backup.photos.enumerated()
      where leftOut[index] == nil && photo.location.unavailable == nil {
        if let name = moved[index] ?? names[photo.record.categoryId] { unused.remove(name) }
      }
    }
    (self.moved, self.leftOut, self.restored, self.unused) = (moved, leftOut, restored, unused)
  }

  /// Returns the `name` of the category of a photo; nil for the one that its backup states.
  func category(of index: Int) -> String? { moved.isEmpty ? nil : moved[index] }

  /// Returns true if a photo is not to be imported.
  func leavesOut(_ index: Int) -> Bool { !leftOut.isEmpty && leftOut[index] != nil }

  /// Returns true if a photo was removed, and is added again.
  func isRestored(_ index: Int) -> Bool { !restored.isEmpty && restored.contains(index) }

  /// Returns false if a person removed or merged a category, and no photo goes there.
  func uses(_ category: String) -> Bool { !unused.contains(category) }
}

extension MovementReplay {
  /// Replays the movements of a library on a backup.
  init(of library: LibraryContents, on backup: OpenedBackup) {
    guard !library.movements.isEmpty else {
      self.init([], of: [], library.categories)
      return
    }
    // the backup does not state the length of a photo that it lacks or has corrupt
    var contents: [MD5Digest: FileContent] = [:]
    for case .photo(.file(let content)) in library.movements.lazy.map(\.subject) {
      contents[content.md5] = content
    }
    let names = Dictionary(backup.metadata.categories.map { ($0.id, $0.name) }) { first, _ in first }
    let copies = backup.photos.indices.compactMap { index -> Copy? in
      let photo = backup.photos[index]
      guard let category = names[photo.record.categoryId] else { return nil }
      let identity: PhotoIdentity
      if photo.record.isFromAssets {
        identity = .asset(photo.record.path)
      } else if let known = photo.md5NotInBackup.flatMap({ contents[$0] }) ?? photo.location.content {
        identity = .file(known)
      } else {
        return nil
      }
      return Copy(
        position: index, identity: identity, category: category, hasFile: photo.location.unavailable == nil)
    }
    self.init(library.movements, of: copies, library.categories)
  }
}
