import FileSystem
internal import GRDB
internal import GRDBSQLite
import SystemPackage

extension Database {
  /// The failure of the system call that made SQLite fail, which it keeps with the file that it was for; nil if there
  /// was none. sqlite3_system_errno() is 0 by the time that a failed commit has been rolled back.
  /// https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html
  func lastFileError(in folder: FilePath, _ name: FilePath) -> FileError? {
    guard let connection = sqliteConnection else { return nil }
    var number: CInt = 0
    var log: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
    if let log, let control = log.pointee.pMethods?.pointee.xFileControl,
      control(log, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK, number != 0
    {
      return FileError("use", folder.appending("\(name.string)-wal"), Errno(rawValue: number))
    }
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK, number != 0
    else { return nil }
    return FileError("use", name.inFolder(folder), Errno(rawValue: number))
  }
}
