// Draws thumbnails of untrusted photos in a process that can do nothing else. smilepile starts it with a socket at
// descriptor 0, and sends open photos; the process never sees a path, and cannot open one.
#include "draw.h"
#include "protocol.h"
#include <CHelper.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAXIMUM_BOX = 8192, MAXIMUM_SECONDS = 60 };

static void send_payload(const void *bytes, size_t length) {
  const char *next = bytes;
  while (length > 0) {
    size_t count = length < PACKET_BYTES ? length : PACKET_BYTES;
    send_packet(next, count);
    next += count;
    length -= count;
  }
}

static int is_valid(const struct request *request, int photo) {
  struct stat status;
  return request->magic == REQUEST_MAGIC && request->version == PROTOCOL_VERSION &&
         request->box >= 1 && request->box <= MAXIMUM_BOX && request->quality >= 1 && request->quality <= 100 && photo >= 0 && fstat(photo, &status) == 0 &&
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
  int photo;
  if (receive_packet(&request, sizeof request, &photo) != sizeof request) request.magic = 0;
  set_alarm(MAXIMUM_SECONDS);
  struct picture picture = draw(&request, photo);
  struct reply reply = {
    .magic = REPLY_MAGIC,
    .version = PROTOCOL_VERSION,
    .status = (uint16_t)picture.status,
    .width = picture.width,
    .height = picture.height,
    .number = request.number,
    .length = picture.status == REPLY_DRAWN ? (uint32_t)(sizeof picture.fingerprint + picture.length) : 0,
    .photo_pixels = picture.photo_pixels};
  send_packet(&reply, sizeof reply);
  if (picture.status == REPLY_DRAWN) {
    send_packet(&picture.fingerprint, sizeof picture.fingerprint);
    send_payload(picture.jpeg, picture.length);
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

static int end_without(struct picture_hello *hello, int status, const char *reason, int code) {
  fprintf(stderr, "smilepile-pictures: %s\n", reason);
  hello->start.status = (uint16_t)status;
  send_packet(hello, sizeof *hello);
  return code;
}

int main(void) {
  struct picture_hello hello = {.start = {.magic = HELLO_MAGIC, .version = PROTOCOL_VERSION}};
  begin_loading(&hello.start, &sandbox);
  // libvips compiles some of its loops at run time, and would abort
  if (!can_make_code()) setenv("VIPS_NOVECTOR", "1", 1);
  const char *fault = load_vips();
  if (fault) return end_without(&hello, HELLO_NO_LIBRARIES, fault, EXIT_NO_LIBRARIES);
  vips_block_untrusted_set(1);
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  for (int part = 0; part < 3; part++) hello.vips_version[part] = (uint32_t)vips_version(part);
  hello.formats = draw_samples();
  if (!begin_work(&hello.start, &sandbox))
    return end_without(
      &hello, HELLO_NO_SANDBOX, "this kernel has no filter of system calls (seccomp)", EXIT_NO_SANDBOX);
  send_packet(&hello, sizeof hello);
  while (1) serve();
}
