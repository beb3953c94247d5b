import FileSystem
import Foundation
import Operations
import SystemPackage

/// The parts of a library that a reset resets.
package struct ResetScope: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Photos and categories, and everything that the library remembers about removals, movements, exports and imports.
  package static let contents = ResetScope(rawValue: 1)
  /// The settings.
  package static let settings = ResetScope(rawValue: 2)
  /// The PIN of the library.
  package static let pin = ResetScope(rawValue: 4)
  /// All parts.
  package static let everything: ResetScope = [.contents, .settings, .pin]
}

/// What a reset changes: a pure function of the library and the scope.
struct ResetPlan {
  /// All photos and categories, and what a person moved or removed; nil if they stay.
  let contents: LibraryContents?
  /// The new settings; nil if they stay.
  let settings: SettingsPlan?
  /// True if there is a PIN to remove.
  let removesPIN: Bool

  init(_ library: Library, _ scope: ResetScope, now: Timestamp) throws {
    let all = scope.contains(.contents) ? try library.contents() : nil
    contents = all.flatMap { $0.photos.isEmpty && $0.categories.isEmpty && $0.movements.isEmpty ? nil : $0 }
    let cleared =
      scope.contains(.settings) ? SettingsPlan(try library.storedSettings(), .clear, now: now) : nil
    settings = cleared?.settings == nil ? nil : cleared
    removesPIN = try scope.contains(.pin) && library.hasPIN()
  }

  /// True if there is nothing to reset.
  var isEmpty: Bool { contents == nil && settings == nil && !removesPIN }

  /// The photos to remove.
  var photos: [Photo] { contents?.photos ?? [] }

  /// Bytes of the photos' files.
  var bytes: Int { photos.saturatedSum { $0.isFromAssets ? 0 : $0.fileSize } }

  /// The protections that the reset turns off.
  var lowered: [Protection] { (settings?.lowered ?? []) + (removesPIN ? [.pin] : []) }

  /// The kind of the change.
  var kind: Change.Kind { contents == nil ? .settings : .reset }

  /// Returns the operation for the question of a confirmation.
  func operation(in library: FilePath, isForGood: Bool) -> DestructiveOperation {
    let removal = contents.map { Removal(photos: $0.photos.count, categories: $0.categories.count) }
    let clauses = [
      removal.map { $0.isEmpty ? "forget what was moved and removed" : $0.clause },
      settings.map(Self.clause), removesPIN ? "remove the PIN" : nil,
      isForGood ? "keep nothing for an undo" : nil,
    ]
    return DestructiveOperation(
      "reset \(library): \(clauses.compactMap(\.self).joined(separator: ", "))",
      removes: removal ?? Removal(), lowers: lowered, resetsSettings: settings != nil,
      discards: isForGood ? .keptForUndo : nil,
      photosToConfirm: removal?.photos)
  }

  private static func clause(_ settings: SettingsPlan) -> String {
    settings.changes.isEmpty ? "forget what backups stated about settings" : settings.operation.description
  }

  /// Returns the change of the rows.
  ///
  /// - Parameter libraryID: the new library ID.
  func edit(libraryID: UUID, isForGood: Bool) -> LibraryEdit {
    var edit = LibraryEdit()
    if let contents {
      edit.removedPhotos = contents.photos.map(\.id)
      edit.removedCategories = contents.categories.map(\.id)
      edit.movements = []
      edit.libraryID = libraryID.uuidString
    }
    edit.settings = settings?.settings
    edit.removesPIN = removesPIN
    edit.discardsUndo = isForGood
    return edit
  }
}
