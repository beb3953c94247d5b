import Operations

/// The message of an error that a job met, with its remedy as a key of the job file.
package enum JobMessage {
  /// One line.
  package static func text(of error: any Error) -> String { Remedy.message(of: error, text) }

  /// Nil if no key of the job file helps.
  private static func text(of remedy: Remedy) -> String? {
    switch remedy {
    case .waitForLock: "increase “lock-wait” in the job file"
    case .givePassword: "add “encrypt:” with “password-file” to the job"
    case .createLibrary: "correct the path of the library"
    case .actAsOwner: "run the job as the owner of the library"
    case .trustFolder(let path): "add “trust: \(path)” to the job if you trust these users"
    case .nameLibrary: "add “library:” to the job"
    default: nil
    }
  }
}
