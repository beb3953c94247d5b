/// How far a piece of work has come: a plain value, a snapshot of the counters at one moment.
///
/// Totals are known from the plan before the first byte moves, so the percentage is exact and never runs
/// backwards.
public struct Progress: Sendable, Equatable {
  /// What the work is doing now.
  public enum Phase: String, Sendable {
    /// Finding out what there is to do; the totals are not known yet.
    case planning
    /// Copying photos into the library.
    case reading
    /// Writing photos into an archive.
    case writing
    /// Reading back and comparing.
    case verifying
    /// Taking photos out of a backup.
    case restoring
    /// Making the result durable and visible.
    case committing
    /// Done; the last value of every stream.
    case finished
  }

  /// What the work is doing now.
  public var phase: Phase
  /// How many photos there are to work on.
  public var totalItems: Int
  /// How many of them are done, 0…`totalItems`.
  public var processedItems: Int
  /// How many bytes there are to work on.
  public var totalBytes: Int
  /// How many of them are done, 0…`totalBytes`.
  public var bytesProcessed: Int
  /// The share of the whole that the totals are of, where the work has several parts whose totals become known one after
  /// the other.
  public var share: ClosedRange<Double> = 0...1
  /// The photo that is being worked on.
  public var currentItem: String?
  /// Time since the work began.
  public var elapsed: Duration
  /// Time the rest will take if it goes on as it went, nil while nothing is known.
  public var estimatedRemaining: Duration?

  /// Makes a value; everything but the phase starts at nothing.
  public init(
    phase: Phase, totalItems: Int = 0, processedItems: Int = 0, totalBytes: Int = 0,
    bytesProcessed: Int = 0, currentItem: String? = nil, elapsed: Duration = .zero,
    estimatedRemaining: Duration? = nil
  ) {
    self.phase = phase
    self.totalItems = totalItems
    self.processedItems = processedItems
    self.totalBytes = totalBytes
    self.bytesProcessed = bytesProcessed
    self.currentItem = currentItem
    self.elapsed = elapsed
    self.estimatedRemaining = estimatedRemaining
  }

  /// 0…1: by bytes, or by items where there are no bytes to count.
  public var fractionCompleted: Double {
    if phase == .finished { return 1 }
    return share.lowerBound + (share.upperBound - share.lowerBound) * fractionOfShare
  }

  private var fractionOfShare: Double {
    if totalBytes > 0 { return min(1, Double(bytesProcessed) / Double(totalBytes)) }
    if totalItems > 0 { return min(1, Double(processedItems) / Double(totalItems)) }
    return 0
  }
}
