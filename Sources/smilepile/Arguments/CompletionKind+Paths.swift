import ArgumentParser
import FileSystem
import Foundation
import Jobs
import SystemPackage

// Completions of jobs. An error gives neither completions nor a message, since a message would appear in the
// command line.

extension CompletionKind {
  /// The jobs of the job file.
  static var jobs: CompletionKind { .custom { words, _, _ in jobNames(words) } }

  /// The jobs of the job file, and folders.
  static var jobsAndFolders: CompletionKind {
    .custom { words, _, prefix in
      (prefix.contains("/") ? [] : jobNames(words)) + folders(prefix)
    }
  }

  private static func jobNames(_ words: [String]) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    let named = configuration(words) ?? environment["SMILEPILE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    let file = try? JobFile(named.map { FilePath($0) }, environment: environment)
    return file?.jobs.map(\.name) ?? []
  }

  /// Returns the value of `--config` if the command line contains it.
  private static func configuration(_ words: [String]) -> String? {
    if let word = words.last(where: { $0.hasPrefix("--config=") }) { return String(word.dropFirst(9)) }
    return zip(words, words.dropFirst()).first { $0.0 == "--config" }?.1
  }

  private static func folders(_ prefix: String) -> [String] {
    let split = prefix.lastIndex(of: "/").map { prefix.index(after: $0) } ?? prefix.startIndex
    let (parent, beginning) = (prefix[..<split], prefix[split...])
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: parent.isEmpty ? "." : String(parent))) ?? []
    return names.sorted().filter { name in
      name.hasPrefix(beginning) && (beginning.hasPrefix(".") || !name.hasPrefix("."))
        // bash expands the words of a list, and the name of a folder must not become a command
        && !name.contains { "$`\\\"'\n".contains($0) }
        && FilePath(parent + name).isFolder
    }
    // bash adds the slash itself
    .map { parent + $0 + (CompletionShell.requesting == .fish ? "/" : "") }
  }
}
