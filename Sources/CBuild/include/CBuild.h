#ifndef SMILEPILE_BUILD_H
#define SMILEPILE_BUILD_H

/// Returns the abbreviated commit from which the program was built, with `-dirty` if files were changed since; empty if
/// it is unknown.
const char *smilepile_build_commit(void);

/// Returns the date of the commit in UTC, for example `2026-11-28`; empty if it is unknown.
const char *smilepile_build_commit_date(void);

#endif
