/// What may be a directory record in a damaged file. APPNOTE 4.3.12.
struct SalvagedRecord {
  /// The offset of the record, and its end.
  let position: Int
  let end: Int
  /// The entry as the record describes it. The offset of its data is not known.
  let entry: Entry
  /// Nil if the bytes of the name are not text. The name of the entry is empty then.
  let name: String?
  /// The length of its extra fields. Those of the local header often have the same length.
  let extraLength: Int

  /// Makes a record that begins with `bytes`, and reads from the file what they do not contain of it. Returns nil if it
  /// cannot be a record.
  init?(
    _ record: DirectoryRecord, _ bytes: UnsafeRawBufferPointer, at position: Int, in file: OpenFile
  ) throws {
    let fixed = RecordLength.directoryRecord
    let length = record.fields.variableLength
    if bytes.count >= fixed + length {
      self.init(record, bytes.slice(fixed, length), at: position)
      return
    }
    let buffer = try RecordBuffer(reading: length, of: file.file, at: position + fixed)
    guard buffer.count == length else { return nil }
    self.init(record, buffer.bytes, at: position)
  }

  /// - Parameter variable: the name and the extra fields.
  private init?(_ stated: DirectoryRecord, _ variable: UnsafeRawBufferPointer, at position: Int) {
    var record = stated
    let nameLength = record.fields.nameLength
    let rawName = variable.slice(0, nameLength)
    guard let extra = ExtraFields(variable.slice(nameLength, record.fields.extraLength)),
      record.widen(by: extra), let encryption = try? record.fields.encryption(extra)
    else { return nil }
    self.position = position
    end = position + record.length
    extraLength = record.fields.extraLength
    name = record.fields.name(rawName, extra)
    entry = Entry(
      record.fields, name: name ?? "", rawName, encryption, modified: extra.modified,
      headerOffset: record.headerOffset, madeBy: record.madeBy, externalAttributes: record.externalAttributes)
  }
}

extension DirectoryRecord {
  /// True if the bytes can be a record. Random bytes with its signature hardly ever can.
  var isPlausible: Bool { fields.isPlausible && isOnFirstDisk }
}
