import Foundation

extension Metadata.Fault {
  /// - Parameter json: the document; Foundation does not say where its syntax is broken, nor which number does
  ///   not fit, so it is looked at again.
  init(_ error: DecodingError, in json: ArraySlice<UInt8>) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(path: Self.path(context.codingPath + [key]), reason: "is missing")
    case .valueNotFound(_, let context):
      self.init(path: Self.path(context.codingPath), reason: "is null")
    case .typeMismatch(let type, let context):
      self.init(path: Self.path(context.codingPath), reason: "should be \(Self.name(of: type))")
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      self = Self.syntaxFault(json) ?? Self(path: "", reason: "not valid JSON")
    case .dataCorrupted(let context):
      self.init(path: Self.path(context.codingPath), reason: context.debugDescription)
    @unknown default:
      self.init(path: "", reason: "\(error)")
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }

  /// What JSONDecoder calls "not valid JSON": text that is none, or a number that is no whole one.
  private static func syntaxFault(_ json: ArraySlice<UInt8>) -> Self? {
    do {
      return fractionFault(try JSONSerialization.jsonObject(with: Data(json)), [])
    } catch {
      let detail = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
      return detail.map { Self(path: "", reason: "not valid JSON: \($0)") }
    }
  }

  /// The first number that is no whole one of 64 bits; a backup has no others.
  private static func fractionFault(_ value: Any, _ keys: [PathKey]) -> Self? {
    switch value {
    case let object as [String: Any]:
      object.sorted { $0.key < $1.key }.lazy
        .compactMap { fractionFault($0.value, keys + [PathKey(stringValue: $0.key)]) }.first
    case let list as [Any]:
      list.enumerated().lazy
        .compactMap { fractionFault($0.element, keys + [PathKey(intValue: $0.offset)]) }.first
    case let number as NSNumber where Int64(exactly: number) == nil:
      Self(path: path(keys), reason: "should be a whole number")
    default: nil
    }
  }

  private struct PathKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) {
      self.intValue = intValue
      stringValue = String(intValue)
    }
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any FixedWidthInteger.Type: "a whole number"
    case is [String: Any].Type: "an object"
    case is any Collection.Type: "a list"
    default: "an object"
    }
  }
}
