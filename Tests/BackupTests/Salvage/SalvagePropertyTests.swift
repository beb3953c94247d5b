import Checksums
import Foundation
import Operations
import PhotoLibrary
import Secrets
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
  func randomDamage() async throws {
    let scratch = ScratchFolder()
    let exports = try await ExportedArchives(libraries: max(2, Self.count / 500))
    var tally: [String: (cases: Int, failures: Int)] = [:]
    for seed in 0..<Self.count {
      var numbers = SeededNumbers(seed: UInt64(seed))
      let layout =
        Bool.random(using: &numbers)
        ? exports.layouts[Int.random(in: exports.layouts.indices, using: &numbers)] : ArchiveLayout(&numbers)
      let damaged = DamagedArchive(layout, numbers)
      let problems = try damaged.problems(in: scratch)
      for problem in problems { Issue.record("case \(seed), \(damaged.label): \(problem)") }
      for key in damaged.damages.map({ "\($0)" }) + ["\(layout.kind)"] {
        tally[key, default: (0, 0)].cases += 1
        if !problems.isEmpty { tally[key, default: (0, 0)].failures += 1 }
      }
    }
    guard ProcessInfo.processInfo.environment["SMILEPILE_SALVAGE_CASES"] != nil else { return }
    for (key, counts) in tally.sorted(by: { $0.key < $1.key }) {
      print("\(key): \(counts.cases) cases, \(counts.failures) failures")
    }
  }
}

/// An intact archive, and the bytes of the file that each of its entries needs.
private struct ArchiveLayout {
  /// How the archive was written: with `ZipBuilder`, or by an export.
  enum Kind: CaseIterable {
    case stored, deflated, aligned, androidStreamed, iosStreamed
    case exported, incremental, encrypted, split
  }

  /// An entry, and the range of the file that it needs.
  struct Part {
    var name: String
    var content: [UInt8]
    var range: Range<Int>
    var data: Range<Int>

    var isPhoto: Bool { name.contains("photos/") }
    var isMetadata: Bool { name.hasSuffix("metadata.json") }
  }

  let kind: Kind
  private(set) var label = ""
  private(set) var bytes: [UInt8]
  private(set) var parts: [Part] = []
  /// The bytes of the photos, by ID.
  private(set) var photos: [Int64: [UInt8]] = [:]
  /// The bytes of entries within photos, which may be recovered too.
  let nested = Array("a photo within a photo".utf8)
  private(set) var password: Secret?

  /// The offset of the directory.
  var directory: Int { parts.map(\.range.upperBound).max() ?? 0 }

  /// Makes a random archive as one of the apps writes it, or as this program does.
  init(_ numbers: inout SeededNumbers) {
    kind = Kind.allCases[Int.random(in: 0..<5, using: &numbers)]
    let hasChecksums = Bool.random(using: &numbers)
    var backup = SampleBackup()
    for id in 1...Int64.random(in: 2...9, using: &numbers) {
      var photo = Self.randomBytes(30...6000, &numbers)
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
    case .androidStreamed, .iosStreamed: contents.insert(metadata, at: 0)
    case .deflated: contents.append(metadata)
    default:
      let lines = (contents + [metadata]).map { "\(MD5Digest(of: $0.1))  \($0.0)\n" }.joined()
      contents += [metadata, ("checksums.md5", Array(lines.utf8))]
    }
    var offset = 0
    var members: [ZipMember] = []
    for (name, content) in contents {
      var member =
        [.stored, .aligned].contains(kind)
        ? ZipMember(Array(name.utf8), content: content, data: content, method: 0)
        : ZipMember.compressed(name, content)
      if [.androidStreamed, .iosStreamed].contains(kind) { member = member.streamed }
      // an unknown extra field of zeros, so that the data begins at a multiple of 64
      let padding = kind == .aligned ? 64 - (offset + 34 + name.utf8.count) % 64 : nil
      if let padding { member.local.extra = .extraField(0xD935, Array(repeating: 0, count: padding)) }
      let start = offset + 30 + name.utf8.count + (padding.map { $0 + 4 } ?? 0)
      let data = start..<start + member.data.count
      let end = data.upperBound + member.afterData.count
      parts.append(Part(name: name, content: content, range: offset..<end, data: data))
      members.append(member)
      offset = end
    }
    photos = backup.photos
    bytes = ZipBuilder(members).bytes
    label = "\(kind), checksums \(hasChecksums)"
  }

  /// Reads the layout of an archive that an export wrote.
  init(_ kind: Kind, of path: FilePath, photos: [Int64: [UInt8]], password: Secret? = nil) throws {
    (self.kind, self.photos, self.password) = (kind, photos, password)
    bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    let archive = try Archive(path: path)
    var reader = try EntryReader(archive, password: password)
    let starts = archive.entries.map(\.headerOffset)
    for entry in archive.entries {
      let data = entry.dataOffset..<entry.dataOffset + entry.compressedSize
      // an export writes no descriptors, so that the next header directly follows
      let next = starts.filter { $0 > entry.headerOffset }.min() ?? data.upperBound
      let content = try reader.bytes(of: entry, limit: 1 << 20)
      parts.append(
        Part(name: entry.name, content: content, range: entry.headerOffset..<next, data: data))
    }
    label = "\(kind)"
  }

  static func randomBytes(_ length: ClosedRange<Int>, _ numbers: inout SeededNumbers) -> [UInt8] {
    (0..<Int.random(in: length, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
  }
}

/// Archives that exports wrote: full, incremental, encrypted and split ones.
private struct ExportedArchives {
  private(set) var layouts: [ArchiveLayout] = []

  init(libraries: Int) async throws {
    for seed in 0..<libraries { layouts += try await Self.layouts(UInt64(seed)) }
  }

  private static func layouts(_ seed: UInt64) async throws -> [ArchiveLayout] {
    var numbers = SeededNumbers(seed: seed)
    let scratch = ScratchFolder()
    let library = try SampleLibrary(categories: [.sample(1, "family")])
    var photos: [Int64: [UInt8]] = [:]
    func add(_ ids: ClosedRange<Int64>) throws {
      for id in ids {
        let content = ArchiveLayout.randomBytes(30...6000, &numbers)
        try library.change(adding: [.init(id: id, name: "p\(id)", fileName: "\(id).jpg", bytes: content)])
        photos[id] = content
      }
    }
    func layout(
      _ kind: ArchiveLayout.Kind, _ configure: (inout ExportOptions) -> Void
    ) async throws -> [ArchiveLayout] {
      let folder = try scratch.makeFolder("\(kind)")
      let summary = try await library.exporting(to: folder, configure: configure)
      let password = kind == .encrypted ? Secret("a good long password") : nil
      return try summary.archives.map { path in
        try ArchiveLayout(kind, of: path, photos: photos, password: password)
      }
    }
    try add(1...4)
    let base = try await layout(.incremental) { $0.isIncremental = true }
    try add(5...9)
    var limits = PhoneLimits()
    limits.entries = 6
    return try await base + layout(.incremental) { $0.isIncremental = true } + layout(.exported) { _ in }
      + layout(.encrypted) { $0.password = Secret("a good long password") }
      + layout(.split) { $0.phoneLimits = limits }
  }
}

/// An archive with damage, and what the damage has left intact.
private struct DamagedArchive {
  /// A kind of damage.
  enum Damage: CaseIterable { case insert, delete, swap, zero, flip }
  /// Where the damage is.
  enum Place: CaseIterable { case header, data, metadata, boundary, directory, end, anywhere }

  let layout: ArchiveLayout
  private(set) var damages: [Damage] = []
  private(set) var label = ""

  private var bytes: [UInt8]
  /// The offset of each byte before the damage; -1 for a byte that the damage has changed or inserted.
  private var origins: [Int]
  private var numbers: SeededNumbers

  init(_ layout: ArchiveLayout, _ numbers: SeededNumbers) {
    (self.layout, self.numbers) = (layout, numbers)
    let hasDirectory = Bool.random(using: &self.numbers)
    bytes = hasDirectory ? layout.bytes : Array(layout.bytes[..<layout.directory])
    origins = Array(bytes.indices)
    label = "\(layout.label), directory \(hasDirectory)"
    for _ in 0..<(Int.random(in: 0..<4, using: &self.numbers) == 0 ? 2 : 1) { damage() }
  }

  private mutating func damage() {
    let damage = Damage.allCases[Int.random(in: 0..<5, using: &numbers)]
    let place = Place.allCases[Int.random(in: 0..<7, using: &numbers)]
    let part = layout.parts[Int.random(in: 0..<layout.parts.count, using: &numbers)]
    let range: Range<Int> =
      switch place {
      case .header: part.range.lowerBound..<part.data.lowerBound
      case .data: part.data.isEmpty ? part.range : part.data
      case .metadata: layout.parts.first(where: \.isMetadata)?.data ?? part.data
      case .boundary: max(0, part.range.upperBound - 2)..<part.range.upperBound + 2
      case .directory: layout.directory..<max(layout.directory + 1, bytes.count)
      case .end: max(0, bytes.count - 22)..<bytes.count
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
      bytes.replaceSubrange(start..<end, with: Array(bytes[middle..<end]) + Array(bytes[start..<middle]))
      origins.replaceSubrange(
        start..<end, with: Array(origins[middle..<end]) + Array(origins[start..<middle]))
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
    let intact = layout.parts.filter { isIntact($0.range) }
    let photos = intact.filter(\.isPhoto)
    if bytes.isEmpty { return [] }
    let path = try scratch.write(bytes, to: "damaged.zip")
    defer { try? FileManager.default.removeItem(atPath: path.string) }
    let backup: OpenedBackup
    do {
      backup = try BackupOpener(
        counter: ProgressCounter(), password: layout.password, salvages: true
      ).open(path)
    } catch {
      return photos.map { "\($0.name) is not recovered: \(error)" }
    }
    var problems: [String] = []
    let found = try recovered(from: backup)
    let known = Set(layout.parts.filter(\.isPhoto).map(\.content)).union([layout.nested])
    for photo in found where !known.contains(photo.content) { problems.append("\(photo.id) has wrong bytes") }
    let contents = Set(found.map(\.content))
    for photo in photos where !contents.contains(photo.content) {
      problems.append("\(photo.name) is missing")
    }
    if intact.contains(where: \.isMetadata), !photos.isEmpty {
      let categories = backup.metadata.categories.map(\.displayName)
      if categories != ["Family"], categories != ["Family", "Rescued"] {
        problems.append("the metadata is lost")
      }
      let family = backup.metadata.categories.first?.id
      let named = Set(found.filter { $0.category == family }.map(\.content))
      for photo in photos where !named.contains(photo.content) {
        problems.append("\(photo.name) has lost its category")
      }
      for photo in found where photo.category != family && named.contains(photo.content) {
        problems.append("photo \(photo.id) was rescued twice")
      }
      for photo in found where photo.category == family && layout.photos[photo.id] != photo.content {
        problems.append("photo \(photo.id) has the bytes of another one")
      }
    }
    return problems
  }

  /// Returns the photos that an import would take.
  private func recovered(from backup: OpenedBackup) throws -> [(id: Int64, category: Int64, content: [UInt8])]
  {
    guard let archive = backup.archive else { return [] }
    var reader = try EntryReader(archive, password: layout.password)
    return backup.photos.compactMap { photo in
      guard case .entry(let reference) = photo.location,
        let content = try? reader.bytes(of: reference.entry, limit: 1 << 20),
        reference.md5.map({ $0 == MD5Digest(of: content) }) ?? true
      else { return nil }
      return (photo.record.id, photo.record.categoryId, content)
    }
  }
}
