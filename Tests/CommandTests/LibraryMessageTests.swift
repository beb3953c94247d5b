import FileSystem
import Foundation
import Jobs
import Operations
import Testing

@testable import Backup
@testable import smilepile

/// Errors of the libraries do not know the command line: they have a `Remedy`, which the command renders.
struct LibraryMessageTests {
  /// The sources of all targets except the command. Schedules are excluded because their text has command lines.
  private static let files: [URL] = {
    let sources = URL(fileURLWithPath: "\(ScriptFile.folder)/../../Sources").standardized
    let all = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { file in
      file.pathExtension == "swift"
        && !["/Sources/smilepile/", "/Jobs/Schedule/"].contains { file.path.contains($0) }
    }
  }()

  /// Whether a string in the line names an option or a command of this program.
  private static func namesCommandLine(_ line: String) -> Bool {
    guard !line.trimmingCharacters(in: .whitespaces).hasPrefix("//"), line.contains("\"") else {
      return false
    }
    let commands = Smilepile.configuration.subcommands.map { $0._commandName }
    return line.contains(#/--[a-z]|(use|with) -[a-z]\b/#)
      || commands.contains { line.contains("smilepile \($0)") }
  }

  @Test("Library messages: no message names an option or a command")
  func messages() throws {
    #expect(Self.files.count > 200)
    for file in Self.files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where Self.namesCommandLine(String(line)) {
        Issue.record("\(file.lastPathComponent): \(line)")
      }
    }
  }

  @Test(
    "Library messages: an option or a command in a string is detected",
    arguments: [
      #""wait, or use --lock-wait""#, #""give it with -l""#, #""\(path); run smilepile repair""#,
    ])
  func detection(line: String) {
    #expect(Self.namesCommandLine(line))
    #expect(!Self.namesCommandLine("  /// " + line))
  }

  private static let locked = BackupError.passwordNeeded("a.zip")

  @Test("Remedy: the command names options, a job names keys of its job file")
  func renderings() {
    #expect(
      CommandMessage.text(of: Self.locked).hasPrefix(
        "a.zip is encrypted; give the password with --password-file"))
    #expect(
      JobMessage.text(of: Self.locked) == "a.zip is encrypted; add “encrypt:” with “password-file” to the job"
    )
    #expect(
      JobMessage.text(of: JobError.noLibrary("a")) == "job “a” has no library; add “library:” to the job")
  }

  @Test("Remedy: a job omits a remedy for which its job file has no key")
  func jobWithoutKey() {
    let error = BackupError.photoExport("my phone's.zip", .gallery)
    #expect(JobMessage.text(of: error) == "\(error)")
    #expect(CommandMessage.text(of: error).contains(#"smilepile extract 'my phone'\''s.zip' --to FOLDER"#))
  }

  @Test("Remedy: the remedy of a nested error is added once, at the end")
  func nested() {
    let error = ImportStopped(at: "a.zip", after: ["b.zip"], ImportSummary(), Self.locked)
    #expect(
      CommandMessage.text(of: error).hasPrefix(
        "a.zip is encrypted; already imported: b.zip; give the password"))
  }
}
