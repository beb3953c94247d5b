#include "document.h"
#include "libraries.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The document and what is used to draw it. The process writes one.
static struct {
  surface *surface;
  drawing *drawing;
  layout *layout;
  font *font;
  unsigned long blank;        // the glyph of a space in the font “Sans”
  double advance;             // its width at a size of 1
  int descriptor;
  int error;  // of the first write that failed
  uint32_t pages;
  float below;  // the end of the last text
  uint32_t missing;
  uint32_t characters[MISSING_CHARACTERS];
  unsigned char is_missing[0x110000 / 8];
} document;

static int write_all(void *closure, const unsigned char *bytes, unsigned int count) {
  (void)closure;
  while (count > 0) {
    ssize_t written = write(document.descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (!document.error) document.error = written < 0 ? errno : EIO;
      return STATUS_WRITE_ERROR;
    }
    bytes += written;
    count -= (unsigned int)written;
  }
  return STATUS_SUCCESS;
}

static int discard(void *closure, const unsigned char *bytes, unsigned int count) {
  (void)closure, (void)bytes, (void)count;
  return STATUS_SUCCESS;
}

static void make_layout(void) {
  context *context = pango_cairo_create_context(document.drawing);
  // glyphs are placed as for a printer, and not on the pixels of a screen
  font_options *options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context, options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(context, 0);
  layout *layout = document.layout = pango_layout_new(context);
  g_object_unref(context);
  pango_layout_set_wrap(layout, WRAP_WORD_CHAR);
  pango_layout_set_ellipsize(layout, ELLIPSIZE_MIDDLE);
  // a name that is wrapped has no hyphens of its own
  attributes *attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0));
  pango_layout_set_attributes(layout, attributes);
  pango_attr_list_unref(attributes);
  document.font = pango_font_description_new();
  // fontconfig chooses a font for each character; a list of families would give digits to an emoji font
  pango_font_description_set_family(document.font, "Sans");
}

static void find_blank(void) {
  static const struct matrix unit = {.xx = 1, .yy = 1};
  struct placed_glyph *glyphs = NULL;
  int count = 0;
  cairo_select_font_face(document.drawing, "Sans", 0, 0);
  cairo_set_font_matrix(document.drawing, &unit);
  // the second glyph is where the first one ends
  void *font = cairo_get_scaled_font(document.drawing);
  if (cairo_scaled_font_text_to_glyphs(font, 0, 0, "  ", 2, &glyphs, &count, NULL, NULL, NULL) == STATUS_SUCCESS &&
      count == 2) {
    document.blank = glyphs[0].index;
    document.advance = glyphs[1].x;
  }
  cairo_glyph_free(glyphs);
}

static void begin(writer *writer, double width, double height) {
  document.surface = cairo_pdf_surface_create_for_stream(writer, NULL, width, height);
  document.drawing = cairo_create(document.surface);
  make_layout();
  find_blank();
}

static void release(void) {
  cairo_destroy(document.drawing);
  cairo_surface_destroy(document.surface);
  g_object_unref(document.layout);
  pango_font_description_free(document.font);
}

// Notes the characters of a run that no font has. Returns 0 if there are none.
static int note_missing(const struct run *run) {
  int found = 0;
  for (int index = 0; index < run->glyphs->count; index++) {
    uint32_t glyph = run->glyphs->glyphs[index].glyph, character = glyph & ~GLYPH_UNKNOWN;
    if (!(glyph & GLYPH_UNKNOWN) || character >= 0x110000) continue;
    found = 1;
    unsigned char *byte = &document.is_missing[character / 8], bit = (unsigned char)(1 << character % 8);
    if (*byte & bit) continue;
    *byte |= bit;
    if (document.missing < MISSING_CHARACTERS) document.characters[document.missing] = character;
    document.missing++;
  }
  return found;
}

static int is_coloured(const struct run *run) {
  int is_coloured = 0;
  void *pattern = pango_fc_font_get_pattern(run->item->font);
  return pattern && FcPatternGetBool(pattern, "color", 0, &is_coloured) == 0 && is_coloured;
}

// cairo draws glyphs of coloured fonts as images, and Pango draws boxes for characters that no font has: a reader could
// not search for either. A blank glyph of the same width stands for the text. It is between whole points: cairo leaves out
// a glyph without extents, and rounds those of a blank one outwards.
static void add_blank(const char *text, int length, double size, double x, double y, double width) {
  const struct matrix matrix = {.xx = width / document.advance, .yy = size};
  struct placed_glyph glyph = {document.blank, floor(x) + 0.5, floor(y) + 0.5};
  struct cluster cluster = {length, 1};
  cairo_set_font_matrix(document.drawing, &matrix);
  cairo_show_text_glyphs(document.drawing, text, length, &glyph, 1, &cluster, 1, 0);
}

// Adds the text of what the layout at this place draws without text.
static void add_hidden_text(const struct command *text, double top, const char *characters) {
  iterator *iterator = pango_layout_get_iter(document.layout);
  do {
    struct run *run = pango_layout_iter_get_run_readonly(iterator);
    if (!run || run->item->flags & ITEM_ELLIPSIS) continue;
    int is_missing = note_missing(run);
    if (document.advance <= 0 || (!is_missing && !is_coloured(run))) continue;
    struct rectangle extents;
    pango_layout_iter_get_run_extents(iterator, NULL, &extents);
    add_blank(
      characters + run->item->offset, run->item->length, text->size, text->x + (double)extents.x / PANGO_SCALE,
      top + (double)pango_layout_iter_get_baseline(iterator) / PANGO_SCALE, (double)extents.width / PANGO_SCALE);
  } while (pango_layout_iter_next_run(iterator));
  pango_layout_iter_free(iterator);
}

static void draw_text(const struct command *text, float y, const char *characters) {
  layout *layout = document.layout;
  uint32_t style = text->second;
  pango_font_description_set_absolute_size(document.font, text->size * PANGO_SCALE);
  pango_font_description_set_weight(document.font, style & STYLE_BOLD ? WEIGHT_BOLD : WEIGHT_NORMAL);
  pango_layout_set_font_description(layout, document.font);
  pango_layout_set_text(layout, characters, (int)text->length);
  pango_layout_set_width(layout, (int)(text->width * PANGO_SCALE));
  pango_layout_set_height(layout, -(int)text->first);
  pango_layout_set_alignment(
    layout, style & STYLE_CENTRED ? ALIGN_CENTER : style & STYLE_RIGHT ? ALIGN_RIGHT : ALIGN_LEFT);
  int width, height;
  pango_layout_get_size(layout, &width, &height);
  // fonts have lines of different heights; the first baselines of texts at the same place are the same
  float top = y + text->size - (float)pango_layout_get_baseline(layout) / PANGO_SCALE;
  document.below =
    fminf(top + (float)height / PANGO_SCALE + 0.15F * text->size, y + 1.5F * text->size * (float)text->first);
  cairo_save(document.drawing);
  cairo_rectangle(document.drawing, text->x, text->y, text->width, text->height);
  cairo_clip(document.drawing);
  cairo_set_source_rgb(document.drawing, text->gray, text->gray, text->gray);
  cairo_move_to(document.drawing, text->x, top);
  pango_cairo_show_layout(document.drawing, layout);
  add_hidden_text(text, top, characters);
  cairo_restore(document.drawing);
}

// Embeds the bytes of a JPEG, which nothing decodes. The surface owns them.
static void draw_image(const struct command *image, char *jpeg) {
  surface *picture = cairo_image_surface_create(FORMAT_RGB24, (int)image->first, (int)image->second);
  if (cairo_surface_set_mime_data(picture, "image/jpeg", (unsigned char *)jpeg, image->length, free, jpeg) !=
      STATUS_SUCCESS) {
    free(jpeg);
  } else {
    cairo_save(document.drawing);
    cairo_translate(document.drawing, image->x, image->y);
    cairo_scale(document.drawing, image->width / (double)image->first, image->height / (double)image->second);
    cairo_set_source_surface(document.drawing, picture, 0, 0);
    cairo_paint(document.drawing);
    cairo_restore(document.drawing);
  }
  cairo_surface_destroy(picture);
}

static void draw_rectangle(const struct command *rectangle) {
  cairo_set_source_rgb(document.drawing, rectangle->gray, rectangle->gray, rectangle->gray);
  cairo_rectangle(document.drawing, rectangle->x, rectangle->y, rectangle->width, rectangle->height);
  cairo_fill(document.drawing);
}

static void add_outline(const char *title) {
  char place[64];
  snprintf(place, sizeof place, "page=%u pos=[0 0]", document.pages);
  cairo_pdf_surface_add_outline(document.surface, OUTLINE_ROOT, title, place, OUTLINE_OPEN);
}

int draw_sample(void) {
  begin(discard, 100, 100);
  struct command sample = {.length = 1, .width = 90, .height = 90, .size = 10, .first = 1};
  draw_text(&sample, 0, "a");
  int has_font = document.missing == 0 && cairo_status(document.drawing) == STATUS_SUCCESS;
  release();
  document.missing = 0;
  return has_font;
}

void begin_document(const struct command *page, const char *title, int descriptor) {
  document.descriptor = descriptor;
  begin(write_all, page->width, page->height);
  // newer versions compress the table of objects, which smilepile reads back; PDF 1.4 has no text for blank glyphs
  if (cairo_version() >= CAIRO_1_17) cairo_pdf_surface_restrict_to_version(document.surface, PDF_1_4);
  cairo_pdf_surface_set_metadata(document.surface, METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(document.surface, METADATA_CREATOR, "smilepile");
}

int draw(const struct command *command, char *data) {
  if (command->kind != COMMAND_PAGE && document.pages == 0) return 0;
  switch (command->kind) {
    case COMMAND_PAGE:
      if (document.pages > 0) cairo_show_page(document.drawing);
      document.pages++;
      return 1;
    case COMMAND_RECTANGLE: draw_rectangle(command); return 1;
    case COMMAND_TEXT: draw_text(command, command->y, data); return 1;
    case COMMAND_TEXT_BELOW: draw_text(command, document.below, data); return 1;
    case COMMAND_IMAGE: draw_image(command, data); return 1;
    case COMMAND_OUTLINE: add_outline(data); return 1;
    default: return 0;
  }
}

void end_document(void) {
  if (document.pages > 0) cairo_show_page(document.drawing);
  cairo_destroy(document.drawing);
  cairo_surface_finish(document.surface);
}

struct reply document_state(void) {
  int code = cairo_surface_status(document.surface);
  struct reply reply = {
    .magic = REPLY_MAGIC,
    .version = PROTOCOL_VERSION,
    .status = document.error ? REPLY_NOT_WRITTEN : code != STATUS_SUCCESS ? REPLY_FAILED : REPLY_WRITTEN,
    .pages = document.pages,
    .code = document.error ? document.error : code,
    .missing = document.missing};
  memcpy(reply.characters, document.characters, sizeof reply.characters);
  return reply;
}
