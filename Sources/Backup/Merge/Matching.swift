/// Matches elements of two lists.
enum Matching {
  /// Pairs elements that have equal keys, in the order of the lists. Each element is in at most one pair. If both lists are
  /// in one order, it does not matter which of them is the first.
  ///
  /// - Parameter keys: the keys to compare, one after the other, the most specific first.
  /// - Returns: the pairs, and the other elements in their order.
  static func pairs<Element, Key: Hashable>(
    _ one: [Element], _ other: [Element], by keys: [(Element) -> Key]
  ) -> (pairs: [(Element, Element)], rest: (one: [Element], other: [Element])) {
    var pairs: [(Element, Element)] = []
    var rest = (one: one, other: other)
    for key in keys where !rest.one.isEmpty && !rest.other.isEmpty {
      var free: [Key: [Int]] = [:]
      for index in rest.other.indices.reversed() { free[key(rest.other[index]), default: []].append(index) }
      var isPaired = [Bool](repeating: false, count: rest.other.count)
      rest.one = rest.one.filter { element in
        guard let index = free[key(element)]?.popLast() else { return true }
        pairs.append((element, rest.other[index]))
        isPaired[index] = true
        return false
      }
      rest.other = zip(rest.other, isPaired).filter { !$0.1 }.map(\.0)
    }
    return (pairs, rest)
  }
}
