import Glibc
import Secrets
import Synchronization

/// Passwords and PINs from the environment. `take` removes them from the environment before anything else
/// happens: child processes do not get them, and `/proc/PID/environ` no longer shows them.
enum EnvironmentSecrets {
  private static let values = Mutex<[String: Secret]>([:])

  /// Takes all secrets. Call this first, while the process has a single thread, because setenv(3) is not thread-safe.
  static func take() {
    for kind in SecretKind.all {
      guard let text = getenv(kind.variable) else { continue }
      let bytes = UnsafeMutableRawBufferPointer(start: text, count: strlen(text))
      if !bytes.isEmpty {
        let secret = Secret(UnsafeRawBufferPointer(bytes))
        values.withLock { $0[kind.variable] = secret }
      }
      // the kernel shows this string in `/proc/PID/environ`
      bytes.wipe()
      unsetenv(kind.variable)
    }
  }

  /// Returns the secret from the environment; nil if the variable is missing or empty.
  static func value(of kind: SecretKind) -> Secret? { values.withLock { $0[kind.variable] } }
}
