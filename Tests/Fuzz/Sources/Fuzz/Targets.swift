import Foundation
import Operations
import Secrets
import SystemPackage

@testable import Backup
@testable import FileSystem
@testable import Zip

/// What is fuzzed, chosen by the environment's `FUZZ_TARGET`. A precondition that fails is a finding, as a crash is.
enum Target: String {
  /// The scan of the directory and of the local headers.
  case directory
  /// The scan, and then every entry to its last byte.
  case entries
  /// `metadata.json`.
  case metadata
  /// A whole backup as `inspect` opens it.
  case inspection
  /// The search of a damaged archive, and then every entry that it found.
  case salvage
  /// A job file.
  case jobfile
  /// `library.sqlite`, and then what every command reads.
  case library
  /// `ledger.sqlite`, and then what every command reads.
  case ledger

  static let chosen: Target = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = Target(rawValue: name) else { preconditionFailure("FUZZ_TARGET names no target") }
    return target
  }()

  func run(_ bytes: UnsafeRawBufferPointer) {
    switch self {
    case .directory: fuzzDirectory(bytes)
    case .entries: fuzzEntries(bytes)
    case .metadata: fuzzMetadata(bytes)
    case .inspection:
      _ = try? OpenedBackup(path: InputFile.filled(with: bytes), limits: .ofAFuzzer)
    case .salvage: fuzzSalvage(bytes)
    case .jobfile: fuzzJobFile(bytes)
    case .library: DatabaseTargets.fuzzLibrary(bytes)
    case .ledger: DatabaseTargets.fuzzLedger(bytes)
    }
  }

  private func fuzzDirectory(_ bytes: UnsafeRawBufferPointer) {
    guard let archive = try? Archive(path: InputFile.filled(with: bytes), limits: .ofAFuzzer) else { return }
    var names = Set<String>()
    var compressed = 0
    for entry in archive.entries {
      precondition(EntryName.problem(of: entry.name) == nil && names.insert(entry.name).inserted)
      precondition(entry.headerOffset >= 0 && entry.dataOffset > entry.headerOffset)
      precondition(entry.compressedSize >= 0 && entry.dataOffset + entry.compressedSize <= bytes.count)
      precondition(entry.size >= 0)
      compressed += entry.compressedSize
    }
    precondition(compressed <= bytes.count)
    let places = archive.entries.map { $0.headerOffset..<$0.dataOffset + $0.compressedSize }
      .sorted { $0.lowerBound < $1.lowerBound }
    for (place, next) in zip(places, places.dropFirst()) {
      precondition(place.upperBound <= next.lowerBound)
    }
  }

  private func fuzzEntries(_ bytes: UnsafeRawBufferPointer) {
    guard let archive = try? Archive(path: InputFile.filled(with: bytes), limits: .ofAFuzzer) else { return }
    readEntries(of: archive)
  }

  /// The search stays within the bounds that `Salvage` promises.
  private func fuzzSalvage(_ bytes: UnsafeRawBufferPointer) {
    var work = 0
    let salvage = try? Salvage(path: InputFile.filled(with: bytes), limits: .ofAFuzzer) { work += $0 }
    guard let salvage else { return }
    // what was expanded and is right was that once, by up to 1033 times where it is deflated
    let found = salvage.archive.entries.reduce(0) { $0 + $1.size }
    precondition(work <= bytes.count * (18 + 1033) + 130 << 20 + found)
    precondition(salvage.unverified.isSubset(of: salvage.archive.entries.map(\.index)))
    readEntries(of: salvage.archive)
  }

  /// No entry yields more than it declared, and what fails says so in an `ArchiveError`.
  private func readEntries(of archive: Archive) {
    guard var reader = try? EntryReader(archive, password: Secret("password")) else { return }
    for entry in archive.entries {
      var delivered = 0
      do {
        try reader.read(entry) { piece in
          delivered += piece.count
          precondition(delivered <= entry.size)
        }
        precondition(delivered == entry.size)
      } catch is ArchiveError {
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// What is accepted can be written, and reads back as it was.
  private func fuzzMetadata(_ bytes: UnsafeRawBufferPointer) {
    guard let metadata = try? Metadata(json: Array(bytes)) else { return }
    guard let back = try? Metadata(json: metadata.json()) else {
      preconditionFailure("what was read cannot be written and read again")
    }
    precondition(back == metadata)
  }
}

extension Limits {
  /// So that one input takes little time.
  fileprivate static var ofAFuzzer: Limits {
    var limits = Limits()
    limits.maximumBytes = 32 << 20
    return limits
  }
}

/// The input as a file without a name, since archives are read from files.
enum InputFile {
  private static let file: FileDescriptor = {
    let path = "/dev/shm/smilepile-fuzz-\(getpid())"
    guard
      let file = try? FileDescriptor.open(
        path, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    else { preconditionFailure("cannot make \(path)") }
    unlink(path)
    return file
  }()

  static func filled(with bytes: UnsafeRawBufferPointer) throws -> FilePath {
    try file.resize(to: 0)
    _ = try file.writeAll(toAbsoluteOffset: 0, bytes)
    return FilePath("/proc/self/fd/\(file.rawValue)")
  }
}

/// Called by libFuzzer before the first input. Writes the seed of a database where `FUZZ_SEED` names a folder.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEED"] else { return 0 }
  do {
    try DatabaseTargets.writeSeed(of: Target.chosen, to: FilePath(folder))
    return 0
  } catch {
    preconditionFailure("\(error)")
  }
}

/// Called by libFuzzer for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  Target.chosen.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
