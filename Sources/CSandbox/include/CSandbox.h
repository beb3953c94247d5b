// Restricts a process that works on untrusted bytes. smilepile-pictures and smilepile-catalogue use it.
#ifndef SMILEPILE_CSANDBOX_H
#define SMILEPILE_CSANDBOX_H
#include <stdint.h>

// The restrictions that took effect. `PictureSupport.Protection` has the same order.
enum protection {
  // The process cannot gain privileges (PR_SET_NO_NEW_PRIVS).
  PROTECTION_PRIVILEGES = 1 << 0,
  // Other processes of the user cannot read its memory (PR_SET_DUMPABLE 0).
  PROTECTION_MEMORY = 1 << 1,
  // Limits of address space, descriptors and written bytes; no core dump (setrlimit). smilepile-pictures writes no
  // file, smilepile-catalogue none of 10 GB or more.
  PROTECTION_LIMITS = 1 << 2,
  // smilepile-pictures opens no file; smilepile-catalogue opens only fonts and data for choosing fonts and breaking
  // lines, for reading. Since Linux 6.7, neither makes a TCP connection. A program reports the bit only if both steps
  // took effect.
  PROTECTION_LANDLOCK = 1 << 3,
  // The process computes, uses the descriptors that it has, and starts threads but no process. smilepile-pictures opens
  // no file; smilepile-catalogue opens files for reading only. Both end if the kernel refuses the filter.
  PROTECTION_SECCOMP = 1 << 4,
};

// What the process may do in the end.
struct sandbox {
  uint64_t memory;      // bytes of address space
  uint64_t file_bytes;  // bytes of a file that it writes
  // files and folders that it may read; ends with a null pointer
  const char *const *readable;
};

// Limits memory, files and core dumps, denies new privileges, and restricts the process to reading the system's
// libraries and what it may read in the end. Call it before the process has a second thread, since Landlock restricts
// one thread and its descendants. Returns the bits of enum protection that took effect.
uint32_t restrict_to_libraries(const struct sandbox *sandbox);

// Denies this thread all files but the readable ones, and filters the system calls of all threads: they can compute, use
// open descriptors and open readable files for reading, and do nothing else. If there are no readable files, opening a
// file fails even on a kernel without Landlock. Returns the bits that took effect.
uint32_t restrict_to_work(const struct sandbox *sandbox);
#endif
