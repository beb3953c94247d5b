import Foundation
import PhotoLibrary

/// The distribution of photos over several archives that a phone can each restore: a pure function of the plan and the
/// limits.
///
/// Equal photos are in one part. If two equal photos were in two parts, the import of the second part would match its
/// photo with the one that the first part added, and skip it.
struct SplitPlan {
  /// The plan of each archive; the plan itself if everything fits one archive.
  let parts: [ExportPlan]
  /// Photos that exceed the limits by themselves, each with the number of its part.
  let oversized: [(photo: Photo, number: Int)]

  /// - Parameter set: the ID that the parts share.
  init(_ plan: ExportPlan, _ limits: PhoneLimits, set: UUID) {
    let empty = PartSize(of: plan)
    let groups = Self.groups(of: plan)
    var sizes: [PartSize] = []
    var partIndices: [Int64: Int] = [:]
    var tooLarge: [(photo: Photo, partIndex: Int)] = []
    // only the last parts are tried: photos are small compared to a part, so the parts before are almost full
    var firstOpen = 0
    for group in groups {
      var alone = empty
      for member in group { alone.add(member.size) }
      var partIndex = sizes.count
      if alone.fits(limits) {
        for index in firstOpen..<max(firstOpen, sizes.count) {
          var size = sizes[index]
          for member in group { size.add(member.size) }
          guard size.fits(limits) else { continue }
          partIndex = index
          break
        }
      } else {
        tooLarge += group.filter { !$0.photo.isFromAssets }.map { ($0.photo, partIndex) }
      }
      if partIndex == sizes.count {
        sizes.append(empty)
        firstOpen = max(firstOpen, sizes.count - Self.openParts)
      }
      for member in group {
        sizes[partIndex].add(member.size)
        partIndices[member.photo.id] = partIndex
      }
    }
    guard sizes.count > 1 else {
      parts = [plan]
      oversized = tooLarge.map { ($0.photo, 1) }
      return
    }
    parts = plan.divided(into: sizes.count, set: set) { partIndices[$0] ?? 0 }
    oversized = tooLarge.map { ($0.photo, $0.partIndex + 1) }
  }

  /// How many parts are tried for each photo. More would fill them better and take longer.
  private static let openParts = 64

  /// Returns the groups of equal photos, in the order of their first ones.
  private static func groups(of plan: ExportPlan) -> [[(photo: Photo, size: PartSize.Member)]] {
    var items: [Int64: ExportPlan.Item] = [:]
    for item in plan.items { items[item.photo.id] = item }
    var indices: [PhotoInCategory: Int] = [:]
    var groups: [[(photo: Photo, size: PartSize.Member)]] = []
    for photo in plan.photos {
      let member = (photo, PartSize.Member(photo, items[photo.id], hasGallery: plan.gallery != nil))
      if let index = indices[photo.inCategory] {
        groups[index].append(member)
      } else {
        indices[photo.inCategory] = groups.count
        groups.append([member])
      }
    }
    return groups
  }
}

extension SplitPlan {
  /// Returns why a phone refuses some of the parts.
  ///
  /// - Parameter found: why it refuses each archive, by its directory.
  func refusals(reading found: [[String]]) -> [String] {
    oversized.isEmpty ? found.first { !$0.isEmpty } ?? [] : refusals
  }

  /// Why a phone refuses some of the parts: photos that are too large for any archive.
  var refusals: [String] {
    oversized.map { photo, number in
      let part = parts.count == 1 ? "the archive" : "part \(number) of \(parts.count)"
      let label = parts[number - 1].label(photo)
      return "\(label) has \(photo.fileSize) bytes, too many for \(part)"
    }
  }
}
