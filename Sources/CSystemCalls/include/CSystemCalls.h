#ifndef SMILEPILE_CSYSTEMCALLS_H
#define SMILEPILE_CSYSTEMCALLS_H
#include <sys/types.h>

// Wrappers of functions that Swift cannot import: variadic functions, functions that need _GNU_SOURCE or <malloc.h>, and
// flock and statfs, whose names are also names of structures.
int smilepile_openat(int directory, const char *path, int flags, mode_t mode);
int smilepile_rename_no_replace(int from, const char *old_path, int to, const char *new_path);
int smilepile_start_write_back(int descriptor, off_t offset, off_t count);
int smilepile_syncfs(int descriptor);
int smilepile_flock(int descriptor, int operation);
int smilepile_lock_byte(int descriptor, off_t offset);
int smilepile_unlock_bytes(int descriptor);
int smilepile_is_byte_locked(int descriptor, off_t offset);
int smilepile_is_open_for_writing(int descriptor);
int smilepile_fstatfs(int descriptor, long *type, long *free_bytes);
int smilepile_map_blocks_from(int bytes);
int smilepile_set_dumpable(int is_dumpable);
int smilepile_is_dumpable(void);

// A pair of connected sockets of the type SOCK_SEQPACKET, which keeps the bounds of packets. socketpair(2)
int smilepile_socket_pair(int *ends);
// Sends a packet with an open file. unix(7), SCM_RIGHTS
long smilepile_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);
// Sends a packet without blocking. Fails with EAGAIN if the socket's buffer is full.
long smilepile_send_packet(int socket, const void *bytes, size_t count);
// Receives a packet; EMSGSIZE if it is longer. Closes what comes with it.
long smilepile_receive_packet(int socket, void *bytes, size_t count);

// The arguments of the process with its name, as the kernel gave them; the list ends with a null pointer.
char *const *smilepile_arguments(void);

// O_TMPFILE and UTIME_OMIT are macros that Swift does not import.
extern const int smilepile_o_tmpfile;
extern const long smilepile_utime_omit;
#endif
