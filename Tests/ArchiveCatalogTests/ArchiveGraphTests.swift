import Foundation
import Testing

@testable import ArchiveCatalog

/// The archives that a restore requires, chosen among several candidates.
@Suite struct ArchiveGraphTests {
  /// Makes the descriptor of one of two parts.
  private func part(_ number: Int, _ path: String, hasLostPhotos: Bool = false) -> ArchiveDescriptor {
    var archive = ArchiveDescriptor(path: path, fileBytes: 1, modifiedAt: 1)
    archive.archiveID = path
    archive.part = .init(setID: "set", number: number, count: 2)
    archive.isPartial = true
    archive.hasLostPhotos = hasLostPhotos
    return archive
  }

  /// As for a base, a job accepts no partially recovered part as a copy.
  @Test(
    "Archive graph: a part takes precedence over its partial recovery, whatever their names and health",
    arguments: ["/a.zip", "/z.zip"], [ArchiveHealth.unverified, .suspect(since: 1, reason: "rot")])
  func partiallyRecoveredPart(_ path: String, _ health: ArchiveHealth) throws {
    let (first, second) = (part(1, "/part1.zip"), part(2, "/part2.zip"))
    let recovered = part(2, path, hasLostPhotos: true)
    let graph = ArchiveGraph([first, second, recovered], health: [second.path: health])
    #expect(try graph.members(of: first) == [first, second])
  }

  @Test("Archive graph: a suspect part does not take precedence over another copy of it")
  func suspectPart() throws {
    let (first, second, copy) = (part(1, "/part1.zip"), part(2, "/part2.zip"), part(2, "/a.zip"))
    let graph = ArchiveGraph([first, second, copy], health: [second.path: .suspect(since: 1, reason: "rot")])
    #expect(try graph.members(of: first) == [first, copy])
  }

  /// Otherwise every archive until that date would depend on it and store the same photos again.
  @Test("Archive graph: an archive without a sequence number that is dated in the future is not a base")
  func futureArchive() {
    let now = Date(timeIntervalSince1970: 100_000)
    var archive = ArchiveDescriptor(path: "/a.zip", fileBytes: 1, modifiedAt: 1)
    (archive.archiveID, archive.libraryID, archive.date) = ("a", "L", 900_000_000)
    let requirements = BaseRequirements(
      exportIDs: ["a"], maximumChainDepth: 7,
      date: now)
    let choice = ArchiveGraph([archive]).base(for: requirements)
    #expect(choice.members == nil)
    #expect(choice.rejected.map(\.reason) == [.datedInFuture])
    archive.sequence = archive.date.rawValue
    #expect(ArchiveGraph([archive]).base(for: requirements).members == [archive])
  }
}
