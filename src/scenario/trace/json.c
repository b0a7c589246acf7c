/* src/scenario/trace/json.c - see json.h. */
#include "trace/json.h"
#include "core/assert.h"
#include "core/math.h"
#include "workload/tokens.h"
#include <string.h>

enum { DEPTH = 64, SHOWN = 20 }; /* levels of a value that is skipped; bytes of a text in messages */

struct trace_json weir_trace_json_of(const char *file, const char *text, size_t length, struct weir_err *err)
{
    return (struct trace_json){ .file = file, .at = text, .row = text, .end = text + length, .line = 1, .err = err };
}

char weir_trace_json_peek(struct trace_json *j)
{
    for (; j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\r' || *j->at == '\n'); j->at++)
        if (*j->at == '\n') {
            j->line++;
            j->row = j->at + 1;
        }
    WEIR_ASSERT(j->at <= j->end);
    return j->at < j->end ? *j->at : '\0';
}

struct weir_tok weir_trace_json_tok(const struct trace_json *j)
{
    return (struct weir_tok){ .file = j->file, .line = j->line, .col = (uint32_t)(j->at - j->row) + 1 };
}

/* Refuses what follows. wanted: what should. @return WEIR_E_SYNTAX with err */
static int refuse(const struct trace_json *j, const char *wanted)
{
    struct weir_tok tok = weir_trace_json_tok(j);
    size_t shown = 0;
    while (shown < SHOWN && j->at + shown < j->end && (unsigned char)j->at[shown] >= ' ')
        shown++;
    if (j->at == j->end)
        return weir_fail(j->err, WEIR_E_SYNTAX, &tok, "was it copied to its end?",
                         "the file ends where %s should follow", wanted);
    return weir_fail(j->err, WEIR_E_SYNTAX, &tok, NULL, "not JSON: '%.*s' where %s should follow", (int)shown, j->at,
                     wanted);
}

static int take(struct trace_json *j, char mark, const char *wanted)
{
    if (weir_trace_json_peek(j) != mark || j->at == j->end)
        return refuse(j, wanted);
    j->at++;
    return 0;
}

int weir_trace_json_open(struct trace_json *j, char open)
{
    return take(j, open, open == '{' ? "{" : "[");
}

int weir_trace_json_more(struct trace_json *j, char close, bool *first, bool *more)
{
    bool was_first = *first;
    *first = false;
    *more = weir_trace_json_peek(j) != close || j->at == j->end;
    if (!*more) {
        j->at++;
        return 0;
    }
    return was_first ? 0 : take(j, ',', close == '}' ? "a comma or }" : "a comma or ]");
}

int weir_trace_json_string(struct trace_json *j, struct weir_field *text)
{
    int code = take(j, '"', "a string");
    const char *begin = j->at;
    if (code != 0)
        return code;
    while (j->at < j->end && *j->at != '"' && (unsigned char)*j->at >= ' ')
        j->at += *j->at == '\\' && j->at + 1 < j->end ? 2 : 1;
    if (j->at == j->end || *j->at != '"')
        return refuse(j, "the end of a string");
    *text = (struct weir_field){ .text = begin,
                                 .length = (uint32_t)(j->at - begin), /* a file has at most WEIR_TEXT_FILE_MAX bytes */
                                 .col = (uint32_t)(begin - j->row) + 1 };
    j->at++;
    return 0;
}

int weir_trace_json_key(struct trace_json *j, struct weir_field *key)
{
    int code = weir_trace_json_string(j, key);
    return code != 0 ? code : take(j, ':', "a colon");
}

/* Takes letters, digits and what numbers have: a value without quotes. */
static struct weir_field take_bare(struct trace_json *j)
{
    const char *begin = j->at;
    static const char inside[] = "0123456789+-.eEabcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ_";
    while (j->at < j->end && *j->at != '\0' && strchr(inside, *j->at) != NULL)
        j->at++;
    return (struct weir_field){ .text = begin, .length = (uint32_t)(j->at - begin) };
}

int weir_trace_json_u64(struct trace_json *j, uint64_t *value)
{
    struct weir_field field = { .text = "" };
    char next = weir_trace_json_peek(j);
    struct weir_tok tok = weir_trace_json_tok(j);
    struct trace_json before = *j;
    enum weir_text_status status;
    int code = 0;
    if (next == '"')
        code = weir_trace_json_string(j, &field);
    else
        field = take_bare(j);
    if (code != 0)
        return code;
    *value = weir_token_is(&field, "true");
    if (*value == 1 || weir_token_is(&field, "false"))
        return 0;
    status = weir_text_u64(&field, value);
    if (status == WEIR_TEXT_BAD)
        status = weir_text_scaled(&field, 1, value);
    if (status == WEIR_TEXT_BAD)
        return refuse(&before, "a whole number");
    if (status != WEIR_TEXT_OK)
        return weir_fail(j->err, WEIR_E_RANGE, &tok, NULL, "%.*s: too large", (int)weir_min_u64(field.length, SHOWN),
                         field.text);
    return 0;
}

/* Takes a string, a number, true, false or null. */
static int skip_leaf(struct trace_json *j)
{
    struct weir_field field;
    if (weir_trace_json_peek(j) == '"')
        return weir_trace_json_string(j, &field);
    field = take_bare(j);
    return field.length > 0 ? 0 : refuse(j, "a value");
}

int weir_trace_json_skip(struct trace_json *j)
{
    char close[DEPTH];
    bool first[DEPTH], more = true;
    uint32_t depth = 0;
    int code = 0;
    do {
        struct weir_field key;
        struct weir_tok tok = weir_trace_json_tok(j);
        char next = weir_trace_json_peek(j);
        if (depth > 0) {
            code = weir_trace_json_more(j, close[depth - 1], &first[depth - 1], &more);
            if (code == 0 && more && close[depth - 1] == '}')
                code = weir_trace_json_key(j, &key);
            next = weir_trace_json_peek(j);
        }
        if (code != 0)
            return code;
        if (depth > 0 && !more) {
            depth--;
        } else if (next != '{' && next != '[') {
            code = skip_leaf(j);
        } else if (depth == DEPTH) {
            return weir_fail(j->err, WEIR_E_RANGE, &tok, NULL, "objects and lists in more than %d levels", DEPTH);
        } else {
            code = weir_trace_json_open(j, next);
            close[depth] = next == '{' ? '}' : ']';
            first[depth++] = true;
        }
    } while (code == 0 && depth > 0);
    return code;
}
