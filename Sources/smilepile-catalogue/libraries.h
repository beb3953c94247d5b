// The functions of cairo, Pango and fontconfig that the program calls. Their prototypes are here, so that building needs
// none of the libraries; they are those of <pango/pangofc-font.h> 1.48 and later, and <cairo-pdf.h> 1.16 and later,
// with which scripts/prototypes compares them.
// https://docs.gtk.org/PangoCairo/ https://www.cairographics.org/manual/
#ifndef SMILEPILE_LIBRARIES_H
#define SMILEPILE_LIBRARIES_H
#include <CHelper.h>
#include <stdint.h>

typedef struct surface surface;
typedef struct drawing drawing;
typedef struct font_options font_options;
typedef struct context context;
typedef struct layout layout;
typedef struct font font;
typedef struct attributes attributes;
typedef struct iterator iterator;

typedef int writer(void *closure, const unsigned char *bytes, unsigned int count);

// Values of cairo_status_t, cairo_pdf_version_t, cairo_pdf_metadata_t, cairo_pdf_outline_flags_t, cairo_format_t,
// cairo_hint_style_t and cairo_hint_metrics_t.
enum { STATUS_SUCCESS = 0, STATUS_WRITE_ERROR = 11, CAIRO_1_17 = 11700, PDF_1_4 = 0, METADATA_TITLE = 0, METADATA_CREATOR = 4 };
enum { OUTLINE_ROOT = 0, OUTLINE_OPEN = 1, FORMAT_RGB24 = 1, HINT_STYLE_NONE = 1, HINT_METRICS_OFF = 1 };
// Values of PangoWeight, PangoEllipsizeMode, PangoWrapMode and PangoAlignment; the units of a point.
enum { WEIGHT_NORMAL = 400, WEIGHT_BOLD = 700, ELLIPSIZE_MIDDLE = 2, WRAP_WORD_CHAR = 2, PANGO_SCALE = 1024 };
enum { ALIGN_LEFT = 0, ALIGN_CENTER = 1, ALIGN_RIGHT = 2 };

// PangoItem with its PangoAnalysis, PangoGlyphInfo, PangoGlyphString, PangoGlyphItem and PangoRectangle.
struct item {
  int32_t offset, length, characters;
  void *engines[2];
  void *font;
  uint8_t level, gravity, flags, script;
};
struct glyph {
  uint32_t glyph;
  int32_t width, x_offset, y_offset;
  uint32_t attributes;
};
struct glyphs {
  int count;
  struct glyph *glyphs;
};
struct run {
  struct item *item;
  struct glyphs *glyphs;
};
struct rectangle {
  int32_t x, y, width, height;
};
// PANGO_ANALYSIS_FLAG_IS_ELLIPSIS
#define ITEM_ELLIPSIS 2
// PANGO_GLYPH_UNKNOWN_FLAG: the other bits are the character that no font has.
#define GLYPH_UNKNOWN 0x10000000U

// cairo_matrix_t, cairo_glyph_t and cairo_text_cluster_t.
struct matrix {
  double xx, yx, xy, yy, x0, y0;
};
struct placed_glyph {
  unsigned long index;
  double x, y;
};
struct cluster {
  int bytes, glyphs;
};

#define FUNCTIONS(F) \
  F(int, cairo_version, (void)) \
  F(surface *, cairo_pdf_surface_create_for_stream, (writer *, void *, double, double)) \
  F(void, cairo_pdf_surface_restrict_to_version, (surface *, int)) \
  F(void, cairo_pdf_surface_set_metadata, (surface *, int, const char *)) \
  F(int, cairo_pdf_surface_add_outline, (surface *, int, const char *, const char *, int)) \
  F(surface *, cairo_image_surface_create, (int, int, int)) \
  F(int, cairo_surface_set_mime_data, \
    (surface *, const char *, const unsigned char *, unsigned long, void (*)(void *), void *)) \
  F(int, cairo_surface_status, (surface *)) \
  F(void, cairo_surface_finish, (surface *)) \
  F(void, cairo_surface_destroy, (surface *)) \
  F(drawing *, cairo_create, (surface *)) \
  F(void, cairo_destroy, (drawing *)) \
  F(int, cairo_status, (drawing *)) \
  F(void, cairo_save, (drawing *)) \
  F(void, cairo_restore, (drawing *)) \
  F(void, cairo_translate, (drawing *, double, double)) \
  F(void, cairo_scale, (drawing *, double, double)) \
  F(void, cairo_set_source_rgb, (drawing *, double, double, double)) \
  F(void, cairo_set_source_surface, (drawing *, surface *, double, double)) \
  F(void, cairo_move_to, (drawing *, double, double)) \
  F(void, cairo_rectangle, (drawing *, double, double, double, double)) \
  F(void, cairo_clip, (drawing *)) \
  F(void, cairo_fill, (drawing *)) \
  F(void, cairo_paint, (drawing *)) \
  F(void, cairo_show_page, (drawing *)) \
  F(font_options *, cairo_font_options_create, (void)) \
  F(void, cairo_font_options_set_hint_style, (font_options *, int)) \
  F(void, cairo_font_options_set_hint_metrics, (font_options *, int)) \
  F(void, cairo_font_options_destroy, (font_options *)) \
  F(void, cairo_select_font_face, (drawing *, const char *, int, int)) \
  F(void, cairo_set_font_matrix, (drawing *, const struct matrix *)) \
  F(void *, cairo_get_scaled_font, (drawing *)) \
  F(int, cairo_scaled_font_text_to_glyphs, \
    (void *, double, double, const char *, int, struct placed_glyph **, int *, void *, void *, void *)) \
  F(void, cairo_glyph_free, (struct placed_glyph *)) \
  F(void, cairo_show_text_glyphs, \
    (drawing *, const char *, int, const struct placed_glyph *, int, const struct cluster *, int, int)) \
  F(int, pango_version, (void)) \
  F(context *, pango_cairo_create_context, (drawing *)) \
  F(void, pango_cairo_context_set_font_options, (context *, const font_options *)) \
  F(void, pango_cairo_show_layout, (drawing *, layout *)) \
  F(void, pango_context_set_round_glyph_positions, (context *, int)) \
  F(layout *, pango_layout_new, (context *)) \
  F(void, pango_layout_set_text, (layout *, const char *, int)) \
  F(void, pango_layout_set_font_description, (layout *, const font *)) \
  F(void, pango_layout_set_attributes, (layout *, attributes *)) \
  F(void, pango_layout_set_width, (layout *, int)) \
  F(void, pango_layout_set_height, (layout *, int)) \
  F(void, pango_layout_set_wrap, (layout *, int)) \
  F(void, pango_layout_set_ellipsize, (layout *, int)) \
  F(void, pango_layout_set_alignment, (layout *, int)) \
  F(void, pango_layout_get_size, (layout *, int *, int *)) \
  F(int, pango_layout_get_baseline, (layout *)) \
  F(iterator *, pango_layout_get_iter, (layout *)) \
  F(struct run *, pango_layout_iter_get_run_readonly, (iterator *)) \
  F(void, pango_layout_iter_get_run_extents, (iterator *, struct rectangle *, struct rectangle *)) \
  F(int, pango_layout_iter_get_baseline, (iterator *)) \
  F(int, pango_layout_iter_next_run, (iterator *)) \
  F(void, pango_layout_iter_free, (iterator *)) \
  F(font *, pango_font_description_new, (void)) \
  F(void, pango_font_description_set_family, (font *, const char *)) \
  F(void, pango_font_description_set_weight, (font *, int)) \
  F(void, pango_font_description_set_absolute_size, (font *, double)) \
  F(void, pango_font_description_free, (font *)) \
  F(attributes *, pango_attr_list_new, (void)) \
  F(void, pango_attr_list_insert, (attributes *, void *)) \
  F(void, pango_attr_list_unref, (attributes *)) \
  F(void *, pango_attr_insert_hyphens_new, (int)) \
  F(void *, pango_fc_font_get_pattern, (void *)) \
  F(int, FcPatternGetBool, (void *, const char *, int, int *)) \
  F(void, g_object_unref, (void *))

FUNCTIONS(DECLARE_FUNCTION)

// Loads the libraries. Returns the reason if that is impossible, otherwise null.
const char *load_libraries(void);
#endif
