/// The bytes that a search of a damaged file may still read or inflate without finding an entry. It bounds the time
/// that a file made to keep the search busy can take.
///
/// Attempts that find an entry cost nothing. An attempt that the budget does not allow says so in its result.
struct WorkBudget {
  /// What an attempt is for. Each purpose has its own half of the budget, so that searches after a few damaged headers
  /// do not prevent the verification of entries that the directory or a header describes.
  enum Purpose {
    /// Checking that data is what a header or the directory says.
    case verification
    /// Finding out where data ends.
    case search
  }

  /// The result of an attempt.
  enum Attempt<Value> {
    /// The attempt was completed.
    case done(Value)
    /// The attempt was not made, or stopped, because the budget is used up.
    case unaffordable

    func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Attempt<Other> {
      switch self {
      case .done(let value): .done(try transform(value))
      case .unaffordable: .unaffordable
      }
    }
  }

  /// Several attempts at one thing.
  struct Series {
    /// True if every attempt was affordable.
    private(set) var isComplete = true

    /// Returns the value of an attempt; nil if it was unaffordable.
    mutating func value<Value>(of attempt: Attempt<Value>) -> Value? {
      switch attempt {
      case .done(let value): return value
      case .unaffordable:
        isComplete = false
        return nil
      }
    }

    /// The result of a series that found nothing.
    func nothing<Value>() -> Attempt<Value?> { isComplete ? .done(nil) : .unaffordable }
  }

  private var remaining: (verification: Int, search: Int)

  /// Allows eight times the file's size and 64 MiB for each purpose.
  init(fileSize: Int) {
    let (product, overflow) = fileSize.multipliedReportingOverflow(by: 8)
    let half = overflow ? .max : product + 64 << 20
    remaining = (half, half)
  }

  /// Returns true if the budget covers this many bytes of work, should it find nothing.
  func canAfford(_ bytes: Int, for purpose: Purpose) -> Bool {
    switch purpose {
    case .verification: bytes < remaining.verification
    case .search: bytes < remaining.search
    }
  }

  /// Subtracts work that found nothing.
  mutating func charge(_ bytes: Int, for purpose: Purpose) {
    switch purpose {
    case .verification: remaining.verification -= min(remaining.verification, bytes)
    case .search: remaining.search -= min(remaining.search, bytes)
    }
  }

  /// Subtracts work whose cost is known in advance, whatever it will find.
  mutating func pay(_ bytes: Int, for purpose: Purpose) -> Attempt<Void> {
    guard canAfford(bytes, for: purpose) else { return .unaffordable }
    charge(bytes, for: purpose)
    return .done(())
  }
}
