import Checksums
import FileSystem
import Foundation
import Logging
import Operations
import PhotoLibrary
import Zip

/// Carries out the plan of an export that writes one archive or several. Publishes the first when all are complete, and
/// verified if the options ask for that.
struct ArchiveExport {
  let library: Library
  /// The pictures of the plan; nil if it has none.
  let pictures: ExportPictures?
  let outputPath: ArchiveOutputPath
  let date: Date
  let options: ExportOptions
  let counter: ProgressCounter
  private static let logger = Logger(label: "smilepile.export")

  /// - Returns: the summary, and the plan without photos that could not be read.
  func run(_ plan: ExportPlan) throws -> (plan: ExportPlan, summary: ExportSummary) {
    counter.enter(.writing)
    // of the complete selection: the parts of equal exports may differ
    let fingerprint = ContentFingerprint(of: plan)
    let (written, archives, split) = try writeArchives(plan, fingerprint)
    if options.verifies { counter.enter(.verifying) }
    let refusals = try archives.map(check)
    try counter.checkCancellation()
    let base = written.increment?.base
    if let base, try !base.exists() {
      // the folder lock does not stop the user, or pruning on a file system without locks
      throw BackupError.baseRemoved(outputPath.folder, uuid: base.archiveID)
    }
    counter.enter(.committing)
    if options.syncs { try base?.sync() }
    let published = try publish(archives, of: written)
    var summary = ExportSummary(written, fingerprint)
    (summary.archives, summary.parts) = (published.archives, archives.count)
    summary.archiveBytes = published.bytes
    summary.corruptInLibrary = archives.flatMap(\.corruptPhotos)
    summary.phoneRefusals += split.map { $0.refusals(reading: refusals) } ?? refusals.flatMap { $0 }
    summary.warnings = published.warnings
    let lost = archives.saturatedSum(\.lostPictures)
    if lost > 0 {
      summary.warnings.append(
        "the archive lacks \(Count(lost, "picture")) that the cache had before; export again")
    }
    return (written, summary)
  }

  // MARK: Writing

  /// Writes the archives. If files of photos cannot be archived, discards the archives, and writes them once more
  /// without these photos.
  private func writeArchives(_ plan: ExportPlan, _ fingerprint: ContentFingerprint) throws -> Written {
    let rest: ExportPlan
    do {
      return try attempt(plan, fingerprint)
    } catch let unreadable as UnreadablePhotos {
      let reasons = Dictionary(
        unreadable.photos.map { ($0.photo.id, $0.reason) }, uniquingKeysWith: { first, _ in first })
      Self.logger.notice(
        "photos cannot be archived; writing the archive again without them",
        metadata: ["photos": "\(reasons.count)"])
      rest = plan.excluding(
        plan.items.indices.compactMap { index in
          reasons[plan.items[index].photo.id].map { (index, $0.description) }
        })
    }
    counter.restart()
    counter.setTotals(items: rest.items.count * options.passes, bytes: rest.bytes * options.passes)
    counter.report(rest.missingFindings)
    do {
      return try attempt(rest, fingerprint)
    } catch let unreadable as UnreadablePhotos {
      guard let (photo, reason) = unreadable.photos.first else { throw unreadable }
      let label = rest.label(photo)
      if case .unreadable(let error) = reason, !error.isMissing {
        throw BackupError.unreliableDisk("\(label)", reason: error)
      }
      throw BackupError.unstablePhoto("\(label)", reason: "\(reason)")
    }
  }

  /// Photos whose files cannot be read, or have another length than planned.
  private struct UnreadablePhotos: Error {
    var photos: [(photo: Photo, reason: PhotoFault)]
  }

  /// The archives, and the plan that they were written from.
  private typealias Written = (plan: ExportPlan, archives: [UnpublishedArchive], split: SplitPlan?)

  /// Writes the archives once. Reads the files of all photos, even after some cannot be archived.
  ///
  /// - Throws: `UnreadablePhotos` with all of these.
  private func attempt(_ plan: ExportPlan, _ fingerprint: ContentFingerprint) throws -> Written {
    let split = options.phoneLimits.map { SplitPlan(plan, $0, set: UUID()) }
    var archives: [UnpublishedArchive] = []
    var unreadable: [(photo: Photo, reason: PhotoFault)] = []
    for part in split?.parts ?? [plan] {
      if !unreadable.isEmpty {
        let faults = try pipeline(part, lanes: 1).faults(isCancelled: { [counter] in counter.isCancelled })
        unreadable += faults.map { (part.items[$0.index].photo, $0.reason) }
        continue
      }
      let output = try AtomicFile(in: outputPath.folder)
      if archives.isEmpty {
        try output.requireSpace(bytes: plan.bytes, photos: plan.photos.count, in: outputPath.folder)
      }
      let uuid = UUID()
      do {
        let written = try writeArchive(part, to: output.file, uuid, fingerprint)
        counter.report(written.corrupt)
        archives.append(UnpublishedArchive(output, part, uuid, written))
      } catch PipelineError.unreadable(let faults) {
        unreadable = faults.map { (part.items[$0.index].photo, $0.reason) }
      }
    }
    if !unreadable.isEmpty { throw UnreadablePhotos(photos: unreadable) }
    return (plan, archives, split)
  }

  private func writeArchive(
    _ plan: ExportPlan, to file: borrowing File, _ uuid: UUID, _ fingerprint: ContentFingerprint
  ) throws -> (corrupt: [Finding], lostPictures: Int) {
    let exportDate = Timestamp(date)
    let pipeline = pipeline(plan, lanes: try lanes(to: file))
    let texts = MetadataEntries()
    let derived = DerivedEntries(plan, pictures, date: exportDate)
    let entries =
      derived.entries + [
        PipelineText(entryName: MetadataEntries.metadataName, modified: exportDate) { digests, write in
          try texts.writeMetadata(
            plan.document(uuid: uuid, exportDate: exportDate, fingerprint: fingerprint), photos: plan.records,
            manifest: plan.manifest(digests), to: write)
        },
        PipelineText(entryName: MetadataEntries.checksumsName, modified: exportDate) { digests, write in
          try texts.writeChecksums(
            of: zip(digests, plan.items.lazy.map(\.entryName)).lazy.map { ($0, name: $1) }, derived.checksums,
            to: write)
        },
      ]
    let digests = try pipeline.write(
      entries, to: file, isCancelled: { [counter] in counter.isCancelled },
      progress: { [counter] advance in
        let name = plan.items[advance.item].photo.name
        counter.advance(items: advance.isDone ? 1 : 0, bytes: advance.bytes, current: name)
      }
    ).digests
    let corrupt = zip(plan.items, digests).compactMap { item, digest in
      item.photo.fault(after: .read(FileContent(md5: digest, size: item.size))).map { fault in
        Finding(plan.label(item.photo), fault.reason, remedy: .repairLibrary)
      }
    }
    return (corrupt, derived.lostPictures)
  }

  private func pipeline(_ plan: ExportPlan, lanes: Int) -> PhotoPipeline {
    // the directory of an encrypted archive is not encrypted, and has the entries' dates
    let modified = plan.isEncrypted ? Timestamp(date) : nil
    var pipeline = PhotoPipeline(items: plan.items.map { library.pipelineItem($0, modified: modified) })
    pipeline.password = options.password
    pipeline.options.lanes = lanes
    pipeline.options.startsWriteBack = options.syncs
    return pipeline
  }

  /// Returns the number of photos to read at a time: that of the options, or the best one for the disks.
  private func lanes(to file: borrowing File) throws -> Int {
    if let asked = options.readers { return max(1, min(asked, MultiBufferMD5.lanes)) }
    return try PhotoPipeline.lanes(writing: file, reading: [library.identity])
  }

  // MARK: Verifying

  /// Reads the directory of an archive to find out whether phones accept it; with `verifies`, reads every byte.
  ///
  /// - Returns: why a phone refuses it.
  /// - Throws: `BackupError.verificationFailed`.
  private func check(_ written: UnpublishedArchive) throws -> [String] {
    let limits = options.phoneLimits ?? PhoneLimits()
    let plan = written.plan
    let mayFitPhone = plan.items.count <= limits.entries && plan.bytes <= limits.uncompressedBytes
    let size = try written.output.file.status().size
    guard mayFitPhone || options.verifies else { return plan.phoneRefusals(limits, archiveBytes: size) }
    let archive = try Archive(path: written.output.file.descriptorPath, limits: .trusted)
    if options.verifies {
      let source = try OpenedBackup(archive: archive, limits: .trusted, password: options.password)
      let damage = try ArchiveCheck(source: source, counter: counter).run().damaged
      if !damage.isEmpty { throw BackupError.verificationFailed(outputPath.folder, damage.map(\.message)) }
    }
    return limits.refusals(
      entries: archive.entries.map { ($0.name, $0.size, $0.compressedSize) }, archiveBytes: size)
  }
}
