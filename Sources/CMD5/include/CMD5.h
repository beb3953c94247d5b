#ifndef CMD5_H
#define CMD5_H

#include <stddef.h>
#include <stdint.h>

/// The most messages to hash in parallel; more do not fit into the vector registers.
#define SMILEPILE_MD5_LANES 16

/// The implementations, by the vector instructions that they use.
enum smilepile_md5_implementation {
  /// One message after the other.
  SMILEPILE_MD5_SCALAR,
  /// The vectors of the architecture's baseline: SSE2, NEON.
  SMILEPILE_MD5_BASE,
  SMILEPILE_MD5_AVX2,
  SMILEPILE_MD5_AVX512,
};

/// Returns the fastest implementation that this processor supports.
enum smilepile_md5_implementation smilepile_md5_best_implementation(void);

/// Adds `blocks` blocks of 64 bytes to each of `count` MD5 states, 1 to SMILEPILE_MD5_LANES. The processor must support the
/// implementation. `states[i]` are the four words of RFC 1321 (A, B, C, D), `data[i]` the next bytes of that message.
void smilepile_md5_blocks(
  enum smilepile_md5_implementation implementation, size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks);

#endif
