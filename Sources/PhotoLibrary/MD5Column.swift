import Checksums
import Foundation
import GRDB

extension MD5Digest: DatabaseValueConvertible {
  /// A blob of sixteen bytes.
  public var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  /// From a blob of sixteen bytes, nil for anything else.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> MD5Digest? {
    guard case .blob(let data) = value.storage else { return nil }
    return MD5Digest(bytes: data)
  }
}
