#define _GNU_SOURCE
#include "CHelper.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PARENT = 0 };

void send_packet(const void *bytes, size_t length) {
  while (send(PARENT, bytes, length, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) _exit(0);  // smilepile has ended
}

size_t receive_packet(void *bytes, size_t capacity, int *descriptor) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct iovec part = {bytes, capacity};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t count;
  do count = recvmsg(PARENT, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0) _exit(0);
  *descriptor = -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  return (size_t)count;
}

void set_alarm(int seconds) {
  struct itimerval timer = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

void begin_loading(struct hello *hello, const struct sandbox *sandbox) {
  close_range(3, ~0U, 0);
  // a file that becomes too large is an error of the write; smilepile-pictures may write none, not even a warning
  signal(SIGXFSZ, SIG_IGN);
  // an arena for each thread would use up the address space
  mallopt(M_ARENA_MAX, 1);
  hello->protections = restrict_to_libraries(sandbox);
}

int begin_work(struct hello *hello, const struct sandbox *sandbox) {
  uint32_t last = restrict_to_work(sandbox);
  // Landlock counts if both steps took effect
  if (!(last & PROTECTION_LANDLOCK)) hello->protections &= ~(uint32_t)PROTECTION_LANDLOCK;
  hello->protections |= last & PROTECTION_SECCOMP;
  return (last & PROTECTION_SECCOMP) != 0;
}

const char *load_functions(const char *file, const struct library_function *functions, const char *requirement) {
  void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return dlerror();
  for (; functions->name; functions++) {
    *functions->pointer = dlsym(library, functions->name);
    if (*functions->pointer) continue;
    static char reason[200];
    snprintf(reason, sizeof reason, "%s: there is no %s", requirement, functions->name);
    return reason;
  }
  return NULL;
}
