internal import Databases
internal import GRDB

extension Library {
  /// Returns the contents of all photos that the library has, or that an undo would bring back. Blocks.
  package func keptContents() throws -> Set<FileContent> {
    try read { database in
      try Self.contents(of: "photo", database).union(Self.contents(of: "replacedPhoto", database))
    }
  }

  private static func contents(of table: String, _ database: Database) throws -> Set<FileContent> {
    let contents = try database.rows(
      "SELECT md5, fileSize FROM \(table) WHERE NOT isFromAssets", of: table
    ) { row in
      try row.optionalMD5("md5", at: 0).map { FileContent(md5: $0, size: try row.count("fileSize", at: 1)) }
    }
    return Set(contents.compactMap(\.self))
  }
}
