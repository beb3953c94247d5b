import ArgumentParser
import Operations

/// The limits for backups, for unusually large backups and for small machines.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Refuse archives with more entries than this; default: 2 million.", valueName: "number"))
  var maxEntries: Int?

  @Option(
    help: ArgumentHelp(
      "Refuse backups whose files have more bytes than this, for example 20G; default: 8T.",
      valueName: "bytes"))
  var maxBytes: ByteLimit?

  func validate() throws {
    if let maxEntries, maxEntries < 1 { throw ValidationError("--max-entries needs a number of at least 1") }
  }

  var limits: Limits {
    var limits = Limits()
    if let maxEntries {
      limits.maximumEntries = maxEntries
      // more entries need a larger central directory, with names of about 460 bytes
      limits.maximumDirectoryBytes = max(limits.maximumDirectoryBytes, maxEntries.saturated(times: 512))
    }
    if let maxBytes { limits.maximumBytes = maxBytes.bytes }
    return limits
  }
}

/// A number of bytes on the command line, in units of 1024 like in `du` and `dd`: `300`, `20M`, `8T`.
struct ByteLimit: ExpressibleByArgument, Equatable {
  var bytes: Int

  private static let units: [(suffix: Character, factor: Int)] = [
    ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40),
  ]

  init?(argument: String) {
    var text = argument[...]
    var factor = 1
    if let last = text.last?.uppercased(), let unit = Self.units.first(where: { String($0.suffix) == last }) {
      factor = unit.factor
      text = text.dropLast()
    }
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, bytes > 0 else { return nil }
    self.bytes = bytes
  }
}
