#ifndef SMILEPILE_FINGERPRINT_H
#define SMILEPILE_FINGERPRINT_H
#include "protocol.h"
#include <stddef.h>

// Computes the fingerprint of a picture of 8 bits a channel.
//
// `bands` is 1 for grey, or 3 for red, green and blue. Sets is_present to 0 if the picture is flat, or if memory
// is insufficient.
struct fingerprint make_fingerprint(const uint8_t *pixels, size_t width, size_t height, size_t bands);
#endif
