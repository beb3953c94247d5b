#ifndef SMILEPILE_DRAW_H
#define SMILEPILE_DRAW_H
#include "protocol.h"
#include "vips.h"
#include <stdint.h>

// A picture, or the reason why there is none.
struct picture {
  int status;  // enum reply_status
  uint32_t width, height;
  uint32_t photo_pixels;
  void *jpeg;  // to be freed with g_free
  size_t length;
  struct fingerprint fingerprint;
};

// Draws an upright sRGB JPEG without metadata, whose longest side is at most `box`. Does not enlarge.
struct picture draw_thumbnail(source *photo, uint32_t box, uint32_t quality);

// Draws a sample of each format. Returns the bits of enum format that were drawn.
uint32_t draw_samples(void);
#endif
