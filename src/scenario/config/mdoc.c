/* src/scenario/config/mdoc.c - see mdoc.h. Characters that roff would interpret are escaped. */
#include "config/mdoc.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

void weir_mdoc_begin(FILE *out, const char *title, int section, const char *name, const char *does)
{
    (void)fprintf(out, ".Dd %s\n.Dt %s %d\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", WEIR_MDOC_DATE, title, section, name);
    weir_mdoc_escape(out, does, strlen(does));
    (void)fputc('\n', out);
}

void weir_mdoc_escape(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '\\':
            (void)fputs("\\e", out);
            break;
        case '-': /* a plain hyphen, which can be copied into a terminal */
            (void)fputs("\\-", out);
            break;
        case '\'':
            (void)fputs("\\(aq", out);
            break;
        case '"':
            (void)fputs("\\(dq", out);
            break;
        default:
            (void)fputc(text[i], out);
        }
    }
}

/* Tests whether a sentence ends at text[at], so that a new line begins behind it: '.', '!' or '?', then a blank and a
 * capital letter. A full stop directly behind another one ends no sentence. */
static bool ends_sentence(const char *text, size_t at, size_t length)
{
    return at + 2 < length && strchr(".!?", text[at]) != NULL && text[at + 1] == ' ' &&
           isupper((unsigned char)text[at + 2]) && (at == 0 || text[at - 1] != '.');
}

void weir_mdoc_text(FILE *out, const char *text, size_t length)
{
    bool code = false, begins = true;
    for (size_t i = 0; i < length; i++) {
        if (begins) /* roff takes a line that begins with a dot for a request */
            (void)fputs("\\&", out);
        begins = false;
        if (text[i] == '`') {
            code = !code;
            (void)fputs(code ? "\\fB" : "\\fR", out);
        } else if (!code && ends_sentence(text, i, length)) {
            (void)fprintf(out, "%c\n", text[i++]);
            begins = true;
        } else
            weir_mdoc_escape(out, &text[i], 1);
    }
    (void)fputc('\n', out);
}
