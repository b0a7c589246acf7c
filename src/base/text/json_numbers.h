/* src/base/text/json_numbers.h - the numbers of a JSON object by their path: {"a": {"b": 1}} has "a.b". */
#ifndef WEIR_TEXT_JSON_NUMBERS_H
#define WEIR_TEXT_JSON_NUMBERS_H

/**
 * Walks an object as json.h writes it. true and false count as 1 and 0; texts are passed over.
 * @param put  value NULL = null. @return 0 to go on, else what weir_json_numbers() returns
 * @return 0, or what put() returned
 */
int weir_json_numbers(const char *text, int (*found)(void *ctx, const char *path, const double *value), void *ctx);
#endif
