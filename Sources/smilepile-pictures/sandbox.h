#ifndef SMILEPILE_SANDBOX_H
#define SMILEPILE_SANDBOX_H
#include <stdint.h>

// Limits memory, files and core dumps, denies new privileges, and restricts the process to reading the system's
// libraries. Call it before the process has a second thread, since Landlock restricts one thread and its descendants.
// Returns the bits of enum protection that took effect.
uint32_t restrict_to_libraries(uint32_t *landlock_version);

// Denies this thread access to all files, and filters the system calls of all threads: they can decode, and do nothing
// else. Returns the bits that took effect.
uint32_t restrict_to_decoding(void);
#endif
