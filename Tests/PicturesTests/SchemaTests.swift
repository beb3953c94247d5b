import GRDB
import Testing

@testable import Databases
@testable import Pictures

@Suite("Cache of pictures: schema")
struct PictureSchemaTests {
  @Test("Schema: the digest of each version is known")
  func digests() throws {
    let database = try DatabaseQueue()
    try PictureCacheSchema.migrator.migrate(database)
    let digest = try database.read(DatabaseSchema.digest)
    #expect(digest == PictureCacheSchema.digests.last)
  }
}
