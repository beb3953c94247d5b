import FileSystem

extension JobFileReader {
  /// Reads the folders into which backups of phones arrive.
  mutating func inboxes(_ section: inout YAMLSection, of job: Job) -> [Inbox] {
    let found: [(folder: Inbox, line: Int)] = folders("inbox", each: "an inbox", &section) { inbox, part in
      inbox.phone = part.text("phone")
      inbox.afterImport =
        part.parsedText("after-import", "keep, move or delete", Inbox.AfterImport.init(rawValue:))
        ?? inbox.afterImport
    }
    for (inbox, line) in found {
      do throws(InboxFault) {
        try inbox.checkOverlap(with: job.library, job.destinations.map(\.path))
      } catch {
        section.fault(line, "\(error)")
      }
      if let other = knownInboxes.first(where: { Self.loses($0, inbox, of: job) }) {
        section.fault(
          line,
          "the inbox \(inbox.path) is also that of job “\(other.job.name)”, which has another library; add "
            + "“after-import: keep” to both, so that each job finds all backups")
      }
    }
    knownInboxes += found.map { (job, $0.folder) }
    return found.map(\.folder)
  }

  /// Returns true if two jobs import the same inbox into different libraries, and one of them takes files away.
  private static func loses(_ known: (job: Job, inbox: Inbox), _ inbox: Inbox, of job: Job) -> Bool {
    guard known.inbox.path.isSamePlace(as: inbox.path), known.job.name != job.name else { return false }
    let isSameLibrary =
      switch (known.job.library, job.library) {
      case (let one?, let other?): one.isSamePlace(as: other)
      case (nil, nil): true
      default: false
      }
    return !isSameLibrary && (known.inbox.afterImport != .keep || inbox.afterImport != .keep)
  }
}
