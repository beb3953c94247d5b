import SystemPackage

@testable import Jobs

/// A job file: either its jobs, or mistakes with their lines, and in both cases no zero byte in a path or a command.
func fuzzJobFile(_ bytes: UnsafeRawBufferPointer) {
  guard let text = String(validating: bytes, as: UTF8.self) else { return }
  do {
    let file = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna")
    for job in file.jobs {
      precondition(Job.fault(inName: job.name) == nil)
      let texts = job.tags + job.categories + [job.hooks.before, job.hooks.after].compactMap(\.self)
      precondition(texts.allSatisfy { !$0.utf8.contains(0) })
    }
  } catch {
    precondition(!error.faults.isEmpty)
    let lines =
      text.utf8.count(where: { $0 == 0x0A || $0 == 0x0D })
      + text.unicodeScalars.count { [0x85, 0x2028, 0x2029].contains($0.value) } + 2
    precondition(error.faults.allSatisfy { (0...lines).contains($0.line) })
  }
}
