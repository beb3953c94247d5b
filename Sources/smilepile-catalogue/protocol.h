// The messages between smilepile and the program that writes catalogues. `DocumentCommand.swift`,
// `CatalogueSupport.swift` and `CatalogueHelper.swift` have the same layout.
#ifndef SMILEPILE_CATALOGUE_PROTOCOL_H
#define SMILEPILE_CATALOGUE_PROTOCOL_H
#include <CHelper.h>
#include <stdint.h>

#define PROTOCOL_VERSION 2
#define MISSING_CHARACTERS 16

// What the program can do: its first message.
struct catalogue_hello {
  struct hello start;  // with HELLO_MAGIC
  uint32_t cairo_version;  // 11600 is 1.16.0
  uint32_t pango_version;  // 15012 is 1.50.12
};
#define HELLO_MAGIC 0x4C454843  // "CHEL"

// The status of a hello if there is no font.
#define HELLO_NO_FONT 3

// smilepile sends commands without gaps; packets may end anywhere. The first packet comes with the descriptor of the file
// to write (SCM_RIGHTS). Lengths are in points, from the upper left corner of the page.
struct command {
  uint32_t kind;    // enum command_kind
  uint32_t length;  // bytes of data behind the command
  float x, y, width, height;
  float size;      // of the font
  float gray;      // 0 is black
  uint32_t first;  // see enum command_kind
  uint32_t second;
};

enum command_kind {
  // Begins the document. The data is its title; `width` and `height` are those of the pages.
  COMMAND_DOCUMENT = 1,
  // Begins a page.
  COMMAND_PAGE = 2,
  // Fills a rectangle.
  COMMAND_RECTANGLE = 3,
  // Draws a text, of at most `first` lines and with `second` of enum style. Wraps long lines, and leaves out the middle of
  // a text that is too long. Draws nothing outside of the rectangle.
  COMMAND_TEXT = 4,
  // The same, directly below the text before this one.
  COMMAND_TEXT_BELOW = 5,
  // Draws a JPEG of `first` × `second` pixels into the rectangle.
  COMMAND_IMAGE = 6,
  // Adds an entry to the outline, which leads to the current page.
  COMMAND_OUTLINE = 7,
  // Ends the document. The program replies.
  COMMAND_END = 8,
};

enum style {
  STYLE_BOLD = 1 << 0,
  STYLE_CENTRED = 1 << 1,
  STYLE_RIGHT = 1 << 2,  // left in a text that is written from right to left
};

// The reply: to COMMAND_END, or earlier if the document cannot be written.
struct reply {
  uint32_t magic;  // REPLY_MAGIC
  uint16_t version;
  uint16_t status;   // enum reply_status
  uint32_t pages;    // of the document
  int32_t code;      // the error number of a failed write, or the status of cairo
  uint32_t missing;  // the number of different characters that no font has
  uint32_t characters[MISSING_CHARACTERS];  // the first of them
};
#define REPLY_MAGIC 0x504C4552  // "RELP"

enum reply_status {
  REPLY_WRITTEN = 0,
  REPLY_NOT_WRITTEN = 1,  // writing the file failed
  REPLY_FAILED = 2,       // cairo reports an error
  REPLY_REFUSED = 3,      // a command is invalid
};

#define MOST_TEXT_BYTES (16 << 10)
#define MOST_IMAGE_BYTES (1 << 20)
#define MOST_IMAGE_PIXELS 2048

// The exit status if there is no font.
#define EXIT_NO_FONT 5
#endif
