/* src/results/reproduce/tuning_key.c - see tuning_key.h. */
#include "reproduce/tuning_key.h"
#include "config/names.h"
#include "config/settings.h"
#include "param/number.h"
#include "param/param.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HINT "for example --key protocol.g=0.01..0.5, or --key 'fabric.ecn.threshold=0.25 BDP..2 BDP'"

/* --- the row of a key --- */

/* Copies a path without the numbers of list items: "traffic.load" for "traffic[0].load". */
static void drop_numbers(char out[WEIR_TUNING_PATH], const char *path)
{
    size_t used = 0;
    bool inside = false;
    for (; *path != '\0' && used + 1 < WEIR_TUNING_PATH; path++) {
        inside = inside || *path == '[';
        if (!inside)
            out[used++] = *path;
        inside = inside && *path != ']';
    }
    out[used] = '\0';
}

/* Tests whether path is part, "traffic", and then a dot. Returns what follows; NULL = it is not. */
static const char *behind(const char *path, const char *part)
{
    size_t length = strlen(part);
    return strncmp(path, part, length) == 0 && path[length] == '.' ? path + length + 1 : NULL;
}

static const struct weir_param *find_in_sections(const char *path)
{
    struct weir_section s;
    for (uint32_t i = 0; weir_section_get(i, &s); i++) {
        const char *key = behind(path, s.path);
        for (uint32_t t = 0; key != NULL && weir_section_table(&s, t) != NULL; t++) {
            const struct weir_param *row = weir_param_find(weir_section_table(&s, t), key);
            if (row != NULL)
                return row;
        }
    }
    return NULL;
}

/* Returns the row of a key of a law: "protocol.g", "traffic[0].deploy.protocol.g", "hosts[0].host.rto_min". */
static const struct weir_param *find_of_law(struct weir_scenario *scn, const char *path, const char *plain)
{
    static const char protocol[] = "protocol.", host[] = "host.";
    const char *at = strstr(plain, protocol), *bracket = strchr(path, '[');
    uint32_t item = bracket != NULL ? (uint32_t)strtoul(bracket + 1, NULL, 10) : 0, law = 0;
    if (strncmp(plain, "traffic.", 8) == 0 && item < scn->traffic_count)
        law = strncmp(plain, "traffic.deploy.", 15) == 0 ? scn->law_of_deploy[item] : scn->law_of_item[item];
    else if (strncmp(plain, "hosts.", 6) == 0 && item < scn->hosts_count)
        law = scn->law_of_hosts[item];
    if (at != NULL && law < scn->law_count)
        return weir_param_find(weir_scenario_law(scn, law).protocol->params, at + sizeof(protocol) - 1);
    at = strstr(plain, host);
    return at != NULL ? weir_param_find(weir_host_param_rows, at + sizeof(host) - 1) : NULL;
}

static const struct weir_param *find_row(struct weir_scenario *scn, const char *path)
{
    char plain[WEIR_TUNING_PATH];
    const struct weir_param *row;
    drop_numbers(plain, path);
    row = find_in_sections(plain);
    return row != NULL ? row : find_of_law(scn, path, plain);
}

/* --- values --- */

static bool is_wide(enum weir_param_kind kind)
{
    return kind == WEIR_KIND_U64 || kind == WEIR_KIND_TIME || kind == WEIR_KIND_RATE || kind == WEIR_KIND_SIZE;
}

/* Tests whether a value may be a multiple of a BDP or a round trip; both are laid out alike. */
static bool is_relative(enum weir_param_kind kind)
{
    return kind == WEIR_KIND_BDP || kind == WEIR_KIND_RTT;
}

static bool is_number(enum weir_param_kind kind)
{
    return is_wide(kind) || kind == WEIR_KIND_U32 || kind == WEIR_KIND_PPM || kind == WEIR_KIND_PPB ||
           kind == WEIR_KIND_SIZE32 || is_relative(kind);
}

union field { /* of a section's struct, as weir_param_set() writes it and weir_param_print() reads it */
    uint64_t wide;
    uint32_t narrow;
    struct weir_size size;
    struct weir_size_list largest; /* no key that is tuned has it, but the compiler cannot know */
};

/* Reads one value. @return 0, or a code with err */
static int read_value(const struct weir_param *row, const char *text, uint64_t *value, bool *is_bdp,
                      struct weir_err *err)
{
    union field field = { .largest = { .count = 0 } };
    const struct weir_tok tok = { .text = text, .file = "--key" };
    int code = weir_param_set(row, &tok, &field, err);
    if (code != 0)
        return code;
    *is_bdp = is_relative(row->kind) && field.size.bdp_milli > 0;
    *value = *is_bdp                  ? field.size.bdp_milli
             : is_relative(row->kind) ? field.size.bytes
             : is_wide(row->kind)     ? field.wide
                                      : field.narrow;
    return 0;
}

const char *weir_tuning_key_text(char out[WEIR_TUNING_VALUE], const struct weir_tuning_key *key, uint64_t value)
{
    union field field = { .largest = { .count = 0 } };
    if (key->is_bdp)
        field.size.bdp_milli = (uint32_t)value;
    else if (is_relative(key->row.kind))
        field.size.bytes = value;
    else if (is_wide(key->row.kind))
        field.wide = value;
    else
        field.narrow = (uint32_t)value;
    weir_param_print(&key->row, &field, out, WEIR_TUNING_VALUE);
    return out;
}

/* --- ranges --- */

/* Finds the dots of "0.01..0.5". A value may begin or end with one dot, but not with two. */
static const char *find_dots(const char *text)
{
    return strstr(text, "..");
}

static void trim(char *text)
{
    size_t length = strlen(text), blanks = strspn(text, " ");
    while (length > blanks && text[length - 1] == ' ')
        length--;
    memmove(text, text + blanks, length - blanks);
    text[length - blanks] = '\0';
}

/* Copies the ends of a range. If the first has no unit, it gets that of the second. */
static int split(const char *path, const char *range, char lo[WEIR_TUNING_VALUE], char hi[WEIR_TUNING_VALUE],
                 struct weir_err *err)
{
    const char *dots = find_dots(range);
    struct weir_number low, high;
    if (dots == NULL || (size_t)(dots - range) + 8 >= WEIR_TUNING_VALUE || strlen(dots) + 8 >= WEIR_TUNING_VALUE)
        return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = "--key" }, HINT,
                         "%s=%.80s: must be a range, LO..HI", path, range);
    (void)snprintf(lo, WEIR_TUNING_VALUE, "%.*s", (int)(dots - range), range);
    (void)snprintf(hi, WEIR_TUNING_VALUE, "%s", dots + 2);
    trim(lo);
    trim(hi);
    if (weir_number_read(&low, lo) == WEIR_NUMBER_OK && low.unit[0] == '\0' &&
        weir_number_read(&high, hi) == WEIR_NUMBER_OK && high.unit[0] != '\0') {
        size_t used = strlen(lo);
        (void)snprintf(lo + used, WEIR_TUNING_VALUE - used, "%s%.12s", high.unit[0] == '%' ? "" : " ", high.unit);
    }
    return 0;
}

static bool begins_with_digit(const char *text)
{
    return text[0] >= '0' && text[0] <= '9';
}

/* Refuses a value that is no number, as "auto". */
static int check_number(const struct weir_tuning_key *key, const char *text, struct weir_err *err)
{
    if (begins_with_digit(text))
        return 0;
    return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = "--key" }, HINT,
                     "%s: '%.40s' is no number, and both ends of a range have to be one", key->path, text);
}

static int read_range(struct weir_tuning_key *key, const char *range, struct weir_err *err)
{
    const struct weir_tok at = { .file = "--key" };
    char lo[WEIR_TUNING_VALUE] = "", hi[WEIR_TUNING_VALUE] = "";
    bool is_bdp = false;
    int code = split(key->path, range, lo, hi, err);
    if (code == 0)
        code = check_number(key, lo, err);
    if (code == 0)
        code = check_number(key, hi, err);
    if (code == 0)
        code = read_value(&key->row, lo, &key->lo, &is_bdp, err);
    if (code == 0)
        code = read_value(&key->row, hi, &key->hi, &key->is_bdp, err);
    if (code != 0)
        return code;
    if (is_bdp != key->is_bdp)
        return weir_fail(err, WEIR_E_UNIT, &at, HINT, "%s: %s and %s must both be in BDP, or neither", key->path, lo,
                         hi);
    if (key->lo >= key->hi)
        return weir_fail(err, WEIR_E_RANGE, &at, HINT, "%s: %s..%s is %s range: the lower end comes first", key->path,
                         lo, hi, key->lo == key->hi ? "an empty" : "a reversed");
    return 0;
}

/* Sets key->own from the resolved scenario. */
static int find_own(struct weir_tuning_key *key, const char *resolved, struct weir_err *err)
{
    struct weir_settings settings = { 0 };
    struct weir_err ignored;
    const char *text;
    bool is_bdp = false;
    int code = weir_settings_read(&settings, resolved, err);
    text = code == 0 ? weir_settings_find(&settings, key->path) : NULL;
    key->has_own = text != NULL && begins_with_digit(text) &&
                   read_value(&key->row, text, &key->own, &is_bdp, &ignored) == 0 && is_bdp == key->is_bdp &&
                   key->own >= key->lo && key->own <= key->hi;
    weir_settings_free(&settings);
    return code;
}

int weir_tuning_key_read(struct weir_tuning_key *key, struct weir_scenario *scn, const char *resolved, const char *text,
                         struct weir_err *err)
{
    const struct weir_tok at = { .file = "--key" };
    const char *equals = strchr(text, '=');
    const struct weir_param *row;
    int code;
    *key = (struct weir_tuning_key){ .lo = 0 };
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof(key->path))
        return weir_fail(err, WEIR_E_SYNTAX, &at, HINT, "%.80s: must be KEY=LO..HI", text);
    (void)snprintf(key->path, sizeof(key->path), "%.*s", (int)(equals - text), text);
    if (strcmp(key->path, "run.seed") == 0)
        return weir_fail(err, WEIR_E_CONFLICT, &at, "--seeds N says how many seeds each value gets",
                         "run.seed: cannot be tuned, every value runs with the same seeds");
    row = find_row(scn, key->path);
    if (row == NULL || !is_number(row->kind))
        return weir_fail(err, row == NULL ? WEIR_E_UNKNOWN : WEIR_E_CONFLICT, &at,
                         "a sweep runs each of some values: weir sweep --help",
                         "%s: its value is no number, so it cannot be tuned", key->path);
    key->row = *row;
    key->row.offset = 0;
    code = read_range(key, equals + 1, err);
    return code != 0 ? code : find_own(key, resolved, err);
}
