#include "CContentTag.h"

#include <string.h>

// A keyed universal hash in two layers. The first one is NH (Black, Halevi, Krawczyk, Krovetz, Rogaway: UMAC, CRYPTO 1999;
// RFC 4418, 5.2) with words of 32 bits, twice, with the second key 16 bytes after the first one (the Toeplitz
// construction): two different blocks have equal pairs of sums with a probability of 2^-64. The second layer is the
// polynomial with these sums as coefficients, modulo 2^127 - 1, at a secret point: two different polynomials of degree d
// have the same value with a probability of d / 2^127. The compiler generates vector instructions from the same code,
// according to the function's target.

#define BLOCK CONTENT_TAG_BLOCK
#define SHIFT 16

typedef unsigned __int128 uint128;

#define INLINE static inline __attribute__((always_inline))

static uint32_t word(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t long_word(const uint8_t *p) { return (uint64_t)word(p) | (uint64_t)word(p + 4) << 32; }

/// Returns x modulo 2^127 - 1.
INLINE uint128 reduce(uint128 x) {
  const uint128 prime = ((uint128)1 << 127) - 1;
  x = (x & prime) + (x >> 127);
  return x >= prime ? x - prime : x;
}

/// Returns a * b + c modulo 2^127 - 1. `a` and `b` are less than 2^127.
INLINE uint128 multiply_add(uint128 a, uint128 b, uint64_t c) {
  uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
  uint128 low = (uint128)a0 * b0, high = (uint128)a1 * b1;
  // no overflow: a1 and b1 are less than 2^63
  uint128 middle = (uint128)a0 * b1 + (uint128)a1 * b0;
  low += middle << 64;
  high += (middle >> 64) + (low < middle << 64);
  // 2^128 is 2 modulo the prime; high is less than 2^126, so the sum is less than 2^128
  return reduce(reduce(low) + (high << 1) + c);
}

/// Adds the next coefficient of the polynomial.
INLINE void add_coefficient(uint128 *value, const uint8_t *key, uint64_t coefficient) {
  uint64_t low = long_word(key + BLOCK + SHIFT), high = long_word(key + BLOCK + SHIFT + 8) & ~((uint64_t)1 << 63);
  *value = multiply_add(*value, (uint128)high << 64 | low, coefficient);
}

static void scalar_blocks(uint128 *value, const uint8_t *key, const uint8_t *data, size_t blocks) {
  for (; blocks > 0; blocks--, data += BLOCK) {
    uint64_t sums[2] = {0, 0};
    for (size_t i = 0; i < BLOCK; i += 8) {
      for (size_t pass = 0; pass < 2; pass++) {
        uint32_t left = word(data + i) + word(key + i + SHIFT * pass);
        uint32_t right = word(data + i + 4) + word(key + i + 4 + SHIFT * pass);
        sums[pass] += (uint64_t)left * right;
      }
    }
    add_coefficient(value, key, sums[0]);
    add_coefficient(value, key, sums[1]);
  }
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/// Defines a function that adds blocks with vectors of `BYTES` bytes.
#define IMPLEMENTATION(NAME, BYTES, TARGET)                                                                       \
  TARGET static void NAME(uint128 *value, const uint8_t *key, const uint8_t *data, size_t blocks) {               \
    typedef uint32_t words __attribute__((vector_size(BYTES)));                                                   \
    typedef uint64_t sums __attribute__((vector_size(BYTES)));                                                    \
    for (; blocks > 0; blocks--, data += BLOCK) {                                                                 \
      sums first = {0}, second = {0};                                                                             \
      _Pragma("GCC unroll 8") for (size_t i = 0; i < BLOCK; i += BYTES) {                                         \
        words message, key1, key2;                                                                                \
        memcpy(&message, data + i, BYTES);                                                                        \
        memcpy(&key1, key + i, BYTES);                                                                            \
        memcpy(&key2, key + i + SHIFT, BYTES);                                                                    \
        sums pairs1 = (sums)(message + key1), pairs2 = (sums)(message + key2);                                    \
        first += (pairs1 & 0xffffffff) * (pairs1 >> 32);                                                          \
        second += (pairs2 & 0xffffffff) * (pairs2 >> 32);                                                         \
      }                                                                                                           \
      uint64_t sum1 = 0, sum2 = 0;                                                                                \
      for (size_t i = 0; i < BYTES / 8; i++) {                                                                    \
        sum1 += first[i];                                                                                         \
        sum2 += second[i];                                                                                        \
      }                                                                                                           \
      add_coefficient(value, key, sum1);                                                                          \
      add_coefficient(value, key, sum2);                                                                          \
    }                                                                                                             \
  }

// the baseline has vectors of 16 bytes; two of them are processed together
IMPLEMENTATION(base_blocks, 32, )

#if defined(__x86_64__)
IMPLEMENTATION(avx2_blocks, 32, __attribute__((target("avx2"))))
IMPLEMENTATION(avx512_blocks, 64, __attribute__((target("avx512f,avx512vl,avx512bw"))))
#endif

enum smilepile_content_tag_implementation smilepile_content_tag_best_implementation(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return CONTENT_TAG_AVX512;
  }
  if (__builtin_cpu_supports("avx2")) return CONTENT_TAG_AVX2;
#endif
  return CONTENT_TAG_BASE;
}

#else

enum smilepile_content_tag_implementation smilepile_content_tag_best_implementation(void) {
  return CONTENT_TAG_SCALAR;
}

#endif

static void add_blocks(
  enum smilepile_content_tag_implementation implementation, struct smilepile_content_tag *message,
  const uint8_t *key, const uint8_t *data, size_t blocks) {
  uint128 value = (uint128)message->value[1] << 64 | message->value[0];
  switch (implementation) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if defined(__x86_64__)
    case CONTENT_TAG_AVX512: avx512_blocks(&value, key, data, blocks); break;
    case CONTENT_TAG_AVX2: avx2_blocks(&value, key, data, blocks); break;
#endif
    case CONTENT_TAG_BASE: base_blocks(&value, key, data, blocks); break;
#endif
    default: scalar_blocks(&value, key, data, blocks); break;
  }
  message->value[0] = (uint64_t)value;
  message->value[1] = (uint64_t)(value >> 64);
}

void smilepile_content_tag_start(struct smilepile_content_tag *message) {
  // polynomials of different degrees differ
  message->value[0] = 1;
  message->value[1] = 0;
  message->length = 0;
}

void smilepile_content_tag_update(
  enum smilepile_content_tag_implementation implementation, struct smilepile_content_tag *message,
  const uint8_t *key, const uint8_t *data, size_t count) {
  size_t begun = message->length % BLOCK;
  message->length += count;
  if (begun > 0) {
    size_t head = BLOCK - begun < count ? BLOCK - begun : count;
    memcpy(message->rest + begun, data, head);
    if (begun + head < BLOCK) return;
    add_blocks(implementation, message, key, message->rest, 1);
    data += head, count -= head;
  }
  if (count >= BLOCK) add_blocks(implementation, message, key, data, count / BLOCK);
  if (count % BLOCK > 0) memcpy(message->rest, data + count / BLOCK * BLOCK, count % BLOCK);
}

void smilepile_content_tag_finish(
  enum smilepile_content_tag_implementation implementation, const struct smilepile_content_tag *message,
  const uint8_t *key, uint8_t *tag) {
  struct smilepile_content_tag last = {{message->value[0], message->value[1]}, message->length, {0}};
  size_t begun = message->length % BLOCK;
  if (begun > 0) {
    memcpy(last.rest, message->rest, begun);
    add_blocks(implementation, &last, key, last.rest, 1);
  }
  // the length distinguishes the zeros of the last block from bytes of the message
  uint128 value = (uint128)last.value[1] << 64 | last.value[0];
  add_coefficient(&value, key, message->length);
  for (int i = 0; i < 16; i++) tag[i] = (uint8_t)(value >> (8 * i));
}
