import Backup
import Gallery
import Operations

/// Reads the parts of a job that have a few keys each.
extension JobFileReader {
  /// Reads the source of the password.
  mutating func encryption(_ section: inout YAMLSection, _ job: inout Job) {
    guard let node = section.node("encrypt"), var part = self.section(node, "“encrypt”") else { return }
    defer { close(&part) }
    let file = path("password-file", in: &part).map { PasswordSource.file($0) }
    let command = part.text("password-command").map { PasswordSource.command($0) }
    if part.has("password") {
      _ = part.node("password")
      part.fault("password", "is not allowed in a job file; use “password-file” or “password-command”")
    } else if file != nil, command != nil {
      part.fault("password-command", "and “password-file” both specify the password; remove one")
    } else if file == nil, command == nil, part.faults.isEmpty {
      part.fault(part.line, "“encrypt” needs “password-file” or “password-command”")
    }
    job.password = file ?? command
    job.allowsWeakPassword = part.flag("force-weak-password") ?? false
  }

  /// Reads whether backups are incremental, and the maximum chain depth.
  mutating func increments(_ section: inout YAMLSection, _ job: inout Job) {
    switch section.switch("incremental", example: "max-chain: 7") {
    case .off: break
    case .on: job.maximumChainDepth = ExportOptions.defaultMaximumChainDepth
    case .section(let node):
      guard var part = self.section(node, "“incremental”") else { return }
      job.maximumChainDepth = part.number("max-chain", in: 1...1000) ?? ExportOptions.defaultMaximumChainDepth
      close(&part)
    }
  }

  /// Reads whether archives have a gallery, and its appearance. An unknown theme is a warning.
  mutating func gallery(_ section: inout YAMLSection) -> Gallery.Style? {
    switch section.switch("gallery", example: "theme: forest-green") {
    case .off: return nil
    case .on: return Gallery.Style()
    case .section(let node):
      guard var part = self.section(node, "“gallery”") else { return nil }
      defer { close(&part) }
      var style = Gallery.Style()
      if let name = part.text("theme") {
        style.choose(themeNamed: name)
        if let warning = style.warning {
          warnings.append(ConfigurationFault(line: part.line(of: "theme"), message: warning))
        }
      }
      style.appearance =
        part.parsedText("appearance", "system, light or dark", GalleryAppearance.init(rawValue:))
        ?? style.appearance
      style.textSize = part.number("text-size", in: Gallery.Style.textSizes) ?? style.textSize
      return style
    }
  }

  /// Reads the permissions of the archives.
  func permissions(_ section: inout YAMLSection) -> UInt16? {
    guard let text = section.text("mode") else { return nil }
    guard let mode = UInt16(text, radix: 8), mode <= 0o777, mode & 0o600 == 0o600 else {
      section.fault("mode", "must include read and write for the owner; write for example 600")
      return nil
    }
    return mode
  }

  func date(_ key: String, _ section: inout YAMLSection) -> Timestamp? {
    section.parsedText(key, "a date, for example 2025-06-01 or 2025-06-01T12:00:00") { text in
      LocalDate.parse(text).map(Timestamp.init)
    }
  }

  mutating func retention(_ section: inout YAMLSection) -> RetentionPolicy? {
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
    policy.within = part.parsedText("keep-within", "a duration, for example 30d or 1y6m", RetentionSpan.init)
    policy.tags = part.texts("keep-tag") ?? []
    if policy.isEmpty, part.faults.isEmpty {
      part.fault(part.line, "“retention” has no keep rule; write for example “keep-last: 7”")
    }
    return policy
  }

  mutating func hooks(_ section: inout YAMLSection) -> Hooks {
    var hooks = Hooks()
    guard let node = section.node("hooks"), var part = self.section(node, "“hooks”") else { return hooks }
    hooks.before = part.text("before")
    hooks.after = part.text("after")
    hooks.onFailure = part.text("on-failure")
    hooks.finally = part.text("finally")
    if let limit = part.seconds("time-limit") {
      if limit == 0 { part.fault("time-limit", "must be longer than 0, for example 10m") }
      hooks.timeLimit = limit
    }
    close(&part)
    return hooks
  }
}
