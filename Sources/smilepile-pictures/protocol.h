// The messages between smilepile and its helper, over a socket of the type SOCK_SEQPACKET at descriptor 0. All numbers
// have the byte order of the machine. `HelperMessages.swift` has the same layout.
#ifndef SMILEPILE_PROTOCOL_H
#define SMILEPILE_PROTOCOL_H
#include <stdint.h>

#define PROTOCOL_VERSION 1

// What the helper can do: its first message.
struct hello {
  uint32_t magic;  // HELLO_MAGIC
  uint16_t version;
  uint16_t status;       // enum hello_status
  uint32_t protections;  // bits of enum protection of CSandbox.h
  uint32_t formats;      // bits of enum format
  uint32_t vips_version[3];
  uint32_t landlock_version;  // 0: the kernel has no Landlock
};
#define HELLO_MAGIC 0x494C4548  // "HELI"

enum hello_status { HELLO_READY = 0, HELLO_NO_VIPS = 1, HELLO_NO_SANDBOX = 2 };

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
  uint16_t version;
  uint16_t job;      // enum job
  uint32_t box;      // the longest side of the picture, in pixels
  uint32_t quality;  // of the JPEG, 1 to 100
  uint64_t number;   // returned with the reply
  uint64_t reserved;
};
#define REQUEST_MAGIC 0x55514552  // "REQU"

enum job { JOB_THUMBNAIL = 1 };

// The reply. Then come `length` bytes in packets of at most PACKET_BYTES: a JPEG, or the reason why there is none.
struct reply {
  uint32_t magic;  // REPLY_MAGIC
  uint16_t version;
  uint16_t status;  // enum reply_status
  uint32_t width, height;
  uint64_t number;
  uint64_t length;
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

// The exit status without libvips, or with one that lacks a function.
#define EXIT_NO_VIPS 3
// The exit status if the kernel refuses the system call filter.
#define EXIT_NO_SANDBOX 4
#endif
