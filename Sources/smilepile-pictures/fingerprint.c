#include "fingerprint.h"
#include <math.h>
#include <stdlib.h>

enum { DIFFERENCES = 8, WAVES = 32, LOWEST = 8, LEAST_DEVIATION = 4 };

// The luma of ITU-R BT.601 in thousandths.
enum { RED = 299, GREEN = 587, BLUE = 114, THOUSAND = 1000 };

static uint32_t *luma_of(const uint8_t *pixels, size_t width, size_t height, size_t bands) {
  uint32_t *luma = malloc(width * height * sizeof *luma);
  if (!luma) return NULL;
  for (size_t index = 0; index < width * height; index++) {
    const uint8_t *pixel = pixels + index * bands;
    luma[index] = bands == 1 ? THOUSAND * pixel[0] : RED * pixel[0] + GREEN * pixel[1] + BLUE * pixel[2];
  }
  return luma;
}

// Returns the length of the part of pixel `index` of `count` that lies in cell `cell` of `cells`. A pixel has the length
// `cells`, a cell the length `count`, so that all lengths are integers.
static uint64_t overlap(size_t index, size_t count, size_t cell, size_t cells) {
  size_t from = index * cells > cell * count ? index * cells : cell * count;
  size_t to = (index + 1) * cells < (cell + 1) * count ? (index + 1) * cells : (cell + 1) * count;
  return to > from ? to - from : 0;
}

// Sums up the luma in each of columns × rows cells of equal size. The mean of a cell is its sum divided by
// width × height × THOUSAND. The sums are exact.
static void reduce(
  const uint32_t *luma, size_t width, size_t height, size_t columns, size_t rows, uint64_t *sums) {
  for (size_t row = 0; row < rows; row++)
    for (size_t column = 0; column < columns; column++) {
      uint64_t sum = 0;
      for (size_t y = row * height / rows; y < height && y * rows < (row + 1) * height; y++) {
        uint64_t line = 0;
        for (size_t x = column * width / columns; x < width && x * columns < (column + 1) * width; x++)
          line += luma[y * width + x] * overlap(x, width, column, columns);
        sum += line * overlap(y, height, row, rows);
      }
      sums[row * columns + column] = sum;
    }
}

// The signs of the differences between neighbours in a row, of 9 × 8 cells.
// https://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html
static uint64_t difference_hash(const uint32_t *luma, size_t width, size_t height) {
  uint64_t sums[(DIFFERENCES + 1) * DIFFERENCES], hash = 0;
  reduce(luma, width, height, DIFFERENCES + 1, DIFFERENCES, sums);
  for (size_t row = 0; row < DIFFERENCES; row++)
    for (size_t column = 0; column < DIFFERENCES; column++) {
      const uint64_t *cell = sums + row * (DIFFERENCES + 1) + column;
      hash = hash << 1 | (cell[0] < cell[1]);
    }
  return hash;
}

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

// The lowest 8 × 8 coefficients of the cosine transform (DCT-II) of 32 × 32 cells, compared with their median.
// https://www.hackerfactor.com/blog/index.php?/archives/432-Looks-Like-It.html
static uint64_t frequency_hash(const uint32_t *luma, size_t width, size_t height) {
  uint64_t sums[WAVES * WAVES];
  reduce(luma, width, height, WAVES, WAVES, sums);
  double cosines[LOWEST][WAVES], lines[WAVES][LOWEST] = {{0}};
  for (size_t wave = 0; wave < LOWEST; wave++)
    for (size_t index = 0; index < WAVES; index++)
      cosines[wave][index] = cos(acos(-1) * (double)(wave * (2 * index + 1)) / (2 * WAVES));
  double unit = (double)width * (double)height * THOUSAND;
  for (size_t row = 0; row < WAVES; row++)
    for (size_t wave = 0; wave < LOWEST; wave++)
      for (size_t column = 0; column < WAVES; column++)
        lines[row][wave] += (double)sums[row * WAVES + column] / unit * cosines[wave][column];
  double coefficients[LOWEST * LOWEST] = {0}, sorted[LOWEST * LOWEST];
  for (size_t down = 0; down < LOWEST; down++)
    for (size_t across = 0; across < LOWEST; across++) {
      double *coefficient = &coefficients[down * LOWEST + across];
      for (size_t row = 0; row < WAVES; row++) *coefficient += lines[row][across] * cosines[down][row];
      sorted[down * LOWEST + across] = *coefficient;
    }
  qsort(sorted, LOWEST * LOWEST, sizeof *sorted, compare);
  double median = (sorted[LOWEST * LOWEST / 2 - 1] + sorted[LOWEST * LOWEST / 2]) / 2;
  uint64_t hash = 0;
  for (size_t index = 0; index < LOWEST * LOWEST; index++) hash = hash << 1 | (coefficients[index] > median);
  return hash;
}

static void fill_luma(struct fingerprint *fingerprint, const uint32_t *luma, size_t width, size_t height) {
  uint64_t sums[LUMA_BYTES], unit = (uint64_t)width * height * THOUSAND;
  reduce(luma, width, height, LUMA_COLUMNS, LUMA_ROWS, sums);
  for (size_t index = 0; index < LUMA_BYTES; index++)
    fingerprint->luma[index] = (uint8_t)((sums[index] + unit / 2) / unit);
}

// Returns true if the standard deviation of the luma is less than LEAST_DEVIATION.
static int is_flat(const uint8_t *luma) {
  uint64_t sum = 0, squares = 0, count = LUMA_BYTES;
  for (size_t index = 0; index < LUMA_BYTES; index++) {
    sum += luma[index];
    squares += (uint64_t)luma[index] * luma[index];
  }
  return count * squares - sum * sum < count * count * LEAST_DEVIATION * LEAST_DEVIATION;
}

struct fingerprint make_fingerprint(const uint8_t *pixels, size_t width, size_t height, size_t bands) {
  struct fingerprint result = {.is_present = 0};
  if (!pixels || width == 0 || height == 0 || (bands != 1 && bands != 3)) return result;
  uint32_t *luma = luma_of(pixels, width, height, bands);
  if (!luma) return result;
  fill_luma(&result, luma, width, height);
  if (!is_flat(result.luma)) {
    result.is_present = 1;
    result.difference_hash = difference_hash(luma, width, height);
    result.frequency_hash = frequency_hash(luma, width, height);
  }
  free(luma);
  return result;
}
