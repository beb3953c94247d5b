import FileSystem
import PhotoLibrary
import SystemPackage
import Yams

/// Reads jobs from YAML and collects every mistake.
struct JobFileReader: ConfigurationReader {
  /// The folder of the job file, which is the base of relative paths.
  let folder: FilePath
  /// The folder that replaces `~`.
  let home: String?
  /// The state folder; nil if unknown.
  let state: FilePath?
  var faults: [ConfigurationFault] = []
  var warnings: [ConfigurationFault] = []
  /// The inboxes of the jobs up to now.
  var knownInboxes: [(job: Job, inbox: Inbox)] = []
  /// The files that jobs replace with every run, with their names for messages.
  private(set) var written: [FilePath: String] = [:]

  mutating func read(_ text: String) -> [Job] {
    let root = root(of: text, empty: "the job file is empty; add “jobs:”")
    guard let root, var section = section(root, "the job file") else { return [] }
    var jobs: [Job] = []
    if let node = section.node("jobs"), let list = self.section(node, "“jobs”") {
      for (name, line, node) in list.all {
        if let fault = Job.fault(inName: name) {
          faults.append(ConfigurationFault(line: line, message: fault))
        }
        if let job = job(name, node) { jobs.append(job) }
      }
      if list.all.isEmpty {
        section.fault(list.line, "“jobs” has no job; write for example “family:” below it")
      }
    } else if section.faults.isEmpty, !section.has("jobs") {
      section.fault(section.line, "“jobs:” is missing; add it")
    }
    close(&section)
    return jobs
  }

  // MARK: A job

  private mutating func job(_ name: String, _ node: Node) -> Job? {
    guard var section = section(node, "job “\(name)”") else { return nil }
    var job = Job(name: name)
    job.library = path("library", in: &section)
    if job.library == nil, !section.has("library") {
      // the command line or the environment may give the library
      warnings.append(
        ConfigurationFault(
          line: section.line,
          message: "job “\(name)” has no library; add “library:” to the job"))
    }
    job.destinations = destinations(&section, outside: job.library)
    job.inboxes = inboxes(&section, of: job)
    job.categories = section.texts("categories") ?? []
    if job.categories.isEmpty, section.has("categories"), section.faults.isEmpty {
      section.fault("categories", "is empty; remove the key to export all categories")
    }
    job.taken = TakenRange(since: date("since", &section), until: date("until", &section))
    job.includesSettings = section.flag("settings") ?? true
    encryption(&section, &job)
    job.verifies = section.flag("verify") ?? true
    increments(&section, &job)
    job.splitsForPhones = section.parsedText("split", "phone") { $0 == "phone" ? true : nil } ?? false
    job.includesThumbnails = section.flag("thumbnails") ?? false
    job.gallery = gallery(&section)
    job.tags = section.texts("tags") ?? []
    job.permissions = permissions(&section)
    job.retention = retention(&section)
    job.hooks = hooks(&section)
    schedules(&section, &job)
    job.statusFile = watchedFile(.status, "status-file", of: job, &section)
    job.reportFile = watchedFile(.page, "report-file", of: job, &section)
    job.prometheusFile = watchedFile(.metrics, "prometheus-file", of: job, &section)
    job.lockWait = section.seconds("lock-wait") ?? job.lockWait
    job.trustedFolders = paths("trust", in: &section)
    check(job, &section)
    close(&section)
    return job
  }

  /// Reads the path of a file that every run replaces. Two jobs must not share such a file.
  private mutating func watchedFile(
    _ kind: WatchedFile, _ key: String, of job: Job, _ section: inout YAMLSection
  ) -> FilePath? {
    guard let file = path(key, in: &section) else { return nil }
    if let library = job.library, file.starts(with: library) || file.folder.leads(into: library) {
      section.fault(key, "\(file) is in the library; choose a file outside the library")
    } else if let fault = kind.fault(replacing: file, outside: state) {
      // no mistake, since the job can still back up; the run reports the file again and is incomplete
      warnings.append(ConfigurationFault(line: section.line(of: key), message: "“\(key)”: \(file) \(fault)"))
    }
    // resolves links, since a folder may have several names
    let target =
      file.folder.realPath.flatMap { folder in file.lastComponent.map { folder.appending($0) } } ?? file
    if let other = written[target] {
      section.fault(key, "is the same file as \(other); choose another file")
    }
    written[target] = "the \(key) of job “\(job.name)”"
    return file
  }

  /// Reports keys that exclude each other.
  private func check(_ job: Job, _ section: inout YAMLSection) {
    if job.taken.isEmpty {
      section.fault("until", "must be later than “since”")
    }
    if job.splitsForPhones, job.password != nil {
      section.fault(
        "split", "makes archives for phones, which cannot read encrypted archives; remove “encrypt”")
    }
    if job.splitsForPhones, job.maximumChainDepth != nil {
      section.fault("split", "and “incremental” cannot be combined; remove one")
    }
  }

  // MARK: Parts

  /// Returns the path in a key; nil if the key is missing or its value is not a path.
  func path(_ key: String, in section: inout YAMLSection) -> FilePath? {
    guard let text = section.text(key) else { return nil }
    if let fault = Self.fault(inPath: text) {
      section.fault(key, fault)
      return nil
    }
    return path(text)
  }

  /// Returns the paths in a key that has one or a list.
  func paths(_ key: String, in section: inout YAMLSection) -> [FilePath] {
    (section.texts(key) ?? []).compactMap { text in
      guard let fault = Self.fault(inPath: text) else { return path(text) }
      section.fault(key, fault)
      return nil
    }
  }

  /// Returns why a path is invalid, or nil. Only a shell expands `$HOME`; without one the path means a folder
  /// named `$HOME`.
  static func fault(inPath text: String) -> String? {
    let isOthersHome = text.hasPrefix("~") && text != "~" && !text.hasPrefix("~/")
    guard text.hasPrefix("$") || isOthersHome else { return nil }
    return
      "begins with “\(text.prefix { $0 != "/" })”, which smilepile does not expand in a job file; "
      + "write the full path"
  }

  /// Resolves a path of the job file, which may begin with `~/`.
  func path(_ text: String) -> FilePath {
    if let home, text == "~" || text.hasPrefix("~/") { return FilePath(home + text.dropFirst()) }
    let path = FilePath(text)
    return folder.pushing(path).lexicallyNormalized()
  }
}

extension YAMLSection {
  /// Adds a mistake in the value of a key.
  mutating func fault(_ key: String, _ message: String) { fault(line(of: key), "“\(key)” \(message)") }

  /// Returns the line of a key; the line of the section if the key is missing.
  func line(of key: String) -> Int { all.first { $0.key == key }?.node.line ?? line }
}
