/* src/scenario/config/input.h - opens or reads a file that a user names. Opening never blocks: a pipe that no program
 * writes to would block for ever. */
#ifndef WEIR_CONFIG_INPUT_H
#define WEIR_CONFIG_INPUT_H
#include <stdbool.h>
#include <stdio.h>

/**
 * Opens a file for reading, without waiting. Later reads may block.
 * @param stream  true: the caller reads the file once from its start, so a device or a pipe with a writer is allowed;
 *                false: only a regular file is allowed
 * @param why     set to NULL, or on failure to the reason; the text is valid until the next call of strerror()
 * @return the stream, for the caller to close; NULL on failure, with *why
 */
FILE *weir_input_open(const char *path, bool stream, const char **why);

/**
 * Reads a whole file into memory.
 * @param stream     as of weir_input_open()
 * @param max_bytes  what a caller accepts; of a longer file one byte more is read, so that the caller sees it
 * @param length     gets the bytes read
 * @param why        set to NULL, or to the reason why the file cannot be read, as by weir_input_open()
 * @return the content with a NUL behind it, which the caller frees; NULL if it cannot be read, or if no memory is left:
 * *why is NULL then
 */
char *weir_input_read(const char *path, bool stream, size_t max_bytes, size_t *length, const char **why);
#endif
