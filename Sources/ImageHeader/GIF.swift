/// GIF: the logical screen descriptor after the signature (GIF 89a, section 18).
enum GIF {
  static func header(of file: Block) -> ImageHeader? {
    guard file.starts(with: Array("GIF87a".utf8)) || file.starts(with: Array("GIF89a".utf8)) else {
      return nil
    }
    guard let width = file.number(6, 2, .little), let height = file.number(8, 2, .little) else {
      return ImageHeader(format: .gif)
    }
    return ImageHeader(format: .gif, width: width, height: height)
  }
}
