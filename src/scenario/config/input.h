/* src/scenario/config/input.h - opens a file that a user names, and never blocks: opening a pipe that no program writes
 * to would block for ever. */
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
#endif
