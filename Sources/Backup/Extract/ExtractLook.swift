import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage

/// Finds out which files of an extraction exist: reads their lengths, and the MD5 of files that may be the photos
/// themselves. Writes nothing.
struct ExtractLook {
  /// The existing item under a file's name.
  enum Found: Equatable, Sendable {
    case nothing
    /// The photo, byte for byte.
    case same
    /// A file with other bytes, and its length.
    case other(size: Int)
    /// An item that is not a file.
    case noFile(FileStatus.Kind)
  }

  /// The result for each item of the plan.
  private(set) var found: [Found]

  /// - Parameter compares: true to compare the content of existing files; false to check only their existence.
  init(
    _ plan: ExtractPlan, in target: ExtractTarget?, compares: Bool, _ readers: Readers,
    _ counter: ProgressCounter
  ) throws {
    found = Array(repeating: .nothing, count: plan.items.count)
    guard let target else { return }
    let used = Set(plan.items.map(\.folder))
    let exists = try plan.folders.indices.map {
      try used.contains($0) && target.hasFolder(FilePath(plan.folders[$0]))
    }
    var candidates: [Int] = []
    for (index, item) in plan.items.enumerated() {
      guard exists[item.folder], let status = try target.root.status(of: plan.path(of: item)) else {
        continue
      }
      guard status.kind == .file else {
        found[index] = .noFile(status.kind)
        continue
      }
      found[index] = .other(size: status.size)
      if compares, status.size == item.size, item.md5 != nil { candidates.append(index) }
    }
    for index in try Self.same(candidates, plan, target, readers, counter) { found[index] = .same }
  }

  private static func same(
    _ candidates: [Int], _ plan: ExtractPlan, _ target: ExtractTarget, _ readers: Readers,
    _ counter: ProgressCounter
  ) throws -> [Int] {
    let same = Mutex<[Int]>([])
    try PhotoReading(counter, readers).collect(candidates.count) { position in
      let item = plan.items[candidates[position]]
      let path = plan.path(of: item)
      counter.advance(current: item.name)
      let file = PhotoBytes.file(path) { () throws(FileError) in try target.root.open(path, .read) }
      return PhotoReading.Photo(bytes: file) { outcome in
        // a file that cannot be read differs from the photo
        guard outcome.fault(unless: item.md5, size: item.size) == nil else { return }
        counter.advance(items: 1, bytes: item.size)
        same.withLock { $0.append(candidates[position]) }
      }
    }
    return same.withLock { $0 }
  }
}
