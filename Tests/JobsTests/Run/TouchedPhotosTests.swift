import Backup
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Backups of a library whose photos another program has overwritten or touched.
@Suite struct TouchedPhotosTests {
  private func file(_ night: Night) throws -> URL {
    let photo = try #require(try night.library.contents.photos.first)
    return URL(fileURLWithPath: night.library.path.appending(photo.path).string)
  }

  @Test(
    "Backup: an overwritten photo is reported every night and stays restorable",
    arguments: ["incremental: false", "incremental: true"], [[], [UInt8](repeating: 7, count: 9000)])
  func overwrittenPhoto(_ line: String, _ bytes: [UInt8]) async throws {
    var night = try await Night.afterBackup(line)
    try Data(bytes).write(to: file(night))
    for day in 2...4 {
      night.on(day: day)
      if day == 4 { try night.changeLibrary(id: 9) }
      let run = try await night.backup()
      #expect(run.outcome == .incomplete, "day \(day)")
      #expect(run.exitCode == 3, "day \(day)")
      #expect(run.missing.count == 1, "day \(day)")
    }
    // the first archive still has the old content
    let copy = try SampleLibrary()
    let first = FilePath(try night.archives("one")[0].path)
    let imported = try await Work.import([first], into: copy.path).summary
    #expect(imported.photosImported == 6)
    #expect(!imported.isIncomplete)
  }

  @Test("Backup: a new modification date of a photo causes one more archive")
  func touchedPhoto() async throws {
    var night = try await Night.afterBackup()
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_800_000_000)], ofItemAtPath: file(night).path)
    #expect(try await night.backup(day: 2).outcome == .done)
    #expect(try await night.backup(day: 3).outcome == .unchanged)
  }

  @Test("Backup: a repaired photo is backed up again", arguments: [true, false], [true, false])
  func repairedPhoto(keepsDate: Bool, isIncremental: Bool) async throws {
    var night = try Night("incremental: \(isIncremental)")
    let file = try file(night)
    let (good, attributes) = (
      try Data(contentsOf: file), try FileManager.default.attributesOfItem(atPath: file.path)
    )
    let date = try #require(attributes[.modificationDate])
    func write(_ bytes: Data) throws {
      try bytes.write(to: file)
      if keepsDate {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
      }
    }
    try write(Data(repeating: 0, count: good.count))
    #expect(try await night.backup().missing.count == 1)
    let again = try await night.backup(day: 2)
    #expect(again.outcome == .incomplete)
    #expect(again.destinations.allSatisfy { !$0.isNew })
    try write(good)
    let repaired = try await night.backup(day: 3)
    #expect(repaired.outcome == .done)
    #expect(repaired.missing == [])
    #expect(try await night.backup(day: 4).outcome == .unchanged)
    #expect(try await night.drill().hasPassed)
  }
}
