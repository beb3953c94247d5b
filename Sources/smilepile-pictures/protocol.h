// The messages between smilepile and its helper. `HelperMessages.swift` has the same layout.
#ifndef SMILEPILE_PROTOCOL_H
#define SMILEPILE_PROTOCOL_H
#include <CHelper.h>
#include <stdint.h>

#define PROTOCOL_VERSION 5

// What the helper can do: its first message.
struct picture_hello {
  struct hello start;  // with HELLO_MAGIC
  uint32_t formats;    // bits of enum format
  uint32_t vips_version[3];
};
#define HELLO_MAGIC 0x494C4548  // "HELI"

enum format {
  FORMAT_JPEG = 1 << 0,
  FORMAT_PNG = 1 << 1,
  FORMAT_WEBP = 1 << 2,
  FORMAT_GIF = 1 << 3,
  FORMAT_TIFF = 1 << 4,
  FORMAT_HEIC = 1 << 5,
  FORMAT_AVIF = 1 << 6,
};

// A picture to draw. The descriptor of the photo comes with it (SCM_RIGHTS).
struct request {
  uint32_t magic;  // REQUEST_MAGIC
  uint32_t version;
  uint32_t box;      // the longest side of the picture, in pixels
  uint32_t quality;  // of the JPEG, 1 to 100
  uint64_t number;   // returned with the reply
};
#define REQUEST_MAGIC 0x55514552  // "REQU"

// What pictures that look alike have in common, computed from the pixels of the thumbnail. Pictures of larger boxes
// have no fingerprint.
#define FINGERPRINT_BOX 512
#define LUMA_COLUMNS 32
#define LUMA_ROWS 24
#define LUMA_BYTES (LUMA_COLUMNS * LUMA_ROWS)
struct fingerprint {
  uint64_t difference_hash;  // dHash of 9 × 8 cells, row by row, the first bit is the highest
  uint64_t frequency_hash;   // pHash of 32 × 32 cells, in the same order
  uint32_t is_present;       // 0 if the luma has a standard deviation of less than 4, or if memory was insufficient
  uint32_t reserved;
  uint8_t luma[LUMA_BYTES];  // the mean luma of 32 × 24 cells, row by row
};

// The reply. With a picture, `length` bytes follow in packets of at most PACKET_BYTES: a fingerprint and a JPEG.
struct reply {
  uint32_t magic;  // REPLY_MAGIC
  uint16_t version;
  uint16_t status;  // enum reply_status
  uint32_t width, height;
  uint64_t number;
  uint32_t length;
  uint32_t photo_pixels;  // the width of the photo times its height
};
#define REPLY_MAGIC 0x4C504552  // "REPL"
#define PACKET_BYTES (32 << 10)

enum reply_status {
  REPLY_DRAWN = 0,
  REPLY_UNKNOWN_FORMAT = 1,  // no decoder of the helper reads the file
  REPLY_UNREADABLE = 2,      // the decoder reports an error
  REPLY_TOO_LARGE = 3,       // more than MAXIMUM_PIXELS
  REPLY_REFUSED = 4,         // the request is invalid
};

#define MAXIMUM_PIXELS 250000000ULL
#endif
