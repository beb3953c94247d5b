#include "libraries.h"
#include <dlfcn.h>

#define DEFINE(result, name, arguments) result(*name) arguments;
FUNCTIONS(DEFINE)
#undef DEFINE

const char *load_libraries(void) {
  // libpangocairo loads cairo, Pango and fontconfig
  void *library = dlopen("libpangocairo-1.0.so.0", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return dlerror();
#define FIND(result, name, arguments) \
  *(void **)&name = dlsym(library, #name); \
  if (!name) return "cairo is older than 1.16, or Pango than 1.48: there is no " #name;
  FUNCTIONS(FIND)
#undef FIND
  return 0;
}
