import FileSystem
import Operations

/// The progress of the library. The alias shadows Foundation's class of the same name in files that import Foundation.
typealias Progress = Operations.Progress

/// Shows progress. A single task uses a renderer.
protocol ProgressRenderer: Sendable {
  /// Shows a value. A value of the phase `finished` reports success and is the last one.
  mutating func show(_ progress: Progress)
  /// Erases the line at the foot of the terminal, before a message or after a failure.
  mutating func clear()
}

extension ProgressRenderer {
  mutating func clear() {}
}

extension Progress {
  /// One line without control characters, for plain progress and for SIGUSR1:
  /// `67 %  1.17/1.75 GiB  402/600 items  1.20 GiB/s  0:05 left  writing IMG_0402.jpg`
  var statusLine: String {
    var fields = ["\(wholePercent) %"]
    if totalBytes > 0 { fields.append(ByteCount.pair(bytesProcessed, of: totalBytes)) }
    if totalItems > 0 { fields.append("\(processedItems)/\(totalItems) items") }
    if averageSpeed > 0 { fields.append("\(ByteCount(averageSpeed))/s") }
    if phase == .finished {
      fields.append("in \(elapsed.inWords)")
    } else {
      if let estimatedRemaining { fields.append("\(estimatedRemaining.asClock) left") }
      let doing = [phase.rawValue, currentItem?.escaped]
      fields.append(doing.compactMap(\.self).joined(separator: " "))
    }
    return fields.joined(separator: "  ")
  }

  /// The percentage rounded down, 0 to 100. Reaches 100 only after the end of the work, since programs that
  /// read the number close their window at 100.
  var wholePercent: Int {
    if phase == .finished { return 100 }
    let fraction = fractionCompleted
    return fraction.isFinite ? Int(min(max(fraction, 0), 0.99) * 100 + 1e-9) : 0
  }

  /// The number of bytes a second since the start; 0 while unknown.
  var averageSpeed: Int {
    let seconds = elapsed.inSeconds
    guard seconds > 0.05 else { return 0 }
    return Int(min(Double(max(0, bytesProcessed)) / seconds, 1e18))
  }
}
