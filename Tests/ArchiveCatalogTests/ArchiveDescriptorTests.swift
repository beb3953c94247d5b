import Testing

@testable import ArchiveCatalog

/// Archives as their own metadata describes them.
@Suite struct ArchiveDescriptorTests {
  @Test("Archive descriptor: libraries, selections, parts, partial recoveries and documents are told apart")
  func extent() {
    var archive = ArchiveDescriptor(path: "/a.zip", fileBytes: 1, modifiedAt: 1)
    #expect(archive.extent == .library)
    archive.isPartial = true
    #expect(archive.extent == .partiallyRecovered, "repaired by an older version")
    archive.selection = "cars"
    #expect(archive.extent == .selection)
    let part = ArchiveDescriptor.Part(setID: "set", number: 1, count: 2)
    archive.part = part
    #expect(archive.extent == .part(part))
    archive.hasLostPhotos = true
    #expect(archive.extent == .partiallyRecovered)
    archive.isDocument = true
    #expect(archive.extent == .document)
  }
}
