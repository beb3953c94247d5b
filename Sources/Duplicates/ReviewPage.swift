internal import FileSystem
import Foundation
import HTML
package import PhotoLibrary
internal import Pictures
package import SystemPackage

/// A page that shows the photos of groups side by side: one HTML file without scripts, which contains the pictures and
/// requests nothing.
package struct ReviewPage {
  /// The start of every page, by which the file that a new page may replace is recognized.
  static let start = "<!DOCTYPE html>\n<html lang=\"en\" data-made-by=\"smilepile-duplicates\">"

  /// The most photos of a page with several groups, so that a browser can show it.
  static let mostPhotos = 1_000

  /// The groups that are shown.
  package let groups: [DuplicateGroup]
  private let summary: DuplicateSummary
  private let library: Library
  private let version: String
  private let now: Date

  /// Chooses the groups that fit on a page.
  ///
  /// - Parameter version: the version of the program.
  package init(_ summary: DuplicateSummary, of library: Library, version: String, now: Date = Date()) {
    (self.summary, self.library, self.version, self.now) = (summary, library, version, now)
    var count = 0
    groups = Array(
      summary.groups.prefix { group in
        let isFirst = count == 0
        count += group.photos.count
        return isFirst || count <= Self.mostPhotos
      })
  }

  // MARK: Publishing

  /// Publishes the page atomically, readable for its owner only. Replaces only an earlier page. Blocks.
  ///
  /// - Parameters:
  ///   - command: returns the command that removes the copies of a group.
  ///   - whileWriting: called for each photo, and ten times a second while one is drawn; may throw to give up.
  /// - Throws: `ReviewPageError`, if another file has the name; `LibraryError.outputInLibrary`; `FileError`.
  package func write(
    to path: FilePath, command: (DuplicateGroup) -> String, whileWriting: () throws -> Void = {}
  ) throws {
    let name = try Self.name(at: path)
    _ = try Self.hasEarlierPage(at: path)
    let bytes = [UInt8](try source(command, whileWriting).utf8)
    if try Self.hasEarlierPage(at: path) {
      return try AtomicFile.replace(name, in: path.folder, with: bytes)
    }
    let output = try AtomicFile(name, in: path.folder)
    try output.file.write(bytes, at: 0)
    guard let (_, durability) = try output.publish(as: [name]) else {
      throw ReviewPageError(path, "was created by another program")
    }
    if case .unknown(let error) = durability { throw error }
  }

  private static func name(at path: FilePath) throws -> FilePath {
    guard let name = path.fileName else { throw ReviewPageError(path, "is not the name of a file") }
    return name
  }

  /// Returns true if an earlier page has the name; false if the name is free.
  ///
  /// - Throws: `ReviewPageError`, if another file has the name, or if the path is invalid; `LibraryError.outputInLibrary`.
  package static func hasEarlierPage(at path: FilePath) throws -> Bool {
    _ = try name(at: path)
    try Library.requireOutside(path)
    guard path.folder.realPath != nil else {
      throw ReviewPageError(path, "cannot be written: its folder is missing; create the folder")
    }
    do {
      let file = try File.open(path, .readFollowingLinks)
      guard try file.status().kind == .file, try file.read(start.utf8.count, at: 0) == Array(start.utf8)
      else {
        throw ReviewPageError(
          path, "is no earlier page of duplicates, and was not changed; choose another name")
      }
      return true
    } catch let error as FileError {
      if error.isMissing { return false }
      throw ReviewPageError(path, "cannot be read, and was not changed: \(error)")
    }
  }

  // MARK: Contents

  private func source(
    _ command: (DuplicateGroup) -> String, _ whileWriting: () throws -> Void
  ) throws -> String {
    let drawer = PictureDrawer()
    var page = HTMLDocument()
    try page.element("html", ["lang": "en", "data-made-by": "smilepile-duplicates"]) { html in
      html.newline()
      html.head(
        title: "Duplicates in \(libraryName)", Self.style,
        ContentSecurityPolicy(style: Self.style, images: .document))
      html.newline()
      try html.element("body") { body in
        try body.element("main") { main in
          main.element("h1") { title in
            title.text("Duplicates in ")
            title.name(libraryName)
          }
          main.element("p", text: sentence)
          for group in groups {
            main.newline()
            try main.element("section") { section in
              try self.section(group, command(group), &section) { photo in
                let picture = thumbnail(of: photo, drawer, isCancelled: { (try? whileWriting()) == nil })
                try whileWriting()
                return picture
              }
            }
          }
        }
        body.element("footer") { footer in
          footer.element(
            "p",
            text:
              "Made by smilepile \(version) on \(Timestamp(now).localDay). This page changes no photo."
          )
        }
      }
    }
    page.newline()
    return page.source
  }

  private var libraryName: String { library.path.absolute.lastComponent?.string ?? library.path.string }

  private var sentence: String {
    let shown = groups.count < summary.groups.count ? " The page shows the first \(groups.count)." : ""
    return
      "\(Count(summary.groups.count, "group")) among \(Count(summary.compared, "compared photo")) at a similarity of "
      + "\(summary.threshold.percent) % or more.\(shown) Nothing is removed without a command and a confirmation."
  }

  private func section(
    _ group: DuplicateGroup, _ command: String, _ section: inout HTMLDocument,
    thumbnail: (Photo) throws -> Picture?
  ) throws {
    section.element("h2", text: "Group \(group.number): \(group.kind.rawValue)")
    switch group.kind {
    case .copies:
      section.element("p") { line in
        line.text("To remove all but the first: ")
        line.element("code", text: command)
      }
    case .series:
      section.element("p", text: "Shots at different times. They are never removed together.")
    }
    try section.element("ul") { list in
      for (index, photo) in group.photos.enumerated() {
        let picture = try thumbnail(photo)
        let role =
          index == 0
          ? "Best: \(group.reason.rawValue)"
          : "\(Similarity(group.others[index - 1].similarity)) like the first"
        list.element("li", ["class": index == 0 ? "best" : nil]) { figure(photo, role, picture, &$0) }
      }
    }
  }

  /// The text beside the image names it, so that a screen reader would read an `alt` a second time.
  private func figure(_ photo: Photo, _ role: String, _ picture: Picture?, _ item: inout HTMLDocument) {
    if let picture {
      item.void(
        "img",
        [
          "src": "data:image/jpeg;base64,\(Data(picture.jpeg).base64EncodedString())", "alt": "",
          "width": "\(picture.width)", "height": "\(picture.height)",
        ])
    } else {
      item.element("span", ["class": "tile"], text: "no picture")
    }
    item.element("strong", text: role)
    item.element("span") { $0.name(photo.name) }
    item.element("dl") { list in
      func row(_ key: String, _ value: (inout HTMLDocument) -> Void) {
        list.element("dt", text: key)
        list.element("dd") { value(&$0) }
      }
      row("ID") { $0.text("\(photo.id)") }
      row("Category") { $0.name(summary.contents.category(of: photo) ?? "") }
      row("Size") { $0.text(photo.width > 0 ? "\(photo.width)×\(photo.height)" : "unknown") }
      row("Bytes") { $0.text("\(photo.fileSize)") }
      row("Date") { $0.text(photo.createdAt.localDay) }
      row("File") { $0.name(photo.path) }
    }
  }

  /// Returns the picture of a photo from the cache, or draws it if the cache is full or cannot be written.
  private func thumbnail(
    of photo: Photo, _ drawer: PictureDrawer, isCancelled: () -> Bool
  ) -> Picture? {
    if let content = photo.content, case .picture(let picture) = summary.cache.entry(for: content) {
      return picture
    }
    guard let file = try? library.open(photo) else { return nil }
    return try? drawer.draw(.thumbnail, file, isCancelled: isCancelled).get()
  }
}

/// A page cannot have the name: another program wrote the file, or the path is invalid. Nothing was written.
package struct ReviewPageError: Error, Equatable, CustomStringConvertible {
  let path: FilePath
  let reason: String

  init(_ path: FilePath, _ reason: String) { (self.path, self.reason) = (path, reason) }

  /// One line for the user.
  package var description: String { "\(path) \(reason)".escaped }
}
