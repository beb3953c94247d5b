import Checksums
import Foundation
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import TestSupport
import Zip

@testable import Backup

/// Changes an archive byte by byte and reads each result as `verify` and the import do. A change must be reported, or
/// leave every photo and every row as it was.
///
/// The sweep needs no library: it compares the rows and the photo bytes that the import would write.
struct DamageSweep: Sendable {
  /// How a byte is changed.
  enum Pattern: CaseIterable, Sendable {
    case lowestBit, allBits, zero

    func applied(to byte: UInt8) -> UInt8 {
      switch self {
      case .lowestBit: byte ^ 0x01
      case .allBits: byte ^ 0xFF
      case .zero: 0
      }
    }
  }

  /// The counts of a sweep.
  struct Tally: Sendable {
    /// Bytes that were changed, once for each pattern that changes them.
    var flips = 0
    /// Changes after which the archive was refused.
    var refused = 0
    /// Changes after which a photo was reported as corrupt or missing.
    var reported = 0
    /// For each field, the number of changes that made no difference.
    var harmless: [String: Int] = [:]
    /// Changes that made a difference and were not reported.
    var silent: [String] = []

    static func += (sum: inout Tally, other: Tally) {
      sum.flips += other.flips
      sum.refused += other.refused
      sum.reported += other.reported
      sum.harmless.merge(other.harmless, uniquingKeysWith: +)
      sum.silent += other.silent
    }
  }

  /// Everything that an import takes from a backup.
  struct Outcome: Equatable {
    var metadata: Metadata
    var photos: [Int64: MD5Digest]
    var originalPaths: [String]
    var isReported: Bool
  }

  let bytes: [UInt8]
  let expected: Outcome
  private let fields: [String]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    let scratch = ScratchFolder()
    let path = try scratch.write(bytes, to: "intact.zip")
    expected = try Self.outcome(path)
    fields = ArchiveMap(bytes, try Archive(path: path)).fields
  }

  /// Reads a backup as `verify` and the import do.
  static func outcome(_ path: FilePath) throws -> Outcome {
    let counter = ProgressCounter()
    let source = try OpenedBackup(path: path)
    let check = try ArchiveCheck(source: source, counter: counter).run()
    let complete = try source.completingChecksums(counter)
    var photos: [Int64: MD5Digest] = [:]
    var isReported = !check.damaged.isEmpty
    if let archive = source.archive {
      var reader = try EntryReader(archive)
      for photo in complete.photos {
        switch photo.location {
        case .asset, .file: continue
        case .unavailable(let unavailable): isReported = isReported || unavailable.isDamage
        case .entry(let reference):
          let (entry, md5) = (reference.entry, reference.md5)
          var hash = RunningMD5()
          do {
            try reader.read(entry) { hash.update($0) }
            // the import leaves such a photo out and reports it
            if hash.digest == md5 { photos[photo.record.id] = hash.digest } else { isReported = true }
          } catch ArchiveError.damaged {
            isReported = true
          }
        }
      }
    }
    return Outcome(
      metadata: source.metadata, photos: photos, originalPaths: source.photos.map(\.originalPath),
      isReported: isReported)
  }

  /// The offsets of all bytes of headers, directory and metadata, and of every `step`th byte of the photos. All photo
  /// bytes have the same checks, so a sample is enough.
  func offsets(photoStep step: Int) -> [Int] {
    bytes.indices.filter { fields[$0] != "photo" || $0 % max(1, step) == 0 }
  }

  /// Changes the byte at each offset in every pattern, one at a time in each thread.
  func run(_ offsets: [Int], patterns: [Pattern] = Pattern.allCases) throws -> Tally {
    let sum = Mutex(Tally())
    let (parts, sweep) = (max(1, Workers.defaultCount), self)
    try Workers.forEach(0..<parts, context: { ScratchFolder() }) { part, scratch in
      let path = try scratch.write(sweep.bytes, to: "damaged\(part).zip")
      let file = try FileDescriptor.open(path, .readWrite)
      var tally = Tally()
      try file.closeAfter {
        for index in stride(from: part, to: offsets.count, by: parts) {
          for pattern in patterns { try sweep.damage(offsets[index], pattern, path, file, &tally) }
        }
      }
      sum.withLock { $0 += tally }
    }
    return sum.withLock { $0 }
  }

  private func damage(
    _ offset: Int, _ pattern: Pattern, _ path: FilePath, _ file: FileDescriptor, _ tally: inout Tally
  ) throws {
    let byte = pattern.applied(to: bytes[offset])
    guard byte != bytes[offset] else { return }
    tally.flips += 1
    _ = try file.writeAll(toAbsoluteOffset: Int64(offset), [byte])
    do {
      let outcome = try Self.outcome(path)
      if outcome.isReported {
        tally.reported += 1
        // the other photos are intact
        let isRight = outcome.photos.allSatisfy { expected.photos[$0] == $1 }
        if !isRight || outcome.metadata != expected.metadata {
          tally.silent.append("byte \(offset), \(fields[offset]), \(pattern): others changed")
        }
      } else if outcome == expected {
        tally.harmless[fields[offset], default: 0] += 1
      } else {
        tally.silent.append("byte \(offset), \(fields[offset]), \(pattern)")
      }
    } catch is ArchiveError {
      tally.refused += 1
    } catch is BackupError {
      tally.refused += 1
    }
    _ = try file.writeAll(toAbsoluteOffset: Int64(offset), [bytes[offset]])
  }
}
