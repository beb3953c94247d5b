import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage

/// What is there already of the files that an extraction would write: their lengths, and the MD5 of those that may be
/// the photos themselves. Reads only.
struct ExtractLook {
  /// What has a file's name.
  enum Found: Equatable, Sendable {
    case nothing
    /// The photo, byte for byte.
    case same
    /// A file of other bytes, this many.
    case other(size: Int)
    /// Something that is no file.
    case noFile(FileStatus.Kind)
  }

  /// For each of the plan's items.
  private(set) var found: [Found]

  /// - Parameter compares: whether it matters what the files hold, besides that they are there.
  init(
    _ plan: ExtractPlan, in target: ExtractTarget?, compares: Bool, _ readers: Readers,
    _ counter: ProgressCounter
  ) throws {
    found = Array(repeating: .nothing, count: plan.items.count)
    guard let target else { return }
    let used = Set(plan.items.map(\.folder))
    let isThere = try plan.folders.indices.map {
      try used.contains($0) && target.hasFolder(FilePath(plan.folders[$0]))
    }
    var candidates: [Int] = []
    for (index, item) in plan.items.enumerated() {
      guard isThere[item.folder], let status = try target.root.status(of: plan.path(of: item)) else {
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

/// A file that is there, on its way past the checksum. One that cannot be read is not the photo.
private final class ExistingFile: HashableStream {
  private let item: ExtractPlan.Item
  private let path: FilePath
  private let target: ExtractTarget
  private let counter: ProgressCounter
  private let noteSame: () -> Void
  private var file: SharedFile.Open?
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
      if let file { file } else { SharedFile.Open(try target.root.open(path, .read)) }
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
