#ifndef SMILEPILE_DOCUMENT_H
#define SMILEPILE_DOCUMENT_H
#include "protocol.h"

// Draws a character. Returns 0 if there is no font for it.
int draw_sample(void);

// Begins the document, which is written to a descriptor. To be called once.
void begin_document(const struct command *page, const char *title, int descriptor);

// Draws a command with its data. Takes ownership of the data of an image; the caller frees all other data. Returns 0 if
// the command is invalid.
int draw(const struct command *command, char *data);

// Writes the rest of the document.
void end_document(void);

// Returns the state of the document.
struct reply document_state(void);
#endif
