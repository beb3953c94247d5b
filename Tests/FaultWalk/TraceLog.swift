import Foundation

/// What strace wrote of one run: the calls of each thread that concern a folder, numbered as `when=N` counts them.
struct TraceLog {
  /// The numbers at which some thread makes a call that concerns the folder, by the call's name.
  private(set) var points: [String: Set<Int>] = [:]

  /// - Parameters:
  ///   - text: strace's output, with `-f` (each line begins with its thread) and `-y` (descriptors with paths).
  ///   - folder: lines that name nothing below it are counted and pass by.
  init(_ text: String, concerning folder: String) {
    var counts: [String: Int] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      // `<... write resumed>` goes on with a call that was counted when it began
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
