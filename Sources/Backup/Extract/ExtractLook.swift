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
    try ParallelHashing.read(0..<candidates.count, readers, context: {}) { place, _ in
      try counter.checkCancellation()
      let item = plan.items[candidates[place]]
      counter.advance(current: item.name)
      return ExistingFile(item, plan.path(of: item), in: target, counter) {
        same.withLock { $0.append(candidates[place]) }
      }
    }
    return same.withLock { $0 }
  }
}

/// Hashes an existing file. Treats a file that cannot be read as different from the photo.
private final class ExistingFile: HashableStream {
  private let item: ExtractPlan.Item
  private let path: FilePath
  private let target: ExtractTarget
  private let counter: ProgressCounter
  private let noteSame: () -> Void
  private var file: SharedFile?
  private var position = 0

  init(
    _ item: ExtractPlan.Item, _ path: FilePath, in target: ExtractTarget, _ counter: ProgressCounter,
    noteSame: @escaping () -> Void
  ) {
    self.item = item
    self.path = path
    self.target = target
    self.counter = counter
    self.noteSame = noteSame
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try counter.checkCancellation()
    let file =
      if let file { file } else { SharedFile(try target.root.open(path, .read)) }
    self.file = file
    let count = try file.file.read(into: buffer, at: position)
    position += count
    return count
  }

  func finish(_ digest: MD5Digest) {
    guard digest == item.md5, position == item.size else { return }
    counter.advance(items: 1, bytes: item.size)
    noteSame()
  }

  func fail(_ error: any Error) throws {
    guard error is FileError else { throw error }
  }
}
