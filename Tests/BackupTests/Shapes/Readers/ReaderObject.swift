import Foundation

/// A JSON object as a phone's serializer decodes it: a key without a default must exist, and each value has its type.
struct ReaderObject {
  private let values: [String: Any]
  private let path: String

  /// The object of a document.
  init(json: [UInt8]) throws {
    guard let values = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else {
      throw PhoneReader.Refusal("metadata.json is no JSON object")
    }
    (self.values, path) = (values, "")
  }

  private init(_ values: [String: Any], path: String) { (self.values, self.path) = (values, path) }

  func text(_ key: String) throws -> String { try value(key) { $0 as? String } }

  func bool(_ key: String) throws -> Bool { try value(key) { Self.isBool($0) ? $0 as? Bool : nil } }

  func number(_ key: String) throws -> Int64 { try value(key) { Self.isBool($0) ? nil : $0 as? Int64 } }

  func object(_ key: String) throws -> ReaderObject {
    ReaderObject(try value(key) { $0 as? [String: Any] }, path: "\(path)\(key).")
  }

  func list(_ key: String) throws -> [ReaderObject] {
    try value(key) { $0 as? [[String: Any]] }.enumerated().map { index, values in
      ReaderObject(values, path: "\(path)\(key)[\(index)].")
    }
  }

  /// Whether the key exists. A reader uses the default if it is missing.
  func has(_ key: String) -> Bool { values[key] != nil }

  /// Requires that the value of a key, if it exists, is a text or null.
  func demandOptionalText(_ key: String) throws {
    if has(key), !(values[key] is NSNull) { _ = try text(key) }
  }

  private func value<Value>(_ key: String, _ convert: (Any) -> Value?) throws -> Value {
    guard let value = values[key] else { throw PhoneReader.Refusal("\(path)\(key) is missing") }
    guard let converted = convert(value) else {
      throw PhoneReader.Refusal("\(path)\(key) has another type")
    }
    return converted
  }

  /// Foundation casts a JSON number to Bool, too.
  private static func isBool(_ value: Any) -> Bool {
    (value as? NSNumber).map { ["c", "B"].contains(String(cString: $0.objCType)) } ?? false
  }
}
