import ArgumentParser
import Foundation
import PhotoLibrary

/// Selects photos by the time when they were taken.
struct TakenOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only photos taken at this time or later.", valueName: "date"),
    transform: DateArgument.parse)
  var since: Date?

  @Option(
    help: ArgumentHelp("Only photos taken before this time.", valueName: "date"),
    transform: DateArgument.parse)
  var until: Date?

  func validate() throws {
    if range.isEmpty { throw ValidationError("--until must be later than --since") }
  }

  var range: TakenRange { TakenRange(since: since.map(Timestamp.init), until: until.map(Timestamp.init)) }
}
