/* src/base/core/utf8.h - tests for valid UTF-8 sequences and for control characters, and skips a byte order mark. */
#ifndef WEIR_CORE_UTF8_H
#define WEIR_CORE_UTF8_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the UTF-8 sequence at s, 1 .. 4. Returns 0 if there is no valid sequence at s: a stray or
 * missing continuation byte, an overlong form, a surrogate, or a code point above U+10FFFF (RFC 3629). s must end with
 * a NUL, which counts as a sequence of length 1. */
size_t weir_utf8_length(const unsigned char *s);

/* Tests for an ASCII control character, 0x00 .. 0x1f or 0x7f: a terminal may execute such a character as a command. */
static inline bool weir_is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Returns the text behind a byte order mark, which spreadsheets write; the whole text if it has none. */
static inline const char *weir_utf8_text(const char *text)
{
    WEIR_ASSERT(text != NULL);
    return text[0] == '\xEF' && text[1] == '\xBB' && text[2] == '\xBF' ? text + 3 : text;
}
#endif
