import Glibc
import Secrets
import Synchronization

/// Passwords and PINs that came in the environment, taken out of it before anything else happens: no program that
/// is started later gets them, and `/proc/PID/environ` no longer shows them.
enum EnvironmentSecrets {
  private static let values = Mutex<[String: Secret]>([:])

  /// Takes all of them. To be called first of all, while there is one thread: setenv(3) and its like are for that.
  static func take() {
    for kind in SecretKind.all {
      guard let text = getenv(kind.variable) else { continue }
      let bytes = UnsafeMutableRawBufferPointer(start: text, count: strlen(text))
      if !bytes.isEmpty {
        let secret = Secret(UnsafeRawBufferPointer(bytes))
        values.withLock { $0[kind.variable] = secret }
      }
      // the string itself is what the kernel shows
      bytes.wipe()
      unsetenv(kind.variable)
    }
  }

  /// What the environment gave, nil if nothing, or an empty text.
  static func value(of kind: SecretKind) -> Secret? { values.withLock { $0[kind.variable] } }
}
