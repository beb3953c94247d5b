#ifndef CMD5_H
#define CMD5_H

#include <stddef.h>
#include <stdint.h>

/// Messages that are worth hashing side by side; more have no place in the processor's vectors.
#define SMILEPILE_MD5_LANES 16

/// How vectors of the processor are used.
enum smilepile_md5_implementation {
  /// One message after the other.
  SMILEPILE_MD5_SCALAR,
  /// What every processor of its kind has: SSE2, NEON.
  SMILEPILE_MD5_BASE,
  SMILEPILE_MD5_AVX2,
  SMILEPILE_MD5_AVX512,
};

/// The best way that this processor has.
enum smilepile_md5_implementation smilepile_md5_best_implementation(void);

/// Takes `blocks` blocks of 64 bytes into each of `count` MD5 states, 1 to SMILEPILE_MD5_LANES, in a way that the
/// processor has. `states[i]` are the four words of RFC 1321 (A, B, C, D), `data[i]` the next bytes of that message.
void smilepile_md5_blocks(
  enum smilepile_md5_implementation way, size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks);

#endif
