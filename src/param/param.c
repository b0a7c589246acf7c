/* src/param/param.c - sets one key from one token of a scenario, and formats the error if it is wrong. */
#include "param/param.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/utf8.h"
#include "param/number.h"
#include "param/suggest.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PRINTED = 64, HINT = 512 };
#define VALUE "%s = %.80s: " /* how every refusal begins; longer values are cut in messages only */

/* --- fields --- */

static void store(const struct weir_param *row, void *config, uint64_t value)
{
    void *field = (char *)config + row->offset;
    switch (row->kind) {
    case WEIR_KIND_U64:
    case WEIR_KIND_TIME:
    case WEIR_KIND_RATE:
    case WEIR_KIND_SIZE:
        memcpy(field, &value, sizeof(value));
        break;
    case WEIR_KIND_BDP:
        memcpy(field, &(struct weir_size){ .bytes = value }, sizeof(struct weir_size));
        break;
    case WEIR_KIND_U32:
    case WEIR_KIND_PPM:
    case WEIR_KIND_PPB:
    case WEIR_KIND_CHOICE:
    case WEIR_KIND_FLAG:
    case WEIR_KIND_SIZE32:
        WEIR_ASSERT(value <= UINT32_MAX);
        memcpy(field, &(uint32_t){ (uint32_t)value }, sizeof(uint32_t));
        break;
    case WEIR_KIND_SIZES:
        WEIR_ASSERT(value == 0); /* its word */
        memcpy(field, &(struct weir_size_list){ .count = 0 }, sizeof(struct weir_size_list));
        break;
    case WEIR_KIND_TEXT:
        WEIR_ASSERT(row->kind != WEIR_KIND_TEXT); /* no number is stored there */
        break;
    }
}

static uint64_t fetch(const struct weir_param *row, const void *config)
{
    const void *field = (const char *)config + row->offset;
    uint64_t wide;
    uint32_t narrow;
    if (row->kind == WEIR_KIND_U64 || row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_RATE ||
        row->kind == WEIR_KIND_SIZE || row->kind == WEIR_KIND_BDP) {
        memcpy(&wide, field, sizeof(wide)); /* weir_size begins with its bytes */
        return wide;
    }
    memcpy(&narrow, field, sizeof(narrow));
    return narrow;
}
_Static_assert(offsetof(struct weir_size, bytes) == 0, "fetch() reads a size by its first field");

static enum weir_unit_kind unit_of(const struct weir_param *row)
{
    switch (row->kind) {
    case WEIR_KIND_TIME:
        return WEIR_UNIT_TIME;
    case WEIR_KIND_RATE:
        return WEIR_UNIT_RATE;
    case WEIR_KIND_SIZE:
    case WEIR_KIND_SIZE32:
    case WEIR_KIND_BDP:
    case WEIR_KIND_SIZES:
        return WEIR_UNIT_SIZE;
    default:
        return WEIR_UNIT_KINDS;
    }
}

/* Returns what stands for 1 = 100 %, the largest fraction unless a row allows more (alpha of a shared buffer). */
static uint64_t fraction_scale(const struct weir_param *row)
{
    return row->kind == WEIR_KIND_PPB ? 1000000000 : 1000000;
}

static bool is_fraction(const struct weir_param *row)
{
    return row->kind == WEIR_KIND_PPM || row->kind == WEIR_KIND_PPB;
}

/* --- value -> text --- */

static void print_number(const struct weir_param *row, uint64_t value, bool percent, char *out, size_t size)
{
    if (is_fraction(row))
        weir_number_print(out, size, value, percent ? fraction_scale(row) / 100 : fraction_scale(row),
                          percent ? "%" : "");
    else if (unit_of(row) != WEIR_UNIT_KINDS)
        weir_number_print_unit(out, size, value, unit_of(row));
    else
        weir_number_print(out, size, value, 1, "");
}

static void print_value(const struct weir_param *row, uint64_t value, char *out, size_t size)
{
    if (row->word != NULL && value == row->word->value)
        (void)snprintf(out, size, "%s", row->word->text);
    else if (row->kind == WEIR_KIND_CHOICE)
        (void)snprintf(out, size, "%s", row->choices[value]);
    else if (row->kind == WEIR_KIND_FLAG)
        (void)snprintf(out, size, "%s", value != 0 ? "true" : "false");
    else
        print_number(row, value, false, out, size);
}

static void print_sizes(const struct weir_param *row, const void *config, char *out, size_t size)
{
    struct weir_size_list list;
    char one[PRINTED];
    size_t used = 0;
    memcpy(&list, (const char *)config + row->offset, sizeof(list));
    if (list.count == 0)
        (void)snprintf(out, size, "%s", row->word->text);
    for (uint32_t i = 0; i < list.count && used < size; i++) {
        print_number(row, list.bytes[i], false, one, sizeof(one));
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", one);
    }
}

void weir_param_print(const struct weir_param *row, const void *config, char *out, size_t size)
{
    const char *field = (const char *)config + row->offset;
    struct weir_size bdp;
    if (row->kind == WEIR_KIND_TEXT) {
        (void)snprintf(out, size, "%s", field);
        return;
    }
    if (row->kind == WEIR_KIND_SIZES) {
        print_sizes(row, config, out, size);
        return;
    }
    if (row->kind == WEIR_KIND_BDP) {
        memcpy(&bdp, field, sizeof(bdp));
        if (bdp.bdp_milli != 0) {
            weir_number_print(out, size, bdp.bdp_milli, 1000, " BDP");
            return;
        }
    }
    print_value(row, fetch(row, config), out, size);
}

/* Asks whether there is a default: one outside the range stands for "not given". */
static bool has_default(const struct weir_param *row)
{
    if (row->kind == WEIR_KIND_CHOICE || row->kind == WEIR_KIND_FLAG || row->bdp_default != 0)
        return true;
    return (row->word != NULL && row->fallback == row->word->value) ||
           (row->fallback >= row->min && row->fallback <= row->max);
}

void weir_param_print_default(const struct weir_param *row, char *out, size_t size)
{
    if (row->kind != WEIR_KIND_TEXT && !has_default(row))
        (void)snprintf(out, size, "%s", "");
    else if (row->kind == WEIR_KIND_TEXT)
        (void)snprintf(out, size, "%s", row->text_fallback != NULL ? row->text_fallback : "");
    else if (row->kind == WEIR_KIND_BDP && row->bdp_default != 0)
        weir_number_print(out, size, row->bdp_default, 1000, " BDP");
    else
        print_value(row, row->fallback, out, size);
}

static void print_range(const struct weir_param *row, bool percent, char *out, size_t size)
{
    char lo[PRINTED], hi[PRINTED];
    print_number(row, row->min, percent, lo, sizeof(lo));
    print_number(row, row->max, percent, hi, sizeof(hi));
    (void)snprintf(out, size, "%s to %s", lo, hi);
}

void weir_param_print_range(const struct weir_param *row, char *out, size_t size)
{
    if (row->kind == WEIR_KIND_CHOICE || row->kind == WEIR_KIND_FLAG || row->kind == WEIR_KIND_TEXT)
        (void)snprintf(out, size, "%s", "");
    else
        print_range(row, false, out, size);
}

void weir_param_print_kind(const struct weir_param *row, char *out, size_t size)
{
    static const char *const names[] = {
        [WEIR_KIND_U32] = "number",        [WEIR_KIND_U64] = "number",      [WEIR_KIND_PPM] = "fraction",
        [WEIR_KIND_PPB] = "fraction",      [WEIR_KIND_TIME] = "time",       [WEIR_KIND_RATE] = "rate",
        [WEIR_KIND_SIZE] = "size",         [WEIR_KIND_BDP] = "size or BDP", [WEIR_KIND_CHOICE] = "",
        [WEIR_KIND_FLAG] = "true | false", [WEIR_KIND_TEXT] = "text",       [WEIR_KIND_SIZE32] = "size",
        [WEIR_KIND_SIZES] = "sizes",
    };
    size_t used = (size_t)snprintf(out, size, "%s", names[row->kind]);
    for (uint32_t i = 0; row->kind == WEIR_KIND_CHOICE && row->choices[i] != NULL && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? " | " : "", row->choices[i]);
}

/* --- text -> value --- */

/* Describes the form of a value of this row: the hint where the text makes no sense. @return out */
static const char *example(const struct weir_param *row, char *out, size_t size)
{
    const char *text = "a whole number";
    if (is_fraction(row))
        text = "a fraction, for example 0.05 or 5%";
    else if (row->kind == WEIR_KIND_BDP)
        text = weir_unit_kind_example(WEIR_UNIT_BDP);
    else if (row->kind == WEIR_KIND_SIZES)
        text = "sizes, for example 2 KB, 30 KB";
    else if (unit_of(row) != WEIR_UNIT_KINDS)
        text = weir_unit_kind_example(unit_of(row));
    if (row->word != NULL)
        (void)snprintf(out, size, "%s, or '%s'", text, row->word->text);
    else
        (void)snprintf(out, size, "%s", text);
    return out;
}

static int fail_range(const struct weir_param *row, const struct weir_tok *tok, struct weir_err *err)
{
    char range[2 * PRINTED + 8];
    size_t len = strlen(tok->text);
    print_range(row, len > 0 && tok->text[len - 1] == '%', range, sizeof(range));
    return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "must be %s%s%s", row->key, tok->text, range,
                     row->word != NULL ? " or " : "", row->word != NULL ? row->word->text : "");
}

static int fail_negative(const struct weir_param *row, const struct weir_tok *tok, struct weir_err *err)
{
    WEIR_ASSERT(tok->text[0] == '-');
    return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "must not be negative", row->key, tok->text);
}

static const char *finest(const struct weir_param *row)
{
    if (row->kind == WEIR_KIND_PPM)
        return "a millionth";
    if (row->kind == WEIR_KIND_PPB)
        return "a billionth";
    return weir_unit_kind_base(unit_of(row));
}

/* Refuses a number that could not be read or scaled. */
static int fail_number(const struct weir_param *row, const struct weir_tok *tok, enum weir_number_status status,
                       struct weir_err *err)
{
    char hint[HINT];
    if (status == WEIR_NUMBER_BIG)
        return fail_range(row, tok, err);
    if (status == WEIR_NUMBER_NEGATIVE)
        return fail_negative(row, tok, err);
    if (status == WEIR_NUMBER_FINE)
        return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, VALUE "too fine, the finest is %s%s", row->key, tok->text,
                         is_fraction(row) ? "" : "one ", finest(row));
    return weir_fail(err, WEIR_E_SYNTAX, tok, example(row, hint, sizeof(hint)), VALUE "not a number", row->key,
                     tok->text);
}

static int set_whole(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    struct weir_number n;
    enum weir_number_status status = weir_number_read(&n, tok->text);
    if (status == WEIR_NUMBER_BIG)
        return fail_range(row, tok, err);
    if (status == WEIR_NUMBER_NEGATIVE)
        return fail_negative(row, tok, err);
    if (status != WEIR_NUMBER_OK || n.digits != 0 || n.unit[0] != '\0')
        return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, VALUE "not a whole number", row->key, tok->text);
    if (n.whole < row->min || n.whole > row->max)
        return fail_range(row, tok, err);
    store(row, config, n.whole);
    return 0;
}

static int set_fraction(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    struct weir_number n;
    uint64_t value = 0, scale = fraction_scale(row);
    char hint[HINT];
    enum weir_number_status status = weir_number_read(&n, tok->text);
    if (status == WEIR_NUMBER_OK && n.unit[0] != '\0' && strcmp(n.unit, "%") != 0)
        return weir_fail(err, WEIR_E_UNIT, tok, example(row, hint, sizeof(hint)), VALUE "unknown unit '%.20s'",
                         row->key, tok->text, n.unit);
    if (status == WEIR_NUMBER_OK)
        status = weir_number_scale(&n, n.unit[0] == '%' ? scale / 100 : scale, &value);
    if (status != WEIR_NUMBER_OK)
        return fail_number(row, tok, status, err);
    if (value < row->min || value > row->max)
        return fail_range(row, tok, err);
    store(row, config, value);
    return 0;
}

/* Finds the unit of a time, rate or size; *unit NULL only for a plain 0, which needs none. */
static int find_unit(const struct weir_param *row, const struct weir_tok *tok, const struct weir_number *n,
                     const struct weir_unit **unit, struct weir_err *err)
{
    char hint[HINT];
    *unit = weir_unit_find(n->unit);
    if (n->unit[0] == '\0' && n->whole == 0 && n->fraction == 0)
        return 0;
    if (n->unit[0] == '\0')
        return weir_fail(err, WEIR_E_UNIT, tok, example(row, hint, sizeof(hint)), VALUE "unit missing", row->key,
                         tok->text);
    if (*unit == NULL)
        return weir_fail(err, WEIR_E_UNIT, tok, example(row, hint, sizeof(hint)), VALUE "unknown unit '%.20s'",
                         row->key, tok->text, n->unit);
    if ((*unit)->kind != unit_of(row) && !(row->kind == WEIR_KIND_BDP && (*unit)->kind == WEIR_UNIT_BDP))
        return weir_fail(err, WEIR_E_UNIT, tok, example(row, hint, sizeof(hint)), VALUE "'%s' is %s", row->key,
                         tok->text, n->unit, weir_unit_kind_text((*unit)->kind));
    return 0;
}

/* Stores "1.5 BDP", which becomes bytes later; until then the range is that of the thousandths. */
static int set_bdp(const struct weir_param *row, const struct weir_tok *tok, uint64_t milli, void *config,
                   struct weir_err *err)
{
    struct weir_size bdp = { .bdp_milli = (uint32_t)milli };
    if (milli > UINT32_MAX)
        return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "must be at most %" PRIu32 " BDP", row->key,
                         tok->text, UINT32_MAX / 1000);
    if (milli == 0 && row->min > 0)
        return fail_range(row, tok, err);
    memcpy((char *)config + row->offset, &bdp, sizeof(bdp));
    return 0;
}

static int set_quantity(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    const struct weir_unit *unit = NULL;
    struct weir_number n;
    uint64_t value = 0;
    enum weir_number_status status = weir_number_read(&n, tok->text);
    int code = status == WEIR_NUMBER_OK ? find_unit(row, tok, &n, &unit, err) : 0;
    if (code != 0)
        return code;
    if (status == WEIR_NUMBER_OK && unit != NULL)
        status = weir_number_scale(&n, unit->scale, &value);
    if (status == WEIR_NUMBER_FINE && unit != NULL && unit->kind == WEIR_UNIT_BDP)
        return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, VALUE "too fine, the finest is one %s", row->key,
                         tok->text, weir_unit_kind_base(WEIR_UNIT_BDP));
    if (status != WEIR_NUMBER_OK)
        return fail_number(row, tok, status, err);
    if (unit != NULL && unit->kind == WEIR_UNIT_BDP)
        return set_bdp(row, tok, value, config, err);
    if (value < row->min || value > row->max)
        return fail_range(row, tok, err);
    store(row, config, value);
    return 0;
}

static int set_choice(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, tok->text);
    for (uint32_t i = 0; row->choices[i] != NULL; i++) {
        if (strcmp(row->choices[i], tok->text) == 0) {
            store(row, config, i);
            return 0;
        }
        weir_suggest_add(&near, row->choices[i]);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, tok, hint, VALUE "must be one of %s", row->key, tok->text, near.list);
}

static int set_flag(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    static const char *const texts[] = { "false", "true", "no", "yes", "off", "on" }; /* odd = true */
    for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i], tok->text) == 0) {
            store(row, config, i & 1);
            return 0;
        }
    }
    return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, VALUE "must be true or false", row->key, tok->text);
}

static int set_text(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    size_t len = strlen(tok->text), max = row->max != 0 ? (size_t)row->max : WEIR_TEXT_MAX - 1;
    if (len < row->min || len > max)
        return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "must be %" PRIu64 " to %zu bytes long", row->key,
                         tok->text, row->min, max);
    for (const char *c = tok->text; *c != '\0'; c++) {
        if (weir_is_control(*c))
            return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, "%s: holds a control character", row->key);
    }
    memcpy((char *)config + row->offset, tok->text, len + 1);
    return 0;
}

/* Takes one size of a list, without the blanks around it. @return false = it is too long to be one */
static bool next_size(const char **text, char out[PRINTED])
{
    size_t length = strcspn(*text, ","), lead = strspn(*text, " ");
    const char *first = *text + (lead < length ? lead : length), *end = *text + length;
    *text = *end == ',' ? end + 1 : end;
    while (end > first && end[-1] == ' ')
        end--;
    if (end - first >= PRINTED)
        return false;
    memcpy(out, first, (size_t)(end - first));
    out[end - first] = '\0';
    return true;
}

static int set_sizes(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    struct weir_param one = *row;
    struct weir_size_list list = { .count = 0 };
    const char *text = tok->text;
    char item[PRINTED], hint[HINT];
    one.kind = WEIR_KIND_SIZE;
    one.word = NULL;
    one.offset = 0;
    do {
        struct weir_tok at = *tok;
        if (list.count == WEIR_SIZES_MAX)
            return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "more than %u sizes", row->key, tok->text,
                             WEIR_SIZES_MAX);
        if (!next_size(&text, item))
            return weir_fail(err, WEIR_E_SYNTAX, tok, example(row, hint, sizeof(hint)), VALUE "not a list of sizes",
                             row->key, tok->text);
        at.text = item;
        int code = weir_param_set(&one, &at, &list.bytes[list.count++], err);
        if (code != 0)
            return code;
    } while (*text != '\0');
    memcpy((char *)config + row->offset, &list, sizeof(list));
    return 0;
}

int weir_param_set(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    if (row->word != NULL && strcmp(tok->text, row->word->text) == 0) {
        store(row, config, row->word->value);
        return 0;
    }
    if (tok->text[0] == '\0' && row->kind != WEIR_KIND_TEXT)
        return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, "%s: no value", row->key);
    switch (row->kind) {
    case WEIR_KIND_U32:
    case WEIR_KIND_U64:
        return set_whole(row, tok, config, err);
    case WEIR_KIND_PPM:
    case WEIR_KIND_PPB:
        return set_fraction(row, tok, config, err);
    case WEIR_KIND_TIME:
    case WEIR_KIND_RATE:
    case WEIR_KIND_SIZE:
    case WEIR_KIND_SIZE32:
    case WEIR_KIND_BDP:
        return set_quantity(row, tok, config, err);
    case WEIR_KIND_CHOICE:
        return set_choice(row, tok, config, err);
    case WEIR_KIND_FLAG:
        return set_flag(row, tok, config, err);
    case WEIR_KIND_SIZES:
        return set_sizes(row, tok, config, err);
    case WEIR_KIND_TEXT:
        break;
    }
    return set_text(row, tok, config, err);
}

/* --- tables --- */

void weir_param_default(const struct weir_param *row, void *config)
{
    if (row->kind == WEIR_KIND_TEXT) {
        const char *text = row->text_fallback != NULL ? row->text_fallback : "";
        WEIR_ASSERT(strlen(text) < WEIR_TEXT_MAX);
        memcpy((char *)config + row->offset, text, strlen(text) + 1);
    } else if (row->kind == WEIR_KIND_BDP && row->bdp_default != 0) {
        memcpy((char *)config + row->offset, &(struct weir_size){ .bdp_milli = row->bdp_default },
               sizeof(struct weir_size));
    } else {
        store(row, config, row->fallback);
    }
}

void weir_param_defaults(const struct weir_param *rows, void *config)
{
    for (; rows->key != NULL; rows++)
        weir_param_default(rows, config);
}

const struct weir_param *weir_param_find(const struct weir_param *rows, const char *key)
{
    while (rows->key != NULL && strcmp(rows->key, key) != 0)
        rows++;
    return rows->key != NULL ? rows : NULL;
}

int weir_param_unknown(const struct weir_param *rows, const char *const *more, const struct weir_tok *key,
                       const char *where, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, key->text);
    for (; more != NULL && *more != NULL; more++)
        weir_suggest_add(&near, *more);
    for (; rows != NULL && rows->key != NULL; rows++)
        weir_suggest_add(&near, rows->key);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, key, hint, "unknown key '%.80s' in %s", key->text, where);
}

void weir_param_resolve_bdp(const struct weir_param *rows, void *config, uint64_t bdp_bytes)
{
    for (; rows->key != NULL; rows++) {
        struct weir_size size;
        if (rows->kind != WEIR_KIND_BDP)
            continue;
        memcpy(&size, (char *)config + rows->offset, sizeof(size));
        if (size.bdp_milli != 0)
            size.bytes = weir_mul_div_u64(size.bdp_milli, bdp_bytes, 1000);
        memcpy((char *)config + rows->offset, &size, sizeof(size));
    }
}

int weir_param_check_bdp(const struct weir_param *rows, const void *config, const struct weir_tok *where,
                         const char *section, struct weir_err *err)
{
    for (; rows->key != NULL; rows++) {
        struct weir_size size;
        char given[PRINTED], bytes[PRINTED], range[2 * PRINTED + 8];
        if (rows->kind != WEIR_KIND_BDP)
            continue;
        memcpy(&size, (const char *)config + rows->offset, sizeof(size));
        if (size.bdp_milli == 0 || (size.bytes >= rows->min && size.bytes <= rows->max))
            continue;
        weir_param_print(rows, config, given, sizeof(given));
        print_number(rows, size.bytes, false, bytes, sizeof(bytes));
        print_range(rows, false, range, sizeof(range));
        return weir_fail(err, WEIR_E_RANGE, where, rows->hint, "%s: %s = %s is %s here: must be %s", section, rows->key,
                         given, bytes, range);
    }
    return 0;
}
