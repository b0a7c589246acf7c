/* src/scenario/workload/text.c - see text.h. Files, rows and numbers. strtod() is not used, because sizes and times
 * must not depend on libm or the locale. */
#include "workload/text.h"
#include "core/math.h"
#include "core/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool weir_text_path(const char *path, const char *base_dir, char out[WEIR_TEXT_PATH_MAX])
{
    bool join = base_dir != NULL && path[0] != '/';
    int n = snprintf(out, WEIR_TEXT_PATH_MAX, "%s%s%s", join ? base_dir : "", join ? "/" : "", path);
    return n >= 0 && (unsigned)n < WEIR_TEXT_PATH_MAX;
}

/* Opens a file, with O_NONBLOCK, as opening a pipe would wait for a writer. *regular: gets whether it is a regular
 * file. @return the file descriptor, or -1 with errno */
static int open_regular(const char *path, bool *regular)
{
    struct stat there;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *regular = fd >= 0 && fstat(fd, &there) == 0 && S_ISREG(there.st_mode);
    return fd;
}

static FILE *open_file(const char *path, const char *base_dir, struct weir_err *err)
{
    char full[WEIR_TEXT_PATH_MAX];
    struct weir_tok tok = { .file = path };
    FILE *file = NULL;
    bool regular;
    int fd;
    if (!weir_text_path(path, base_dir, full)) {
        weir_fail(err, WEIR_E_FILE, &tok, NULL, "the path is too long");
        return NULL;
    }
    fd = open_regular(full, &regular);
    if (fd >= 0 && regular)
        file = fdopen(fd, "rb");
    if (fd >= 0 && !regular)
        weir_fail(err, WEIR_E_FILE, &tok, "a pipe or a device may never end; write its content to a file",
                  "%s is not a regular file", full);
    else if (file == NULL)
        weir_fail(err, WEIR_E_FILE, &tok, "relative names start in the folder of the scenario file",
                  "cannot open %s: %s", full, strerror(errno));
    if (fd >= 0 && file == NULL)
        (void)close(fd);
    return file;
}

/* Reads to the end of the file into a buffer that doubles, because the size of the file may change meanwhile. *bytes:
 * gets the buffer; the caller frees it, also after an error. @return 0, or a code with err */
static int read_all(FILE *file, const char *path, char **bytes, size_t *size, struct weir_err *err)
{
    struct weir_tok tok = { .file = path };
    size_t room = 1u << 16;
    char *buffer = malloc(room);
    *size = 0;
    while (buffer != NULL) {
        *size += fread(buffer + *size, 1, room - *size - 1, file);
        if (*size < room - 1)
            break;
        if (room >= WEIR_TEXT_FILE_MAX) {
            free(buffer);
            return weir_fail(err, WEIR_E_FILE, &tok, NULL, "more than 4 GiB of text");
        }
        room *= 2;
        char *larger = realloc(buffer, room);
        if (larger == NULL)
            free(buffer);
        buffer = larger;
    }
    if (buffer == NULL)
        return weir_fail(err, WEIR_E_MEMORY, &tok, NULL, "no memory for the text of the file");
    buffer[*size] = '\0';
    *bytes = buffer;
    if (ferror(file))
        return weir_fail(err, WEIR_E_FILE, &tok, NULL, "cannot read %s: %s", path, strerror(errno));
    return 0;
}

int weir_text_bytes(const char *path, const char *base_dir, char **bytes, size_t *size, struct weir_err *err)
{
    FILE *file = open_file(path, base_dir, err);
    *bytes = NULL;
    if (file == NULL)
        return (int)err->code;
    int code = read_all(file, path, bytes, size, err);
    (void)fclose(file);
    if (code != 0) {
        free(*bytes);
        *bytes = NULL;
    }
    return code;
}

int weir_text_read(const char *path, const char *base_dir, char **text, struct weir_err *err)
{
    size_t size = 0;
    int code = weir_text_bytes(path, base_dir, text, &size, err);
    if (*text == NULL || strlen(*text) == size)
        return code;
    free(*text);
    *text = NULL;
    return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = path }, NULL,
                     "not a text file: it holds a byte 0");
}

bool weir_text_exists(const char *path, const char *base_dir)
{
    char full[WEIR_TEXT_PATH_MAX];
    return weir_text_path(path, base_dir, full) && access(full, F_OK) == 0;
}

struct weir_csv weir_csv_of(const char *file, const char *text)
{
    return (struct weir_csv){ .file = file, .at = weir_utf8_text(text) };
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void add_field(struct weir_csv *csv, const char *row, const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    if (csv->field_count < WEIR_CSV_FIELDS_MAX)
        csv->field[csv->field_count] =
            (struct weir_field){ .text = begin, .length = (uint32_t)(end - begin), .col = (uint32_t)(begin - row) + 1 };
    csv->field_count++;
}

bool weir_csv_next(struct weir_csv *csv)
{
    while (*csv->at != '\0') {
        const char *row = csv->at, *end = row + strcspn(row, "\n"), *stop = row + strcspn(row, "#\n");
        csv->at = *end == '\n' ? end + 1 : end;
        csv->line++;
        csv->field_count = 0;
        for (const char *begin = row; begin <= stop;) {
            const char *comma = memchr(begin, ',', (size_t)(stop - begin));
            const char *last = comma != NULL ? comma : stop;
            add_field(csv, row, begin, last);
            begin = last + 1;
        }
        if (csv->field_count > 1 || csv->field[0].length > 0)
            return true;
    }
    return false;
}

void weir_csv_split(struct weir_csv *csv)
{
    struct weir_field row = csv->field[0];
    if (csv->field_count != 1)
        return;
    csv->field_count = 0;
    for (uint32_t begin = 0, end; begin < row.length; begin = end) {
        while (is_blank(row.text[begin])) /* a field ends with no blank */
            begin++;
        for (end = begin; end < row.length && !is_blank(row.text[end]); end++)
            ;
        if (csv->field_count < WEIR_CSV_FIELDS_MAX)
            csv->field[csv->field_count] =
                (struct weir_field){ .text = row.text + begin, .length = end - begin, .col = row.col + begin };
        csv->field_count++;
    }
}

bool weir_csv_is_header(const struct weir_csv *csv)
{
    for (uint32_t i = 0; i < csv->field_count && i < WEIR_CSV_FIELDS_MAX; i++)
        if (csv->field[i].length == 0 || !is_letter(csv->field[i].text[0]))
            return false;
    return true;
}

struct weir_tok weir_csv_tok(const struct weir_csv *csv, uint32_t i)
{
    return (struct weir_tok){ .file = csv->file, .line = csv->line, .col = csv->field[i].col };
}

const struct weir_text_unit weir_text_size_units[] = {
    { "", 1 },
    { "B", 1 },
    { "KB", 1000 },
    { "MB", 1000000 },
    { "GB", 1000000000 },
    { "TB", 1000000000000 },
    { "KiB", UINT64_C(1) << 10 },
    { "MiB", UINT64_C(1) << 20 },
    { "GiB", UINT64_C(1) << 30 },
    { "TiB", UINT64_C(1) << 40 },
    { NULL, 0 },
};

struct decimal {       /* the number digits / 10^decimals, from the first 18 significant digits */
    uint64_t digits;   /* below 10^18 < 2^60 */
    uint32_t decimals; /* digits behind the point */
    bool cut, big;     /* cut: a digit other than 0 was left out; big: the number is 10^18 or more */
};

/* Reads a number as "12", "3.5" or ".5". @return the first character behind the number; NULL = there is no number */
static const char *read_decimal(const char *at, const char *end, struct decimal *out)
{
    bool seen = false, behind = false;
    *out = (struct decimal){ 0 };
    for (; at < end && (is_digit(*at) || (*at == '.' && !behind)); at++) {
        if (*at == '.') {
            behind = true;
            continue;
        }
        seen = true;
        if (out->digits < UINT64_C(100000000000000000)) { /* fewer than 18 digits so far */
            out->digits = out->digits * 10 + (uint64_t)(*at - '0');
            out->decimals += behind;
        } else {
            out->cut |= *at != '0';
            out->big |= !behind;
        }
    }
    return seen ? at : NULL;
}

static uint64_t power_of_ten(uint32_t n) /* n <= 19 */
{
    uint64_t power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

enum weir_text_status weir_text_u64(const struct weir_field *field, uint64_t *value)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < field->length; i++) {
        uint64_t digit = (uint64_t)(field->text[i] - '0');
        if (!is_digit(field->text[i]))
            return WEIR_TEXT_BAD;
        if (sum > (UINT64_MAX - digit) / 10)
            return WEIR_TEXT_BIG;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return field->length == 0 ? WEIR_TEXT_BAD : WEIR_TEXT_OK;
}

static const struct weir_text_unit *find_unit(const struct weir_text_unit *units, const char *text, size_t length)
{
    for (; units->text != NULL; units++)
        if (strlen(units->text) == length && memcmp(units->text, text, length) == 0)
            return units;
    return NULL;
}

enum weir_text_status weir_text_quantity(const struct weir_field *field, const struct weir_text_unit *units,
                                         uint64_t *value)
{
    struct decimal number;
    const char *end = field->text + field->length, *at = read_decimal(field->text, end, &number);
    if (at == NULL)
        return WEIR_TEXT_BAD;
    while (at < end && is_blank(*at))
        at++;
    const struct weir_text_unit *unit = find_unit(units, at, (size_t)(end - at));
    if (unit == NULL)
        return WEIR_TEXT_UNIT;
    if (number.decimals > 19) /* many leading zeros */
        return number.digits > 0 ? WEIR_TEXT_FINE : (*value = 0, WEIR_TEXT_OK);
    uint64_t den = power_of_ten(number.decimals);
    uint64_t whole = weir_mul_div_u64(number.digits, unit->multiplier, den);
    if (number.big || whole == UINT64_MAX)
        return WEIR_TEXT_BIG;
    if (number.cut ||
        whole * den != number.digits * unit->multiplier) /* both modulo 2^64: they differ by less than den */
        return WEIR_TEXT_FINE;
    *value = whole;
    return WEIR_TEXT_OK;
}

/* Reads an exponent, as "e-05", from at to end; none counts as 0. @return the exponent; INT32_MIN = the text is no
 * exponent */
static int32_t read_exponent(const char *at, const char *end)
{
    int32_t sign = 1, sum = 0;
    if (at == end)
        return 0;
    if (*at != 'e' && *at != 'E')
        return INT32_MIN;
    at++;
    if (at < end && (*at == '-' || *at == '+'))
        sign = *at++ == '-' ? -1 : 1;
    if (at == end || end - at > 4)
        return INT32_MIN;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return INT32_MIN;
        sum = sum * 10 + (*at - '0');
    }
    return sign * sum;
}

enum weir_text_status weir_text_q32(const struct weir_field *field, uint64_t *value_q32)
{
    struct decimal number;
    const char *end = field->text + field->length, *at = read_decimal(field->text, end, &number);
    int32_t exponent = at == NULL ? INT32_MIN : read_exponent(at, end);
    if (exponent == INT32_MIN)
        return WEIR_TEXT_BAD;
    int64_t decimals = (int64_t)number.decimals - exponent;
    for (; decimals > 19 && number.digits > 0; decimals--) /* far below 2^-33: the digits that are cut have no effect */
        number.digits /= 10;
    if (number.digits == 0)
        decimals = 0;
    if (number.big || decimals < 0 || number.digits > power_of_ten((uint32_t)decimals))
        return WEIR_TEXT_BIG;
    *value_q32 = (weir_mul_div_u64(number.digits, UINT64_C(1) << 33, power_of_ten((uint32_t)decimals)) + 1) >> 1;
    return WEIR_TEXT_OK;
}

enum weir_text_status weir_text_q20(const struct weir_field *field, uint64_t *value_q20)
{
    struct decimal number;
    const char *end = field->text + field->length, *at = read_decimal(field->text, end, &number);
    if (at != end)
        return WEIR_TEXT_BAD;
    for (; number.decimals > 19; number.decimals--) /* many leading zeros: far below 2^-21 */
        number.digits /= 10;
    uint64_t twice = weir_mul_div_u64(number.digits, UINT64_C(1) << 21, power_of_ten(number.decimals));
    if (number.big || twice == UINT64_MAX)
        return WEIR_TEXT_BIG;
    *value_q20 = (twice + 1) >> 1;
    return WEIR_TEXT_OK;
}

enum weir_text_status weir_text_scaled(const struct weir_field *field, uint64_t parts, uint64_t *value)
{
    struct decimal number;
    const char *end = field->text + field->length, *at = read_decimal(field->text, end, &number);
    int32_t exponent = at == NULL ? INT32_MIN : read_exponent(at, end);
    if (exponent == INT32_MIN)
        return WEIR_TEXT_BAD;
    int64_t decimals = (int64_t)number.decimals - exponent;
    for (; decimals > 19 && number.digits > 0; decimals--) /* parts <= about 2^43: digits that are cut have no effect */
        number.digits /= 10;
    if (number.digits == 0)
        decimals = 0;
    uint64_t times = decimals < 0 ? power_of_ten((uint32_t)weir_min_u64((uint64_t)-decimals, 19)) : 1;
    uint64_t whole = weir_mul_div_u64(number.digits, times, 1);
    whole = weir_mul_div_u64(whole, 2 * parts, power_of_ten(decimals > 0 ? (uint32_t)decimals : 0));
    if (number.big || decimals < -19 || whole == UINT64_MAX)
        return WEIR_TEXT_BIG;
    *value = whole / 2 + whole % 2;
    return WEIR_TEXT_OK;
}

const char *weir_text_error(enum weir_text_status error)
{
    switch (error) {
    case WEIR_TEXT_BAD:
        return "not a number";
    case WEIR_TEXT_UNIT:
        return "the unit is missing or unknown";
    case WEIR_TEXT_FINE:
        return "finer than the smallest unit";
    case WEIR_TEXT_BIG:
        return "too large";
    case WEIR_TEXT_OK:
        break;
    }
    return "a number";
}
