import Checksums
import Foundation
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Random archives with random damage: every intact photo is recovered, with its name if the metadata is intact.
///
/// What is intact is known from the layout of the archive before the damage, and from the origin of each byte after it.
@Suite struct SalvagePropertyTests {
  /// The number of cases: 500, or the value of `SMILEPILE_SALVAGE_CASES`.
  private static let count =
    ProcessInfo.processInfo.environment["SMILEPILE_SALVAGE_CASES"].flatMap { Int($0) } ?? 500

  @Test("Salvage: every intact photo of a randomly damaged archive is recovered")
  func randomDamage() throws {
    let scratch = try ScratchFolder()
    var tally: [String: (cases: Int, failures: Int)] = [:]
    for seed in 0..<Self.count {
      let damaged = DamagedArchive(seed: UInt64(seed))
      let problems = try damaged.problems(in: scratch)
      for problem in problems { Issue.record("case \(seed), \(damaged.label): \(problem)") }
      for damage in damaged.damages {
        tally["\(damage)", default: (0, 0)].cases += 1
        if !problems.isEmpty { tally["\(damage)", default: (0, 0)].failures += 1 }
      }
    }
    guard ProcessInfo.processInfo.environment["SMILEPILE_SALVAGE_CASES"] != nil else { return }
    for (damage, counts) in tally.sorted(by: { $0.key < $1.key }) {
      print("\(damage): \(counts.cases) cases, \(counts.failures) failures")
    }
  }
}

/// An archive with damage, and what the damage has left intact.
private struct DamagedArchive {
  /// How the archive was written.
  enum Kind: CaseIterable { case stored, deflated, androidStreamed, iosStreamed }
  /// A kind of damage.
  enum Damage: CaseIterable { case insert, delete, swap, zero, flip }
  /// Where the damage is.
  enum Place: CaseIterable { case header, data, metadata, boundary, directory, anywhere }

  /// An entry, and the range of the file that it needs.
  private struct Part {
    var name: String
    var content: [UInt8]
    var range: Range<Int>
    var data: Range<Int>
  }

  let kind: Kind
  private(set) var damages: [Damage] = []
  private(set) var label = ""

  private var parts: [Part] = []
  private var names: [Int64: [UInt8]] = [:]
  /// The bytes of the entries within photos, which may be recovered too.
  private let nested = Array("a photo within a photo".utf8)
  private var bytes: [UInt8]
  /// The offset of each byte before the damage; -1 for a byte that the damage has changed or inserted.
  private var origins: [Int]
  private var numbers: SeededNumbers

  init(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let kind = Kind.allCases[Int.random(in: 0..<4, using: &numbers)]
    let (hasChecksums, hasDirectory) = (Bool.random(using: &numbers), Bool.random(using: &numbers))
    var backup = SampleBackup()
    for id in 1...Int64.random(in: 2...9, using: &numbers) {
      let length = Int.random(in: 30...6000, using: &numbers)
      var photo = (0..<length).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      if Int.random(in: 0..<5, using: &numbers) == 0 {
        photo += ZipBuilder([.stored("photos/99_nested.jpg", String(decoding: nested, as: UTF8.self))]).bytes
      }
      backup.add(id: id, name: "p\(id)", bytes: photo)
    }
    if !hasChecksums {
      for index in backup.metadata.photoManifest.indices {
        backup.metadata.photoManifest[index].checksum = nil
      }
    }
    let root = kind == .iosStreamed ? "SmilePile/" : ""
    var contents: [(name: String, content: [UInt8])] = backup.metadata.photoManifest.map { item in
      (root + item.zipEntryName, backup.photos[item.photoId] ?? [])
    }
    let metadata = (root + "metadata.json", backup.metadata.json())
    switch kind {
    case .stored:
      let lines = (contents + [metadata]).map { "\(MD5Digest(of: $0.1))  \($0.0)\n" }.joined()
      contents += [metadata, ("checksums.md5", Array(lines.utf8))]
    case .deflated: contents.append(metadata)
    case .androidStreamed, .iosStreamed: contents.insert(metadata, at: 0)
    }
    let members = contents.map { name, content in
      switch kind {
      case .stored: ZipMember(Array(name.utf8), content: content, data: content, method: 0)
      case .deflated: ZipMember.compressed(name, content)
      case .androidStreamed, .iosStreamed: ZipMember.compressed(name, content).streamed
      }
    }
    var offset = 0
    for (member, (name, content)) in zip(members, contents) {
      let data =
        offset + 30 + member.local.name.count..<offset + 30 + member.local.name.count + member.data.count
      let end = data.upperBound + member.afterData.count
      parts.append(Part(name: name, content: content, range: offset..<end, data: data))
      offset = end
    }
    self.kind = kind
    names = backup.photos
    bytes = ZipBuilder(members).bytes
    if !hasDirectory { bytes = Array(bytes[..<offset]) }
    origins = Array(bytes.indices)
    self.numbers = numbers
    label = "\(kind), checksums \(hasChecksums), directory \(hasDirectory)"
    for _ in 0..<(Int.random(in: 0..<4, using: &self.numbers) == 0 ? 2 : 1) { damage(directory: offset) }
  }

  private mutating func damage(directory: Int) {
    let damage = Damage.allCases[Int.random(in: 0..<5, using: &numbers)]
    let place = Place.allCases[Int.random(in: 0..<6, using: &numbers)]
    let part = parts[Int.random(in: 0..<parts.count, using: &numbers)]
    let range: Range<Int> =
      switch place {
      case .header: part.range.lowerBound..<part.data.lowerBound
      case .data: part.data
      case .metadata: parts.first { $0.name.hasSuffix("metadata.json") }?.data ?? part.data
      case .boundary: max(0, part.range.upperBound - 2)..<part.range.upperBound + 2
      case .directory: directory..<max(directory + 1, bytes.count)
      case .anywhere: 0..<bytes.count
      }
    let start = min(Int.random(in: range, using: &numbers), bytes.count - 1)
    let greatest = [1, 16, 300, 5000, 60_000][Int.random(in: 0..<5, using: &numbers)]
    let length = Int.random(in: 1...greatest, using: &numbers)
    let end = min(start + length, bytes.count)
    switch damage {
    case .insert:
      let foreign = (0..<length).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      bytes.insert(contentsOf: foreign, at: start)
      origins.insert(contentsOf: repeatElement(-1, count: length), at: start)
    case .delete:
      bytes.removeSubrange(start..<end)
      origins.removeSubrange(start..<end)
    case .swap:
      let middle = start + (end - start) / 2
      bytes = bytes[..<start] + bytes[middle..<end] + bytes[start..<middle] + bytes[end...]
      origins = origins[..<start] + origins[middle..<end] + origins[start..<middle] + origins[end...]
    case .zero:
      for index in start..<end where bytes[index] != 0 { (bytes[index], origins[index]) = (0, -1) }
    case .flip:
      bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
      origins[start] = -1
    }
    damages.append(damage)
    label += "; \(damage) of \(end - start) at \(start) (\(place))"
  }

  /// Returns true if a range of the archive is still in the file, wherever it is.
  private func isIntact(_ range: Range<Int>) -> Bool {
    guard let start = origins.firstIndex(of: range.lowerBound) else { return false }
    return origins[start...].prefix(range.count).elementsEqual(range)
  }

  /// Salvages the archive, and returns what is missing or wrong.
  func problems(in scratch: ScratchFolder) throws -> [String] {
    let isPhoto = { (part: Part) in part.name.contains("photos/") }
    let intact = parts.filter { isIntact($0.range) }
    let photos = intact.filter(isPhoto)
    if bytes.isEmpty { return [] }
    let path = try scratch.write(bytes, to: "damaged.zip")
    defer { try? FileManager.default.removeItem(atPath: path.string) }
    let backup: OpenedBackup
    do {
      backup = try OpenedBackup.salvaging(path)
    } catch {
      return photos.map { "\($0.name) is not recovered: \(error)" }
    }
    var problems: [String] = []
    let found = try recovered(from: backup)
    let known = Set(parts.filter(isPhoto).map(\.content)).union([nested])
    for photo in found where !known.contains(photo.content) { problems.append("\(photo.id) has wrong bytes") }
    let contents = Set(found.map(\.content))
    for photo in photos where !contents.contains(photo.content) {
      problems.append("\(photo.name) is missing")
    }
    let hasMetadata = intact.contains { $0.name.hasSuffix("metadata.json") }
    if hasMetadata, !photos.isEmpty {
      if backup.metadata.categories.map(\.displayName) != ["Family"] {
        problems.append("the metadata is lost")
      }
      for photo in found where names[photo.id] != photo.content {
        problems.append("photo \(photo.id) has the bytes of another one")
      }
    }
    return problems
  }

  /// Returns the photos that an import would take.
  private func recovered(from backup: OpenedBackup) throws -> [(id: Int64, content: [UInt8])] {
    guard let archive = backup.archive else { return [] }
    var reader = try EntryReader(archive)
    return backup.photos.compactMap { photo in
      guard case .entry(let reference) = photo.location,
        let content = try? reader.bytes(of: reference.entry, limit: 1 << 20),
        reference.md5.map({ $0 == MD5Digest(of: content) }) ?? true
      else { return nil }
      return (photo.record.id, content)
    }
  }
}
