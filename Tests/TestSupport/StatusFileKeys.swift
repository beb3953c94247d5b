import Foundation

extension JSONDecoder {
  /// Decodes a status file, whose keys are the names of the properties in snake case.
  package static var ofStatusFiles: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .custom { path in
      let words = (path.last?.stringValue ?? "").split(separator: "_")
      return Key(
        stringValue: words[0] + words.dropFirst().map { $0 == "id" ? "ID" : $0.capitalized }.joined())
    }
    return decoder
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = "\(intValue)" }
  }
}
