#include "CMD5.h"

#include <string.h>

// RFC 1321 over vectors of words, with one message in each lane. The compiler generates AVX2 or AVX-512 from the same
// code, according to the function's target. For a vector that is wider than the processor's registers it uses two
// registers, whose instructions fill each other's latencies.

typedef uint32_t words8 __attribute__((vector_size(32)));
typedef uint32_t words16 __attribute__((vector_size(64)));

static const uint32_t sines[64] = {
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
  0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
  0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
  0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
  0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define CHOOSE_BACK(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MIX(x, y, z) ((y) ^ ((x) | ~(z)))

#define STEP(function, a, b, c, d, word, shift, number) \
  a += function(b, c, d) + words[word] + sines[number]; \
  a = ((a << (shift)) | (a >> (32 - (shift)))) + b;

#define FOUR(function, i, step, start, s0, s1, s2, s3) \
  STEP(function, a, b, c, d, (start + (i) * (step)) % 16, s0, number) \
  STEP(function, d, a, b, c, (start + ((i) + 1) * (step)) % 16, s1, number + 1) \
  STEP(function, c, d, a, b, (start + ((i) + 2) * (step)) % 16, s2, number + 2) \
  STEP(function, b, c, d, a, (start + ((i) + 3) * (step)) % 16, s3, number + 3)

#define SIXTEEN(function, base, step, start, s0, s1, s2, s3) \
  { enum { number = (base) }; FOUR(function, 0, step, start, s0, s1, s2, s3) } \
  { enum { number = (base) + 4 }; FOUR(function, 4, step, start, s0, s1, s2, s3) } \
  { enum { number = (base) + 8 }; FOUR(function, 8, step, start, s0, s1, s2, s3) } \
  { enum { number = (base) + 12 }; FOUR(function, 12, step, start, s0, s1, s2, s3) }

#define ROUNDS \
  SIXTEEN(CHOOSE, 0, 1, 0, 7, 12, 17, 22) \
  SIXTEEN(CHOOSE_BACK, 16, 5, 1, 5, 9, 14, 20) \
  SIXTEEN(PARITY, 32, 3, 5, 4, 11, 16, 23) \
  SIXTEEN(MIX, 48, 7, 0, 6, 10, 15, 21)

#define INLINE static inline __attribute__((always_inline))

static void scalar_blocks(uint32_t *state, const uint8_t *data, size_t blocks) {
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  for (; blocks > 0; blocks--, data += 64) {
    uint32_t words[16];
    for (int i = 0; i < 16; i++) {
      const uint8_t *p = data + 4 * i;
      words[i] = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
    uint32_t a0 = a, b0 = b, c0 = c, d0 = d;
    ROUNDS
    a += a0, b += b0, c += c0, d += d0;
  }
  state[0] = a, state[1] = b, state[2] = c, state[3] = d;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/// Loads the next eight words of eight messages, and transposes them: vector i contains word i of each message.
INLINE void transpose(const uint8_t *const *data, size_t offset, words8 *out) {
  words8 r[8], s[8];
  for (int i = 0; i < 8; i++) memcpy(&r[i], data[i] + offset, sizeof r[i]);
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = __builtin_shufflevector(s[i], s[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 1] = __builtin_shufflevector(s[i], s[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    r[i + 2] = __builtin_shufflevector(s[i + 1], s[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 3] = __builtin_shufflevector(s[i + 1], s[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; i++) {
    out[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    out[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

INLINE void load_words8(const uint8_t *const *data, size_t offset, words8 *words) {
  transpose(data, offset, words);
  transpose(data, offset + 32, words + 8);
}

INLINE void load_words16(const uint8_t *const *data, size_t offset, words16 *words) {
  for (int half = 0; half < 2; half++) {
    words8 low[8], high[8];
    transpose(data, offset + 32 * half, low);
    transpose(data + 8, offset + 32 * half, high);
    for (int i = 0; i < 8; i++) {
      words[8 * half + i] =
        __builtin_shufflevector(low[i], high[i], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
  }
}

/// Unused lanes repeat the first message; their states are discarded.
#define VECTOR_BLOCKS(lanes) \
  INLINE void vector_blocks##lanes( \
    size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks) { \
    const uint8_t *sources[lanes]; \
    words##lanes a, b, c, d; \
    for (size_t i = 0; i < lanes; i++) { \
      size_t lane = i < count ? i : 0; \
      sources[i] = data[lane]; \
      a[i] = states[lane][0], b[i] = states[lane][1], c[i] = states[lane][2], d[i] = states[lane][3]; \
    } \
    for (size_t block = 0; block < blocks; block++) { \
      words##lanes words[16], a0 = a, b0 = b, c0 = c, d0 = d; \
      load_words##lanes(sources, 64 * block, words); \
      ROUNDS \
      a += a0, b += b0, c += c0, d += d0; \
    } \
    for (size_t i = 0; i < count; i++) { \
      states[i][0] = a[i], states[i][1] = b[i], states[i][2] = c[i], states[i][3] = d[i]; \
    } \
  }

VECTOR_BLOCKS(8)
VECTOR_BLOCKS(16)

#define IMPLEMENTATION(name, attributes) \
  attributes static void name( \
    size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks) { \
    if (count <= 8) { \
      vector_blocks8(count, states, data, blocks); \
    } else { \
      vector_blocks16(count, states, data, blocks); \
    } \
  }

// sixteen lanes of narrow vectors do not fit into the registers
static void base_blocks(size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks) {
  for (size_t first = 0; first < count; first += 8) {
    vector_blocks8(count - first < 8 ? count - first : 8, states + first, data + first, blocks);
  }
}

#if defined(__x86_64__)
IMPLEMENTATION(avx2_blocks, __attribute__((target("avx2"))))
IMPLEMENTATION(avx512_blocks, __attribute__((target("avx512f,avx512vl,avx512bw"))))
#endif

enum smilepile_md5_implementation smilepile_md5_best_implementation(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return SMILEPILE_MD5_AVX512;
  }
  if (__builtin_cpu_supports("avx2")) return SMILEPILE_MD5_AVX2;
#endif
  return SMILEPILE_MD5_BASE;
}

void smilepile_md5_blocks(
  enum smilepile_md5_implementation implementation, size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks) {
  if (count > 2) {
    switch (implementation) {
      case SMILEPILE_MD5_SCALAR: break;
      case SMILEPILE_MD5_BASE: return base_blocks(count, states, data, blocks);
#if defined(__x86_64__)
      case SMILEPILE_MD5_AVX2: return avx2_blocks(count, states, data, blocks);
      case SMILEPILE_MD5_AVX512: return avx512_blocks(count, states, data, blocks);
#else
      default: return base_blocks(count, states, data, blocks);
#endif
    }
  }
  for (size_t i = 0; i < count; i++) scalar_blocks(states[i], data[i], blocks);
}

#else

enum smilepile_md5_implementation smilepile_md5_best_implementation(void) { return SMILEPILE_MD5_SCALAR; }

void smilepile_md5_blocks(
  enum smilepile_md5_implementation implementation, size_t count, uint32_t *const *states, const uint8_t *const *data, size_t blocks) {
  (void)implementation;
  for (size_t i = 0; i < count; i++) scalar_blocks(states[i], data[i], blocks);
}

#endif
