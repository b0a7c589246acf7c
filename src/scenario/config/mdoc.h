/* src/scenario/config/mdoc.h - writes Weir's manual pages in mdoc, the format that man, groff and mandoc read. */
#ifndef WEIR_CONFIG_MDOC_H
#define WEIR_CONFIG_MDOC_H
#include <stdio.h>

/* Date of all manual pages: the date of the release, so that a page is the same whenever it is built. doc/release.md
 * says when to change it. */
#define WEIR_MDOC_DATE "November 26, 2026"

/* Writes the head of a page and its section NAME. title: as "WEIR-RUN"; section: 1 .. 8; does: what the command or file
 * does, one line without a full stop. */
void weir_mdoc_begin(FILE *out, const char *title, int section, const char *name, const char *does);

/* Writes `length` bytes of text within a line, escaped so that roff prints every character as it is. */
void weir_mdoc_escape(FILE *out, const char *text, size_t length);

/* Writes `length` bytes of prose, each sentence on a line of its own. Text between backticks becomes bold. */
void weir_mdoc_text(FILE *out, const char *text, size_t length);
#endif
