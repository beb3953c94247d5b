import ArgumentParser
import PhotoLibrary
import SystemPackage

struct Init: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Create an empty library.",
    discussion: """
      Creates the folder with mode 0700. An existing folder must be empty. The folder must be on a local disk. A \
      library is a folder with a database (library.sqlite) and photo files (photos/2025/10/IMG_0001.jpg).

      Example:
        smilepile init ~/Family
      """)

  @Argument(
    help: "Folder of the new library; default: the folder of -l or SMILEPILE_LIBRARY.", completion: .directory
  )
  var folder: String?

  @OptionGroup var library: LibraryOption
  @OptionGroup var reporter: Reporter

  func validate() throws {
    guard let folder else { return }
    if folder.isEmpty { throw ValidationError("the folder's name is empty") }
    if library.isGiven { throw ValidationError("give the folder as an argument or with -l, not both") }
  }

  func run() async throws {
    let path = try folder.map { FilePath($0) } ?? library.path()
    try Library.create(at: path)
    reporter.importantResult(path.string)
    reporter.json("summary", ["library": path.string])
  }
}
