import Operations
import PhotoLibrary

/// What happened to each photo of a backup.
extension BackupImport {
  /// Returns a report for each photo of the backup, in its order, and for each photo of the library that got its
  /// file back from another photo of the backup.
  ///
  /// - Parameters:
  ///   - damaged: photos that turned out to be corrupt in the backup.
  ///   - repaired: photos of the library that got their files back.
  func reports(
    damaged: [Extraction.DamagedFile], repaired: [LibraryCheck.UnusablePhoto]
  ) -> [PhotoReport] {
    let damaged = Dictionary(uniqueKeysWithValues: damaged.map { ($0.file.source, "\($0.fault)") })
    let evidence = evidenceOfSalvagedPhotos()
    var repaired = Dictionary(uniqueKeysWithValues: repaired.map { ($0.photo.id, $0) })
    var reports = source.photos.indices.map { index in
      if let reason = damaged[index] { return source.report(index, .leftOut, reason) }
      let outcome = plan.outcomes[index]
      if let id = outcome.existing, let photo = repaired.removeValue(forKey: id) {
        return source.report(index, .restored, photo.reason)
      }
      switch outcome {
      case .added:
        return source.report(index, .imported, evidence[index])
      case .renamed(let name):
        return source.report(index, .renamed, "the library already has it; the copy is “\(name.escaped)”")
      case .updated:
        return source.report(index, .imported, "the library's photo was updated with its values")
      case .moved:
        return source.report(index, .imported, "the library's photo moved to this category")
      case .skipped:
        return source.report(index, .skipped, "the library already has it")
      case .removedBefore:
        return source.report(index, .skipped, "it was removed from the library")
      case .joined:
        return source.report(index, .skipped, "its category in the library has an equal photo")
      case .missing:
        return source.report(index, .leftOut, source.photos[index].location.unavailable?.reason)
      }
    }
    for photo in repaired.values.sorted(by: { $0.photo.id < $1.photo.id }) {
      reports.append(
        PhotoReport(
          .restored, photo.label, name: photo.photo.name, category: contents.category(of: photo.photo),
          from: source.path.string, reason: photo.reason))
    }
    return reports
  }

  /// Returns how each photo of a salvaged archive was verified, by its index.
  private func evidenceOfSalvagedPhotos() -> [Int: String] {
    guard source.salvage != nil else { return [:] }
    var evidence: [Int: String] = [:]
    for file in plan.filesToExtract {
      guard case .entry(let reference) = sourceAsStated.photos[file.source].location else { continue }
      let checksum =
        reference.md5 != nil ? "MD5" : reference.entry.isEncrypted ? "authentication code" : "CRC-32"
      evidence[file.source] = "salvaged; its \(checksum) matches"
    }
    return evidence
  }
}

extension OpenedBackup {
  /// Returns the report for one of the photos. Reads the record once, since there are hundreds of thousands of reports.
  func report(_ index: Int, _ action: PhotoReport.Action, _ reason: String? = nil) -> PhotoReport {
    let record = photos[index].record
    let category = displayNames[record.categoryId]
    return PhotoReport(
      action, .photo(id: record.id, category: category ?? "", name: record.name),
      name: record.name, category: category, from: path.string, reason: reason)
  }
}
