#include "CCRC32.h"

// The bytes are a polynomial over GF(2), and only its remainder modulo the polynomial of the CRC matters. So 64 bytes times
// a power of x can be added to the bytes that many bits further on. Gopal, Ozturk, Guilford et al.: Fast CRC Computation
// for Generic Polynomials Using PCLMULQDQ Instruction, Intel, 2009.

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,pclmul,vpclmulqdq")))

bool smilepile_crc32_can_fold(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("vpclmulqdq");
}

/// Returns `further` plus `bits` times the power of x that the factors have.
TARGET static inline __m512i add(__m512i further, __m512i bits, __m512i factors) {
  __m512i low = _mm512_clmulepi64_epi128(bits, factors, 0x00), high = _mm512_clmulepi64_epi128(bits, factors, 0x11);
  return _mm512_ternarylogic_epi64(low, high, further, 0x96);
}

TARGET size_t smilepile_crc32_fold(uint32_t checksum, const uint8_t *data, size_t count, uint8_t *remainder) {
  // x^(n + 32) and x^(n - 32) modulo the polynomial, reflected and shifted by a bit, for a distance of n bits
  const __m512i by2048 = _mm512_broadcast_i32x4(_mm_set_epi64x(0x1322d1430, 0x11542778a));
  const __m512i by512 = _mm512_broadcast_i32x4(_mm_set_epi64x(0x1c6e41596, 0x154442bd4));
  __m512i bits[4];
  for (int i = 0; i < 4; i++) bits[i] = _mm512_loadu_si512(data + 64 * i);
  bits[0] = _mm512_xor_si512(bits[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~checksum)));
  size_t done = 256;
  for (; count - done >= 256; done += 256) {
    for (int i = 0; i < 4; i++) bits[i] = add(_mm512_loadu_si512(data + done + 64 * i), bits[i], by2048);
  }
  for (int i = 1; i < 4; i++) bits[i] = add(bits[i], bits[i - 1], by512);
  _mm512_storeu_si512(remainder, bits[3]);
  return done;
}

#else

bool smilepile_crc32_can_fold(void) { return false; }

size_t smilepile_crc32_fold(uint32_t checksum, const uint8_t *data, size_t count, uint8_t *remainder) {
  (void)checksum, (void)data, (void)count, (void)remainder;
  return 0;
}

#endif
