import FileSystem
import SystemPackage

/// One kind of fault, tried at the first call of an operation, then at the second, until the last.
struct Series: Sendable {
  let name: String
  let effect: Fault.Effect
  let calls: Fault.Calls
  var persists = false
  /// Whether the operation must succeed despite the fault.
  var isHarmless = false

  /// The error whose number the operation's message must have.
  var error: Errno? {
    if case .error(let error) = effect { error } else { nil }
  }

  var isKill: Bool {
    switch effect {
    case .killBefore, .killAfter: true
    default: false
    }
  }

  func fault(at number: Int) -> Fault { Fault(effect, at: number, of: calls, persists: persists) }

  private static let reading: Fault.Calls = .only([.open, .read, .status, .list, .fileSystem])

  static let all: [Series] =
    [
      Series(name: "kill before", effect: .killBefore, calls: .all),
      Series(name: "kill after", effect: .killAfter, calls: .writing),
    ]
    + [
      ("ENOSPC", Errno.noSpace), ("EIO", .ioError), ("EACCES", .permissionDenied),
      ("EDQUOT", .diskQuotaExceeded),
      ("EROFS", .readOnlyFileSystem),
    ].map { Series(name: $0, effect: .error($1), calls: .writing) }
    + [
      Series(name: "ENOSPC from then on", effect: .error(.noSpace), calls: .writing, persists: true),
      Series(name: "EIO from then on", effect: .error(.ioError), calls: .writing, persists: true),
      Series(name: "EIO reading", effect: .error(.ioError), calls: reading),
      Series(name: "EIO reading from then on", effect: .error(.ioError), calls: reading, persists: true),
      Series(name: "ENOMEM", effect: .error(.noMemory), calls: .all),
      Series(name: "EINTR", effect: .error(.interrupted), calls: .all, isHarmless: true),
      Series(name: "short", effect: .short, calls: .only([.read, .write]), isHarmless: true),
    ]
}
