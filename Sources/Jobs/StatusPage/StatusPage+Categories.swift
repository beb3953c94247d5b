import FileSystem
import HTML
import PhotoLibrary

extension StatusPage {
  /// The page shows this many categories.
  private static let mostCategories = 200

  /// Writes a bar for each category.
  func categoryBars(_ main: inout HTMLDocument) {
    guard let most = categories.map(\.photos).max(), most > 0 else { return }
    main.newline()
    main.element("h2", text: "Categories")
    main.element("table", ["class": "bars"]) { table in
      header(["Category", "Photos", "Share"], &table)
      table.element("tbody") { body in
        for category in categories.prefix(Self.mostCategories) {
          body.element("tr") { row in
            row.element("th", ["scope": "row"]) { $0.name(category.name) }
            row.element("td", text: category.photos.grouped)
            row.element("td") { cell in
              let width = "\(category.photos * 200 / most)"
              cell.element(
                "svg", ["width": "202", "height": "14", "viewBox": "0 0 202 14", "aria-hidden": "true"]
              ) {
                $0.element(
                  "rect",
                  [
                    "x": "1", "y": "1", "width": width, "height": "12", "fill": category.plainColor,
                    "class": category.plainColor == nil ? "bar plain" : "bar",
                  ]
                ) { _ in }
              }
            }
          }
          body.newline()
        }
      }
    }
    let more = categories.count - Self.mostCategories
    if more > 0 {
      main.element(
        "p", text: "The page leaves out \(Count(more, "category", "categories").grouped).")
    }
  }
}

extension StatusPage.CategorySize {
  /// The color of the category; nil unless it is written as `#RRGGBB`.
  var plainColor: String? { color.flatMap { CategoryValues.isColor($0) ? $0 : nil } }
}
