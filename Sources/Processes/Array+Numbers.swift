extension [UInt8] {
  /// Appends a number in the byte order of the machine, as helpers expect it in messages.
  package mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }

  /// Reads a number in the byte order of the machine.
  package func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
  }
}
