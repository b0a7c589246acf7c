/* src/scenario/workload/tokens.h - text files whose fields are separated by blanks, as other simulators write them:
 * token by token or row by row, with the position of each token for messages. */
#ifndef WEIR_WORKLOAD_TOKENS_H
#define WEIR_WORKLOAD_TOKENS_H
#include "workload/text.h"

#define WEIR_TOKENS_ROW_MAX 24u /* tokens of a row that are kept; the rest are counted */

/* A walk over a text. Blanks, tabs and carriage returns separate, '#' at the start of a token begins a comment. */
struct weir_tokens {
    const char *file, *at, *row; /* row: where the present line begins */
    uint32_t line;               /* the present one, from 1 */
};

struct weir_text_token {
    struct weir_field field;
    uint32_t line;
};

struct weir_tokens_row {
    uint32_t line, count; /* all tokens that were there; only the first WEIR_TOKENS_ROW_MAX are in field[] */
    struct weir_field field[WEIR_TOKENS_ROW_MAX];
};

/* Begins a walk before the first token; a byte order mark is passed over. */
struct weir_tokens weir_tokens_of(const char *file, const char *text);

/* Takes the next token, whatever its line. @return false at the end of the text */
bool weir_tokens_next(struct weir_tokens *tokens, struct weir_text_token *token);

/* Takes the next line that has a token, or what is left of the present one. @return false at the end of the text */
bool weir_tokens_row(struct weir_tokens *tokens, struct weir_tokens_row *row);

struct weir_tok weir_token_tok(const char *file, const struct weir_text_token *token);
struct weir_tok weir_tokens_row_tok(const char *file, const struct weir_tokens_row *row, uint32_t i);

/* Tests whether it is this token. fold: capital letters are as good as small ones; text then has none. */
bool weir_token_is(const struct weir_field *field, const char *text);
bool weir_token_is_folded(const struct weir_field *field, const char *text);

bool weir_token_is_number(const struct weir_field *field); /* digits only, however many */

/* Counts the bytes that a message shows: not all of a long one. */
int weir_token_shown(const struct weir_field *field);

/* Reads digits only, 0 .. most. @return 0, or WEIR_E_SYNTAX or WEIR_E_RANGE with err, which calls it `what` */
int weir_token_u64(const struct weir_field *field, const struct weir_tok *where, const char *what, uint64_t most,
                   uint64_t *value, struct weir_err *err);
#endif
