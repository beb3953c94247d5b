import Checksums
import FileSystem
import Foundation
import Logging
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// Carries out the plan of an export that makes archives, one or several. All are written out of sight, and read back if
/// that was asked for, before the first gets its name.
struct ArchiveExport {
  let library: Library
  let target: Destination
  let date: Date
  let options: ExportOptions
  let counter: ProgressCounter
  private static let logger = Logger(label: "smilepile.export")

  func run(_ plan: ExportPlan) throws -> ExportSummary {
    counter.enter(.writing)
    // of the whole selection, as it was before anything was read: the parts of two equal exports need not be equal, and
    // a photo that cannot be read is no other state
    let state = plan.state().description
    let (written, archives, split) = try write(plan, state: state)
    var summary = ExportSummary(of: written)
    summary.state = state
    summary.parts = archives.count
    for archive in archives {
      for (item, digest) in zip(archive.plan.items, archive.digests) where digest != item.photo.md5 {
        summary.damaged.append(
          Finding(
            written.label(item.photo),
            "its bytes have changed since it came into the library "
              + "(MD5 \(digest), was \(item.photo.md5?.description ?? "unknown"))"))
      }
    }
    summary.phoneRefusals += split?.refusals ?? []
    if options.verifies { counter.enter(.verifying) }
    for archive in archives { try check(archive, isSplit: split != nil, &summary) }
    try counter.checkCancellation()
    if let base = written.base, try !base.isThere() {
      // whoever prunes has taken it in the meantime
      throw BackupError.baseMissing(target.folder, uuid: base.uuid)
    }
    counter.enter(.committing)
    if options.syncs { try written.base?.sync() }
    try publish(archives, split, &summary)
    return summary
  }

  // MARK: Writing

  /// Writes the archives. A photo that fails in the middle voids them: the rest is checked then, and they are written
  /// once more with what is good.
  private func write(_ plan: ExportPlan, state: String) throws -> Written {
    do {
      return try writeOnce(plan, state: state)
    } catch let unreadable as UnreadablePhoto {
      Self.logger.notice(
        "a photo cannot be read; checking the others, then writing the archive again",
        metadata: ["photo": "\(plan.label(unreadable.photo))", "reason": "\(unreadable.reason)"])
    }
    let bad = try PhotoPipeline.check(
      plan.items.map { library.pipelineItem($0) }, readers: try readers(),
      isCancelled: { [counter] in counter.isCancelled })
    let rest = plan.excluding(bad.map { ($0.index, $0.reason.description) })
    counter.restart()
    counter.setTotals(items: rest.items.count * options.passes, bytes: rest.bytes * options.passes)
    do {
      return try writeOnce(rest, state: state)
    } catch let unreadable as UnreadablePhoto {
      let label = rest.label(unreadable.photo)
      if case .file(let error) = unreadable.reason, !error.isAbsence {
        throw BackupError.unreliableDisk(label, reason: error)
      }
      throw BackupError.unstablePhoto(label, reason: "\(unreadable.reason)")
    }
  }

  /// A photo whose file does not give the bytes that it should.
  private struct UnreadablePhoto: Error {
    var photo: Photo
    var reason: ItemReason
  }

  /// What was written, and what it is of.
  private typealias Written = (plan: ExportPlan, archives: [UnpublishedArchive], split: SplitPlan?)

  private func writeOnce(_ plan: ExportPlan, state: String) throws -> Written {
    var split: SplitPlan?
    if case .phone(let limits) = options.split { split = SplitPlan(plan, limits, set: UUID()) }
    var archives: [UnpublishedArchive] = []
    for part in split?.parts ?? [plan] {
      let output = try AtomicFile(in: target.folder)
      if archives.isEmpty {
        try output.requireSpace(bytes: plan.bytes, photos: plan.photos.count, in: target.folder)
      }
      let uuid = UUID()
      do {
        let digests = try write(part, to: output.file, uuid, state: state)
        archives.append(UnpublishedArchive(output, part, uuid, digests))
      } catch PipelineError.item(let index, let reason) {
        throw UnreadablePhoto(photo: part.items[index].photo, reason: reason)
      }
    }
    return (plan, archives, split)
  }

  private func write(
    _ plan: ExportPlan, to file: borrowing File, _ uuid: UUID, state: String
  ) throws -> [MD5Digest] {
    let exportDate = date.milliseconds
    // the dates of an encrypted archive's entries stand in its directory, which anybody reads
    let modified = plan.isEncrypted ? exportDate : nil
    var pipeline = PhotoPipeline(items: plan.items.map { library.pipelineItem($0, modified: modified) })
    pipeline.password = options.password
    pipeline.options.readers = try readers()
    pipeline.options.startsWriteBack = options.syncs
    let texts = ArchiveTexts()
    let entries = [
      PipelineText(entryName: ArchiveTexts.metadataName, modified: exportDate) { digests, write in
        try texts.writeMetadata(
          plan.document(uuid: uuid, exportDate: exportDate, state: state), photos: plan.records,
          manifest: plan.manifest(digests), to: write)
      },
      PipelineText(entryName: ArchiveTexts.checksumsName, modified: exportDate) { digests, write in
        try texts.writeChecksums(
          of: zip(digests, plan.items.lazy.map(\.entryName)).lazy.map { ($0, name: $1) }, to: write)
      },
    ]
    return try pipeline.write(
      entries, to: file, isCancelled: { [counter] in counter.isCancelled },
      progress: { [counter] advance in
        let name = plan.items[advance.item].photo.name
        counter.advance(items: advance.isDone ? 1 : 0, bytes: advance.bytes, current: name)
      }
    ).digests
  }

  /// Threads that read, each a photo at a time: two keep the pipeline full.
  private func readers() throws -> Int {
    if let asked = options.readers { return min(asked, MultiStreamMD5Reader.maximumStreams) }
    return BlockDevice.isRotational(try library.identity) ? 1 : 2
  }

  // MARK: Reading back

  /// Reads the directory of what was written, for what a phone will say to it; with `verifies`, every byte.
  private func check(
    _ written: UnpublishedArchive, isSplit: Bool, _ summary: inout ExportSummary
  ) throws {
    let limits = if case .phone(let limits) = options.split { limits } else { PhoneLimits() }
    let plan = written.plan
    let mayFitPhone = plan.items.count <= limits.entries && plan.bytes <= limits.uncompressedBytes
    let size = try written.output.file.status().size
    summary.archiveBytes += size
    // those of a split that are too large have been named by their photos
    func note(_ refusals: [String]) {
      if !isSplit || summary.phoneRefusals.isEmpty { summary.phoneRefusals += refusals }
    }
    guard mayFitPhone || options.verifies else {
      return note(plan.phoneRefusals(limits, archiveBytes: size))
    }
    let archive = try Archive(path: written.output.file.descriptorPath, limits: .own)
    note(
      limits.refusals(
        entries: archive.entries.map { ($0.name, $0.size, $0.compressedSize) }, archiveBytes: size))
    guard options.verifies else { return }
    let source = try BackupSource(archive: archive, limits: .own, password: options.password)
    let damage = try ArchiveCheck(source: source, counter: counter).run().damaged
    if !damage.isEmpty { throw BackupError.verificationFailed(target.folder, damage.map(\.message)) }
  }
}
