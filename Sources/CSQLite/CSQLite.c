#include "CSQLite.h"
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

static sqlite3_vfs pinned;
static sqlite3_vfs *system_vfs;

// A rollback journal can name a super-journal anywhere, which SQLite deletes after the rollback. No database of this
// program has one, since no connection attaches a second database.
static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *actual) {
  file->pMethods = NULL;
  if (flags & SQLITE_OPEN_SUPER_JOURNAL) return SQLITE_CANTOPEN;
  return system_vfs->xOpen(vfs, name, file, flags, actual);
}

// The unix VFS resolves every symbolic link of a path. /proc/self/fd/N is one, and would become the folder's path again.
static int full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  (void)vfs;
  size_t length = strlen(name);
  if (length >= (size_t)size) return SQLITE_CANTOPEN;
  memcpy(path, name, length + 1);
  return SQLITE_OK;
}

int smilepile_register_pinned_vfs(void) {
  int code = sqlite3_initialize();
  if (code != SQLITE_OK) return code;
  system_vfs = sqlite3_vfs_find("unix");
  if (system_vfs == NULL) return SQLITE_NOTFOUND;
  pinned = *system_vfs;
  pinned.pNext = NULL;
  pinned.zName = "smilepile-pinned";
  pinned.xFullPathname = full_pathname;
  pinned.xOpen = open_file;
  return sqlite3_vfs_register(&pinned, 0);
}

int smilepile_restrict(sqlite3 *connection) {
  // https://www.sqlite.org/security.html
  static const struct { int option, value; } settings[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
  };
  for (size_t index = 0; index < sizeof settings / sizeof *settings; index++) {
    int code = sqlite3_db_config(connection, settings[index].option, settings[index].value, NULL);
    if (code != SQLITE_OK) return code;
  }
  // no text or row of this program comes near it; a damaged length would otherwise allocate up to a gigabyte
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 256 << 20);
  // the statements of the schema are parsed, too
  sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  return SQLITE_OK;
}
