#ifndef CCRC32_H
#define CCRC32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The length of a remainder.
#define SMILEPILE_CRC32_REMAINDER 64

/// The fewest bytes that can be folded.
#define SMILEPILE_CRC32_LEAST 512

/// Returns true if this processor has the instructions: AVX-512 and carry-less multiplication of vectors.
bool smilepile_crc32_can_fold(void);

/// Replaces bytes by a remainder of SMILEPILE_CRC32_REMAINDER bytes. A CRC-32 that starts with the register 0, in place of
/// its inverse, and adds the remainder is equal to a CRC-32 that continues `checksum` and adds the bytes. The processor
/// must have the instructions.
///
/// Returns the number of bytes, the greatest multiple of 256 up to `count`, which is at least SMILEPILE_CRC32_LEAST.
size_t smilepile_crc32_fold(uint32_t checksum, const uint8_t *data, size_t count, uint8_t *remainder);

#endif
