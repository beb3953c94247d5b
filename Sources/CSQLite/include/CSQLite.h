#ifndef SMILEPILE_CSQLITE_H
#define SMILEPILE_CSQLITE_H

struct sqlite3;

// Registers the VFS smilepile-pinned: the unix VFS, except that it uses the paths of files as they are given. Returns a
// result code of SQLite.
int smilepile_register_pinned_vfs(void);

// Restricts a connection to what an untrusted database may do. Swift cannot call sqlite3_db_config(), which is variadic.
// Returns a result code of SQLite.
int smilepile_restrict(struct sqlite3 *connection);
#endif
