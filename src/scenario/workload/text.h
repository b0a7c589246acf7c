/* src/scenario/workload/text.h - the small text files of this room: read whole, walked row by row, numbers as exact
 * integers. */
#ifndef WEIR_WORKLOAD_TEXT_H
#define WEIR_WORKLOAD_TEXT_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_TEXT_FILE_MAX (UINT64_C(1) << 32) /* bytes of a file we are willing to hold */
#define WEIR_CSV_FIELDS_MAX 8u

#define WEIR_TEXT_PATH_MAX 4096u

/* Finds where a file that a scenario names lies. @param base_dir  as below @return false = too long */
bool weir_text_path(const char *path, const char *base_dir, char out[WEIR_TEXT_PATH_MAX]);

/**
 * Reads a whole file into memory.
 * @param base_dir  where relative names start; NULL = the working directory
 * @param text  gets the content, NUL-terminated, to be freed by the caller; free of other NULs
 * @return 0, or a code with err: cannot be opened or read, is no regular file, too large, holds a NUL, no memory
 */
int weir_text_read(const char *path, const char *base_dir, char **text, struct weir_err *err);

struct weir_field { /* one field of a row, without the blanks around it; not NUL-terminated */
    const char *text;
    uint32_t length, col; /* col from 1 */
};

struct weir_csv { /* a walk over the rows; '#' starts a comment, rows without content are passed over */
    const char *file, *at;
    uint32_t line;        /* of the row in field[], from 1 */
    uint32_t field_count; /* all that were there; only the first WEIR_CSV_FIELDS_MAX are in field[] */
    struct weir_field field[WEIR_CSV_FIELDS_MAX];
};

/* Begins a walk before the first row; a byte order mark, as spreadsheets write it, is passed over. */
struct weir_csv weir_csv_of(const char *file, const char *text);

/* Moves on to the next row with content. @return false at the end of the text */
bool weir_csv_next(struct weir_csv *csv);

/* Tests whether every field of the row begins with a letter, as in a header line. */
bool weir_csv_is_header(const struct weir_csv *csv);

/* Returns the position of field i, for weir_fail(). */
struct weir_tok weir_csv_tok(const struct weir_csv *csv, uint32_t i);

struct weir_text_unit {
    const char *text; /* NULL ends the table; "" = a bare number is allowed */
    uint64_t multiplier;
};
extern const struct weir_text_unit weir_text_time_units[]; /* ps; a bare number is picoseconds */
extern const struct weir_text_unit weir_text_size_units[]; /* bytes; KB = 1000, KiB = 1024; a bare number is bytes */

enum weir_text_status {
    WEIR_TEXT_OK,
    WEIR_TEXT_BAD,  /* not a number */
    WEIR_TEXT_UNIT, /* the unit is missing or not in the table */
    WEIR_TEXT_FINE, /* more digits than the smallest unit can hold */
    WEIR_TEXT_BIG,  /* beyond 64 bits */
};

/* Reads a whole number, digits only. */
enum weir_text_status weir_text_u64(const struct weir_field *field, uint64_t *value);

/* Reads a decimal number and a unit, blanks between them allowed ("3.5 ms"); exact: what does not come out whole is
 * refused. */
enum weir_text_status weir_text_quantity(const struct weir_field *field, const struct weir_text_unit *units,
                                         uint64_t *value);

/* Reads a decimal fraction ("0.0625", "9.5e-05") in units of 2^-32, rounded to nearest from its first 18 digits.
 * @return OK, BAD, or BIG above 1 */
enum weir_text_status weir_text_q32(const struct weir_field *field, uint64_t *value_q32);

/* Reads a decimal number without sign ("1.005") in units of 2^-20, rounded to nearest. @return OK, BAD, or BIG from
 * 2^43 on */
enum weir_text_status weir_text_q20(const struct weir_field *field, uint64_t *value_q20);

/* Reads a decimal number without unit, with an exponent if need be ("2.000001", "1e-05"). It becomes this many parts of
 * 1, rounded to nearest, from its first 18 digits: a number of seconds times 10^12 is picoseconds.
 * @return OK, BAD, or BIG above 2^63 */
enum weir_text_status weir_text_scaled(const struct weir_field *field, uint64_t parts, uint64_t *value);

/* Returns what is wrong, for messages: "not a whole number", .. */
const char *weir_text_error(enum weir_text_status error);
#endif
