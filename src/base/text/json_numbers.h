/* src/base/text/json_numbers.h - reads the numbers of a JSON object, each named by its path: in {"a": {"b": 1}} by
 * "a.b". */
#ifndef WEIR_TEXT_JSON_NUMBERS_H
#define WEIR_TEXT_JSON_NUMBERS_H

/**
 * Calls found() for each number, boolean and null of an object, in order. true and false are given as 1 and 0. Strings
 * and lists are skipped.
 * @param text   an object as json.h writes it, without escapes in keys
 * @param found  value: valid during the call, NULL = null. If found() returns a number other than 0, no more numbers
 * are read
 * @return 0, or the result of found() other than 0
 */
int weir_json_numbers(const char *text, int (*found)(void *ctx, const char *path, const double *value), void *ctx);
#endif
