/* src/scenario/trace/json.h - a walk over JSON text without a tree: the caller opens objects and lists, gets keys, and
 * reads or skips each value. Several values may follow each other, as Chakra's jsonizer writes them. */
#ifndef WEIR_TRACE_JSON_H
#define WEIR_TRACE_JSON_H
#include "workload/text.h"

struct trace_json {
    const char *file, *at, *row; /* at: next character; row: beginning of its line */
    const char *end;             /* the text ends here, at the latest at a byte 0 */
    uint32_t line;               /* from 1 */
    struct weir_err *err;
};

/* Begins a walk. file: for messages. */
struct trace_json weir_trace_json_of(const char *file, const char *text, size_t length, struct weir_err *err);
/* Returns the first character of the next value, key or mark, without taking it; 0 = the text ends. */
char weir_trace_json_peek(struct trace_json *j);
/* Returns the present position, for weir_fail(). */
struct weir_tok weir_trace_json_tok(const struct trace_json *j);

/* Takes the mark that opens an object, '{', or a list, '['. @return 0, or WEIR_E_SYNTAX with err */
int weir_trace_json_open(struct trace_json *j, char open);
/* Steps to the next member of an object, or element of a list: takes the comma, or `close`, and then *more is false.
 * *first: true before the first; this sets it to false. @return 0, or WEIR_E_SYNTAX with err */
int weir_trace_json_more(struct trace_json *j, char close, bool *first, bool *more);
/* Takes a key and its colon. @return 0, or WEIR_E_SYNTAX with err */
int weir_trace_json_key(struct trace_json *j, struct weir_field *key);
/* Takes a string; escapes stay as they are written. @return 0, or WEIR_E_SYNTAX with err */
int weir_trace_json_string(struct trace_json *j, struct weir_field *text);
/* Takes a number, true, false, or a string of digits, as protobuf writes 64-bit numbers. Numbers are cut to whole
 * ones. @return 0, or a code with err: below 0, too large, none of these */
int weir_trace_json_u64(struct trace_json *j, uint64_t *value);
/* Takes any value. @return 0, or WEIR_E_SYNTAX with err */
int weir_trace_json_skip(struct trace_json *j);
#endif
