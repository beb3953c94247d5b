import Foundation

/// A program of the system that is run to its end: systemctl, crontab. Looked for in PATH; it gets no shell.
struct ChildProgram: Sendable {
  /// How it ended.
  struct Result: Sendable {
    /// Its exit status; 128 and the signal if one killed it.
    var status: Int
    var output: [UInt8]
    var errors: String
  }

  let name: String
  /// Before the arguments of every call.
  var prefix: [String] = []

  /// Waits for it to end. Its messages are in English, since they are looked at.
  ///
  /// Input and output are files without a name, so that neither side waits for the other and an early end of the
  /// program raises no signal here.
  func run(_ arguments: [String], input: [UInt8] = []) throws(ScheduleInstallError) -> Result {
    let words = prefix + arguments
    let command = ([name] + words).joined(separator: " ")
    guard let program = Self.find(name) else { throw .program(command, reason: "there is no such program") }
    do {
      let files = try (0..<3).map { _ in try Self.unnamedFile() }
      try files[0].write(contentsOf: input)
      try files[0].seek(toOffset: 0)
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = words
      // the working folder may be one that this user may not enter
      process.currentDirectoryURL = URL(filePath: "/")
      process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
      (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
      try process.run()
      process.waitUntilExit()
      let texts = try files[1...].map { file in
        try file.seek(toOffset: 0)
        return try [UInt8](file.readToEnd() ?? Data())
      }
      let isKilled = process.terminationReason == .uncaughtSignal
      return Result(
        status: Int(process.terminationStatus) + (isKilled ? 128 : 0), output: texts[0],
        errors: String(decoding: texts[1], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    } catch {
      throw .program(command, reason: error.localizedDescription)
    }
  }

  /// The same; a status other than 0 is an error.
  @discardableResult
  func succeed(_ arguments: [String], input: [UInt8] = []) throws(ScheduleInstallError) -> [UInt8] {
    let result = try run(arguments, input: input)
    guard result.status == 0 else {
      throw .program(
        ([name] + prefix + arguments).joined(separator: " "),
        reason: result.errors.isEmpty ? "exit status \(result.status)" : result.errors)
    }
    return result.output
  }

  /// Where a program is; nil if there is none.
  static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// tmpfile(3)
  private static func unnamedFile() throws -> FileHandle {
    guard let stream = tmpfile() else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { fclose(stream) }
    return FileHandle(fileDescriptor: dup(fileno(stream)), closeOnDealloc: true)
  }
}
