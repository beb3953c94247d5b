#include "CBuild.h"

// The object file of scripts/commit has strong definitions of both, which the linker prefers. So another commit needs
// no compilation.
__attribute__((weak)) const char smilepile_commit[] = "";
__attribute__((weak)) const char smilepile_commit_date[] = "";

const char *smilepile_build_commit(void) { return smilepile_commit; }
const char *smilepile_build_commit_date(void) { return smilepile_commit_date; }
