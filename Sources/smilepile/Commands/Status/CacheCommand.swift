import ArgumentParser
import FileSystem
import Operations
import PhotoLibrary
import Pictures

/// `smilepile cache`: the pictures of a library's photos.
struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Show, fill and clear the cache of pictures.",
    discussion: """
      The library's folder .cache keeps thumbnails, and large pictures of HEIC and TIFF photos for galleries. It can \
      be deleted at any time; “fill” draws the thumbnails again. Drawing needs libvips (apt install libvips42).

      Example:
        smilepile cache fill -l ~/Family
      """,
    subcommands: [Show.self, Fill.self, Clear.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how many pictures the cache has, and their size.",
      discussion: """
        Example:
          smilepile cache show -l ~/Family
        """)

    @OptionGroup var library: LibraryOption
    @OptionGroup var reporter: Reporter

    func run() throws {
      let status = try PictureCache.status(of: Library(path: library.path()))
      if status.isCorrupt {
        reporter.warn("the cache is corrupt; the next command that draws creates it again")
      }
      reporter.result(
        TextTable(
          .left, .right,
          rows: [
            ["pictures", "\(status.pictures)"], ["large pictures", "\(status.views)"],
            ["cannot be drawn", "\(status.faults)"],
            ["not drawn yet", "\(status.missing)"], ["size", "\(ByteCount(status.bytes))"],
            ["limit", "\(ByteCount(PictureCache.Status.limit))"],
          ]))
      reporter.json(
        "summary",
        [
          "pictures": status.pictures, "large_pictures": status.views, "undrawable": status.faults,
          "missing": status.missing, "bytes": status.bytes, "limit": PictureCache.Status.limit,
          "is_corrupt": status.isCorrupt,
        ])
    }
  }

  struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Draw the pictures that the cache lacks.",
      discussion: """
        Decodes each photo in a separate process that cannot open files or use the network. A photo that crashes two \
        of these processes, or takes longer than 20 seconds in two runs, is not tried again until the cache is \
        cleared. The exit code is 3 if a photo should have a picture and has none. After an interruption, the next \
        run continues.

        Example:
          smilepile cache fill -l ~/Family
        """)

    @OptionGroup var library: LibraryOption
    @OptionGroup var lock: ReaderLockOption
    @OptionGroup var reporter: Reporter

    func run() async throws {
      let summary = try await reporter.follow(
        .fillCache(of: library.path(), lockWait: lock.duration), during: "cache fill")
      for note in summary.notes { reporter.warn(note) }
      for photo in summary.undrawable { reporter.warn(photo.message) }
      if let note = summary.noteOfFullCache { reporter.warn(note) }
      reporter.result(
        "drew \(Count(summary.drawn, "picture")); the cache has pictures of "
          + "\(summary.drawn + summary.cached) of \(Count(summary.photos, "photo"))")
      try reporter.finish(
        isIncomplete: !summary.failed.isEmpty,
        [
          "photos": summary.photos, "drawn": summary.drawn, "cached": summary.cached, "left": summary.left,
          "undrawable": summary.undrawable.map(\.message), "failed": summary.failed.map(\.message),
          "notes": summary.notes,
        ])
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove all pictures from the cache.",
      discussion: """
        Removes no photo. The next scan takes longer, since it draws the pictures again, and tries again the photos \
        that could not be drawn. Asks for a confirmation; without a terminal, --yes is needed.

        Example:
          smilepile cache clear -l ~/Family
        """)

    @Flag(name: .shortAndLong, help: "Do not ask for a confirmation.")
    var yes = false

    @OptionGroup var library: LibraryOption
    @Option(
      help: ArgumentHelp(
        "Wait at most this long for other processes that use the cache.", valueName: "seconds"))
    var lockWait = Seconds(0)
    @OptionGroup var reporter: Reporter

    func validate() throws { try checkLockWait(lockWait.number) }

    func run() throws {
      let library = try Library(path: library.path())
      if !yes {
        let before = try PictureCache.status(of: library)
        let question =
          "remove \(Count(before.drawn, "picture")) (\(ByteCount(before.bytes))) from the cache; the next scan "
          + "takes longer, since it draws them again"
        guard try ConfirmationOption.ask(question) else {
          throw AuthorizationError.notConfirmed(library.path)
        }
      }
      let before = try PictureCache.clear(library, lockWait: .seconds(lockWait.number))
      let after = try PictureCache.status(of: library)
      reporter.result(
        "removed \(Count(before.drawn, "picture")); the cache has \(Count(after.drawn, "picture"))")
      reporter.json(
        "summary",
        [
          "removed": max(0, before.drawn - after.drawn), "pictures": after.drawn,
          "bytes": max(0, before.bytes - after.bytes),
        ])
    }
  }
}
