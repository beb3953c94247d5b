import Checksums

/// Values of wanted contents by MD5 and CRC-32. Two photos may have one MD5 and different bytes; usually they differ in
/// their CRC-32, if both are known.
struct ContentIndex<Value> {
  private struct Values {
    let first: Value
    var byChecksum: [UInt32?: Value]
  }

  private let wanted: Set<MD5Digest>
  private var values: [MD5Digest: Values] = [:]

  /// - Parameter wanted: the MD5s of the contents that may be asked for.
  init(of wanted: Set<MD5Digest>) { self.wanted = wanted }

  /// Adds a value, if its content is wanted and has no value yet.
  mutating func add(_ value: Value, _ md5: MD5Digest, crc32: UInt32?) {
    guard wanted.contains(md5) else { return }
    guard values[md5] != nil else {
      values[md5] = Values(first: value, byChecksum: [crc32: value])
      return
    }
    if values[md5]?.byChecksum[crc32] == nil { values[md5]?.byChecksum[crc32] = value }
  }

  /// Returns the value of a content. If one of the checksums is unknown, the MD5 decides.
  func value(_ md5: MD5Digest, crc32: UInt32?) -> Value? {
    guard let values = values[md5] else { return nil }
    guard let crc32 else { return values.first }
    return values.byChecksum[crc32] ?? values.byChecksum[nil]
  }
}
