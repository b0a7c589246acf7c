/* src/scenario/workload/tokens.h - reads text files whose fields are separated by blanks, as other simulators write
 * them: token by token or row by row, with the position of each token for messages. */
#ifndef WEIR_WORKLOAD_TOKENS_H
#define WEIR_WORKLOAD_TOKENS_H
#include "workload/text.h"

#define WEIR_TOKENS_ROW_MAX 24u /* tokens of a row that are kept; further ones are only counted */

/* A walk over a text. Blanks, tabs, carriage returns, form feeds and vertical tabs separate tokens. A '#' at the start
 * of a token begins a comment, which ends with the line. */
struct weir_tokens {
    const char *file, *at, *row; /* file: name for messages; at: next character; row: beginning of its line */
    uint32_t line;               /* number of the present line, from 1 */
};

struct weir_text_token { /* a token and its line */
    struct weir_field field;
    uint32_t line;
};

struct weir_tokens_row {  /* the tokens of a line */
    uint32_t line, count; /* count: all tokens of the line; only the first WEIR_TOKENS_ROW_MAX are in field[] */
    struct weir_field field[WEIR_TOKENS_ROW_MAX];
};

/* Begins a walk before the first token of text; skips a byte order mark. Both strings must live as long as the walk and
 * its tokens. */
struct weir_tokens weir_tokens_of(const char *file, const char *text);

/* Gets the next token, on this line or a later one. @return false at the end of the text */
bool weir_tokens_next(struct weir_tokens *tokens, struct weir_text_token *token);

/* Gets all tokens that are left on the present line; if none are left, those of the next line that has tokens. @return
 * false at the end of the text; row->count is then 0 */
bool weir_tokens_row(struct weir_tokens *tokens, struct weir_tokens_row *row);

/* Returns the position of a token, for weir_fail(). */
struct weir_tok weir_token_tok(const char *file, const struct weir_text_token *token);
/* Returns the position of token i of a row, or of the beginning of its line if the row has no such token. */
struct weir_tok weir_tokens_row_tok(const char *file, const struct weir_tokens_row *row, uint32_t i);

/* Tests whether a token is equal to text. */
bool weir_token_is(const struct weir_field *field, const char *text);
/* Tests whether a token is equal to text, if capital letters of the token count as small letters. text: without capital
 * letters */
bool weir_token_is_folded(const struct weir_field *field, const char *text);

/* Tests whether a token consists of digits; the number may be too large for 64 bits. */
bool weir_token_is_number(const struct weir_field *field);

/* Returns how many bytes of a token a message shows, for "%.*s": at most 40. */
int weir_token_shown(const struct weir_field *field);

/* Reads a whole number, 0 .. most, of digits only. what: its name in messages. @return 0, or WEIR_E_SYNTAX or
 * WEIR_E_RANGE with err */
int weir_token_u64(const struct weir_field *field, const struct weir_tok *where, const char *what, uint64_t most,
                   uint64_t *value, struct weir_err *err);
#endif
