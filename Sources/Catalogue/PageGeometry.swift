/// A rectangle on a page in points, 1/72 inch, from the upper left corner.
struct Frame: Equatable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double
}

/// The size of a page in points.
struct PageSize: Equatable {
  let width: Double
  let height: Double

  init(_ paper: CatalogueOptions.Paper) {
    switch paper {
    case .a4: (width, height) = (595.276, 841.89)
    case .letter: (width, height) = (612, 792)
    }
  }
}
