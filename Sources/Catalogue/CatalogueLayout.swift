internal import FileSystem
internal import PhotoLibrary
internal import Pictures

/// Places the contents of a catalogue on pages: a title page, the list of categories, and pages of photos. The number of
/// pages is known before the first one is drawn.
struct CatalogueLayout {
  private let catalogue: Catalogue
  let size: PageSize
  private let columns: Int

  init(_ catalogue: Catalogue, _ options: CatalogueOptions) {
    (self.catalogue, size, columns) = (catalogue, PageSize(options.paper), options.columns)
  }

  // MARK: Measures, in points

  private static let margin = 40.0
  private static let gridTop = 82.0
  /// The space below the photos.
  private static let bottom = 44.0
  private static let rowGaps = 10.0...28.0
  private static let listRow = 17.0
  private static let black = 0.1
  private static let gray = 0.4
  private static let light = 0.9

  private var contentWidth: Double { size.width - 2 * Self.margin }
  private var gap: Double { columns <= 5 ? 12 : 8 }
  private var cellWidth: Double { (contentWidth - Double(columns - 1) * gap) / Double(columns) }
  /// The height of the field of a picture, which is at its lower edge.
  private var pictureHeight: Double { (cellWidth * 0.8).rounded() }
  private var textSize: Double { min(9, max(5.5, cellWidth / 13)) }
  /// The height of a name of two lines and a date.
  private var captionHeight: Double { 4 + 3.9 * textSize }
  private var cellHeight: Double { pictureHeight + captionHeight }

  private var gridHeight: Double { size.height - Self.gridTop - Self.bottom }

  private var rows: Int {
    let gap = Self.rowGaps.lowerBound
    return max(1, Int((gridHeight + gap) / (cellHeight + gap)))
  }

  /// The distance of the rows, which fill the page.
  private var rowPitch: Double {
    let rest = (gridHeight - Double(rows) * cellHeight) / Double(max(1, rows - 1))
    return cellHeight + min(max(rest, Self.rowGaps.lowerBound), Self.rowGaps.upperBound)
  }

  // MARK: Pages

  /// The number of photos on a page.
  var photosOnPage: Int { columns * rows }

  /// The number of pages with photos of a section.
  func pageCount(of section: Catalogue.Section) -> Int {
    (section.photos.count + photosOnPage - 1) / photosOnPage
  }

  /// The number of pages before the first section: the title page, and more if the list of categories is long.
  private var frontPages: Int {
    let rest = catalogue.sections.count - rowsOfList(onPage: 0)
    guard rest > 0 else { return 1 }
    return 1 + (rest + rowsOfList(onPage: 1) - 1) / rowsOfList(onPage: 1)
  }

  /// The number of pages.
  var pageCount: Int { catalogue.sections.reduce(frontPages) { $0 + pageCount(of: $1) } }

  private func listTop(onPage page: Int) -> Double { page == 0 ? size.height * 0.46 : Self.gridTop }

  private func rowsOfList(onPage page: Int) -> Int {
    Int((size.height - Self.bottom - listTop(onPage: page)) / Self.listRow)
  }

  /// Draws all pages.
  ///
  /// - Parameters:
  ///   - picture: returns the thumbnail of a photo; nil if it has none.
  ///   - draw: draws a command.
  func draw(
    picture: (Catalogue.Photo) throws -> Picture?, _ draw: (DocumentCommand) throws -> Void
  ) throws {
    try draw(.document(title: catalogue.title, page: size))
    for command in frontMatter() { try draw(command) }
    var number = frontPages
    for section in catalogue.sections {
      let pages = pageCount(of: section)
      for page in 0..<pages {
        number += 1
        try draw(.page)
        if page == 0 { try draw(.outline(section.name)) }
        for command in frame(of: section, page: page, of: pages, number: number) { try draw(command) }
        let first = page * photosOnPage
        for (place, photo) in section.photos[first...].prefix(photosOnPage).enumerated() {
          for command in cell(place, photo, try picture(photo)) { try draw(command) }
        }
      }
    }
    try draw(.end)
  }

  // MARK: Title page

  private func frontMatter() -> [DocumentCommand] {
    var commands = [DocumentCommand.page]
    commands += titleTexts()
    var page = 0
    var row = 0
    var number = frontPages + 1
    for section in catalogue.sections {
      if row == rowsOfList(onPage: page) {
        (page, row) = (page + 1, 0)
        commands.append(.page)
        commands += footer(number: page + 1)
      }
      let y = listTop(onPage: page) + Double(row) * Self.listRow
      commands += listEntry(section, number: number, y: y)
      row += 1
      number += pageCount(of: section)
    }
    return commands
  }

  private func titleTexts() -> [DocumentCommand] {
    let frame = Frame(
      x: Self.margin, y: size.height * 0.2, width: contentWidth, height: size.height * 0.24)
    var title = DocumentCommand.Text(
      text: catalogue.title, frame: frame, size: 30, gray: Self.black, lines: 3, style: [.bold, .centred])
    var commands = [DocumentCommand.text(title)]
    (title.size, title.gray, title.lines, title.style) = (11, Self.gray, 1, .centred)
    for line in [summary, days, "as of \(catalogue.day)"].compactMap(\.self) {
      title.text = line
      commands.append(.text(title, isBelow: true))
    }
    return commands
  }

  private var summary: String {
    "\(Count(catalogue.photoCount, "photo")) in \(Count(catalogue.sections.count, "category", "categories"))"
  }

  private var days: String? {
    guard let first = catalogue.sections.map(\.taken.lowerBound).min(),
      let last = catalogue.sections.map(\.taken.upperBound).max()
    else { return nil }
    return "taken \(Self.days(of: first...last))"
  }

  private static func days(of taken: ClosedRange<Timestamp>) -> String {
    let (first, last) = (taken.lowerBound.localDay, taken.upperBound.localDay)
    return first == last ? first : "\(first) to \(last)"
  }

  /// A category with its number of photos and its first page.
  private func listEntry(_ section: Catalogue.Section, number: Int, y: Double) -> [DocumentCommand] {
    let inset = contentWidth * 0.12
    let (left, right) = (Self.margin + inset, size.width - Self.margin - inset)
    let place = Frame(x: right - 30, y: y, width: 30, height: Self.listRow)
    let count = Frame(x: place.x - 80, y: y, width: 80, height: Self.listRow)
    let name = Frame(x: left, y: y, width: count.x - left - 8, height: Self.listRow)
    return [
      .text(.init(text: section.name, frame: name, size: 10, gray: Self.black)),
      .text(
        .init(
          text: "\(Count(section.photos.count, "photo"))", frame: count, size: 10, gray: Self.gray,
          style: .right)),
      .text(.init(text: "\(number)", frame: place, size: 10, gray: Self.black, style: .right)),
      .rectangle(
        Frame(x: left, y: y + Self.listRow - 3, width: right - left, height: 0.4), gray: Self.light),
    ]
  }

  // MARK: Pages of photos

  /// The heading and the footer of a page.
  private func frame(
    of section: Catalogue.Section, page: Int, of pages: Int, number: Int
  ) -> [DocumentCommand] {
    let frame = Frame(x: Self.margin, y: 36, width: contentWidth, height: 38)
    let name = DocumentCommand.Text(
      text: section.name, frame: frame, size: 16, gray: Self.black, style: .bold)
    let part = pages > 1 ? ", page \(page + 1) of \(pages)" : ""
    var facts = name
    facts.text = "\(Count(section.photos.count, "photo")), \(Self.days(of: section.taken))\(part)"
    (facts.size, facts.gray, facts.style) = (8, Self.gray, [])
    let rule = Frame(x: Self.margin, y: 74, width: contentWidth, height: 0.5)
    return [.text(name), .text(facts, isBelow: true), .rectangle(rule, gray: 0.75)] + footer(number: number)
  }

  private func footer(number: Int) -> [DocumentCommand] {
    let place = Frame(x: size.width - Self.margin - 90, y: size.height - 32, width: 90, height: 14)
    let title = Frame(
      x: Self.margin, y: place.y, width: contentWidth - place.width - 8, height: place.height)
    return [
      .text(.init(text: catalogue.title, frame: title, size: 8, gray: Self.gray)),
      .text(
        .init(text: "\(number) / \(pageCount)", frame: place, size: 8, gray: Self.gray, style: .right)),
    ]
  }

  /// A photo: its thumbnail or an empty tile, its name and its date.
  private func cell(
    _ place: Int, _ photo: Catalogue.Photo, _ picture: Picture?
  ) -> [DocumentCommand] {
    let x = Self.margin + Double(place % columns) * (cellWidth + gap)
    let y = Self.gridTop + Double(place / columns) * rowPitch
    let field = Frame(x: x, y: y, width: cellWidth, height: pictureHeight)
    let frame = Frame(x: x, y: y + pictureHeight + 4, width: cellWidth, height: captionHeight - 4)
    let name = DocumentCommand.Text(
      text: photo.name, frame: frame, size: textSize, gray: Self.black, lines: 2, style: .centred)
    var day = name
    (day.text, day.size, day.gray, day.lines) = (photo.day, textSize * 0.85, Self.gray, 1)
    let image =
      picture.map { DocumentCommand.image(Self.fitting($0, into: field), $0) }
      ?? .rectangle(field, gray: Self.light)
    return [image, .text(name), .text(day, isBelow: true)]
  }

  /// Returns the frame of a picture at the lower edge of a field. A picture of few pixels is not enlarged.
  static func fitting(_ picture: Picture, into field: Frame) -> Frame {
    let (width, height) = (Double(max(1, picture.width)), Double(max(1, picture.height)))
    let scale = min(field.width / width, field.height / height, 1)
    return Frame(
      x: field.x + (field.width - width * scale) / 2, y: field.y + field.height - height * scale,
      width: width * scale, height: height * scale)
  }
}
