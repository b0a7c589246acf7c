/* src/workload/words.c - tokens and rows. */
#include "workload/words.h"
#include "core/math.h"
#include <inttypes.h>
#include <string.h>

enum { SHOWN = 40 }; /* bytes of a word in a message */

struct weir_words weir_words_of(const char *file, const char *text)
{
    bool marked = strncmp(text, "\xEF\xBB\xBF", 3) == 0;
    const char *at = marked ? text + 3 : text;
    return (struct weir_words){ .file = file, .at = at, .row = at, .line = 1 };
}

/* Skips blanks and a comment, up to a word or the line's end. @return false at that end */
static bool find_word(struct weir_words *words)
{
    words->at += strspn(words->at, " \t\r\v\f");
    if (*words->at == '#')
        words->at += strcspn(words->at, "\n");
    return *words->at != '\n' && *words->at != '\0';
}

static struct weir_field take_word(struct weir_words *words)
{
    size_t length = strcspn(words->at, " \t\r\v\f\n");
    struct weir_field field = { .text = words->at,
                                .length = (uint32_t)length, /* a file has at most WEIR_TEXT_FILE_MAX bytes */
                                .col = (uint32_t)(words->at - words->row) + 1 };
    words->at += length;
    return field;
}

static void next_line(struct weir_words *words)
{
    words->row = ++words->at;
    words->line++;
}

bool weir_words_next(struct weir_words *words, struct weir_text_word *word)
{
    while (!find_word(words)) {
        if (*words->at == '\0')
            return false;
        next_line(words);
    }
    *word = (struct weir_text_word){ .line = words->line };
    word->field = take_word(words);
    return true;
}

bool weir_words_row(struct weir_words *words, struct weir_words_row *row)
{
    struct weir_text_word word;
    row->count = 0;
    if (!weir_words_next(words, &word))
        return false;
    row->line = word.line;
    row->field[row->count++] = word.field;
    while (find_word(words)) {
        struct weir_field field = take_word(words);
        if (row->count < WEIR_WORDS_ROW_MAX)
            row->field[row->count] = field;
        row->count++;
    }
    return true;
}

struct weir_tok weir_word_tok(const char *file, const struct weir_text_word *word)
{
    return (struct weir_tok){ .file = file, .line = word->line, .col = word->field.col };
}

struct weir_tok weir_words_row_tok(const char *file, const struct weir_words_row *row, uint32_t i)
{
    bool kept = i < row->count && i < WEIR_WORDS_ROW_MAX;
    return (struct weir_tok){ .file = file, .line = row->line, .col = kept ? row->field[i].col : 1 };
}

bool weir_word_is(const struct weir_field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

bool weir_word_is_folded(const struct weir_field *field, const char *text)
{
    if (field->length != strlen(text))
        return false;
    for (uint32_t i = 0; i < field->length; i++) {
        char c = field->text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != text[i])
            return false;
    }
    return true;
}

bool weir_word_is_number(const struct weir_field *field)
{
    uint64_t value;
    return weir_text_u64(field, &value) != WEIR_TEXT_BAD;
}

int weir_word_shown(const struct weir_field *field)
{
    return (int)weir_min_u64(field->length, SHOWN);
}

int weir_word_u64(const struct weir_field *field, const struct weir_tok *where, const char *what, uint64_t most,
                  uint64_t *value, struct weir_err *err)
{
    enum weir_text_status status = weir_text_u64(field, value);
    int shown = weir_word_shown(field);
    if (status == WEIR_TEXT_BAD)
        return weir_fail(err, WEIR_E_SYNTAX, where, NULL, "%s = %.*s: not a whole number", what, shown, field->text);
    if (status != WEIR_TEXT_OK || *value > most)
        return weir_fail(err, WEIR_E_RANGE, where, NULL, "%s = %.*s: at most %" PRIu64, what, shown, field->text, most);
    return 0;
}
