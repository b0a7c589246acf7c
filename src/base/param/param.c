/* src/base/param/param.c - sets one key from the text of its value, and formats the error if the value is wrong. */
#include "param/param.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/utf8.h"
#include "param/number.h"
#include "param/row.h"
#include "param/suggest.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HINT = 512 };
#define VALUE "%s = %.80s: " /* beginning of a message about a value; a long value is cut in the message only */

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
    case WEIR_KIND_RTT:
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
        WEIR_ASSERT(value == 0); /* its keyword */
        memcpy(field, &(struct weir_size_list){ .count = 0 }, sizeof(struct weir_size_list));
        break;
    case WEIR_KIND_NUMBERS:
        WEIR_ASSERT(row->kind != WEIR_KIND_NUMBERS); /* has no keyword, and its default is a text */
        break;
    case WEIR_KIND_SHARE_OR_RATE:
        WEIR_ASSERT(value == 0); /* its default: neither */
        memcpy(field, &(struct weir_share_or_rate){ .ppb = WEIR_NO_SHARE }, sizeof(struct weir_share_or_rate));
        break;
    case WEIR_KIND_TEXT:
        WEIR_ASSERT(row->kind != WEIR_KIND_TEXT); /* texts are not stored by this function */
        break;
    }
}

/* --- text -> value --- */

/* Prints to out which values a row accepts: "a whole number, or 'auto'". For the hint of an error message. @return
 * out */
static const char *example(const struct weir_param *row, char *out, size_t size)
{
    const char *text = "a whole number";
    if (param_is_fraction(row))
        text = "a fraction, for example 0.05 or 5%";
    else if (param_is_relative(row))
        text = weir_unit_kind_example(param_relative_unit(row));
    else if (row->kind == WEIR_KIND_SIZES)
        text = "sizes, for example 2 KB, 30 KB";
    else if (row->kind == WEIR_KIND_NUMBERS)
        text = "whole numbers, for example 8, 8";
    else if (param_unit(row) != WEIR_UNIT_KINDS)
        text = weir_unit_kind_example(param_unit(row));
    (void)snprintf(out, size, "%s", text);
    for (const struct weir_keyword *k = NULL; (k = weir_param_keyword(row, k)) != NULL;) {
        size_t used = strlen(out);
        (void)snprintf(out + used, size - used, "%s '%s'", k == row->keyword ? ", or" : " or", k->text);
    }
    return out;
}

static int fail_range(const struct weir_param *row, const struct weir_tok *tok, struct weir_err *err)
{
    char range[3 * PARAM_PRINTED + 8];
    size_t len = strlen(tok->text);
    param_print_bounds(row, len > 0 && tok->text[len - 1] == '%', range, sizeof(range));
    for (const struct weir_keyword *k = NULL; (k = weir_param_keyword(row, k)) != NULL;) {
        size_t used = strlen(range);
        (void)snprintf(range + used, sizeof(range) - used, " or %s", k->text);
    }
    return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "must be %s", row->key, tok->text, range);
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
    return weir_unit_kind_base(param_unit(row));
}

/* Fills err for a number that could not be read or scaled. status: the reason, not OK. @return WEIR_E_RANGE or
 * WEIR_E_SYNTAX */
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
                         param_is_fraction(row) ? "" : "one ", finest(row));
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
    uint64_t value = 0, scale = param_fraction_scale(row);
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

/* Finds the unit of a time, rate or size. @return 0, and then *unit is NULL only for a 0 without unit, which is
 * allowed; or WEIR_E_UNIT with err */
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
    if ((*unit)->kind != param_unit(row) && (*unit)->kind != param_relative_unit(row))
        return weir_fail(err, WEIR_E_UNIT, tok, example(row, hint, sizeof(hint)), VALUE "'%s' is %s", row->key,
                         tok->text, n->unit, weir_unit_kind_text((*unit)->kind));
    return 0;
}

/* Stores a value that was given in BDP or in round trips. It is not known yet, so weir_param_check_relative() checks
 * its range later. milli: thousandths of one. @return 0; or WEIR_E_RANGE with err: above UINT32_MAX, or 0 in a row
 * whose min is above 0 */
static int set_relative(const struct weir_param *row, const struct weir_tok *tok, uint64_t milli, void *config,
                        struct weir_err *err)
{
    struct weir_size bdp = { .bdp_milli = (uint32_t)milli };
    if (milli > UINT32_MAX)
        return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "must be at most %" PRIu32 " %s", row->key, tok->text,
                         UINT32_MAX / 1000, row->kind == WEIR_KIND_BDP ? "BDP" : "RTT");
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
    bool relative = unit != NULL && unit->kind == param_relative_unit(row);
    if (status == WEIR_NUMBER_FINE && relative)
        return weir_fail(err, WEIR_E_SYNTAX, tok, row->hint, VALUE "too fine, the finest is one %s", row->key,
                         tok->text, weir_unit_kind_base(unit->kind));
    if (status != WEIR_NUMBER_OK)
        return fail_number(row, tok, status, err);
    if (relative)
        return set_relative(row, tok, value, config, err);
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

/* Copies the next item of a comma-separated list to out, without blanks around it. Moves *text to the character after
 * the item and its comma. @return false = the item is too long for out */
static bool next_item(const char **text, char out[PARAM_PRINTED])
{
    size_t length = strcspn(*text, ","), lead = strspn(*text, " ");
    const char *first = *text + (lead < length ? lead : length), *end = *text + length;
    *text = *end == ',' ? end + 1 : end;
    while (end > first && end[-1] == ' ')
        end--;
    if (end - first >= PARAM_PRINTED)
        return false;
    memcpy(out, first, (size_t)(end - first));
    out[end - first] = '\0';
    return true;
}

_Static_assert(sizeof(struct weir_number_list) == sizeof(struct weir_size_list) &&
                   offsetof(struct weir_number_list, count) == offsetof(struct weir_size_list, count),
               "set_list() stores both");

static int set_list(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    struct weir_param one = *row;
    const char *noun = row->kind == WEIR_KIND_SIZES ? "sizes" : "numbers";
    struct weir_size_list list = { .count = 0 };
    const char *text = tok->text;
    char item[PARAM_PRINTED], hint[HINT];
    one.kind = row->kind == WEIR_KIND_SIZES ? WEIR_KIND_SIZE : WEIR_KIND_U64;
    one.keyword = one.keyword_too = NULL;
    one.offset = 0;
    do {
        struct weir_tok at = *tok;
        if (list.count == WEIR_SIZES_MAX)
            return weir_fail(err, WEIR_E_RANGE, tok, row->hint, VALUE "more than %u %s", row->key, tok->text,
                             WEIR_SIZES_MAX, noun);
        if (!next_item(&text, item))
            return weir_fail(err, WEIR_E_SYNTAX, tok, example(row, hint, sizeof(hint)), VALUE "not a list of %s",
                             row->key, tok->text, noun);
        at.text = item;
        int code = weir_param_set(&one, &at, &list.bytes[list.count++], err);
        if (code != 0)
            return code;
    } while (*text != '\0');
    memcpy((char *)config + row->offset, &list, sizeof(list));
    return 0;
}

/* Stores a rate if the text has a unit, else a probability. */
static int set_share_or_rate(const struct weir_param *row, const struct weir_tok *tok, void *config,
                             struct weir_err *err)
{
    struct weir_share_or_rate value = { .ppb = WEIR_NO_SHARE };
    struct weir_param one = *row;
    struct weir_number n;
    bool is_rate = weir_number_read(&n, tok->text) == WEIR_NUMBER_OK && n.unit[0] != '\0' && strcmp(n.unit, "%") != 0;
    int code;
    one.kind = is_rate ? WEIR_KIND_RATE : WEIR_KIND_PPB;
    one.offset = is_rate ? offsetof(struct weir_share_or_rate, bps) : offsetof(struct weir_share_or_rate, ppb);
    one.min = is_rate ? row->min : 0;
    one.max = is_rate ? row->max : PARAM_BILLION;
    code = weir_param_set(&one, tok, &value, err);
    if (code == 0)
        memcpy((char *)config + row->offset, &value, sizeof(value));
    return code;
}

int weir_param_set(const struct weir_param *row, const struct weir_tok *tok, void *config, struct weir_err *err)
{
    for (const struct weir_keyword *k = NULL; (k = weir_param_keyword(row, k)) != NULL;) {
        if (strcmp(tok->text, k->text) != 0)
            continue;
        store(row, config, k->value);
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
    case WEIR_KIND_RTT:
        return set_quantity(row, tok, config, err);
    case WEIR_KIND_CHOICE:
        return set_choice(row, tok, config, err);
    case WEIR_KIND_FLAG:
        return set_flag(row, tok, config, err);
    case WEIR_KIND_SIZES:
    case WEIR_KIND_NUMBERS:
        return set_list(row, tok, config, err);
    case WEIR_KIND_SHARE_OR_RATE:
        return set_share_or_rate(row, tok, config, err);
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
    } else if (row->kind == WEIR_KIND_NUMBERS) {
        struct weir_err err;
        const struct weir_tok tok = { .text = row->text_fallback };
        int code = set_list(row, &tok, config, &err);
        WEIR_ASSERT(code == 0); /* a default is within its range */
    } else if (param_is_relative(row) && row->milli_default != 0) {
        memcpy((char *)config + row->offset, &(struct weir_size){ .bdp_milli = row->milli_default },
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

/* Returns the size of a row's field in bytes. */
static size_t field_bytes(const struct weir_param *row)
{
    static const size_t bytes[] = {
        [WEIR_KIND_U32] = sizeof(uint32_t),
        [WEIR_KIND_U64] = sizeof(uint64_t),
        [WEIR_KIND_PPM] = sizeof(uint32_t),
        [WEIR_KIND_PPB] = sizeof(uint32_t),
        [WEIR_KIND_TIME] = sizeof(uint64_t),
        [WEIR_KIND_RATE] = sizeof(uint64_t),
        [WEIR_KIND_SIZE] = sizeof(uint64_t),
        [WEIR_KIND_BDP] = sizeof(struct weir_size),
        [WEIR_KIND_RTT] = sizeof(struct weir_time_or_rtt),
        [WEIR_KIND_CHOICE] = sizeof(uint32_t),
        [WEIR_KIND_FLAG] = sizeof(uint32_t),
        [WEIR_KIND_SIZE32] = sizeof(uint32_t),
        [WEIR_KIND_SIZES] = sizeof(struct weir_size_list),
        [WEIR_KIND_NUMBERS] = sizeof(struct weir_number_list),
        [WEIR_KIND_SHARE_OR_RATE] = sizeof(struct weir_share_or_rate),
    };
    if (row->kind == WEIR_KIND_TEXT)
        return row->max != 0 ? (size_t)row->max + 1 : WEIR_TEXT_MAX;
    size_t size = bytes[row->kind];
    WEIR_ASSERT(size > 0);
    return size;
}

void weir_param_copy(const struct weir_param *row, const void *from, void *to)
{
    memcpy((char *)to + row->offset, (const char *)from + row->offset, field_bytes(row));
}

/* Tests whether the field of a row has the same value in two structs, whatever lies in the gaps between fields. */
static bool is_same(const struct weir_param *row, const char *a, const char *b)
{
    if (row->kind == WEIR_KIND_TEXT)
        return strcmp(a, b) == 0;
    return memcmp(a, b, field_bytes(row)) == 0;
}

bool weir_params_same(const struct weir_param *rows, const void *a, const void *b)
{
    for (; rows != NULL && rows->key != NULL; rows++)
        if (!is_same(rows, (const char *)a + rows->offset, (const char *)b + rows->offset))
            return false;
    return true;
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
