#ifndef CCONTENTTAG_H
#define CCONTENTTAG_H

#include <stddef.h>
#include <stdint.h>

/// The bytes that are compressed at once.
#define CONTENT_TAG_BLOCK 1024

/// The length of a key: two overlapping keys of a block, the second one 16 bytes after the first, and 16 bytes for the
/// point at which the polynomial is evaluated.
#define CONTENT_TAG_KEY 1056

/// The implementations, by the vector instructions that they use.
enum smilepile_content_tag_implementation {
  /// One word after the other.
  CONTENT_TAG_SCALAR,
  /// The vectors of the architecture's baseline: SSE2, NEON.
  CONTENT_TAG_BASE,
  CONTENT_TAG_AVX2,
  /// AVX-512 with the instructions F, VL and BW.
  CONTENT_TAG_AVX512,
};

/// A message. Its bytes so far are hashed, or are in `rest`.
struct smilepile_content_tag {
  /// The value of the polynomial, the low word first.
  uint64_t value[2];
  uint64_t length;
  uint8_t rest[CONTENT_TAG_BLOCK];
};

/// Returns the fastest implementation that this processor supports.
enum smilepile_content_tag_implementation smilepile_content_tag_best_implementation(void);

/// Starts with no bytes.
void smilepile_content_tag_start(struct smilepile_content_tag *message);

/// Adds the next bytes. The processor must support the implementation.
void smilepile_content_tag_update(
  enum smilepile_content_tag_implementation implementation, struct smilepile_content_tag *message,
  const uint8_t *key, const uint8_t *data, size_t count);

/// Writes the tag of all bytes so far, 16 bytes, the lowest byte first. The message stays as it is.
void smilepile_content_tag_finish(
  enum smilepile_content_tag_implementation implementation, const struct smilepile_content_tag *message,
  const uint8_t *key, uint8_t *tag);

#endif
