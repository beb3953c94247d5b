import ImageHeader

/// An image of tiles, with a thumbnail and Exif, as phones write it.
struct HEIFBuilder {
  var brand = "heic"
  var compatible = ["mif1", "miaf"]
  /// Item ids, property indices and offsets of the larger size.
  var hasWideItems = false
  var isBigEndian = false
  /// How iloc says where Exif is; 0: an offset in the file.
  var method = 0
  var extents = 1
  /// What iloc gives in place of where Exif is: a base, and an offset from it.
  var place: (base: Int, offset: Int)?
  /// Gives the length of Exif, rather than 0 for all that is left.
  var hasLength = true
  /// Has the media data before the meta box, with a length of 64 bits.
  var hasLongData = false

  private static let tile = 1
  private static let primary = 49
  private static let exif = 50

  func sample(_ name: String) -> Sample {
    Sample(
      name: name, bytes: bytes,
      header: ImageHeader(
        format: brand == "avif" ? .avif : .heif, width: 5712, height: 4284, taken: Sample.taken))
  }

  var bytes: [UInt8] {
    let ftyp = Self.box("ftyp", text(brand) + big(0, 4) + compatible.flatMap(text))
    let payload = big(6, 4) + text("Exif\0\0") + Sample.exif(isBigEndian: isBigEndian)
    if hasLongData {
      let mdat = big(1, 4) + text("mdat") + big(16 + payload.count, 8) + payload
      return ftyp + mdat + meta(exifAt: ftyp.count + 16, count: payload.count)
    }
    let metaSize = meta(exifAt: 0, count: 0).count
    let start = ftyp.count + metaSize + 8
    return ftyp + meta(exifAt: start, count: payload.count) + Self.box("mdat", payload)
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + text(type) + content
  }

  static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
    box(type, big(version, 1) + big(flags, 3) + content)
  }

  private var version: Int { hasWideItems ? 1 : 0 }

  private func id(_ value: Int) -> [UInt8] {
    big(value, hasWideItems ? 4 : 2)
  }

  private func meta(exifAt offset: Int, count: Int) -> [UInt8] {
    Self.fullBox(
      "meta",
      Self.fullBox("hdlr", big(0, 4) + text("pict") + big(0, 13))
        + Self.fullBox("pitm", version: version, id(Self.primary))
        + itemInfo + properties + location(offset: offset, count: count))
  }

  private var itemInfo: [UInt8] {
    let items = [(Self.tile, "hvc1"), (Self.primary, "grid"), (Self.exif, "Exif")]
    let entries = items.flatMap { item, type in
      Self.fullBox("infe", version: hasWideItems ? 3 : 2, id(item) + [0, 0] + text(type) + [0])
    }
    return Self.fullBox("iinf", version: version, id(items.count) + entries)
  }

  private var properties: [UInt8] {
    let ipco = Self.box(
      "ipco",
      Self.box("hvcC", [1, 2, 3]) + Self.fullBox("ispe", big(512, 4) + big(512, 4))
        + Self.box("irot", [1]) + Self.fullBox("ispe", big(5712, 4) + big(4284, 4)))
    let links = [(Self.tile, [1, 2]), (Self.primary, [3, 4])].flatMap { item, indices in
      id(item) + big(indices.count, 1)
        + indices.flatMap { hasWideItems ? big($0 | 0x8000, 2) : big($0 | 0x80, 1) }
    }
    let ipma = Self.fullBox("ipma", version: version, flags: hasWideItems ? 1 : 0, big(2, 4) + links)
    return Self.box("iprp", ipco + ipma)
  }

  private func location(offset: Int, count: Int) -> [UInt8] {
    let size = hasWideItems ? 8 : 4
    // A part of the offset in the base shows that both are added.
    let place = place ?? (min(offset, 5), offset - min(offset, 5))
    let length = hasLength ? count : 0
    var items = id(2)
    items += id(Self.tile) + big(0, 4) + big(0, size) + big(1, 2) + big(0, size) + big(64, size)
    items += id(Self.exif) + big(method, 2) + big(0, 2) + big(place.base, size) + big(extents, 2)
    for _ in 0..<extents {
      items += big(place.offset, size) + big(length, size)
    }
    let sizes = [UInt8(size << 4 | size), UInt8(size << 4)]
    return Self.fullBox("iloc", version: hasWideItems ? 2 : 1, sizes + items)
  }
}
