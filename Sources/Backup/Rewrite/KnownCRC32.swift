extension UInt32? {
  /// Returns false if this CRC-32 and another one are known and differ.
  func agreesAsCRC32(with other: UInt32?) -> Bool { self == nil || other == nil || self == other }
}
