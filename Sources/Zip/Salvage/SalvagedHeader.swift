/// What may be a local header in a damaged file. Nothing of it is trusted. APPNOTE 4.3.7.
struct SalvagedHeader {
  /// The entry as the header describes it.
  let entry: Entry
  /// Nil if the bytes of the name are not text. The name of the entry is empty then.
  let name: String?
  /// False if the sizes are only in the descriptor after the data.
  let hasSizes: Bool

  /// Reads the header at an offset; returns nil if the bytes are no header, or if the budget is used up. Long names and
  /// extra fields are charged, since the next header may begin in the middle of them.
  static func read(_ file: OpenFile, at offset: Int, _ probe: DataProbe) throws -> SalvagedHeader? {
    var buffer = RecordBuffer(capacity: RecordLength.localHeader + 2 * Int(UInt16.max))
    let fixed = RecordLength.localHeader
    try buffer.fill(fixed + 512, from: file.file, at: offset)
    guard buffer.count >= fixed, buffer.bytes.u32(0) == Signature.localHeader else { return nil }
    let fields = HeaderFields(localHeader: buffer.bytes)
    guard fields.canBeLocalHeader else { return nil }
    let length = fixed + fields.variableLength
    if length > buffer.count {
      guard probe.budget.pay(length, for: .verification) else { return nil }
      try probe.whileReading(length)
      try buffer.fill(length, from: file.file, at: offset)
    }
    guard buffer.count >= length else { return nil }
    return SalvagedHeader(fields, buffer.bytes.slice(fixed, fields.variableLength), at: offset)
  }

  /// - Parameter variable: the name and the extra fields.
  private init?(_ stated: HeaderFields, _ variable: UnsafeRawBufferPointer, at offset: Int) {
    let rawName = variable.slice(0, stated.nameLength)
    guard let extra = ExtraFields(variable.slice(stated.nameLength, stated.extraLength)),
      let encryption = try? stated.encryption(extra)
    else { return nil }
    var (fields, none) = (stated, 0)
    let isWide = extra.widen(size: &fields.size, compressedSize: &fields.compressedSize, offset: &none)
    let isUnknown =
      fields.compressedSize == 0 || fields.compressedSize == Int(UInt32.max) && extra.zip64 == nil
      || fields.crc32 == 0
    hasSizes = isWide && (fields.flags & Flag.descriptor == 0 || !isUnknown)
    name = fields.name(rawName, extra)
    entry = Entry(
      fields, name: name ?? "", rawName, encryption, modified: extra.modified, headerOffset: offset,
      dataOffset: offset + RecordLength.localHeader + fields.variableLength)
  }
}

extension SalvagedHeader {
  /// Returns true if a directory record describes the same data; the names may differ.
  func describesSameData(as record: SalvagedRecord) -> Bool {
    entry.method == record.entry.method && hasSizes && entry.hasNumbers(of: record.entry)
  }

  /// Returns true if a directory record has the same name and method.
  func hasNameAndMethod(of record: SalvagedRecord) -> Bool {
    entry.method == record.entry.method && entry.rawName == record.entry.rawName
  }
}

extension HeaderFields {
  /// True if the bytes can be a header. Random bytes with its signature hardly ever can. APPNOTE 4.4.5 lists the methods.
  var isPlausible: Bool {
    version & 0xFF <= 63 && (method <= 20 || (93...99).contains(method)) && 1...8192 ~= nameLength
  }

  /// True if the bytes can be a local header.
  var canBeLocalHeader: Bool { isPlausible && flags & (Flag.patchedData | Flag.maskedHeaders) == 0 }
}
