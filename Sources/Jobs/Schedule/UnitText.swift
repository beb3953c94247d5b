import SystemPackage

/// The owner of a unit: a user or the system.
package enum UnitScope: Sendable, Equatable {
  /// One user. systemd runs the unit while the user is logged in or lingers.
  case user
  /// The system. systemd runs the unit as root, or as another owner of the library.
  case system
}

/// The texts of a service and of the timer and path units that start it. Pure.
struct UnitText {
  let job: ScheduledJob
  let task: ScheduledJob.Task
  let scope: UnitScope

  /// The start of the first line of every unit that this program installs.
  static let header = "# smilepile schedule: "
  /// The first line, which identifies the owning job.
  private var firstLine: String { Self.header + job.mark }

  /// Returns the name of the unit without its suffix. The name of a job has only letters, digits, - and _.
  static func name(_ task: ScheduledJob.Task, _ job: String) -> String {
    "smilepile-\(task.rawValue)-\(job)"
  }

  var service: String {
    """
    \(firstLine)
    \(Self.origin)
    # Exit code 3 (incomplete) is a failure here on purpose.

    [Unit]
    Description=\(verb) \(job.name) (smilepile)
    Documentation=man:smilepile(1)
    \(startLimit)\(scope == .system ? "After=local-fs.target remote-fs.target\n" : "")
    [Service]
    Type=oneshot
    \(user)\(variables)
    ExecStart=:\(job.command(for: task, task == .inbox ? ["--wait"] : []).map(Self.quoted).joined(separator: " "))
    SyslogIdentifier=smilepile
    Nice=19
    IOSchedulingClass=idle
    # The time to remove unfinished files and to run the hooks on-failure and finally.
    TimeoutStopSec=\(job.stopSeconds)
    UMask=0077

    # The service can write to these folders only.
    ProtectSystem=strict
    ProtectHome=read-only
    \(folders)

    \(sandbox)

    """
  }

  private var verb: String {
    switch task {
    case .backup: "Back up the photos of"
    case .restoreTest: "Restore test of"
    case .inbox: "Import backups of phones for"
    }
  }

  /// The path unit and the timer start the service of an inbox often. With a limit, systemd would give them up.
  private var startLimit: String { task == .inbox ? "StartLimitIntervalSec=0\n" : "" }

  /// The text of the path unit; nil for a task that does not wait for files.
  var path: String? {
    guard task == .inbox, job.runsAutomatically(.inbox) else { return nil }
    let folders = job.inboxes.map { "PathChanged=" + Self.specifiersEscaped($0.string) }
    return trigger(
      "Inbox of \(job.name)", "[Path]\n\(folders.joined(separator: "\n"))", target: "paths.target")
  }

  /// The text of the timer; nil for a manual task.
  var timer: String? {
    if task == .inbox {
      return !job.pollsInboxes
        ? nil
        : trigger(
          "Inbox of \(job.name) on a network file system", "[Timer]\nOnCalendar=minutely\nAccuracySec=5s",
          target: "timers.target")
    }
    guard let schedule = job.schedule(of: task) else { return nil }
    return trigger(
      "\(schedule): \(task.rawValue) of \(job.name)",
      """
      [Timer]
      \(schedule.calendarExpressions.map { "OnCalendar=\($0)" }.joined(separator: "\n"))
      # Runs that the machine missed start after the next boot.
      Persistent=true
      RandomizedDelaySec=2min
      """, target: "timers.target")
  }

  /// Returns the text of a unit that starts the service.
  private func trigger(_ description: String, _ section: String, target: String) -> String {
    """
    \(firstLine)
    \(Self.origin)

    [Unit]
    Description=\(description) (smilepile)
    Documentation=man:smilepile(1)

    \(section)

    [Install]
    WantedBy=\(target)

    """
  }

  private static let origin =
    "# Made by `smilepile schedule install`: change the job file and install again. Drop-ins are not changed."

  /// The user who owns the library. A user's systemd runs all services as that user.
  private var user: String {
    guard scope == .system, let user = job.user else { return "" }
    return "User=\(Self.specifiersEscaped(user.name))\n"
  }

  /// The `Environment=` lines. systemd expands specifiers in them, but no variables. systemd.exec(5).
  private var variables: String {
    job.environment.sorted { $0.key < $1.key }.map { "Environment=" + Self.quoted("\($0.key)=\($0.value)") }
      .joined(separator: "\n")
  }

  /// The `ReadWritePaths=` lines. With `-` systemd ignores a missing folder, and the command reports the folder.
  private var folders: String {
    let own =
      job.writable + (job.runsCommands(for: task) && scope == .system ? ["/var/spool", "/var/mail"] : [])
      + (needsSharedTemporaries ? Self.temporaries : [])
    var lines: [String] = []
    for path in own {
      let line = "ReadWritePaths=" + Self.quoted("-" + path.lexicallyNormalized().string)
      if !lines.contains(line) { lines.append(line) }
    }
    return lines.joined(separator: "\n")
  }

  private var sandbox: String {
    UnitSandbox(
      runsCommands: job.runsCommands(for: task), runsAsRoot: scope == .system && job.user == nil,
      hasPrivateTemporaries: !needsSharedTemporaries
    ).text
  }

  private static let temporaries: [FilePath] = ["/tmp", "/var/tmp"]

  /// True if the job needs the machine's folders for temporary files. Commands exchange files there, and the
  /// paths of the job may be inside them.
  private var needsSharedTemporaries: Bool {
    job.runsCommands(for: task)
      || ([job.configuration, job.program] + job.writable + job.readable).contains { path in
        Self.temporaries.contains { path.lexicallyNormalized().starts(with: $0) }
      }
  }

  /// Returns a word of a command line or of a list of paths in quotes, with specifiers escaped. systemd
  /// expands no variables in a line that begins with `:`. systemd.syntax(7), systemd.service(5).
  static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"" + specifiersEscaped(escaped) + "\""
  }

  /// Escapes `%`, which begins a specifier everywhere in a unit.
  static func specifiersEscaped(_ text: String) -> String { text.replacing("%", with: "%%") }
}
