/* src/base/core/utf8.h - which bytes a text in UTF-8 may have. */
#ifndef WEIR_CORE_UTF8_H
#define WEIR_CORE_UTF8_H
#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the sequence at s, 1 .. 4; 0 = it is none: a stray or missing continuation, an overlong form, a
 * surrogate (RFC 3629). s ends with a NUL, which is a sequence of its own. */
size_t weir_utf8_length(const unsigned char *s);

/* Tests whether a terminal may take the character for a command: NUL to US, and DEL. */
static inline bool weir_is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}
#endif
