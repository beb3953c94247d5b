import HTML

extension PageWriter {
  /// The page about the gallery, for readers who know nothing of the program that wrote it.
  func aboutPage() -> String {
    document(title: "About this gallery", at: gallery.aboutPage) { main in
      main.element("h1", text: "About this gallery")
      main.element("p", text: summary)
      if let extent { main.element("p", text: extent) }
      for (heading, sentences) in sections {
        main.newline()
        main.element("h2", text: heading)
        for sentence in sentences { main.element("p", text: sentence) }
      }
      if case .archive(let checksums) = gallery.facts.form { check(checksums, &main) }
      main.newline()
      main.element("h2", text: "Keys")
      main.element("dl") { list in
        for (keys, effect) in Self.keys {
          list.element("dt", text: keys)
          list.element("dd", text: effect)
        }
      }
      main.newline()
      main.element("h2", text: "These pages")
      main.element("p", text: "The pages work without internet. They have no advertising and no tracking.")
      main.element(
        "p",
        text: "smilepile \(gallery.facts.version) wrote them. It is free software with the MIT licence.")
    }
  }

  private var sections: [(heading: String, sentences: [String])] {
    [
      ("Look at the photos", looking), ("Save or print a photo", saving),
      ("Where the files are", places),
    ]
  }

  private var looking: [String] {
    [
      "\(unpacking) Then open \(Gallery.startPage) in this folder.",
      "Choose a category, and then a photo. The newest photos come first.",
      "A category with more than \(Gallery.photosOnPage) photos has several pages. “Next page” leads to older photos.",
    ]
  }

  private var saving: [String] {
    let hasViews = gallery.categories.contains { $0.photos.contains { $0.view != nil } }
    let file =
      "Open the photo, and choose “Open the file”. Then use the menu of the browser to save or print it."
    guard hasViews else { return [file] }
    return [
      file,
      "Most browsers do not show photos in the formats HEIC and TIFF. The pages show a smaller copy of such a photo. "
        + "“Original” below the photo and “Open the file” lead to the photo itself. "
        + "Most browsers save it instead of showing it. Then open and print it with a photo program.",
    ]
  }

  private var places: [String] {
    switch gallery.facts.form {
    case .archive:
      [
        "The folder “photos” has all photos of this gallery in full size. To copy many of them, open this folder.",
        "On Linux and macOS, only the user who unpacked the archive can open the photos and pages.",
      ]
    case .originals:
      ["The folder “photos” has all photos of this gallery in full size. The names of the files are numbers."]
    case .pictures:
      [
        "The folder “view” has the pictures of this gallery: copies of the photos, at most 1600 pixels wide "
          + "and high. The names of the files are numbers."
      ] + (hasCopies ? ["Photos of which no such copy could be made are in the folder “photos”."] : [])
    }
  }

  private var hasCopies: Bool {
    gallery.categories.contains { $0.photos.contains { $0.file?.hasPrefix("photos/") ?? false } }
  }

  private func check(_ checksums: String, _ html: inout HTMLDocument) {
    html.newline()
    html.element("h2", text: "Check the files")
    html.element(
      "p",
      text: "The file \(checksums) has a checksum of every other file of the archive. "
        + "With it, a computer finds files that were damaged while they were copied or stored.")
    html.element("p") { text in
      text.text("On Linux, open a terminal in the folder of \(Gallery.startPage), and type ")
      text.element("code", text: "md5sum -c \(checksums)")
      text.text(". It prints “OK” behind each file that is intact, and “FAILED” behind each other one.")
    }
  }

  private static let keys = [
    ("Enter", "opens a photo"),
    ("← →", "show the previous or the next photo, also that of the previous or next page"),
    ("Home, End", "show the first or the last photo of the page"),
    ("Escape", "closes the photo, as Back of the browser does"),
  ]
}
