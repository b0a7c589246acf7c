/* src/results/output/csv.c - see csv.h. */
#include "output/csv.h"

void weir_csv_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}
