import Operations

/// The bytes that a search of a damaged file may still read or inflate without finding an entry. It bounds the time
/// that a file made to keep the search busy can take.
///
/// Attempts that find an entry cost nothing.
struct WorkBudget {
  /// What an attempt is for. Each purpose has its own half of the budget, so that searches after a few damaged headers
  /// do not prevent the verification of entries that the directory or a header describes.
  enum Purpose: Int {
    /// Checking that data is what a header or the directory says.
    case verification
    /// Finding out where data ends.
    case search
  }

  /// How many attempts were not made or not finished, since the budget did not allow them.
  private(set) var refusals = 0

  /// The bytes that are left for each purpose.
  private var remaining: [Int]

  /// Allows eight times the file's size and 64 MiB for each purpose.
  init(fileSize: Int) {
    let half = fileSize.saturated(times: 8).saturated(plus: 64 << 20)
    remaining = [half, half]
  }

  /// Returns true if the budget covers this many bytes of work, should it find nothing. Counts a refusal otherwise.
  mutating func canAfford(_ bytes: Int, for purpose: Purpose) -> Bool {
    if bytes < remaining[purpose.rawValue] { return true }
    refusals += 1
    return false
  }

  /// Subtracts work that found nothing.
  mutating func charge(_ bytes: Int, for purpose: Purpose) {
    remaining[purpose.rawValue] -= min(remaining[purpose.rawValue], bytes)
  }

  /// Subtracts work whose cost is known in advance, whatever it will find. Returns false if the budget does not cover it.
  mutating func pay(_ bytes: Int, for purpose: Purpose) -> Bool {
    guard canAfford(bytes, for: purpose) else { return false }
    charge(bytes, for: purpose)
    return true
  }
}
