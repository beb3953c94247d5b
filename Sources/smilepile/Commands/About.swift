import ArgumentParser
import Backup
import Catalogue
import FileSystem
import Pictures

struct About: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the version, the license and the credits, and what the program protects.",
    discussion: """
      Example:
        smilepile about
      """)

  @OptionGroup var reporter: Reporter

  private static let license = "MIT"

  private static let purpose =
    "Backs up, restores and merges the photo libraries of the SmilePile apps, for families with small children."

  private static let protection = """
    It protects the photos of a family against loss and damage: archives are verified, restores are
    tested, and undo takes back the last change. It protects children against mistakes: delete
    protection and a PIN guard photos and settings, and an import only raises protections. The
    program sends nothing over a network. The PIN does not protect against users who can write the
    files of the library.
    """

  /// What the program contains, and the system's libraries that it uses.
  private static let components: [(name: String, purpose: String, license: String, copyright: String)] = [
    ("GRDB.swift", "access to SQLite", "MIT", "2015-2025 Gwendal Roué"),
    (
      "Yams, with libyaml", "job files", "MIT",
      "2016 JP Simard; 2006-2016 Kirill Simonov; 2017-2020 Ingy döt Net"
    ),
    ("swift-argument-parser", "the command line", "Apache-2.0", swiftAuthors),
    ("swift-system", "paths and system calls", "Apache-2.0", swiftAuthors),
    (
      "swift-crypto, with BoringSSL and swift-asn1", "digests and PINs",
      "Apache-2.0; BoringSSL: OpenSSL and ISC", "\(swiftAuthors); the OpenSSL Project; Google Inc."
    ),
    ("swift-log", "warnings of the libraries", "Apache-2.0", swiftAuthors),
    (
      "Swift and Foundation, with ICU", "language and runtime",
      "Apache-2.0 with Runtime Library Exception; ICU: Unicode-3.0", "\(swiftAuthors); Unicode, Inc."
    ),
    ("SQLite", "databases", "public domain", "D. Richard Hipp"),
    ("libzip", "encrypted archives", "BSD-3-Clause", "Dieter Baron and Thomas Klausner"),
    ("zlib", "compressed entries", "Zlib", "Jean-loup Gailly and Mark Adler"),
    (
      "libvips, if installed", "pictures, in a process of its own", "LGPL-2.1-or-later",
      "Imperial College London; John Cupitt and others"
    ),
    (
      "cairo, if installed", "catalogues, in a process of its own", "LGPL-2.1 or MPL-1.1",
      "Carl D. Worth, Keith Packard and others"
    ),
    (
      "Pango, if installed", "catalogues, in a process of its own", "LGPL-2.0-or-later",
      "Red Hat, Inc. and others"
    ),
    ("libdeflate", "CRC-32", "MIT", "Eric Biggers"),
  ]

  private static let swiftAuthors = "Apple Inc. and the Swift project authors"

  func run() {
    reporter.result(
      """
      smilepile \(Build.version), \(Build.kind)
      \(Self.purpose)

      \(Self.protection)

      Copyright 2026 The smilepile authors. License: \(Self.license). The program contains or uses:
      """)
    reporter.result(
      TextTable(
        .left, .left, .left, indentation: 2,
        rows: Self.components.map { [$0.name, $0.purpose, $0.license] }))
    reporter.result("Their copyright holders:")
    reporter.result(
      TextTable(.left, .left, indentation: 2, rows: Self.components.map { [$0.name, $0.copyright] }))
    let support = Result { try PictureSupport.find() }
    reporter.result(Self.text(support))
    let catalogues = Result { try CatalogueSupport.find() }
    reporter.result(Self.text(catalogues))
    reporter.json(
      "summary",
      [
        "version": Version.current, "commit": Null(Build.commit), "commit_date": Null(Build.commitDate),
        "build": Build.kind, "license": Self.license, "purpose": Self.purpose,
        "protection": Self.protection.replacing("\n", with: " "),
        "components": Self.components.map {
          ["name": $0.name, "purpose": $0.purpose, "license": $0.license, "copyright": $0.copyright]
            as JSONFields
        },
        "pictures": Self.pictures(support), "catalogues": Self.catalogues(catalogues),
      ])
  }

  /// Two lines about the pictures.
  private static func text(_ support: Result<PictureSupport, any Error>) -> String {
    switch support {
    case .success(let support):
      let formats = support.formats.map(\.rawValue).joined(separator: ", ")
      let missing = support.missingProtections.map(\.label).joined(separator: ", ")
      let protections = missing.isEmpty ? "has all" : "lacks"
      return """
        Pictures are drawn by libvips \(support.libvips): \(formats).
        The kernel \(protections) protections against hostile photos\(missing.isEmpty ? "" : ": \(missing)").
        """
    case .failure(let error): return "Pictures cannot be drawn: \(error)."
    }
  }

  /// A line about the catalogues. The protections are those of the pictures.
  private static func text(_ support: Result<CatalogueSupport, any Error>) -> String {
    switch support {
    case .success(let support): "Catalogues are written by cairo \(support.cairo) and Pango \(support.pango)."
    case .failure(let error): "Catalogues cannot be written: \(error)."
    }
  }

  private static func pictures(_ support: Result<PictureSupport, any Error>) -> JSONFields {
    let found = try? support.get()
    return [
      "libvips": Null(found?.libvips), "formats": found?.formats.map(\.rawValue) ?? [],
      "missing_protections": found?.missingProtections.map(\.rawValue) ?? [],
      "problem": Null(support.problem),
    ]
  }

  private static func catalogues(_ support: Result<CatalogueSupport, any Error>) -> JSONFields {
    let found = try? support.get()
    return [
      "cairo": Null(found?.cairo), "pango": Null(found?.pango),
      "missing_protections": found?.missingProtections.map(\.rawValue) ?? [],
      "problem": Null(support.problem),
    ]
  }
}

extension PictureSupport.Protection {
  /// The name in a list of protections.
  fileprivate var label: String {
    switch self {
    case .privileges: "no new privileges"
    case .memory: "private memory"
    case .limits: "resource limits"
    case .landlock: "Landlock"
    case .seccomp: "seccomp"
    }
  }
}
