import ArgumentParser
import PhotoLibrary
import SystemPackage

struct Init: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make an empty library.",
    discussion: """
      The folder must be empty or not there yet; it is made with mode 0700. A library is a folder with a \
      database (library.sqlite) and the photo files (photos/2025/10/IMG_0001.jpg). It must lie on a local disk.

      Example:
        smilepile init ~/Family
      """)

  @Argument(help: "The folder.", completion: .directory)
  var folder: String?

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: OutputOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    var library: String
  }

  func validate() throws {
    guard let folder else { return }
    if folder.isEmpty { throw ValidationError("the folder's name is empty") }
    if library.isGiven { throw ValidationError("name the folder as an argument or by -l, not both") }
  }

  func run() async throws {
    let path = try folder.map { FilePath($0) } ?? library.path()
    try Library.create(at: path)
    let reporter = Reporter(output)
    reporter.lasting(path.string)
    reporter.json(Summary(library: path.string))
  }
}
