/// The restrictions of a service beyond its writable folders. systemd.exec(5)
struct UnitSandbox {
  /// True if the job has hooks or a password command, which may send mail, mount disks and use ssh.
  let runsCommands: Bool
  /// True if the service runs as root, so that systemd can filter system calls without `NoNewPrivileges=`. As another user,
  /// each filter implies it, and a mailer that is setgid or a mount that is setuid would fail.
  let runsAsRoot: Bool
  /// True if the service has `/tmp` and `/var/tmp` of its own.
  let hasPrivateTemporaries: Bool

  /// The lines of the unit.
  var text: String {
    let parts: [String] =
      switch (runsCommands, runsAsRoot) {
      case (false, false): [Self.ofFiles]
      case (false, true): [Self.ofFiles, Self.ofFilesOfRoot]
      case (true, false): [Self.ofCommands, Self.ofCommandsOfUser]
      case (true, true): [Self.ofCommands, Self.ofCommandsOfRoot]
      }
    return ((hasPrivateTemporaries ? ["PrivateTmp=true"] : []) + parts).joined(separator: "\n")
  }

  /// For a service that only reads and writes files, as far as a user's systemd can. The process that draws pictures needs
  /// the system calls with which it restricts itself further.
  private static let ofFiles = """
    NoNewPrivileges=true
    RestrictAddressFamilies=AF_UNIX
    RestrictNamespaces=true
    RestrictRealtime=true
    RestrictSUIDSGID=true
    LockPersonality=true
    MemoryDenyWriteExecute=true
    SystemCallArchitectures=native
    SystemCallFilter=@system-service seccomp
    SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self
    SystemCallFilter=~@resources
    SystemCallErrorNumber=EPERM
    """

  /// What only the system's systemd can do. SQLite gives its files the owner of the database, for which root needs
  /// CAP_CHOWN.
  private static let ofFilesOfRoot = """
    CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER
    PrivateDevices=true
    PrivateNetwork=true
    ProtectKernelTunables=true
    ProtectKernelModules=true
    ProtectKernelLogs=true
    ProtectControlGroups=true
    ProtectClock=true
    ProtectHostname=true
    ProtectProc=invisible
    KeyringMode=private
    """

  private static let ofCommands = """
    # The job has hooks or a password command. They may send mail, mount disks and use ssh, so the unit keeps the
    # network, devices, and setuid and setgid programs. Relax or add restrictions in a drop-in.
    ProtectControlGroups=true
    """

  /// Each further restriction filters system calls.
  private static let ofCommandsOfUser = """
    # Other restrictions would take setgid mailers and setuid mount from the user.
    """

  /// `ProtectClock=` would also deny all disks to mount(8), since it sets a list of devices: without it, the service
  /// has neither the capability nor the system calls to set the clock. `RestrictSUIDSGID=` keeps files from becoming
  /// setuid, and does not keep programs that are setgid from running.
  private static let ofCommandsOfRoot = """
    CapabilityBoundingSet=~CAP_SYS_TIME CAP_WAKE_ALARM CAP_SYS_MODULE CAP_SYSLOG CAP_SYS_BOOT CAP_SYS_PACCT
    CapabilityBoundingSet=~CAP_SYS_PTRACE CAP_SYS_TTY_CONFIG CAP_NET_ADMIN CAP_MAC_ADMIN CAP_MAC_OVERRIDE
    CapabilityBoundingSet=~CAP_AUDIT_CONTROL CAP_AUDIT_READ CAP_LINUX_IMMUTABLE CAP_BLOCK_SUSPEND CAP_LEASE
    CapabilityBoundingSet=~CAP_BPF CAP_PERFMON CAP_CHECKPOINT_RESTORE
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_ALG
    RestrictNamespaces=true
    RestrictRealtime=true
    RestrictSUIDSGID=true
    LockPersonality=true
    MemoryDenyWriteExecute=true
    SystemCallArchitectures=native
    SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap
    SystemCallErrorNumber=EPERM
    ProtectKernelTunables=true
    ProtectKernelModules=true
    ProtectKernelLogs=true
    ProtectHostname=true
    ProtectProc=invisible
    KeyringMode=private
    """
}
