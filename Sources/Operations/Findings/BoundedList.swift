/// The first elements of a list that may have millions, and the number of the others. A hostile file must not fill the
/// memory with messages.
package struct BoundedList<Element: Sendable>: Sendable {
  /// The most elements that are kept.
  package static var capacity: Int { 10_000 }

  /// The first elements.
  package private(set) var first: [Element] = []
  /// The number of elements that are not kept.
  package private(set) var others = 0

  /// Makes an empty list.
  package init() {}

  /// Makes a list of what `element` returns for the items of a sequence. Calls it only for elements that are kept.
  package init<Items: Sequence>(_ items: Items, _ element: (Items.Element) -> Element) {
    for item in items { append(element(item)) }
  }

  /// The number of all elements.
  package var count: Int { first.count + others }

  /// True if there are no elements.
  package var isEmpty: Bool { first.isEmpty }

  /// Appends an element, or counts it. Evaluates only an element that is kept.
  package mutating func append(_ element: @autoclosure () -> Element) {
    if first.count < Self.capacity { first.append(element()) } else { others += 1 }
  }

  /// Returns the first elements, and one more that tells the number of the others if there are any.
  package func elements(others element: (Int) -> Element) -> [Element] {
    others == 0 ? first : first + [element(others)]
  }
}
