/// The phases of a run, between its hooks.
protocol RunPhases {
  /// Runs the phases. Blocks.
  ///
  /// - Parameters:
  ///   - results: receives the results of the phases, even if this throws.
  ///   - previous: the status of the job before this run.
  /// - Throws: the error that stopped the run; `CancellationError`.
  func run(_ results: inout PhaseResults, after previous: JobStatus) throws
}
