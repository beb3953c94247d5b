#include "draw.h"
#include "fingerprint.h"
#include "protocol.h"
#include "samples.h"
#include <string.h>

static void release(image *picture) {
  if (picture) g_object_unref(picture);
}

// libvips has loaders that are not made for untrusted files. These are.
static int is_safe(const char *loader) {
  static const char *const formats[] = {"Jpeg", "Png", "Webp", "Nsgif", "Tiff", "Heif"};
  static const char prefix[] = "VipsForeignLoad";
  if (!loader || strncmp(loader, prefix, sizeof prefix - 1) != 0) return 0;
  for (size_t index = 0; index < sizeof formats / sizeof *formats; index++)
    if (strncmp(loader + sizeof prefix - 1, formats[index], strlen(formats[index])) == 0) return 1;
  return 0;
}

// Returns REPLY_DRAWN if the header can be read and the picture is not too large. Sets the number of its pixels.
static int check_header(source *photo, uint32_t *photo_pixels) {
  if (!is_safe(vips_foreign_find_load_source(photo))) return REPLY_UNKNOWN_FORMAT;
  image *header = vips_image_new_from_source(photo, "", "access", ACCESS_SEQUENTIAL, NULL);
  if (!header) return REPLY_UNREADABLE;
  uint64_t pixels = (uint64_t)vips_image_get_width(header) * (uint64_t)vips_image_get_height(header);
  release(header);
  if (pixels > MAXIMUM_PIXELS) return REPLY_TOO_LARGE;
  *photo_pixels = (uint32_t)pixels;
  return REPLY_DRAWN;
}

// Replaces a picture by one in sRGB or grey. Returns null after an error.
static image *in_srgb(image *picture) {
  image *converted = NULL;
  // a conversion before the reduction would take longer than the decoding
  if (vips_image_get_typeof(picture, "icc-profile-data") &&
      vips_icc_transform(picture, &converted, "srgb", "embedded", 1, NULL) == 0) {
    release(picture);
    picture = converted;
  }
  int interpretation = vips_image_get_interpretation(picture);
  if (interpretation == INTERPRETATION_SRGB || interpretation == INTERPRETATION_GREY) return picture;
  int result = vips_colourspace(picture, &converted, INTERPRETATION_SRGB, NULL);
  release(picture);
  return result == 0 ? converted : NULL;
}

// Replaces a picture by one on white. Returns null after an error.
static image *on_white(image *picture) {
  if (!vips_image_hasalpha(picture)) return picture;
  array *white = vips_array_double_newv(3, 255.0, 255.0, 255.0);
  image *flat = NULL;
  int result = vips_flatten(picture, &flat, "background", white, NULL);
  vips_area_unref(white);
  release(picture);
  return result == 0 ? flat : NULL;
}

// Replaces a picture by one whose pixels are in memory, since a source can be decoded only once. Returns null after an
// error.
static image *in_memory(image *picture) {
  image *copy = vips_image_copy_memory(picture);
  release(picture);
  return copy;
}

static struct fingerprint fingerprint_of(image *picture) {
  size_t length = 0, bands = (size_t)vips_image_get_bands(picture);
  size_t width = (size_t)vips_image_get_width(picture), height = (size_t)vips_image_get_height(picture);
  void *pixels = vips_image_write_to_memory(picture, &length);
  // a picture of more than 8 bits a channel, which the conversion to sRGB does not yield, has no fingerprint
  int has_bytes = length == width * height * bands;
  struct fingerprint result = make_fingerprint(has_bytes ? pixels : NULL, width, height, bands);
  if (pixels) g_free(pixels);
  return result;
}

struct picture draw_thumbnail(source *photo, uint32_t box, uint32_t quality) {
  struct picture result = {0};
  result.status = check_header(photo, &result.photo_pixels);
  if (result.status != REPLY_DRAWN) return result;
  result.status = REPLY_UNREADABLE;
  image *picture = NULL;
  if (vips_thumbnail_source(photo, &picture, (int)box, "height", (int)box, "size", SIZE_DOWN, NULL) != 0)
    return result;
  picture = in_srgb(picture);
  if (picture) picture = on_white(picture);
  if (picture) picture = in_memory(picture);
  if (!picture) return result;
  if (box <= FINGERPRINT_BOX) result.fingerprint = fingerprint_of(picture);
  result.width = (uint32_t)vips_image_get_width(picture);
  result.height = (uint32_t)vips_image_get_height(picture);
  if (vips_jpegsave_buffer(
        picture, &result.jpeg, &result.length, "Q", (int)quality, "optimize_coding", 1, "strip", 1, NULL) == 0)
    result.status = REPLY_DRAWN;
  release(picture);
  return result;
}

uint32_t draw_samples(void) {
  static const struct {
    const unsigned char *bytes;
    size_t length;
    uint32_t format;
  } samples[] = {
    {jpeg_sample, sizeof jpeg_sample, FORMAT_JPEG}, {png_sample, sizeof png_sample, FORMAT_PNG},
    {webp_sample, sizeof webp_sample, FORMAT_WEBP}, {gif_sample, sizeof gif_sample, FORMAT_GIF},
    {tiff_sample, sizeof tiff_sample, FORMAT_TIFF}, {heic_sample, sizeof heic_sample, FORMAT_HEIC},
    {avif_sample, sizeof avif_sample, FORMAT_AVIF},
  };
  uint32_t drawn = 0;
  for (size_t index = 0; index < sizeof samples / sizeof *samples; index++) {
    source *sample = vips_source_new_from_memory(samples[index].bytes, samples[index].length);
    if (!sample) continue;
    struct picture picture = draw_thumbnail(sample, 8, 82);
    if (picture.status == REPLY_DRAWN) drawn |= samples[index].format;
    if (picture.jpeg) g_free(picture.jpeg);
    g_object_unref(sample);
    vips_error_clear();
  }
  return drawn;
}
