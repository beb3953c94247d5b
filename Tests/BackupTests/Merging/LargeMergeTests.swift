import Checksums
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// A plan for 100,000 photos takes seconds. With a copy of the collected data for each photo it would take
/// hours.
@Suite struct LargeMergeTests {
  private static let count: Int64 = 100_000

  @Test("Merge: a plan for 100,000 new photos takes less than a minute of processor time")
  func manyPhotos() throws {
    var metadata = SampleBackup().metadata
    // The library has these IDs, so that the plan assigns new ones.
    metadata.photos = (1...Self.count).map { id in
      Metadata.PhotoRecord(
        id: id, path: "photos/\(id).jpg", categoryId: 1, name: "\(id)", createdAt: 0, fileSize: 8)
    }
    let sources = metadata.photos.map { record in
      OpenedBackup.Photo(
        record: record, originalPath: record.path,
        location: .file(FilePath(record.path), size: 8, md5: Self.digest(record.id)))
    }
    metadata.photos = []
    let backup = try OpenedBackup.sample(metadata, photos: sources)
    let photos = (1...Self.count).map { id in
      Photo(
        id: id, categoryId: 1, name: "\(id)", path: "photos/\(id).jpg", originalPath: "\(id).jpg",
        createdAt: 0,
        fileSize: 8, md5: Self.digest(id + Self.count))
    }
    let library = LibraryContents(
      categories: [.sample(1, "family")], photos: photos, settings: Settings(createdAt: 0))
    let start = ProcessorTime.ofThread
    let plan = library.plan(backup, .merge, .skip)
    #expect(ProcessorTime.ofThread - start < .seconds(60))
    #expect(plan.photosImported == Int(Self.count))
    #expect(Set(plan.edit.newPhotos.map(\.id)).count == Int(Self.count))
  }

  private static func digest(_ number: Int64) -> MD5Digest {
    MD5Digest(of: withUnsafeBytes(of: number) { Array($0) })
  }
}
