import Operations

extension PhotoReport {
  /// `left out: photo 7 “IMG_0001” in “Family”: its file is not in the archive`.
  var text: String {
    "\(action.rawValue.replacing("_", with: " ")): \(item)" + (reason.map { ": \($0)" } ?? "")
  }

  /// The line of JSON.
  var json: String {
    JSONFields.line(
      "photo",
      [
        "action": action.rawValue, "category": category, "item": item, "name": name, "reason": reason,
        "source": source,
      ])
  }
}
