/* src/scenario/workload/tokens.c - see tokens.h. */
#include "workload/tokens.h"
#include "core/math.h"
#include "core/utf8.h"
#include <inttypes.h>
#include <string.h>

enum { SHOWN = 40 }; /* bytes of a token in a message */

struct weir_tokens weir_tokens_of(const char *file, const char *text)
{
    const char *at = weir_utf8_text(text);
    return (struct weir_tokens){ .file = file, .at = at, .row = at, .line = 1 };
}

/* Skips blanks and a comment, up to the next token or the end of the line. @return false if the line ends */
static bool find_token(struct weir_tokens *tokens)
{
    tokens->at += strspn(tokens->at, " \t\r\v\f");
    if (*tokens->at == '#')
        tokens->at += strcspn(tokens->at, "\n");
    return *tokens->at != '\n' && *tokens->at != '\0';
}

static struct weir_field take_token(struct weir_tokens *tokens)
{
    size_t length = strcspn(tokens->at, " \t\r\v\f\n");
    struct weir_field field = { .text = tokens->at,
                                .length = (uint32_t)length, /* a file has at most WEIR_TEXT_FILE_MAX bytes */
                                .col = (uint32_t)(tokens->at - tokens->row) + 1 };
    tokens->at += length;
    return field;
}

static void next_line(struct weir_tokens *tokens)
{
    tokens->row = ++tokens->at;
    tokens->line++;
}

bool weir_tokens_next(struct weir_tokens *tokens, struct weir_text_token *token)
{
    while (!find_token(tokens)) {
        if (*tokens->at == '\0')
            return false;
        next_line(tokens);
    }
    *token = (struct weir_text_token){ .line = tokens->line };
    token->field = take_token(tokens);
    return true;
}

bool weir_tokens_row(struct weir_tokens *tokens, struct weir_tokens_row *row)
{
    struct weir_text_token token;
    row->count = 0;
    if (!weir_tokens_next(tokens, &token))
        return false;
    row->line = token.line;
    row->field[row->count++] = token.field;
    while (find_token(tokens)) {
        struct weir_field field = take_token(tokens);
        if (row->count < WEIR_TOKENS_ROW_MAX)
            row->field[row->count] = field;
        row->count++;
    }
    return true;
}

struct weir_tok weir_token_tok(const char *file, const struct weir_text_token *token)
{
    return (struct weir_tok){ .file = file, .line = token->line, .col = token->field.col };
}

struct weir_tok weir_tokens_row_tok(const char *file, const struct weir_tokens_row *row, uint32_t i)
{
    bool kept = i < row->count && i < WEIR_TOKENS_ROW_MAX;
    return (struct weir_tok){ .file = file, .line = row->line, .col = kept ? row->field[i].col : 1 };
}

bool weir_token_is(const struct weir_field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

bool weir_token_is_folded(const struct weir_field *field, const char *text)
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

bool weir_token_is_number(const struct weir_field *field)
{
    uint64_t value;
    return weir_text_u64(field, &value) != WEIR_TEXT_BAD;
}

int weir_token_shown(const struct weir_field *field)
{
    return (int)weir_min_u64(field->length, SHOWN);
}

int weir_token_u64(const struct weir_field *field, const struct weir_tok *where, const char *what, uint64_t most,
                   uint64_t *value, struct weir_err *err)
{
    enum weir_text_status status = weir_text_u64(field, value);
    int shown = weir_token_shown(field);
    if (status == WEIR_TEXT_BAD)
        return weir_fail(err, WEIR_E_SYNTAX, where, NULL, "%s = %.*s: not a whole number", what, shown, field->text);
    if (status != WEIR_TEXT_OK || *value > most)
        return weir_fail(err, WEIR_E_RANGE, where, NULL, "%s = %.*s: at most %" PRIu64, what, shown, field->text, most);
    return 0;
}
