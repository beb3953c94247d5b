import Checksums
import Foundation
import PhotoLibrary

/// Which photo goes into which of several archives, so that a phone restores each: a pure function of the plan and the
/// limits.
///
/// Equal copies come into one part. Whoever imports a part matches each of its photos with one of the library, so
/// of two copies in two parts the second would be taken for the first.
struct SplitPlan {
  /// The parts; one, and no part, if everything fits one archive.
  private(set) var parts: [ExportPlan]
  /// Photos that are over the limits by themselves, each with the number of its part.
  private(set) var oversized: [(photo: Photo, number: Int)] = []

  /// - Parameter set: the number that the parts will share.
  init(_ plan: ExportPlan, _ limits: PhoneLimits, set: UUID) {
    let empty = PartSize(of: plan)
    let groups = Self.groups(of: plan)
    var sizes: [PartSize] = []
    var places: [Int64: Int] = [:]
    var tooLarge: [(photo: Photo, place: Int)] = []
    // those before are full for good: photos are small beside a part
    var firstOpen = 0
    for group in groups {
      var alone = empty
      for member in group { alone.add(member.size) }
      var place = sizes.count
      if alone.fits(limits) {
        for index in firstOpen..<max(firstOpen, sizes.count) {
          var size = sizes[index]
          for member in group { size.add(member.size) }
          guard size.fits(limits) else { continue }
          place = index
          break
        }
      } else {
        tooLarge += group.filter { !$0.photo.isFromAssets }.map { ($0.photo, place) }
      }
      if place == sizes.count {
        sizes.append(empty)
        firstOpen = max(firstOpen, sizes.count - Self.openParts)
      }
      for member in group {
        sizes[place].add(member.size)
        places[member.photo.id] = place
      }
    }
    guard sizes.count > 1 else {
      parts = [plan]
      oversized = tooLarge.map { ($0.photo, 1) }
      return
    }
    parts = plan.divided(into: sizes.count) { places[$0] ?? 0 }
    for index in parts.indices {
      parts[index].part = Metadata.Part(set: set.uuidString, number: index + 1, count: sizes.count)
    }
    oversized = tooLarge.map { ($0.photo, $0.place + 1) }
  }

  /// Parts that are still looked at for room. More would fill them better and take longer.
  private static let openParts = 64

  /// The photos that must not be parted, in the order of their first ones.
  private static func groups(of plan: ExportPlan) -> [[(photo: Photo, size: PartSize.Member)]] {
    var items: [Int64: ExportPlan.Item] = [:]
    for item in plan.items { items[item.photo.id] = item }
    var places: [PhotoIdentity: Int] = [:]
    var groups: [[(photo: Photo, size: PartSize.Member)]] = []
    for (photo, record) in zip(plan.photos, plan.records) {
      let member = (photo, PartSize.Member(record, items[photo.id].map { ($0, plan.manifestEntry($0)) }))
      if let place = places[PhotoIdentity(photo)] {
        groups[place].append(member)
      } else {
        places[PhotoIdentity(photo)] = groups.count
        groups.append([member])
      }
    }
    return groups
  }
}

extension SplitPlan {
  /// Why a phone will refuse some of the parts.
  var refusals: [String] {
    oversized.map { photo, number in
      let part = parts.count == 1 ? "the archive" : "part \(number) of \(parts.count)"
      let label = parts[number - 1].label(photo)
      return "\(label) has \(photo.fileSize) bytes, too many for one archive: a phone refuses \(part)"
    }
  }
}

extension ExportPlan {
  /// Every category and the settings in each; the photos as `place` says.
  fileprivate func divided(into count: Int, place: (Int64) -> Int) -> [ExportPlan] {
    var rest = self
    (rest.photos, rest.items, rest.missing, rest.held, rest.isPartial) = ([], [], [], [], true)
    var parts = Array(repeating: rest, count: count)
    for photo in photos { parts[place(photo.id)].photos.append(photo) }
    for item in items { parts[place(item.photo.id)].items.append(item) }
    for photo in missing { parts[place(photo.photo.id)].missing.append(photo) }
    return parts
  }

  /// The longest manifest entry that an item can get.
  fileprivate func manifestEntry(_ item: Item) -> Metadata.ManifestEntry {
    let digest = RunningMD5().digest.description
    return Metadata.ManifestEntry(
      photoId: item.photo.id, originalPath: item.photo.originalPath, zipEntryName: item.entryName,
      fileName: item.fileName, fileSize: Int64(item.size), checksum: digest, expectedChecksum: digest)
  }
}

/// How large an archive becomes at most, known before it is written: the photos are stored, the texts are as long as
/// they are rendered, and deflating adds what zlib's `compressBound` says.
struct PartSize {
  /// The bytes that a photo brings.
  struct Member {
    var photo = 0
    var name = 0
    var metadata: Int
    var isEntry = false

    init(_ record: Metadata.PhotoRecord, _ item: (ExportPlan.Item, Metadata.ManifestEntry)?) {
      let manifest = item.map { [$0.1] } ?? []
      // the second of a list, since that has a comma
      metadata =
        Metadata().length(photos: [record, record], manifest: manifest + manifest)
        - Metadata().length(photos: [record], manifest: manifest)
      guard let (item, _) = item else { return }
      (photo, name, isEntry) = (item.size, item.entryName.utf8.count, true)
    }
  }

  private var entries = 2
  private var metadata: Int
  private var checksums: Int
  private var photos = 0
  /// Headers and directory.
  private var records: Int

  /// An archive without photos.
  init(of plan: ExportPlan) {
    var plan = plan
    let number = Metadata.maximumParts
    let uuid = UUID()
    plan.part = Metadata.Part(set: uuid.uuidString, number: number, count: number)
    let document = plan.document(
      uuid: uuid, exportDate: Metadata.dates.lowerBound, state: RunningMD5().digest.description)
    metadata = document.length(photos: [], manifest: [])
    let names = [ArchiveTexts.metadataName, ArchiveTexts.checksumsName].map(\.utf8.count)
    checksums = Self.checksumLine(names[0])
    records = names.reduce(Self.endOfDirectory) { $0 + Self.recordsOfEntry($1) }
  }

  mutating func add(_ member: Member) {
    metadata += member.metadata
    guard member.isEntry else { return }
    entries += 1
    photos += member.photo
    checksums += Self.checksumLine(member.name)
    records += Self.recordsOfEntry(member.name)
  }

  /// Bytes of all entries, unpacked.
  var uncompressedBytes: Int { photos + metadata + checksums }

  /// Bytes of the file.
  var archiveBytes: Int {
    photos + records + Self.deflated(metadata) + Self.deflated(checksums)
  }

  func fits(_ limits: PhoneLimits) -> Bool {
    entries <= limits.entries && uncompressedBytes <= limits.uncompressedBytes
      && archiveBytes <= limits.archiveBytes
  }

  /// MD5, two blanks, the name, a line feed.
  private static func checksumLine(_ name: Int) -> Int { 32 + 2 + name + 1 }

  /// The local header and the directory's record. APPNOTE 4.3.7, 4.3.12.
  private static func recordsOfEntry(_ name: Int) -> Int { 30 + name + 46 + name }

  /// APPNOTE 4.3.16.
  private static let endOfDirectory = 22

  /// zlib.h, `compressBound`.
  private static func deflated(_ count: Int) -> Int { count + count >> 12 + count >> 14 + count >> 25 + 13 }
}

extension Metadata {
  /// Bytes of the document with these photos and this manifest.
  fileprivate func length(photos: [PhotoRecord], manifest: [ManifestEntry]) -> Int {
    var count = 0
    write(photos: photos, manifest: manifest) { count += $0.count }
    return count
  }
}
