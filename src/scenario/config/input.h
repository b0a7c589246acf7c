/* src/scenario/config/input.h - opens a file that a user names, and waits for nobody: a pipe that no program writes to
 * would block for ever. */
#ifndef WEIR_CONFIG_INPUT_H
#define WEIR_CONFIG_INPUT_H
#include <stdbool.h>
#include <stdio.h>

/**
 * Opens a file for reading.
 * @param stream  true: it is read once, so it may be a device, or a pipe to which a program writes
 * @param why     gets why it cannot be opened; lent until the next call of strerror()
 * @return NULL with *why
 */
FILE *weir_input_open(const char *path, bool stream, const char **why);
#endif
