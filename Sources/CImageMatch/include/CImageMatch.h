#ifndef CIMAGEMATCH_H
#define CIMAGEMATCH_H

#include <stddef.h>
#include <stdint.h>

/// The cells of a picture's luma, row by row.
#define SMILEPILE_LUMA_COLUMNS 32
#define SMILEPILE_LUMA_ROWS 24

/// The instructions that an implementation needs. All give the same results.
enum smilepile_image_match_implementation {
  IMAGE_MATCH_BASE = 0,
  /// POPCNT and AVX2.
  IMAGE_MATCH_AVX2 = 1,
  /// AVX-512 with VPOPCNTDQ.
  IMAGE_MATCH_AVX512 = 2,
};

/// Returns the fastest implementation that this processor has.
enum smilepile_image_match_implementation smilepile_image_match_best_implementation(void);

/// Finds the indices from `first` to `count` - 1 whose hash in `ones` differs from `one` in at most `limit` bits, or whose
/// hash in `others` differs from `other` in at most `limit` bits.
///
/// Returns the number of indices, which are in `found`, ascending. `found` has room for `count` - `first` of them.
size_t smilepile_image_match_find(
  enum smilepile_image_match_implementation implementation, const uint64_t *ones, const uint64_t *others, size_t first,
  size_t count, uint64_t one, uint64_t other, uint32_t limit, uint32_t *found);

/// Returns the similarity of two pictures, from -1 to 1: the greatest correlation coefficient of one of them, in five sizes
/// from 7/8 to the whole, with a part of the other one. The order of the pictures does not matter.
///
/// Bars say nothing about what a picture shows: rows or columns at an edge, and two or more elsewhere, that have one colour in
/// both pictures, as around a photo on a screen. They are left out with the lines beside them, and what remains is enlarged.
/// If nothing remains, the similarity is -1.
double smilepile_image_match_similarity(
  enum smilepile_image_match_implementation implementation, const uint8_t *one, const uint8_t *other);

#endif
