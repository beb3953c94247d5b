// Writes a PDF of thumbnails and untrusted texts in a process that can do nothing else. smilepile starts it with a socket
// at descriptor 0, and sends the file to write and what to draw. The process can read the system's fonts, and nothing
// else.
#include "document.h"
#include "libraries.h"
#include "protocol.h"
#include <CHelper.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PACKET_BYTES = 1 << 16, MAXIMUM_SECONDS = 60 };

// MARK: Messages

// The last packet, and the descriptor that came with the first one.
static struct {
  char bytes[PACKET_BYTES];
  size_t length, used;
  int descriptor;
} packet = {.descriptor = -1};

// A command that does not end ends the process.
static void receive_next(void) {
  int descriptor;
  set_alarm(0);
  packet.length = receive_packet(packet.bytes, sizeof packet.bytes, &descriptor);
  set_alarm(MAXIMUM_SECONDS);
  packet.used = 0;
  if (packet.descriptor < 0)
    packet.descriptor = descriptor;
  else if (descriptor >= 0)
    close(descriptor);
}

static void receive(void *bytes, size_t length) {
  char *next = bytes;
  while (length > 0) {
    if (packet.used == packet.length) receive_next();
    size_t rest = packet.length - packet.used, count = length < rest ? length : rest;
    memcpy(next, packet.bytes + packet.used, count);
    packet.used += count;
    next += count;
    length -= count;
  }
}

// Sends the reply, and waits until smilepile closes the socket.
static void finish(struct reply reply) {
  send_packet(&reply, sizeof reply);
  while (1) receive_next();
}

static void refuse(void) {
  finish((struct reply){.magic = REPLY_MAGIC, .version = PROTOCOL_VERSION, .status = REPLY_REFUSED});
}

// MARK: Commands

static int is_length(float number) { return isfinite(number) && number >= 0 && number <= 10000; }

static int is_valid(const struct command *command) {
  if (!is_length(command->x) || !is_length(command->y) || !is_length(command->width) || !is_length(command->height) ||
      !is_length(command->size) || !(command->gray >= 0 && command->gray <= 1))
    return 0;
  switch (command->kind) {
    case COMMAND_DOCUMENT: return command->length <= MOST_TEXT_BYTES && command->width >= 1 && command->height >= 1;
    case COMMAND_TEXT:
    case COMMAND_TEXT_BELOW:
      return command->length <= MOST_TEXT_BYTES && command->first >= 1 && command->first <= 100 && command->size >= 1;
    case COMMAND_OUTLINE: return command->length <= MOST_TEXT_BYTES;
    case COMMAND_IMAGE:
      return command->length <= MOST_IMAGE_BYTES && command->first >= 1 && command->first <= MOST_IMAGE_PIXELS &&
             command->second >= 1 && command->second <= MOST_IMAGE_PIXELS;
    default: return command->length == 0;
  }
}

// Receives a command and its data, which ends with a NUL.
static char *receive_command(struct command *command) {
  receive(command, sizeof *command);
  if (!is_valid(command)) refuse();
  char *data = malloc(command->length + 1);
  if (!data) abort();
  receive(data, command->length);
  data[command->length] = 0;
  return data;
}

static void write_document(void) {
  struct command command;
  char *title = receive_command(&command);
  if (command.kind != COMMAND_DOCUMENT || packet.descriptor < 0) refuse();
  begin_document(&command, title, packet.descriptor);
  free(title);
  while (1) {
    char *data = receive_command(&command);
    if (command.kind == COMMAND_END) break;
    if (!draw(&command, data)) refuse();
    // the document owns the bytes of images
    if (command.kind != COMMAND_IMAGE) free(data);
    if (command.kind == COMMAND_PAGE && document_state().status != REPLY_WRITTEN) finish(document_state());
  }
  end_document();
  finish(document_state());
}

// What cairo, Pango and fontconfig read: the fonts of the system and how to choose among them.
static const char *const fonts[] = {
  "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig",
  "/usr/share/ghostscript/fonts", "/usr/share/texmf/fonts", "/usr/share/libthai", NULL};

// 1 GiB of memory; the table of a PDF has places of ten digits.
static const struct sandbox sandbox = {.memory = 1 << 30, .file_bytes = 9999999999, .readable = fonts};

static int end_without(struct catalogue_hello *hello, int status, const char *reason, int code) {
  fprintf(stderr, "smilepile-catalogue: %s\n", reason);
  hello->start.status = (uint16_t)status;
  send_packet(hello, sizeof *hello);
  return code;
}

int main(void) {
  struct catalogue_hello hello = {.start = {.magic = HELLO_MAGIC, .version = PROTOCOL_VERSION}};
  begin_loading(&hello.start, &sandbox);
  const char *fault = load_libraries();
  if (fault) return end_without(&hello, HELLO_NO_LIBRARIES, fault, EXIT_NO_LIBRARIES);
  hello.cairo_version = (uint32_t)cairo_version();
  hello.pango_version = (uint32_t)pango_version();
  // before Pango starts a thread that reads fonts
  if (!begin_work(&hello.start, &sandbox))
    return end_without(
      &hello, HELLO_NO_SANDBOX, "this kernel has no filter of system calls (seccomp)", EXIT_NO_SANDBOX);
  if (!draw_sample()) return end_without(&hello, HELLO_NO_FONT, "there is no font", EXIT_NO_FONT);
  send_packet(&hello, sizeof hello);
  write_document();
}
