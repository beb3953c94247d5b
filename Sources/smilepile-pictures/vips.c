#include "vips.h"

FUNCTIONS(DEFINE_FUNCTION)

const char *load_vips(void) {
  static const struct library_function functions[] = {FUNCTIONS(LIST_FUNCTION){NULL, NULL}};
  // the functions of GLib are in a library that libvips needs
  const char *fault = load_functions("libvips.so.42", functions, "libvips is older than 8.13");
  if (fault) return fault;
  return vips_init("smilepile-pictures") == 0 ? NULL : vips_error_buffer();
}
