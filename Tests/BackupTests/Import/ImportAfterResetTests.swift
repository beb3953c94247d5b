import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// After a reset, importing the same phones fills the library as it filled the new one.
struct ImportAfterResetTests {
  /// What is equal after the same imports: everything except IDs.
  private struct Content: Equatable {
    var categories: [String]
    var photos: [String]
    var settings: Settings
    var movements: Int

    init(_ library: SampleLibrary) throws {
      let contents = try library.contents
      let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
      categories = contents.categories.map {
        "\($0.name) \($0.displayName) \($0.colorHex ?? "-") \($0.iconResource ?? "-") \($0.createdAt) \($0.valuesAsOf) "
          + "\($0.arrangedAt.map(String.init) ?? "-")"
      }
      photos = contents.photos.map { photo in
        "\(names[photo.categoryId] ?? "?")/\(photo.name) \(photo.fileName) \(photo.createdAt) \(photo.fileSize) "
          + "\(photo.md5?.description ?? photo.path) \(photo.width)×\(photo.height) "
          + "\(photo.isFavorite.map(String.init) ?? "-")"
      }.sorted()
      settings = contents.settings
      // the date of the import
      settings.changedAt = settings.createdAt
      movements = contents.movements.count
    }
  }

  private func importPhones(into library: SampleLibrary, from scratch: ScratchFolder) async throws {
    let android = try scratch.write(AndroidApp(.september22).backup(of: .android), to: "android.zip")
    let iOS = try scratch.write(IOSApp(.october14).backup(of: .iOS), to: "ios.zip")
    try await library.importing(android)
    try await library.importing(iOS)
  }

  private func organize(_ request: OrganizeRequest, _ library: SampleLibrary) async throws {
    _ = try await Work.organize(request, in: library.path, options: .given).summary
  }

  private func reset(_ library: SampleLibrary, _ scope: ResetScope) throws {
    var options = ResetOptions()
    options.authorization = .given
    _ = try ResetRun(library.path, options, ProgressCounter()).run(scope)
  }

  private func changeEverything(_ library: SampleLibrary) async throws {
    try await organize(.move(LibrarySelection(categories: ["Cars"]), to: "Family"), library)
    try await organize(.merge(["Fun Trips"], into: "Cars"), library)
    var values = PhotoLibrary.CategoryValues()
    values.displayName = "Autos"
    try await organize(.set("Cars", values), library)
    let photo = try #require(try library.contents.photos.first { $0.name == "IMG_0001" })
    _ = try await Work.remove(LibrarySelection(ids: [photo.id]), from: library.path, options: .given).summary
  }

  @Test("Reset: the same imports bring everything back", arguments: [ResetScope.contents, .everything])
  func sameImports(scope: ResetScope) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    try await importPhones(into: library, from: scratch)
    let fresh = try Content(library)
    try await changeEverything(library)
    #expect(try Content(library) != fresh)
    // they heed what was moved and removed
    try await importPhones(into: library, from: scratch)
    #expect(try Content(library) != fresh)
    try reset(library, scope)
    #expect(try Content(library).photos == [])
    try await importPhones(into: library, from: scratch)
    #expect(try Content(library) == fresh)
    expectNone(try library.faults())
  }
}
