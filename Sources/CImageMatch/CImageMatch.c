#include "CImageMatch.h"

#include <math.h>
#include <string.h>

#define COLUMNS SMILEPILE_LUMA_COLUMNS
#define ROWS SMILEPILE_LUMA_ROWS
#define CELLS (COLUMNS * ROWS)

#define INLINE static inline __attribute__((always_inline))

// MARK: Hashes

/// The hashes that are compared before a branch.
#define GROUP 64

INLINE size_t find(
  const uint64_t *ones, const uint64_t *others, size_t first, size_t count, uint64_t one, uint64_t other,
  uint64_t limit, uint32_t *found) {
  size_t length = 0, index = first;
  for (; count - index >= GROUP; index += GROUP) {
    // almost all groups have no hash that is near
    uint64_t any = 0;
    for (size_t i = 0; i < GROUP; i++) {
      uint64_t near = (uint64_t)__builtin_popcountll(ones[index + i] ^ one) <= limit;
      uint64_t other_near = (uint64_t)__builtin_popcountll(others[index + i] ^ other) <= limit;
      any |= near | other_near;
    }
    if (!any) continue;
    for (size_t i = index; i < index + GROUP; i++)
      if ((uint64_t)__builtin_popcountll(ones[i] ^ one) <= limit ||
          (uint64_t)__builtin_popcountll(others[i] ^ other) <= limit)
        found[length++] = (uint32_t)i;
  }
  for (; index < count; index++)
    if ((uint64_t)__builtin_popcountll(ones[index] ^ one) <= limit ||
        (uint64_t)__builtin_popcountll(others[index] ^ other) <= limit)
      found[length++] = (uint32_t)index;
  return length;
}

// MARK: Similarity

/// The sums of values and squares of all parts of a picture that begin at the first cell.
struct sums {
  uint32_t values[ROWS + 1][COLUMNS + 1], squares[ROWS + 1][COLUMNS + 1];
};

static void add_up(const uint8_t *luma, struct sums *sums) {
  memset(sums, 0, sizeof *sums);
  for (size_t y = 0; y < ROWS; y++) {
    uint32_t values = 0, squares = 0;
    for (size_t x = 0; x < COLUMNS; x++) {
      uint32_t value = luma[y * COLUMNS + x];
      values += value;
      squares += value * value;
      sums->values[y + 1][x + 1] = sums->values[y][x + 1] + values;
      sums->squares[y + 1][x + 1] = sums->squares[y][x + 1] + squares;
    }
  }
}

static int64_t part(uint32_t sums[ROWS + 1][COLUMNS + 1], size_t x, size_t y, size_t columns, size_t rows) {
  return (int64_t)sums[y + rows][x + columns] - sums[y][x + columns] - sums[y + rows][x] + sums[y][x];
}

/// The source cells that the cells of a reduced line cover, at most TAPS, with the covered parts. A source cell has the
/// length `count`, and a reduced one the length `source`, so that all lengths are integers.
#define TAPS 3
struct taps {
  uint32_t first[COLUMNS], weights[TAPS][COLUMNS];
};

INLINE void make_taps(struct taps *taps, uint32_t source, uint32_t count) {
  memset(taps, 0, sizeof *taps);
  for (uint32_t cell = 0; cell < count; cell++) {
    uint32_t begin = cell * source, end = begin + source, first = begin / count;
    taps->first[cell] = first;
    for (uint32_t tap = 0; tap < TAPS; tap++) {
      uint32_t from = (first + tap) * count, to = from + count;
      if (from < begin) from = begin;
      if (to > end) to = end;
      taps->weights[tap][cell] = to > from ? to - from : 0;
    }
  }
}

/// Reduces a picture to columns × rows cells, each the rounded mean of what it covers. The rows of the result have COLUMNS
/// cells, the last ones 0.
INLINE void reduce(const uint8_t *luma, uint32_t columns, uint32_t rows, int16_t *reduced) {
  struct taps across, down;
  make_taps(&across, COLUMNS, columns);
  make_taps(&down, ROWS, rows);
  // the taps of the last cells reach behind the picture, with the weight 0
  uint32_t lines[ROWS + TAPS][COLUMNS] = {{0}};
  for (uint32_t y = 0; y < ROWS; y++) {
    uint8_t line[COLUMNS + TAPS] = {0};
    memcpy(line, luma + y * COLUMNS, COLUMNS);
    for (uint32_t x = 0; x < columns; x++) {
      const uint8_t *source = line + across.first[x];
      lines[y][x] = source[0] * across.weights[0][x] + source[1] * across.weights[1][x] +
        source[2] * across.weights[2][x];
    }
  }
  for (uint32_t y = 0; y < rows; y++) {
    const uint32_t *source = &lines[0][0] + down.first[y] * COLUMNS;
    for (uint32_t x = 0; x < COLUMNS; x++) {
      uint32_t sum = source[x] * down.weights[0][y] + source[COLUMNS + x] * down.weights[1][y] +
        source[2 * COLUMNS + x] * down.weights[2][y];
      reduced[y * COLUMNS + x] = (int16_t)((sum + CELLS / 2) / CELLS);
    }
  }
}

/// Returns the sum of the products of rows × COLUMNS cells.
INLINE int64_t product(const int16_t *one, const int16_t *other, size_t rows) {
  int32_t sum = 0;
  // at most CELLS * 255 * 255, which fits
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0; x < COLUMNS; x++) sum += (int32_t)one[y * COLUMNS + x] * other[y * COLUMNS + x];
  return sum;
}

/// Returns the greatest correlation of the second picture, reduced to columns × rows cells, with a part of the first one.
/// The compiler makes the divisions by these numbers constants.
///
/// cells: the luma of the first picture, with COLUMNS more cells behind the last one, which the product multiplies by 0.
INLINE double correlation_of_size(
  struct sums *sums, const int16_t *cells, const uint8_t *small, uint32_t columns, uint32_t rows) {
  int16_t reduced[CELLS];
  reduce(small, columns, rows, reduced);
  int64_t count = (int64_t)(columns * rows), values = 0, squares = product(reduced, reduced, rows);
  for (size_t i = 0; i < rows * COLUMNS; i++) values += reduced[i];
  int64_t deviation = count * squares - values * values;
  double best = -1;
  for (size_t y = 0; y + rows <= ROWS; y++)
    for (size_t x = 0; x + columns <= COLUMNS; x++) {
      int64_t part_values = part(sums->values, x, y, columns, rows);
      int64_t part_deviation = count * part(sums->squares, x, y, columns, rows) - part_values * part_values;
      // a part of one colour is similar to nothing
      if (deviation <= 0 || part_deviation <= 0) continue;
      int64_t covariance = count * product(cells + y * COLUMNS + x, reduced, rows) - values * part_values;
      double correlation = (double)covariance / sqrt((double)deviation * (double)part_deviation);
      if (correlation > best) best = correlation;
    }
  return best;
}

INLINE double greater(double one, double other) { return one > other ? one : other; }

/// Returns the greatest correlation of the second picture, in all sizes, with a part of the first one.
INLINE double best_correlation(const uint8_t *large, const uint8_t *small) {
  struct sums sums;
  add_up(large, &sums);
  int16_t cells[CELLS + COLUMNS] = {0};
  for (size_t i = 0; i < CELLS; i++) cells[i] = large[i];
  double best = correlation_of_size(&sums, cells, small, 28, 21);
  best = greater(best, correlation_of_size(&sums, cells, small, 29, 22));
  best = greater(best, correlation_of_size(&sums, cells, small, 30, 22));
  best = greater(best, correlation_of_size(&sums, cells, small, 31, 23));
  return greater(best, correlation_of_size(&sums, cells, small, COLUMNS, ROWS));
}

// MARK: Bars

/// The greatest difference of the luma within a bar.
#define BAR_RANGE 4

/// The rows or the columns of a picture: how many, the cells of each, and the distances of lines and cells.
struct lines {
  size_t count, length, line_step, cell_step;
};

/// The lines that are compared. Behind the last one is room for the taps of the last cells.
struct compared {
  uint32_t count, lines[COLUMNS + TAPS];
};

/// Returns true if lines beside each other have one colour.
static int is_flat(const uint8_t *luma, const struct lines *lines, size_t first, size_t count) {
  uint8_t least = UINT8_MAX, greatest = 0;
  for (size_t i = 0; i < count * lines->length; i++) {
    uint8_t value = luma[(first + i % count) * lines->line_step + i / count * lines->cell_step];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    if (greatest - least > BAR_RANGE) return 0;
  }
  return 1;
}

/// Lists the lines that are not in a bar of both pictures, nor beside one: a line beside a bar can show both bar and picture.
static struct compared without_bars(const uint8_t *one, const uint8_t *other, struct lines lines) {
  // with a place before the first line and behind the last one
  uint8_t is_bar[COLUMNS + 2] = {0};
  for (size_t line = 0; line < lines.count; line++) {
    int is_edge = line == 0 || line + 1 == lines.count;
    for (size_t count = is_edge ? 1 : 2; count <= 2 && line + count <= lines.count; count++)
      if (is_flat(one, &lines, line, count) && is_flat(other, &lines, line, count))
        memset(is_bar + line + 1, 1, count);
  }
  struct compared result = {0};
  for (size_t line = 0; line < lines.count; line++)
    if (!is_bar[line] && !is_bar[line + 1] && !is_bar[line + 2]) result.lines[result.count++] = (uint32_t)line;
  return result;
}

/// Enlarges the compared lines to a whole picture, each cell the rounded mean of what it covers, and returns it.
static const uint8_t *enlarge(
  const uint8_t *luma, const struct compared *rows, const struct compared *columns, uint8_t *enlarged) {
  struct taps across, down;
  make_taps(&across, columns->count, COLUMNS);
  make_taps(&down, rows->count, ROWS);
  uint32_t area = rows->count * columns->count;
  for (size_t y = 0; y < ROWS; y++)
    for (size_t x = 0; x < COLUMNS; x++) {
      uint32_t sum = 0;
      for (size_t j = 0; j < TAPS; j++)
        for (size_t i = 0; i < TAPS; i++)
          sum += luma[rows->lines[down.first[y] + j] * COLUMNS + columns->lines[across.first[x] + i]] *
            down.weights[j][y] * across.weights[i][x];
      enlarged[y * COLUMNS + x] = (uint8_t)((sum + area / 2) / area);
    }
  return enlarged;
}

// MARK: Implementations

/// The compiler generates vector instructions from the same code, according to the function's target.
#define IMPLEMENTATION(NAME, COUNT_TARGET, TARGET)                                                                      \
  COUNT_TARGET static size_t NAME##_find(                                                                                     \
    const uint64_t *ones, const uint64_t *others, size_t first, size_t count, uint64_t one, uint64_t other,             \
    uint64_t limit, uint32_t *found) {                                                                                  \
    return find(ones, others, first, count, one, other, limit, found);                                                  \
  }                                                                                                                     \
  TARGET static double NAME##_correlation(const uint8_t *large, const uint8_t *small) {                                 \
    return best_correlation(large, small);                                                                              \
  }

IMPLEMENTATION(base, , )

#if defined(__x86_64__)
// without VPOPCNTDQ, one hash at a time is faster than vectors
IMPLEMENTATION(avx2, __attribute__((target("popcnt"))), __attribute__((target("avx2"))))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512vpopcntdq")))
IMPLEMENTATION(avx512, AVX512, AVX512)
#endif

enum smilepile_image_match_implementation smilepile_image_match_best_implementation(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2")) {
    int has_vectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vpopcntdq");
    return has_vectors ? IMAGE_MATCH_AVX512 : IMAGE_MATCH_AVX2;
  }
#endif
  return IMAGE_MATCH_BASE;
}

size_t smilepile_image_match_find(
  enum smilepile_image_match_implementation implementation, const uint64_t *ones, const uint64_t *others, size_t first,
  size_t count, uint64_t one, uint64_t other, uint32_t limit, uint32_t *found) {
  if (first >= count) return 0;
#if defined(__x86_64__)
  if (implementation == IMAGE_MATCH_AVX512) return avx512_find(ones, others, first, count, one, other, limit, found);
  if (implementation == IMAGE_MATCH_AVX2) return avx2_find(ones, others, first, count, one, other, limit, found);
#endif
  return base_find(ones, others, first, count, one, other, limit, found);
}

double smilepile_image_match_similarity(
  enum smilepile_image_match_implementation implementation, const uint8_t *one, const uint8_t *other) {
  double (*correlation)(const uint8_t *, const uint8_t *) = base_correlation;
#if defined(__x86_64__)
  if (implementation == IMAGE_MATCH_AVX512) correlation = avx512_correlation;
  if (implementation == IMAGE_MATCH_AVX2) correlation = avx2_correlation;
#else
  (void)implementation;
#endif
  struct compared rows = without_bars(one, other, (struct lines){ROWS, COLUMNS, COLUMNS, 1});
  struct compared columns = without_bars(one, other, (struct lines){COLUMNS, ROWS, 1, COLUMNS});
  if (rows.count == 0 || columns.count == 0) return -1;
  uint8_t enlarged[2][CELLS];
  if (rows.count < ROWS || columns.count < COLUMNS) {
    one = enlarge(one, &rows, &columns, enlarged[0]);
    other = enlarge(other, &rows, &columns, enlarged[1]);
  }
  double forward = correlation(one, other), backward = correlation(other, one);
  return forward > backward ? forward : backward;
}
