import FileSystem
import SystemPackage
import Yams

extension JobFileReader {
  /// Reads a folder or a list of folders into which backups of phones arrive.
  mutating func inboxes(_ section: inout YAMLSection, of job: Job) -> [Inbox] {
    guard let node = section.node("inbox") else { return [] }
    let nodes = node.sequence.map(Array.init) ?? [node]
    if nodes.isEmpty { section.fault(node.line, "“inbox” has no folder; write at least one") }
    var found: [Inbox] = []
    for node in nodes {
      guard let inbox = inbox(node, &section) else { continue }
      if found.contains(where: { $0.path.isSamePlace(as: inbox.path) }) {
        section.fault(node.line, "\(inbox.path) is listed twice; remove one")
      }
      do throws(InboxFault) {
        try inbox.checkPlace(outside: job.library, job.destinations.map(\.path))
      } catch {
        section.fault(node.line, "\(error)")
      }
      if let other = knownInboxes.first(where: { Self.loses($0, inbox, of: job) }) {
        section.fault(
          node.line,
          "the inbox \(inbox.path) is also that of job “\(other.job.name)”, which has another library; add "
            + "“after-import: keep” to both, so that each job finds all backups")
      }
      found.append(inbox)
    }
    knownInboxes += found.map { (job, $0) }
    return found
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

  private mutating func inbox(_ node: Node, _ list: inout YAMLSection) -> Inbox? {
    if let text = node.scalar?.string {
      if text.isEmpty {
        list.fault(node.line, "an inbox is empty; write the path of a folder")
        return nil
      }
      if let fault = Self.fault(inPath: text) {
        list.fault(node.line, "an inbox \(fault)")
        return nil
      }
      return Inbox(path: path(text))
    }
    guard var section = section(node, "an inbox") else { return nil }
    defer { close(&section) }
    let folder = path("path", in: &section)
    var inbox = Inbox(path: folder ?? "")
    inbox.phone = section.text("phone")
    if let text = section.text("after-import") {
      if let afterImport = Inbox.AfterImport(rawValue: text) {
        inbox.afterImport = afterImport
      } else {
        section.fault("after-import", "must be keep, move or delete")
      }
    }
    guard folder != nil else {
      if section.all.allSatisfy({ $0.key != "path" }) {
        section.fault(section.line, "an inbox has no “path”; write the path of its folder")
      }
      return nil
    }
    return inbox
  }
}
