#include "libraries.h"

FUNCTIONS(DEFINE_FUNCTION)

const char *load_libraries(void) {
  static const struct library_function functions[] = {FUNCTIONS(LIST_FUNCTION){NULL, NULL}};
  // libpangocairo loads cairo, Pango and fontconfig
  return load_functions("libpangocairo-1.0.so.0", functions, "cairo is older than 1.16, or Pango than 1.48");
}
