// Draws thumbnails of untrusted photos in a process that can do nothing else. smilepile starts it with a socket at
// descriptor 0, and sends open photos; the process never sees a path, and cannot open one.
#define _GNU_SOURCE
#include "draw.h"
#include "protocol.h"
#include <CSandbox.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { PARENT = 0, MAXIMUM_BOX = 8192, MAXIMUM_SECONDS = 60 };

static void send_packet(const void *bytes, size_t length) {
  while (send(PARENT, bytes, length, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) _exit(0);  // smilepile has ended
}

static void send_payload(const void *bytes, size_t length) {
  const char *next = bytes;
  while (length > 0) {
    size_t count = length < PACKET_BYTES ? length : PACKET_BYTES;
    send_packet(next, count);
    next += count;
    length -= count;
  }
}

// Receives a request and the photo. Returns -1 if there is no photo. Ends the process with its parent.
static int receive(struct request *request) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct iovec part = {request, sizeof *request};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t count;
  do count = recvmsg(PARENT, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0) _exit(0);
  if (count != sizeof *request) request->magic = 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
  int photo;
  memcpy(&photo, CMSG_DATA(header), sizeof photo);
  return photo;
}

// Ends the process some time after a request that does not end, even if smilepile was killed.
static void set_alarm(int seconds) {
  struct itimerval timer = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static int is_valid(const struct request *request, int photo) {
  struct stat status;
  return request->magic == REQUEST_MAGIC && request->version == PROTOCOL_VERSION &&
         request->job == JOB_THUMBNAIL && request->box >= 1 && request->box <= MAXIMUM_BOX &&
         request->quality >= 1 && request->quality <= 100 && photo >= 0 && fstat(photo, &status) == 0 &&
         S_ISREG(status.st_mode) && lseek(photo, 0, SEEK_SET) == 0;
}

static struct picture draw(const struct request *request, int photo) {
  struct picture result = {.status = REPLY_REFUSED};
  if (!is_valid(request, photo)) return result;
  source *source = vips_source_new_from_descriptor(photo);
  if (!source) return result;
  result = draw_thumbnail(source, request->box, request->quality);
  g_object_unref(source);
  return result;
}

static void serve(void) {
  struct request request;
  int photo = receive(&request);
  set_alarm(MAXIMUM_SECONDS);
  struct picture picture = draw(&request, photo);
  const char *reason = vips_error_buffer();
  struct reply reply = {
    .magic = REPLY_MAGIC,
    .version = PROTOCOL_VERSION,
    .status = (uint16_t)picture.status,
    .width = picture.width,
    .height = picture.height,
    .number = request.number,
    .length = picture.status == REPLY_DRAWN ? sizeof picture.fingerprint + picture.length : strnlen(reason, 200)};
  send_packet(&reply, sizeof reply);
  if (picture.status == REPLY_DRAWN) {
    send_packet(&picture.fingerprint, sizeof picture.fingerprint);
    send_payload(picture.jpeg, picture.length);
  } else {
    send_payload(reason, reply.length);
  }
  set_alarm(0);
  if (picture.jpeg) g_free(picture.jpeg);
  vips_error_clear();
  if (photo >= 0) close(photo);
}

// Returns 1 if memory can become executable; a service with MemoryDenyWriteExecute= forbids it.
static int can_make_code(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 0;
  int result = mprotect(page, 4096, PROT_READ | PROT_EXEC);
  munmap(page, 4096);
  return result == 0;
}

// 1 GiB of memory, no file to write, none to read.
static const char *const no_files[] = {NULL};
static const struct sandbox sandbox = {.memory = 1 << 30, .file_bytes = 0, .readable = no_files};

int main(void) {
  struct hello hello = {.magic = HELLO_MAGIC, .version = PROTOCOL_VERSION};
  close_range(3, ~0U, 0);
  // the limit of file sizes is 0; a warning on a standard error that is a file is lost
  signal(SIGXFSZ, SIG_IGN);
  // an arena for each thread would use up the address space
  mallopt(M_ARENA_MAX, 1);
  hello.protections = restrict_to_libraries(&sandbox, &hello.landlock_version);
  // libvips compiles some of its loops at run time, and would abort
  if (!can_make_code()) setenv("VIPS_NOVECTOR", "1", 1);
  const char *fault = load_vips();
  if (fault) {
    fprintf(stderr, "smilepile-pictures: %s; drawing pictures needs libvips: apt install libvips42\n", fault);
    hello.status = HELLO_NO_VIPS;
    send_packet(&hello, sizeof hello);
    return EXIT_NO_VIPS;
  }
  vips_block_untrusted_set(1);
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  for (int part = 0; part < 3; part++) hello.vips_version[part] = (uint32_t)vips_version(part);
  hello.formats = draw_samples();

  uint32_t last = restrict_to_work(&sandbox);
  // Landlock counts if both steps took effect
  hello.protections = (hello.protections & ~(uint32_t)PROTECTION_LANDLOCK) |
                      (hello.protections & last & PROTECTION_LANDLOCK) | (last & PROTECTION_SECCOMP);
  if (!(last & PROTECTION_SECCOMP)) {
    fprintf(stderr, "smilepile-pictures: this kernel has no filter of system calls (seccomp)\n");
    hello.status = HELLO_NO_SANDBOX;
    send_packet(&hello, sizeof hello);
    return EXIT_NO_SANDBOX;
  }
  send_packet(&hello, sizeof hello);
  while (1) serve();
}
