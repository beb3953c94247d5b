import Checksums
import PhotoLibrary

/// The categories in which an import looks for the photos of a backup, after what a person moved and removed in the library.
struct PhotoPlaces {
  private var places: [Int: MovementReplay.Place] = [:]
  private var restoresRemoved = false
  /// The `name`s of categories that a person removed or merged, and to which no photo goes.
  private var unused: Set<String> = []

  /// The categories that a backup states.
  static let inBackup = PhotoPlaces()

  private init() {}

  /// - Parameter restoresRemoved: true to put removed photos into the categories that they were in.
  init(of backup: OpenedBackup, _ replay: MovementReplay, restoresRemoved: Bool) {
    (places, self.restoresRemoved) = (replay.places, restoresRemoved)
    unused = Set(backup.metadata.categories.map(\.name).filter(replay.formerCategories.contains))
    guard !unused.isEmpty else { return }
    let names = Dictionary(backup.metadata.categories.map { ($0.id, $0.name) }) { first, _ in first }
    for (index, photo) in backup.photos.enumerated()
    where reasonToLeaveOut(index) == nil && photo.location.unavailable == nil {
      if let name = category(of: index) ?? names[photo.record.categoryId] { unused.remove(name) }
    }
  }

  /// Returns the `name` of the category of a photo; nil for the one that its backup states.
  func category(of index: Int) -> String? {
    switch places[index] {
    case .category(let name): name
    case .removed(let name): restoresRemoved ? name : nil
    case .joined, nil: nil
    }
  }

  /// Returns what happens to a photo that is not to be imported; nil for any other photo.
  func reasonToLeaveOut(_ index: Int) -> MergePlan.Outcome? {
    switch places[index] {
    case .removed: restoresRemoved ? nil : .removedBefore
    case .joined: .joined
    case .category, nil: nil
    }
  }

  /// Returns true if a photo was removed, and is added again.
  func isRestored(_ index: Int) -> Bool {
    if case .removed = places[index] { restoresRemoved } else { false }
  }

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
