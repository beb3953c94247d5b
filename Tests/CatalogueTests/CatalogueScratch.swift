import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Catalogue
@testable import Pictures

/// A library with thumbnails in its cache, and a folder for catalogues.
final class CatalogueScratch: Sendable {
  let sample: SampleLibrary
  let folder = ScratchFolder()

  /// - Parameter categories: the names of the photos by the displayed name of their category.
  init(_ categories: KeyValuePairs<String, [String]>) throws {
    var members: [SampleLibrary.Member] = []
    var kinds: [PhotoLibrary.Category] = []
    for (index, (name, photos)) in categories.enumerated() {
      kinds.append(
        Category(
          id: Int64(index + 1), name: "category\(index)", displayName: name, position: index, createdAt: 0,
          valuesAsOf: 0))
      for photo in photos {
        let number = members.count + 1
        members.append(
          SampleLibrary.Member(
            id: Int64(number), category: Int64(index + 1), name: photo, fileName: "IMG_\(number).jpg",
            createdAt: 1_700_000_000_000 - Int64(number) * 86_400_000, bytes: SampleImage.jpeg(number)))
      }
    }
    sample = try SampleLibrary(members, categories: kinds)
    let cache = try PictureCache(of: Library(path: sample.path))
    for content in try sample.contents.photos.compactMap(\.content) {
      cache.store(.picture(Picture(width: 16, height: 16, jpeg: SampleImage.jpeg)), for: content)
    }
    cache.flush()
  }

  /// Writes a catalogue.
  @discardableResult
  func write(
    _ name: String = "a.pdf", _ configure: (inout CatalogueOptions) -> Void = { _ in }
  ) throws -> CatalogueSummary {
    var options = CatalogueOptions()
    configure(&options)
    return try CatalogueRun(
      libraryPath: sample.path, path: folder.path(name), options: options, counter: ProgressCounter()
    ).run()
  }

  /// Runs a program in the folder, and returns what it prints. `scripts/test` installs these programs.
  @discardableResult
  func run(_ name: String, _ arguments: String...) throws -> String {
    let result = try Programs.run(name, arguments, in: folder.path, environment: ["LC_ALL": "C.UTF-8"])
    try #require(result.status == 0, "\(name) \(arguments): \(result.text)")
    return result.text
  }
}
