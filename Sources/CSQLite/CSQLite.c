#include "CSQLite.h"
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

static sqlite3_vfs pinned;

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
  sqlite3_vfs *system = sqlite3_vfs_find("unix");
  if (system == NULL) return SQLITE_NOTFOUND;
  pinned = *system;
  pinned.pNext = NULL;
  pinned.zName = "smilepile-pinned";
  pinned.xFullPathname = full_pathname;
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
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  return SQLITE_OK;
}
