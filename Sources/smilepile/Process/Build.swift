import Backup
import CBuild

/// How this program was built.
enum Build {
  /// The abbreviated commit, with `-dirty` if files were changed since; nil if the program was built without
  /// `scripts/commit`, or outside of git.
  static let commit = text(smilepile_build_commit())
  /// The date of the commit in UTC, `2026-11-28`.
  static let commitDate = text(smilepile_build_commit_date())

  /// The version and the commit: `0.1.0 (34db58ea01, 2026-11-28)`, or `0.1.0 (development)`.
  static var version: String {
    let source = [commit, commitDate].compactMap(\.self)
    return "\(Version.current) (\(source.isEmpty ? "development" : source.joined(separator: ", ")))"
  }

  /// The kind of build: `release build for Linux on x86_64`.
  static var kind: String {
    #if DEBUG
      let kind = "debug"
    #else
      let kind = "release"
    #endif
    #if arch(x86_64)
      let processor = "x86_64"
    #elseif arch(arm64)
      let processor = "arm64"
    #else
      let processor = "another processor"
    #endif
    return "\(kind) build for Linux on \(processor)"
  }

  private static func text(_ constant: UnsafePointer<CChar>?) -> String? {
    constant.flatMap { String(validatingCString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
