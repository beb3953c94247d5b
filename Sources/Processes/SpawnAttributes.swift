import Glibc

/// The attributes of a program to start: signals that this process ignores or handles have their default effect in it.
/// posix_spawnattr_init(3)
struct SpawnAttributes: ~Copyable {
  /// For posix_spawn(3).
  var value = posix_spawnattr_t()

  /// - Parameter leadsGroup: true to make the program the leader of a new process group.
  init(leadsGroup: Bool) {
    posix_spawnattr_init(&value)
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&value, &all)
    posix_spawnattr_setsigmask(&value, &none)
    posix_spawnattr_setpgroup(&value, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&value, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
  }

  deinit {
    var value = value
    posix_spawnattr_destroy(&value)
  }
}
