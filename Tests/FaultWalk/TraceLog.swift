import Foundation

/// The system calls of one run on files in a folder, numbered for each thread as `when=N` of strace counts them.
struct TraceLog {
  /// The numbers of the calls that concern the folder, by the name of the call.
  private(set) var points: [String: Set<Int>] = [:]

  /// - Parameters:
  ///   - text: strace's output, with `-f` (each line begins with its thread) and `-y` (descriptors with paths).
  ///   - folder: lines without a path below it are counted but ignored.
  init(_ text: String, concerning folder: String) {
    var counts: [String: Int] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      // `<... write resumed>` continues a call that is counted already
      guard parts.count == 2, !parts[1].contains("resumed>") else { continue }
      let call = parts[1].drop { $0 == " " }
      guard let open = call.firstIndex(of: "(") else { continue }
      let name = String(call[..<open])
      counts["\(parts[0]) \(name)", default: 0] += 1
      guard line.contains(folder) else { continue }
      points[name, default: []].insert(counts["\(parts[0]) \(name)"] ?? 0)
    }
  }
}
