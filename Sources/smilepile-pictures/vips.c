#include "vips.h"
#include <dlfcn.h>

#define DEFINE(result, name, arguments) result(*name) arguments;
FUNCTIONS(DEFINE)
#undef DEFINE

const char *load_vips(void) {
  void *library = dlopen("libvips.so.42", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return dlerror();
  // the functions of GLib are in a library that libvips needs
#define FIND(result, name, arguments) \
  *(void **)&name = dlsym(library, #name); \
  if (!name) return "libvips.so.42 is older than 8.13: it lacks " #name;
  FUNCTIONS(FIND)
#undef FIND
  return vips_init("smilepile-pictures") == 0 ? 0 : vips_error_buffer();
}
