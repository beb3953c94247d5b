// The functions of libvips that the helper calls. Their prototypes are here, so that building needs no libvips; they are
// those of <vips/vips.h> 8.13 and later, with which scripts/prototypes compares them.
// https://www.libvips.org/API/current/
#ifndef SMILEPILE_VIPS_H
#define SMILEPILE_VIPS_H
#include <CHelper.h>
#include <stddef.h>

typedef struct image image;
typedef struct source source;
typedef struct array array;

// Values of VipsSize, VipsAccess and VipsInterpretation.
enum { SIZE_DOWN = 2, ACCESS_SEQUENTIAL = 1, INTERPRETATION_GREY = 1, INTERPRETATION_SRGB = 22 };

#define FUNCTIONS(F) \
  F(int, vips_init, (const char *)) \
  F(int, vips_version, (int)) \
  F(void, vips_block_untrusted_set, (int)) \
  F(void, vips_concurrency_set, (int)) \
  F(void, vips_cache_set_max, (int)) \
  F(source *, vips_source_new_from_descriptor, (int)) \
  F(source *, vips_source_new_from_memory, (const void *, size_t)) \
  F(const char *, vips_foreign_find_load_source, (source *)) \
  F(image *, vips_image_new_from_source, (source *, const char *, ...)) \
  F(int, vips_thumbnail_source, (source *, image **, int, ...)) \
  F(int, vips_icc_transform, (image *, image **, const char *, ...)) \
  F(int, vips_colourspace, (image *, image **, int, ...)) \
  F(int, vips_flatten, (image *, image **, ...)) \
  F(image *, vips_image_copy_memory, (image *)) \
  F(void *, vips_image_write_to_memory, (image *, size_t *)) \
  F(int, vips_image_get_bands, (const image *)) \
  F(int, vips_jpegsave_buffer, (image *, void **, size_t *, ...)) \
  F(unsigned long, vips_image_get_typeof, (const image *, const char *)) \
  F(int, vips_image_get_width, (const image *)) \
  F(int, vips_image_get_height, (const image *)) \
  F(int, vips_image_get_interpretation, (const image *)) \
  F(int, vips_image_hasalpha, (image *)) \
  F(array *, vips_array_double_newv, (int, ...)) \
  F(void, vips_area_unref, (array *)) \
  F(const char *, vips_error_buffer, (void)) \
  F(void, vips_error_clear, (void)) \
  F(void, g_object_unref, (void *)) \
  F(void, g_free, (void *))

FUNCTIONS(DECLARE_FUNCTION)

// Loads libvips. Returns the reason if that is impossible, otherwise null.
const char *load_vips(void);
#endif
