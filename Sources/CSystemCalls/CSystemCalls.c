#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int smilepile_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

int smilepile_rename_no_replace(int from, const char *old_path, int to, const char *new_path) {
  return renameat2(from, old_path, to, new_path, RENAME_NOREPLACE);
}

int smilepile_start_write_back(int descriptor, off_t offset, off_t count) {
  return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

int smilepile_syncfs(int descriptor) { return syncfs(descriptor); }

int smilepile_flock(int descriptor, int operation) { return flock(descriptor, operation); }

int smilepile_lock_byte(int descriptor, off_t offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int smilepile_unlock_bytes(int descriptor) {
  // a length of 0: up to the end of any file
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int smilepile_is_byte_locked(int descriptor, off_t offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
  return lock.l_type != F_UNLCK;
}

int smilepile_is_open_for_writing(int descriptor) {
  // a writer that opens the file between the last two calls causes a signal: SIGURG is ignored, SIGIO ends the process
  if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return -1;
  // EAGAIN: a process has the file open for writing
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? 1 : -1;
  return fcntl(descriptor, F_SETLEASE, F_UNLCK);
}

int smilepile_fstatfs(int descriptor, long *type, long *free_bytes) {
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return -1;
  *type = status.f_type;
  *free_bytes = (long)status.f_bavail * status.f_bsize;
  return 0;
}

int smilepile_map_blocks_from(int bytes) {
  return mallopt(M_MMAP_THRESHOLD, bytes) && mallopt(M_TRIM_THRESHOLD, 2 * bytes);
}

const int smilepile_o_tmpfile = O_TMPFILE;
const long smilepile_utime_omit = UTIME_OMIT;

int smilepile_set_dumpable(int is_dumpable) { return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0); }

int smilepile_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int smilepile_socket_pair(int *ends) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

long smilepile_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
  } control = {{0}};
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

long smilepile_send_packet(int socket, const void *bytes, size_t count) {
  return send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

long smilepile_receive_packet(int socket, void *bytes, size_t count) {
  struct iovec part = {bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  long received = recvmsg(socket, &message, 0);
  if (received < 0 || !(message.msg_flags & MSG_TRUNC)) return received;
  errno = EMSGSIZE;
  return -1;
}

static char *no_arguments[] = {0};
static char *const *arguments = no_arguments;

// glibc calls constructors with the arguments of main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  if (count > 0) arguments = values;
}

char *const *smilepile_arguments(void) { return arguments; }
