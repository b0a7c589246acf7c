/* src/scenario/workload/text.h - reads the text files that a scenario names: whole files, rows of fields, and numbers
 * as exact integers. */
#ifndef WEIR_WORKLOAD_TEXT_H
#define WEIR_WORKLOAD_TEXT_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_TEXT_FILE_MAX (UINT64_C(1) << 32) /* bytes; larger files are refused */
#define WEIR_CSV_FIELDS_MAX 8u                 /* fields of a row that are kept; further ones are only counted */

#define WEIR_TEXT_PATH_MAX 4096u

/* Writes the path of a file that a scenario names: a relative name starts in base_dir; NULL = the working directory.
 * @return false = the path is too long */
bool weir_text_path(const char *path, const char *base_dir, char out[WEIR_TEXT_PATH_MAX]);

/**
 * Reads a whole text file into memory.
 * @param base_dir  folder from which a relative name starts; NULL = the working directory
 * @param text      gets the content with a NUL at its end and no other NUL; the caller frees it. NULL on an error
 * @return 0, or a code with err: cannot be opened or read, is no regular file, too large, holds a NUL, no memory
 */
int weir_text_read(const char *path, const char *base_dir, char **text, struct weir_err *err);

/**
 * Reads a whole file into memory, also one that is no text.
 * @param bytes  gets the content with a byte 0 behind it; the caller frees it. NULL on an error
 * @param size   gets the number of its bytes
 * @return 0, or a code with err, as weir_text_read()
 */
int weir_text_bytes(const char *path, const char *base_dir, char **bytes, size_t *size, struct weir_err *err);

/* Tests whether there is a file, or something else, of this name. base_dir: as of weir_text_read() */
bool weir_text_exists(const char *path, const char *base_dir);

struct weir_field { /* one field of a row, without the blanks around it; not NUL-terminated */
    const char *text;
    uint32_t length, col; /* col from 1 */
};

struct weir_csv { /* a walk over the rows of a text; '#' starts a comment, rows without content are skipped */
    const char *file, *at;
    uint32_t line;        /* of the row in field[], from 1 */
    uint32_t field_count; /* all fields of the row; only the first WEIR_CSV_FIELDS_MAX are in field[] */
    struct weir_field field[WEIR_CSV_FIELDS_MAX];
};

/* Begins a walk before the first row of text; skips a byte order mark, which spreadsheets write. Both strings must live
 * as long as the walk and its fields. */
struct weir_csv weir_csv_of(const char *file, const char *text);

/* Reads the next row with content into csv->field. @return false at the end of the text */
bool weir_csv_next(struct weir_csv *csv);

/* Splits a row that has no comma into fields separated by blanks. */
void weir_csv_split(struct weir_csv *csv);

/* Tests whether every field of the row begins with a letter or '_', as in a header line. */
bool weir_csv_is_header(const struct weir_csv *csv);

/* Returns the position of field i of the row, for weir_fail(). i: below field_count and WEIR_CSV_FIELDS_MAX */
struct weir_tok weir_csv_tok(const struct weir_csv *csv, uint32_t i);

struct weir_text_unit { /* a unit of a quantity */
    const char *text;   /* NULL ends the table; "" = a number without a unit is allowed */
    uint64_t multiplier;
};
extern const struct weir_text_unit weir_text_size_units[]; /* in bytes, as is a number without a unit; KB = 1000 */

/* Result of reading a number. *value may be used only with WEIR_TEXT_OK. */
enum weir_text_status {
    WEIR_TEXT_OK,
    WEIR_TEXT_BAD,  /* not a number */
    WEIR_TEXT_UNIT, /* the unit is missing or not in the table */
    WEIR_TEXT_FINE, /* more digits than the smallest unit can hold */
    WEIR_TEXT_BIG,  /* above what the function reads */
};

/* Reads a whole number that consists of digits only. @return OK, BAD, or BIG beyond 64 bits */
enum weir_text_status weir_text_u64(const struct weir_field *field, uint64_t *value);

/* Reads a decimal number and a unit ("3.5 ms"); blanks may be between them. *value is exact: a number that is no whole
 * multiple of the smallest unit is refused (FINE). @return any status */
enum weir_text_status weir_text_quantity(const struct weir_field *field, const struct weir_text_unit *units,
                                         uint64_t *value);

/* Reads a decimal fraction from 0 to 1 ("0.0625", "9.5e-05") in units of 2^-32, rounded to nearest, from its first 18
 * significant digits. @return OK, BAD, or BIG above 1 */
enum weir_text_status weir_text_q32(const struct weir_field *field, uint64_t *value_q32);

/* Reads a decimal number without sign and exponent ("1.005") in units of 2^-20, rounded to nearest. @return OK, BAD, or
 * BIG from 2^43 on */
enum weir_text_status weir_text_q20(const struct weir_field *field, uint64_t *value_q20);

/* Reads a decimal number without unit, perhaps with an exponent ("2.000001", "1e-05"), and multiplies it by parts.
 * Rounds to nearest, from the first 18 significant digits. Seconds with parts = 10^12 become picoseconds. @return OK,
 * BAD, or BIG if the product is 2^63 or more */
enum weir_text_status weir_text_scaled(const struct weir_field *field, uint64_t parts, uint64_t *value);

/* Returns a text about a status for messages: "not a number", "too large" and so on. */
const char *weir_text_error(enum weir_text_status error);
#endif
