import Operations

extension ExtractPlan {
  /// Returns a report for each selected photo, in the backup's order.
  ///
  /// - Parameters:
  ///   - notWritten: why items of the plan were not written, by their indices.
  ///   - look: the files that existed before.
  ///   - replaced: the items that replaced a file with other content.
  func reports(
    of source: OpenedBackup, notWritten: [Int: String], _ look: ExtractLook, replaced: Set<Int>
  ) -> [PhotoReport] {
    var reports: [(source: Int, report: PhotoReport)] = withoutFile.map { index in
      guard let unavailable = source.photos[index].location.unavailable else {
        return (index, source.report(index, .skipped, "it is an asset of the app, without a file"))
      }
      return (index, source.report(index, .leftOut, unavailable.reason))
    }
    for (index, item) in items.enumerated() {
      let report =
        if let reason = notWritten[index] {
          source.report(item.source, .leftOut, reason)
        } else if look.found[index] == .same {
          source.report(item.source, .skipped, "its file already exists")
        } else {
          source.report(
            item.source, .restored, replaced.contains(index) ? "it replaced a file with other content" : nil)
        }
      reports.append((item.source, report))
    }
    return reports.sorted { $0.source < $1.source }.map(\.report)
  }
}
