import Operations
import PhotoLibrary
import SystemPackage

extension ExportPlan {
  /// Returns a report for each selected photo, by ID.
  ///
  /// - Parameters:
  ///   - library: the path of the library.
  ///   - corrupt: the photos that are corrupt in the library.
  func reports(
    of library: FilePath, _ format: ExportOptions.Format, corrupt: [Finding]
  ) -> [PhotoReport] {
    let lost = Dictionary(uniqueKeysWithValues: missingEverywhere.map { ($0.photo.id, $0.reason) })
    let storedInBase = Set(increment?.photosStoredInBase.map { photos[$0].id } ?? [])
    let corrupt = Set(corrupt.map(\.subject))
    return photos.map { photo in
      let label = label(photo)
      let (action, reason): (PhotoReport.Action, String?) =
        if photo.isFromAssets {
          (.exported, "it is an asset of the app, without a file")
        } else if let reason = lost[photo.id] {
          (.leftOut, reason)
        } else if storedInBase.contains(photo.id) {
          (.skipped, "the base contains its file")
        } else if corrupt.contains(label) {
          (.exported, "its file differs from its row in the library")
        } else if format == .json {
          (.exported, "a JSON backup has no photo files")
        } else {
          (.exported, nil)
        }
      return PhotoReport(
        action, label, name: photo.name, category: category(of: photo), from: library.string, reason: reason)
    }
  }
}
