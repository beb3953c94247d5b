import Checksums
import FileSystem
import Foundation
import Logging
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

extension Work where Summary == ExportSummary {
  /// Starts writing a backup of a library.
  ///
  /// The archive is written out of sight, flushed, and gets its name when it is whole; no file is ever
  /// overwritten. Until then a failure, a cancellation or a kill leaves nothing. Photos are read from a
  /// snapshot of the library, each once; one that cannot be read is left out and named in the summary.
  ///
  /// - Parameter destination: an existing folder, for `smilepile_backup_YYYYMMDD_HHMMSS.zip` in it, or a file
  ///   name that is not taken.
  ///
  /// The summary throws `BackupError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func export(
    _ library: FilePath, to destination: FilePath, options: ExportOptions = ExportOptions()
  ) -> Self {
    Work { counter in
      try ExportRun(libraryPath: library, destination: destination, options: options, counter: counter).run()
    }
  }
}

/// One run of `export`, for whoever has a thread and a counter of its own, as a job that does more than this.
public struct ExportRun {
  let libraryPath: FilePath
  let destination: FilePath
  let options: ExportOptions
  let counter: ProgressCounter
  private static let logger = Logger(label: "smilepile.export")

  /// Prepares a run; parameters as for `Work.export`.
  public init(
    libraryPath: FilePath, destination: FilePath, options: ExportOptions, counter: ProgressCounter
  ) {
    self.libraryPath = libraryPath
    self.destination = destination
    self.options = options
    self.counter = counter
  }

  /// Exports. Blocks until it is done; throws what the summary of `Work.export` throws.
  public func run() throws -> ExportSummary {
    if let password = options.password {
      guard options.format == .zip else { throw BackupError.cannotEncrypt(destination) }
      if let fault = PasswordFault.find(in: password, allowsWeak: options.allowsWeakPassword) {
        throw BackupError.unfitPassword(fault)
      }
    }
    let library = try Library(path: libraryPath)
    return try library.holdingPhotos(lockWait: options.lockWait, whileWaiting: counter.waitForWriter) {
      let date = options.date ?? Date()
      let contents = try library.contents()
      var plan = try ExportPlan(contents, options, sizes: library.fileSizes)
      plan.library = try library.uuid()
      setTotals(plan)
      let target = try Destination(destination, outside: libraryPath)
      if options.isDryRun { return summary(of: plan) }
      switch options.format {
      case .zip: return try exportArchive(plan, library, target, date)
      case .json: return try exportDocument(plan, library, target, date)
      }
    }
  }

  /// Threads that read, each a photo at a time: two keep the pipeline full.
  private func readers(_ library: Library) throws -> Int {
    if let asked = options.readers { return min(asked, LaneReading.mostStreams) }
    return BlockDevice.isRotational(try library.identity) ? 1 : 2
  }

  /// How often every photo passes by: it is written, and with `verifies` read back.
  private var passes: Int { options.verifies ? 2 : 1 }

  private func setTotals(_ plan: ExportPlan) {
    counter.setTotals(items: plan.items.count * passes, bytes: plan.bytes * passes)
  }

  private func exportArchive(
    _ plan: ExportPlan, _ library: Library, _ target: Destination, _ date: Date
  ) throws -> ExportSummary {
    let output = try UnpublishedFile(in: target.folder)
    try output.requireSpace(bytes: plan.bytes, photos: plan.photos.count, in: target.folder)
    let uuid = UUID()
    let exportDate = date.milliseconds
    let (written, digests) = try writeArchive(plan, library, output.file, uuid, exportDate)
    var summary = summary(of: written)
    for (item, digest) in zip(written.items, digests) where digest != item.photo.md5 {
      summary.damaged.append(
        Finding(
          written.label(item.photo),
          "its bytes have changed since it came into the library "
            + "(MD5 \(digest), was \(item.photo.md5?.description ?? "unknown"))"))
    }
    try check(output.file, written, target.folder, &summary)
    try counter.checkCancellation()
    counter.enter(.committing)
    try publish(output, target, date, uuid, library, &summary)
    return summary
  }

  /// Writes the archive. A photo that fails in the middle voids it: the rest is checked then, and it is written
  /// once more with what is good.
  private func writeArchive(
    _ plan: ExportPlan, _ library: Library, _ file: borrowing File, _ uuid: UUID, _ exportDate: Int64
  ) throws -> (ExportPlan, [MD5Digest]) {
    counter.enter(.writing)
    do {
      return (plan, try writeOnce(plan, library, file, uuid, exportDate))
    } catch PipelineError.item(let index, let reason) {
      Self.logger.notice(
        "a photo cannot be read; checking the others, then writing the archive again",
        metadata: ["photo": "\(plan.label(plan.items[index].photo))", "reason": "\(reason)"])
      let bad = try PhotoPipeline.check(
        plan.items.map { library.pipelineItem($0) }, readers: try readers(library),
        isCancelled: { [counter] in counter.isCancelled })
      let rest = plan.excluding(bad.map { ($0.index, $0.reason.description) })
      counter.restart()
      setTotals(rest)
      do {
        return (rest, try writeOnce(rest, library, file, uuid, exportDate))
      } catch PipelineError.item(let index, let reason) {
        throw BackupError.unstablePhoto(rest.label(rest.items[index].photo), reason: "\(reason)")
      }
    }
  }

  private func writeOnce(
    _ plan: ExportPlan, _ library: Library, _ file: borrowing File, _ uuid: UUID, _ exportDate: Int64
  ) throws -> [MD5Digest] {
    // the dates of an encrypted archive's entries stand in its directory, which anybody reads
    let modified = plan.isEncrypted ? exportDate : nil
    var pipeline = PhotoPipeline(items: plan.items.map { library.pipelineItem($0, modified: modified) })
    pipeline.password = options.password
    pipeline.options.readers = try readers(library)
    pipeline.options.startsWriteBack = options.syncs
    let texts = ArchiveTexts()
    let state = plan.state().description
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

  /// Reads the directory of what was written, for what a phone will say to it; with `verifies`, every byte.
  private func check(
    _ file: borrowing File, _ plan: ExportPlan, _ folder: FilePath, _ summary: inout ExportSummary
  ) throws {
    let mayFitPhone = plan.items.count <= PhoneLimits.entries && plan.bytes <= PhoneLimits.uncompressedBytes
    summary.archiveBytes = try file.status().size
    guard mayFitPhone || options.verifies else {
      summary.phoneRefusals += plan.phoneRefusals(archiveBytes: summary.archiveBytes)
      return
    }
    let archive = try Archive(path: file.descriptorPath, limits: .own)
    summary.phoneRefusals += PhoneLimits.refusals(
      entries: archive.entries.map { ($0.name, $0.size, $0.compressedSize) },
      archiveBytes: summary.archiveBytes)
    guard options.verifies else { return }
    counter.enter(.verifying)
    let source = try BackupSource(archive: archive, limits: .own, password: options.password)
    let damage = try ArchiveCheck(source: source, counter: counter).run().damaged
    if !damage.isEmpty { throw BackupError.verificationFailed(folder, damage.map(\.message)) }
  }

  private func exportDocument(
    _ plan: ExportPlan, _ library: Library, _ target: Destination, _ date: Date
  ) throws -> ExportSummary {
    let output = try UnpublishedFile(in: target.folder)
    let uuid = UUID()
    let json = plan.jsonBackup(uuid: uuid, exportDate: date.milliseconds)
    try output.requireSpace(bytes: json.count, photos: 0, in: target.folder)
    counter.enter(.writing)
    try output.file.write(json, at: 0)
    var summary = summary(of: plan)
    summary.archiveBytes = json.count
    if options.verifies { _ = try BackupSource(path: output.file.descriptorPath, limits: .own) }
    counter.advance(items: plan.items.count * passes, bytes: plan.bytes * passes)
    try counter.checkCancellation()
    counter.enter(.committing)
    try publish(output, target, date, uuid, library, &summary)
    return summary
  }

  private func publish(
    _ output: borrowing UnpublishedFile, _ target: Destination, _ date: Date, _ uuid: UUID,
    _ library: Library, _ summary: inout ExportSummary
  ) throws {
    if let permissions = options.permissions { try output.file.setPermissions(permissions) }
    let names = target.names(at: date, fileExtension: options.format.fileExtension)
    guard let (name, durability) = try output.publish(as: names, sync: options.syncs) else {
      throw BackupError.destinationExists(destination)
    }
    let archive = target.folder.appending(name.components)
    summary.archive = archive
    if let warning = durability.warning(for: archive) { summary.warnings.append(warning) }
    let export = ExportRecord(
      id: uuid.uuidString, archive: archive.absoluteString, at: date.milliseconds, photos: summary.photos,
      archiveBytes: summary.archiveBytes, isPartial: options.isSelection || options.format == .json)
    do {
      try library.note(export)
    } catch {
      summary.warnings.append("the library could not note the backup: \(error)")
    }
  }

  private func summary(of plan: ExportPlan) -> ExportSummary {
    var summary = ExportSummary()
    summary.isDryRun = options.isDryRun
    summary.state = plan.state().description
    summary.photos = plan.photos.count - plan.missing.count
    summary.categories = plan.categories.count
    summary.bytes = plan.bytes
    summary.missing = plan.missing.map { Finding(plan.label($0.photo), $0.reason) }
    if plan.isEncrypted { summary.phoneRefusals = ["it is encrypted"] }
    if options.isDryRun, options.format == .zip {
      summary.phoneRefusals += plan.phoneRefusals(archiveBytes: plan.bytes)
    }
    return summary
  }
}
