/* src/base/text/memory.h - a text that is printed to memory. */
#ifndef WEIR_TEXT_MEMORY_H
#define WEIR_TEXT_MEMORY_H
#include <stdbool.h>
#include <stdio.h>

struct weir_memory { /* all zero before it is opened; must not move while it is open */
    FILE *file;      /* where it is printed; NULL = not open */
    char *bytes;     /* once it is closed: the text, with a NUL behind it; the caller frees it, whole or not */
    size_t length;   /* .. its bytes, without the NUL */
};

/* Opens an empty text. @return where it is printed; NULL = no memory, and weir_memory_close() may be called, too */
FILE *weir_memory_open(struct weir_memory *memory);

/* Ends a text. @return true = all of it is there; false = no memory, or it was not open */
bool weir_memory_close(struct weir_memory *memory);

/* Returns the text that print(out, what) prints; the caller frees it. NULL = no memory. */
char *weir_memory_text(void (*print)(FILE *out, const void *what), const void *what);
#endif
