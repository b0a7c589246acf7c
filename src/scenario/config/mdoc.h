/* src/scenario/config/mdoc.h - text of Weir's in manual pages: mdoc, which man, groff and mandoc read. */
#ifndef WEIR_CONFIG_MDOC_H
#define WEIR_CONFIG_MDOC_H
#include <stdio.h>

/* The pages' date: that of the release, so that a page is the same whenever it is built. doc/release.md says when it
 * changes. */
#define WEIR_MDOC_DATE "November 26, 2026"

/* Begins a page, down to NAME's section. title as in "WEIR-RUN", section 1 .. 8, does: one line without a full stop. */
void weir_mdoc_begin(FILE *out, const char *title, int section, const char *name, const char *does);

/* Writes `length` bytes as text within a line: nothing in it is taken for a request. */
void weir_mdoc_escape(FILE *out, const char *text, size_t length);

/* Writes prose as lines of their own, a sentence each; inline code between backticks is set as a literal. */
void weir_mdoc_text(FILE *out, const char *text, size_t length);
#endif
