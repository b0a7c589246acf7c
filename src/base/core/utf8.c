/* src/base/core/utf8.c - see utf8.h. row[] is the table of valid sequences of RFC 3629, section 4. */
#include "core/utf8.h"

size_t weir_utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char lead_from, lead_to, second_from, second_to;
        size_t length;
    } row[] = {
        { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
        { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    if (s[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        if (s[0] < row[i].lead_from || s[0] > row[i].lead_to)
            continue;
        if (s[1] < row[i].second_from || s[1] > row[i].second_to)
            return 0;
        for (size_t k = 2; k < row[i].length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return row[i].length;
    }
    return 0;
}
