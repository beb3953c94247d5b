import Backup
import FileSystem
import SystemPackage
import Yams

/// Reads jobs out of YAML, and notes every mistake on the way.
struct JobFileReader {
  /// Relative paths are meant from here: the folder of the job file.
  let folder: FilePath
  /// What `~` stands for.
  let home: String?
  private(set) var faults: [JobFile.Fault] = []
  private(set) var warnings: [JobFile.Fault] = []
  /// The files that jobs replace with every run, and what each is called in messages.
  private var written: [FilePath: String] = [:]

  init(folder: FilePath, home: String?) {
    self.folder = folder
    self.home = home
  }

  mutating func read(_ text: String) -> [Job] {
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      faults.append(Self.fault(error, in: text))
      return []
    } catch {
      faults.append(JobFile.Fault(line: 0, message: "\(error)"))
      return []
    }
    guard let root, var section = section(root, "the job file") else {
      if root == nil { faults.append(JobFile.Fault(line: 0, message: "it is empty; it needs “jobs:”")) }
      return []
    }
    var jobs: [Job] = []
    if let node = section.node("jobs"), let list = self.section(node, "“jobs”") {
      for (name, line, node) in list.all {
        if let fault = Self.fault(inName: name) { faults.append(JobFile.Fault(line: line, message: fault)) }
        if jobs.contains(where: { $0.name == name }) {
          faults.append(JobFile.Fault(line: line, message: "there are two jobs “\(name)”"))
        }
        if let job = job(name, node) { jobs.append(job) }
      }
      if list.all.isEmpty { faults.append(JobFile.Fault(line: list.line, message: "“jobs” has no job")) }
    } else if section.faults.isEmpty, section.all.allSatisfy({ $0.key != "jobs" }) {
      faults.append(JobFile.Fault(line: section.line, message: "there is no “jobs:”"))
    }
    close(&section)
    return jobs
  }

  // MARK: A job

  private mutating func job(_ name: String, _ node: Node) -> Job? {
    guard var section = section(node, "job “\(name)”") else { return nil }
    var job = Job(name: name)
    job.library = section.text("library").map(path)
    if job.library == nil, section.all.allSatisfy({ $0.key != "library" }) {
      // the command line or the environment may name it
      warnings.append(
        JobFile.Fault(
          line: section.line,
          message: "job “\(name)” names no library; write “library:”, or give it with -l to every command"))
    }
    job.destinations = destinations(&section, outside: job.library)
    job.categories = section.texts("categories") ?? []
    job.since = date("since", &section)
    job.until = date("until", &section)
    job.includesSettings = section.flag("settings") ?? true
    encryption(&section, &job)
    job.verifies = section.flag("verify") ?? true
    increments(&section, &job)
    if let split = section.text("split") {
      if split == "phone" {
        job.splitsForPhones = true
      } else {
        section.fault("split", "can only be “phone”")
      }
    }
    job.tags = section.texts("tags") ?? []
    job.permissions = permissions(&section)
    job.retention = retention(&section)
    job.hooks = hooks(&section)
    schedules(&section, &job)
    job.statusFile = writtenFile("status-file", of: job, &section)
    job.prometheusFile = writtenFile("prometheus-file", of: job, &section)
    job.lockWait = section.seconds("lock-wait") ?? job.lockWait
    check(job, &section)
    close(&section)
    return job
  }

  /// A file that is replaced with every run, so that two of one name would take each other's place.
  private mutating func writtenFile(_ key: String, of job: Job, _ section: inout YAMLSection) -> FilePath? {
    guard let file = section.text(key).map(path) else { return nil }
    if let other = written[file] {
      section.fault(key, "is \(other) already, and each would replace the other's; name another file")
    }
    written[file] = "the \(key) of job “\(job.name)”"
    return file
  }

  /// What does not go together.
  private func check(_ job: Job, _ section: inout YAMLSection) {
    if let since = job.since, let until = job.until, until <= since {
      section.fault("until", "has to be later than “since”")
    }
    if job.splitsForPhones, job.password != nil {
      section.fault("split", "makes archives for phones, which read no encrypted ones; leave out “encrypt”")
    }
    if job.splitsForPhones, job.maximumChain != nil {
      section.fault("split", "and “incremental” do not go together; leave out one")
    }
  }

  private mutating func destinations(
    _ section: inout YAMLSection, outside library: FilePath?
  ) -> [JobDestination] {
    guard let node = section.node("destinations") else {
      if section.all.allSatisfy({ $0.key != "destinations" }) {
        section.fault(section.line, "\(section.name) has no “destinations”: a folder, or a list of them")
      }
      return []
    }
    let nodes = node.sequence.map(Array.init) ?? [node]
    if nodes.isEmpty { section.fault(node.line, "“destinations” has no folder") }
    var found: [JobDestination] = []
    for node in nodes {
      guard let destination = destination(node) else { continue }
      if found.contains(where: { $0.path == destination.path }) {
        section.fault(node.line, "\(destination.path) stands here twice")
      }
      if let library, destination.path.starts(with: library) || destination.path.leads(into: library) {
        section.fault(
          node.line,
          "\(destination.path) lies in the library itself; name a folder outside it, at best on another disk")
      }
      found.append(destination)
    }
    return found
  }

  private mutating func destination(_ node: Node) -> JobDestination? {
    if let text = node.scalar?.string {
      if !text.isEmpty { return JobDestination(path: path(text)) }
      faults.append(
        JobFile.Fault(line: node.line, message: "a destination is empty; write its folder, or leave it out"))
      return nil
    }
    guard var section = section(node, "a destination") else { return nil }
    defer { close(&section) }
    let folder = section.text("path")
    var destination = JobDestination(path: folder.map(path) ?? "")
    if let mount = section.node("require-mount") {
      switch mount.scalar?.string {
      case "true": destination.requiredMount = .any
      case "false": break
      case let text? where text.hasPrefix("/"):
        let place = path(text)
        if place == "/" {
          section.fault(
            "require-mount",
            "requires nothing, since something is always mounted at /; write the backup disk's place, as /mnt/usb, or true"
          )
        }
        destination.requiredMount = .at(place)
      default:
        section.fault(
          "require-mount",
          "has to be true, or the absolute path of the place that has to be mounted, as /mnt/usb")
      }
    }
    if let marker = section.text("marker") {
      if FilePath.Component(marker)?.kind == .regular {
        destination.marker = marker
      } else {
        section.fault("marker", "has to be the name of a file in the folder")
      }
    }
    guard folder != nil else {
      section.fault(section.line, "a destination has no “path”")
      return nil
    }
    return destination
  }

  private mutating func encryption(_ section: inout YAMLSection, _ job: inout Job) {
    guard let node = section.node("encrypt"), var part = self.section(node, "“encrypt”") else { return }
    defer { close(&part) }
    let file = part.text("password-file").map { PasswordSource.file(path($0)) }
    let command = part.text("password-command").map { PasswordSource.command($0) }
    if part.all.contains(where: { $0.key == "password" }) {
      _ = part.node("password")
      part.fault("password", "must not stand in a job file; use “password-file” or “password-command”")
    } else if file != nil, command != nil {
      part.fault("password-command", "and “password-file” both give the password; leave out one")
    } else if file == nil, command == nil {
      part.fault(part.line, "“encrypt” needs “password-file” or “password-command”")
    }
    job.password = file ?? command
    job.allowsWeakPassword = part.flag("force-weak-password") ?? false
  }

  private mutating func increments(_ section: inout YAMLSection, _ job: inout Job) {
    guard let node = section.node("incremental") else { return }
    switch node.scalar?.string {
    case "true": job.maximumChain = ExportOptions.defaultMaximumChain
    case "false": break
    default:
      guard node.mapping != nil, var part = self.section(node, "“incremental”") else {
        return section.fault("incremental", "has to be true or false, or “max-chain: 7” below it")
      }
      job.maximumChain = part.number("max-chain", in: 1...1000) ?? ExportOptions.defaultMaximumChain
      close(&part)
    }
  }

  private func permissions(_ section: inout YAMLSection) -> UInt16? {
    guard let text = section.text("mode") else { return nil }
    guard let mode = UInt16(text, radix: 8), mode <= 0o777, mode & 0o600 == 0o600 else {
      section.fault("mode", "has to leave you the archive: 600, 640 or 644")
      return nil
    }
    return mode
  }

  private func date(_ key: String, _ section: inout YAMLSection) -> Int64? {
    guard let text = section.text(key) else { return nil }
    guard let date = LocalDate.parse(text) else {
      section.fault(key, "has to be a date, as 2025-06-01 or 2025-06-01T12:00:00")
      return nil
    }
    return date.milliseconds
  }

  private mutating func retention(_ section: inout YAMLSection) -> RetentionPolicy? {
    guard let node = section.node("retention"), var part = self.section(node, "“retention”") else {
      return nil
    }
    defer { close(&part) }
    var policy = RetentionPolicy()
    let counts: [(String, WritableKeyPath<RetentionPolicy, Int>)] = [
      ("keep-last", \.last), ("keep-hourly", \.hourly), ("keep-daily", \.daily), ("keep-weekly", \.weekly),
      ("keep-monthly", \.monthly), ("keep-yearly", \.yearly),
    ]
    for (key, path) in counts { policy[keyPath: path] = part.number(key, in: 0 ... .max) ?? 0 }
    if let text = part.text("keep-within") {
      policy.within = RetentionSpan(text)
      if policy.within == nil { part.fault("keep-within", "has to be a length of time, as 30d or 1y6m") }
    }
    policy.tags = part.texts("keep-tag") ?? []
    if policy.isEmpty, part.faults.isEmpty {
      part.fault(part.line, "“retention” keeps nothing; write “keep-last: 7” or the like")
    }
    return policy
  }

  private mutating func hooks(_ section: inout YAMLSection) -> Hooks {
    var hooks = Hooks()
    guard let node = section.node("hooks"), var part = self.section(node, "“hooks”") else { return hooks }
    hooks.before = part.text("before")
    hooks.after = part.text("after")
    hooks.onFailure = part.text("on-failure")
    hooks.finally = part.text("finally")
    if let limit = part.seconds("time-limit") {
      if limit == 0 { part.fault("time-limit", "of 0 leaves a hook no time; write a longer one, as 10m") }
      hooks.timeLimit = limit
    }
    close(&part)
    return hooks
  }

  // MARK: Parts

  mutating func section(_ node: Node, _ name: String) -> YAMLSection? {
    YAMLSection(node, name: name) { faults.append($0) }
  }

  mutating func close(_ section: inout YAMLSection) {
    section.finish()
    faults += section.faults
  }

  private func path(_ text: String) -> FilePath {
    if let home, text == "~" || text.hasPrefix("~/") { return FilePath(home + text.dropFirst()) }
    let path = FilePath(text)
    return folder.pushing(path).lexicallyNormalized()
  }

  /// Names become names of files and units.
  private static func fault(inName name: String) -> String? {
    let isPlain = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
      return "“\(name)” cannot be a job's name: letters, digits, - and _, at most 64"
    }
    return nil
  }

  private static func isIndentedByTab(_ line: Int, of text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return false }
    return lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
  }

  private static func fault(_ error: YamlError, in text: String) -> JobFile.Fault {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      JobFile.Fault(
        line: mark.line,
        message: isIndentedByTab(mark.line, of: text)
          ? "YAML takes no tabs at the beginning of a line; write spaces" : "this is no YAML: \(problem)")
    case .duplicatedKeysInMapping(let duplicates, let context):
      JobFile.Fault(
        line: context.mark.line,
        message: "given twice: \(duplicates.map { "“\($0)”" }.sorted().joined(separator: ", "))")
    default:
      JobFile.Fault(line: 0, message: "this is no YAML: \(error)")
    }
  }
}

extension YAMLSection {
  /// Notes what is wrong with a key that is there.
  mutating func fault(_ key: String, _ message: String) {
    fault(all.first { $0.key == key }?.node.line ?? line, "“\(key)” \(message)")
  }
}
