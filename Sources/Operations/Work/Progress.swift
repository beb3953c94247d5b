/// The progress of an operation: a snapshot of its counters.
///
/// The totals are known from the plan before the first byte is processed, so the percentage is exact and never
/// decreases.
public struct Progress: Sendable, Equatable {
  /// A phase of an operation.
  public enum Phase: String, Sendable {
    /// Making the plan; the totals are not known yet.
    case planning
    /// Copying photos into the library.
    case reading
    /// Writing photos into an archive.
    case writing
    /// Reading and comparing checksums.
    case verifying
    /// Extracting photos from a backup.
    case restoring
    /// Drawing pictures of photos.
    case drawing
    /// Comparing photos with each other.
    case comparing
    /// Making the result durable and visible.
    case committing
    /// Done; the last value of every stream.
    case finished
  }

  /// The current phase.
  public var phase: Phase
  /// The number of photos to process.
  public var totalItems = 0
  /// The number of processed photos, 0…`totalItems`.
  public var processedItems = 0
  /// The number of bytes to process.
  public var totalBytes = 0
  /// The number of processed bytes, 0…`totalBytes`.
  public var bytesProcessed = 0
  /// The part of the operation that the totals cover, if it has several parts whose totals become known one after the
  /// other.
  public var share: ClosedRange<Double> = 0...1
  /// The number of findings reported up to now: photos and files that are corrupt, missing or left out.
  public var errorCount = 0
  /// The photo that is being processed.
  public var currentItem: String?
  /// The time since the operation started.
  public var elapsed = Duration.zero
  /// The estimated time to the end at the current rate; nil while it is unknown.
  public var estimatedRemaining: Duration?

  /// 0…1, by bytes, or by items if there are no bytes.
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
