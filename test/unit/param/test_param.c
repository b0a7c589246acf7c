/* test/unit/param/test_param.c - one key, one value: what is stored, what is refused, with which code and for which key. */
#include "core/feature.h"
#include "test/unit/refusal.h"
#include "param/param.h"
#include "config/scenario.h"
#include "topology/route.h"
#include <stdio.h>
#include <string.h>
#include "test/unit/config/fake_registry.h"

struct sample {
    uint32_t count, ppm, ppb, choice, flag, size32;
    uint64_t seed, time_ps, rate_bps, size_bytes;
    struct weir_size bdp;
    struct weir_time_or_rtt rtt;
    struct weir_size_list sizes;
    struct weir_number_list numbers;
    struct weir_share_or_rate share;
    char text[WEIR_TEXT_MAX];
    char brief[8];
};

static const char *const colours[] = { "red", "green", "dark-blue", NULL };
static const struct weir_keyword none = { "none", 0 };
static const struct weir_keyword unlimited = { "unlimited", UINT64_MAX };
#define ROW(field, k, lo, hi, def) WEIR_PARAM_NAMED(#field, struct sample, field, k, lo, hi, def, "what " #field " is")
static const struct weir_param rows[] = {
    ROW(count, WEIR_KIND_U32, 1, 8, 2),
    ROW(seed, WEIR_KIND_U64, 0, UINT64_MAX, 1),
    ROW(ppm, WEIR_KIND_PPM, 1, 999999, 62500),
    ROW(ppb, WEIR_KIND_PPB, 0, 1000000000, 0),
    ROW(time_ps, WEIR_KIND_TIME, 1000, 1000000000, 1250000),
    ROW(rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 100000000000),
    WEIR_PARAM_KEYWORD("size", struct sample, size_bytes, WEIR_KIND_SIZE, 1, 1000000000000, UINT64_MAX, &unlimited,
                       "memory"),
    ROW(size32, WEIR_KIND_SIZE32, 1, 9216, 1460),
    { .key = "bdp",
      .kind = WEIR_KIND_BDP,
      .offset = (uint32_t)offsetof(struct sample, bdp),
      .min = 1,
      .max = 1000000000,
      .milli_default = 1500,
      .keyword = &unlimited,
      .hint = "window" },
    { .key = "rtt",
      .kind = WEIR_KIND_RTT,
      .offset = (uint32_t)offsetof(struct sample, rtt),
      .min = 1000,
      .max = 1000000000,
      .milli_default = 3000,
      .keyword = &none,
      .hint = "span" },
    WEIR_PARAM_NAMED("numbers", struct sample, numbers, WEIR_KIND_NUMBERS, 2, 100, 0, "counts",
                     .text_fallback = "4, 5"),
    WEIR_PARAM_KEYWORD("sizes", struct sample, sizes, WEIR_KIND_SIZES, 1, 1000000, 0, &none, "steps"),
    ROW(share, WEIR_KIND_SHARE_OR_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0),
    WEIR_PARAM_CHOICE("choice", struct sample, choice, colours, 1, "colour"),
    ROW(flag, WEIR_KIND_FLAG, 0, 1, 1),
    { .key = "text",
      .kind = WEIR_KIND_TEXT,
      .offset = (uint32_t)offsetof(struct sample, text),
      .hint = "any words",
      .text_fallback = "as it was" },
    { .key = "brief",
      .kind = WEIR_KIND_TEXT,
      .offset = (uint32_t)offsetof(struct sample, brief),
      .min = 2,
      .max = 7,
      .hint = "few words",
      .text_fallback = "abc" },
    { 0 },
};
static struct sample config;
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    memset(&config, 0xa5, sizeof(config));
    memset(&err, 0, sizeof(err));
    weir_param_defaults(rows, &config);
    return 0;
}

static int set(const char *key, const char *text)
{
    const struct weir_param *row = weir_param_find(rows, key);
    assert_non_null(row);
    return weir_param_set(row, &(struct weir_tok){ .text = text, .file = "a.yaml", .line = 3, .col = 9 }, &config,
                          &err);
}

static void refuses(const char *key, const char *text, enum weir_err_code code, const char *key_named)
{
    struct sample before = config;
    assert_int_equal(set(key, text), code);
    assert_refusal(&err, code, "a.yaml:3:9", key_named);
    assert_memory_equal(&config, &before, sizeof(config));
}

static void defaults_are_those_of_the_rows(void **state)
{
    (void)state;
    assert_int_equal(config.count, 2);
    assert_int_equal(config.seed, 1);
    assert_int_equal(config.ppm, 62500);
    assert_int_equal(config.ppb, 0);
    assert_int_equal(config.time_ps, 1250000);
    assert_int_equal(config.rate_bps, 100000000000);
    assert_int_equal(config.size_bytes, UINT64_MAX);
    assert_int_equal(config.size32, 1460);
    assert_int_equal(config.bdp.bytes, 0);
    assert_int_equal(config.bdp.bdp_milli, 1500);
    assert_int_equal(config.rtt.ps, 0);
    assert_int_equal(config.rtt.rtt_milli, 3000);
    assert_int_equal(config.choice, 1);
    assert_int_equal(config.flag, 1);
    assert_string_equal(config.text, "as it was");
    assert_string_equal(config.brief, "abc");
}

static void every_kind_stores_its_exact_number(void **state)
{
    (void)state;
    assert_int_equal(set("count", "8"), 0);
    assert_int_equal(config.count, 8);
    assert_int_equal(set("seed", "18446744073709551615"), 0);
    assert_int_equal(config.seed, UINT64_MAX);
    assert_int_equal(set("ppm", "0.08"), 0);
    assert_int_equal(config.ppm, 80000);
    assert_int_equal(set("ppm", "6.25%"), 0);
    assert_int_equal(config.ppm, 62500);
    assert_int_equal(set("ppm", "80 %"), 0);
    assert_int_equal(config.ppm, 800000);
    assert_int_equal(set("ppb", "0.000000001"), 0);
    assert_int_equal(config.ppb, 1);
    assert_int_equal(set("ppb", "0.0000001%"), 0);
    assert_int_equal(config.ppb, 1);
    assert_int_equal(set("ppb", "1"), 0);
    assert_int_equal(config.ppb, 1000000000);
    assert_int_equal(set("time_ps", "12 us"), 0);
    assert_int_equal(config.time_ps, 12000000);
    assert_int_equal(set("rate_bps", "25 Gbps"), 0);
    assert_int_equal(config.rate_bps, 25000000000);
    assert_int_equal(set("size", "1.5 KiB"), 0);
    assert_int_equal(config.size_bytes, 1536);
    assert_int_equal(set("size", "unlimited"), 0);
    assert_int_equal(config.size_bytes, UINT64_MAX);
    assert_int_equal(set("size32", "1 KB"), 0);
    assert_int_equal(config.size32, 1000);
    assert_int_equal(set("choice", "dark-blue"), 0);
    assert_int_equal(config.choice, 2);
    assert_int_equal(set("text", "leaf 0 - spine 1"), 0);
    assert_string_equal(config.text, "leaf 0 - spine 1");
    assert_int_equal(set("text", ""), 0);
    assert_string_equal(config.text, "");
    assert_int_equal(set("brief", "1234567"), 0);
    assert_string_equal(config.brief, "1234567");
}

static void a_size_may_be_said_in_bdp_and_is_resolved_later(void **state)
{
    (void)state;
    assert_int_equal(set("bdp", "0.5 BDP"), 0);
    assert_int_equal(config.bdp.bdp_milli, 500);
    weir_param_resolve_bdp(rows, &config, 100001);
    assert_int_equal(config.bdp.bytes, 50000);
    assert_int_equal(config.bdp.bdp_milli, 500);
    assert_int_equal(set("bdp", "123 KB"), 0);
    assert_int_equal(config.bdp.bdp_milli, 0);
    weir_param_resolve_bdp(rows, &config, 77);
    assert_int_equal(config.bdp.bytes, 123000);
    assert_int_equal(set("bdp", "unlimited"), 0);
    weir_param_resolve_bdp(rows, &config, 77);
    assert_int_equal(config.bdp.bytes, UINT64_MAX);
}

/* A round trip of 13 us; the row's range is a nanosecond to a millisecond. */
static void a_time_may_be_said_in_round_trips(void **state)
{
    const struct weir_tok where = { .file = "a.yaml", .line = 3, .col = 5 };
    char text[64];
    (void)state;
    assert_int_equal(set("rtt", "2.5 RTT"), 0);
    assert_int_equal(config.rtt.rtt_milli, 2500);
    weir_param_resolve_rtt(rows, &config, 13000001);
    weir_param_resolve_bdp(rows, &config, 77); /* is of others */
    assert_int_equal(config.rtt.ps, 32500002);
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), 0);
    weir_param_print(weir_param_find(rows, "rtt"), &config, text, sizeof(text));
    assert_string_equal(text, "2.5 RTT");
    weir_param_print_default(weir_param_find(rows, "rtt"), text, sizeof(text));
    assert_string_equal(text, "3 RTT");
    weir_param_resolve_rtt(rows, &config, 0); /* it is not known */
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "a.yaml:3:5", "rtt");
    weir_param_resolve_rtt(rows, &config, 400000000);
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), 0); /* the most there may be */
    weir_param_resolve_rtt(rows, &config, 400000001);
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "a.yaml:3:5", "rtt");
    assert_int_equal(set("rtt", "12.5 us"), 0);
    assert_int_equal(config.rtt.rtt_milli, 0);
    weir_param_resolve_rtt(rows, &config, 0);
    assert_int_equal(config.rtt.ps, 12500000);
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), 0);
    assert_int_equal(set("rtt", "none"), 0);
    assert_int_equal(config.rtt.ps, 0);
    assert_int_equal(set("rtt", "0 RTT"), WEIR_E_RANGE);
    assert_int_equal(set("rtt", "1 BDP"), WEIR_E_UNIT);
    assert_int_equal(set("bdp", "1 RTT"), WEIR_E_UNIT);
    assert_int_equal(set("time_ps", "1 RTT"), WEIR_E_UNIT);
    assert_int_equal(set("rtt", "0.0001 RTT"), WEIR_E_SYNTAX);
    assert_int_equal(set("rtt", "4294968 RTT"), WEIR_E_RANGE);
}

static void a_size_said_in_bdp_keeps_to_its_range_too(void **state)
{
    const struct weir_tok where = { .file = "a.yaml", .line = 3, .col = 5 };
    (void)state;
    assert_int_equal(set("bdp", "2 BDP"), 0);
    weir_param_resolve_rtt(rows, &config, 13000000);
    weir_param_resolve_bdp(rows, &config, 1000);
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), 0);
    weir_param_resolve_bdp(rows, &config, 500000001); /* two bytes above the row's 1 GB */
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), WEIR_E_RANGE);
    assert_int_equal(err.line, 3);
    assert_refusal(&err, WEIR_E_RANGE, "a.yaml:3:5", "bdp");
    assert_int_equal(set("bdp", "unlimited"), 0);
    assert_int_equal(weir_param_check_relative(rows, &config, &where, "section", &err), 0);
}

static void a_flag_takes_six_words(void **state)
{
    static const char *const yes[] = { "true", "yes", "on" }, *const no[] = { "false", "no", "off" };
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(set("flag", yes[i]), 0);
        assert_int_equal(config.flag, 1);
        assert_int_equal(set("flag", no[i]), 0);
        assert_int_equal(config.flag, 0);
    }
    refuses("flag", "maybe", WEIR_E_SYNTAX, "flag");
}

static void only_zero_needs_no_unit(void **state)
{
    (void)state;
    refuses("time_ps", "5", WEIR_E_UNIT, "time_ps");
    refuses("rate_bps", "100", WEIR_E_UNIT, "rate_bps");
    refuses("size", "500", WEIR_E_UNIT, "size");
    refuses("bdp", "1.5", WEIR_E_UNIT, "bdp");
    refuses("time_ps", "0", WEIR_E_RANGE, "time_ps");
    assert_int_equal(weir_param_set(&weir_run_params[0], &(struct weir_tok){ .text = "0" },
                                    &(struct weir_run_config){ .warmup_ps = 5 }, &err),
                     0);
}

static void a_unit_of_another_kind_is_named(void **state)
{
    (void)state;
    refuses("time_ps", "5 KB", WEIR_E_UNIT, "time_ps");
    refuses("rate_bps", "5 ms", WEIR_E_UNIT, "rate_bps");
    refuses("size32", "8 Kb", WEIR_E_UNIT, "size32");
    refuses("size32", "1 BDP", WEIR_E_UNIT, "size32");
    refuses("time_ps", "5 min", WEIR_E_UNIT, "time_ps");
    refuses("ppm", "5 us", WEIR_E_UNIT, "ppm");
}

static void ranges_are_told_in_the_users_units(void **state)
{
    (void)state;
    refuses("count", "9", WEIR_E_RANGE, "count");
    refuses("count", "99999999999999999999999", WEIR_E_RANGE, "count");
    refuses("time_ps", "2 s", WEIR_E_RANGE, "time_ps");
    refuses("time_ps", "99999999999 s", WEIR_E_RANGE, "time_ps");
    refuses("rate_bps", "10 Tbps", WEIR_E_RANGE, "rate_bps");
    refuses("size", "2 TB", WEIR_E_RANGE, "size");
    refuses("ppm", "100%", WEIR_E_RANGE, "ppm");
    refuses("ppm", "1.5", WEIR_E_RANGE, "ppm");
    refuses("bdp", "0 BDP", WEIR_E_RANGE, "bdp");
    refuses("bdp", "4294968 BDP", WEIR_E_RANGE, "bdp");
    refuses("brief", "x", WEIR_E_RANGE, "brief");
    refuses("brief", "12345678", WEIR_E_RANGE, "brief");
}

static void what_makes_no_sense_is_refused_not_guessed(void **state)
{
    (void)state;
    refuses("count", "2.5", WEIR_E_SYNTAX, "count");
    refuses("count", "0x4", WEIR_E_SYNTAX, "count");
    refuses("count", "", WEIR_E_SYNTAX, "count");
    refuses("time_ps", "soon", WEIR_E_SYNTAX, "time_ps");
    refuses("time_ps", "1.2345 ns", WEIR_E_SYNTAX, "time_ps");
    refuses("size", "1.5 B", WEIR_E_SYNTAX, "size");
    refuses("ppm", "0.0000001", WEIR_E_SYNTAX, "ppm");
    refuses("bdp", "1.0005 BDP", WEIR_E_SYNTAX, "bdp");
    refuses("choice", "gren", WEIR_E_UNKNOWN, "choice");
    refuses("choice", "yellow", WEIR_E_UNKNOWN, "choice");
    refuses("text", "a\nb", WEIR_E_SYNTAX, "text");
}

static void a_negative_number_of_any_kind_must_not_be_negative(void **state)
{
    static const struct {
        const char *key, *text;
    } cases[] = {
        { "count", "-1" },  { "seed", "-1" },       { "ppm", "-10%" },         { "ppm", "-0.5" },
        { "ppb", "-1" },    { "time_ps", "-1 us" }, { "time_ps", "-1" },       { "size", "-1 MB" },
        { "size32", "-2" }, { "bdp", "-1.5 BDP" },  { "rate_bps", "-1 Gbps" }, { "sizes", "1 B, -1 B" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        refuses(cases[i].key, cases[i].text, WEIR_E_RANGE, cases[i].key);
        assert_non_null(strstr(err.text, "must not be negative"));
    }
    refuses("count", "-", WEIR_E_SYNTAX, "count");
    refuses("time_ps", "-soon", WEIR_E_SYNTAX, "time_ps");
}

static void an_unknown_key_gets_the_nearest_or_all(void **state)
{
    static const char *const more[] = { "preset", NULL };
    const struct weir_tok typo = { "cuont", "a.yaml", 7, 5 }, far = { "zebra", "a.yaml", 8, 1 };
    (void)state;
    assert_int_equal(weir_param_unknown(rows, more, &typo, "traffic[0]", &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "a.yaml:7:5", "cuont");
    assert_int_equal(weir_param_unknown(rows, more, &far, "run", &err), WEIR_E_UNKNOWN);
    assert_non_null(strstr(err.hint,
                           "preset, count, seed, ppm, ppb, time_ps, rate_bps, size, size32, bdp, rtt, numbers, "
                           "sizes, share, choice, flag, text, brief"));
}

/* --- every row of every section --- */

union any_config {
    struct weir_topology_config topology;
    struct weir_framing framing;
    struct weir_host_params host;
    struct weir_fabric_config fabric;
    struct weir_routing_config routing;
    char feature[sizeof(struct weir_cables_config)]; /* the largest */
    struct weir_traffic_config traffic;
    struct weir_run_config run;
    struct fake_config fake;
    struct sample sample;
};

/* A value the row allows, drawn evenly over its range or its orders of magnitude. */
static void draw(const struct weir_param *row, uint64_t x, union any_config *out)
{
    uint64_t span = row->max - row->min, value = row->min;
    char *field = (char *)out + row->offset;
    if (row->kind == WEIR_KIND_CHOICE) {
        uint32_t count = 0;
        while (row->choices[count] != NULL)
            count++;
        memcpy(field, &(uint32_t){ (uint32_t)(x % count) }, sizeof(uint32_t));
        return;
    }
    if (row->kind == WEIR_KIND_TEXT)
        return;
    if (row->kind == WEIR_KIND_SIZES ||
        row->kind == WEIR_KIND_NUMBERS) { /* these are laid out alike; one number at least */
        struct weir_size_list list = { .count = x % (WEIR_SIZES_MAX + 1) };
        list.count += row->kind == WEIR_KIND_NUMBERS && list.count == 0;
        for (uint32_t i = 0; i < list.count; i++)
            list.bytes[i] = row->min + (x >> (3 * i)) % (span + 1);
        memcpy(field, &list, sizeof(list));
        return;
    }
    if (row->kind == WEIR_KIND_SHARE_OR_RATE) { /* field by field: the bytes behind them are compared too */
        uint64_t bps = (x & 1) != 0 ? row->min + (x >> 24) % span : 0;
        uint32_t ppb = (x & 1) != 0 ? WEIR_NO_SHARE : (uint32_t)((x >> 1) % 1000000001);
        memcpy(field + offsetof(struct weir_share_or_rate, bps), &bps, sizeof(bps));
        memcpy(field + offsetof(struct weir_share_or_rate, ppb), &ppb, sizeof(ppb));
        return;
    }
    if (span > 0)
        value += (x >> (x & 63)) % (span == UINT64_MAX ? span : span + 1);
    bool relative = row->kind == WEIR_KIND_BDP || row->kind == WEIR_KIND_RTT; /* laid out alike */
    if (relative && (x & 64) != 0) /* field by field: the bytes between fields are compared too */
        memcpy(field + offsetof(struct weir_size, bdp_milli), &(uint32_t){ (uint32_t)(x >> 32) | 1 }, sizeof(uint32_t));
    else if (relative)
        memcpy(field + offsetof(struct weir_size, bytes), &value, sizeof(value));
    else if (row->kind == WEIR_KIND_U64 || row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_RATE ||
             row->kind == WEIR_KIND_SIZE)
        memcpy(field, &value, sizeof(value));
    else
        memcpy(field, &(uint32_t){ (uint32_t)value }, sizeof(uint32_t));
}

static void a_list_of_numbers_keeps_their_order_and_its_range(void **state)
{
    char text[64];
    (void)state;
    assert_int_equal(config.numbers.count, 2); /* the default */
    assert_int_equal(config.numbers.value[1], 5);
    assert_int_equal(set("numbers", "8,2, 100"), 0);
    assert_int_equal(config.numbers.count, 3);
    assert_int_equal(config.numbers.value[0], 8);
    assert_int_equal(config.numbers.value[2], 100);
    weir_param_print(weir_param_find(rows, "numbers"), &config, text, sizeof(text));
    assert_string_equal(text, "8, 2, 100");
    weir_param_print_default(weir_param_find(rows, "numbers"), text, sizeof(text));
    assert_string_equal(text, "4, 5");
    assert_int_equal(set("numbers", "8, 1"), WEIR_E_RANGE);
    assert_int_equal(set("numbers", "101"), WEIR_E_RANGE);
    assert_int_equal(set("numbers", "8, x"), WEIR_E_SYNTAX);
    assert_int_equal(set("numbers", "8 KB"), WEIR_E_SYNTAX);
    assert_int_equal(set("numbers", ""), WEIR_E_SYNTAX);
    assert_int_equal(set("numbers", "2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2"), WEIR_E_RANGE); /* 16, at most 15 */
    assert_int_equal(config.numbers.count, 3);                                         /* as before */
}

static void the_unit_says_whether_a_value_is_a_share_or_a_rate(void **state)
{
    char text[64];
    (void)state;
    assert_true(config.share.bps == 0 && config.share.ppb == WEIR_NO_SHARE);
    assert_int_equal(set("share", "1.5%"), 0);
    assert_true(config.share.bps == 0 && config.share.ppb == 15000000);
    assert_int_equal(set("share", "0"), 0);
    assert_true(config.share.bps == 0 && config.share.ppb == 0);
    assert_int_equal(set("share", "25 Gbps"), 0);
    assert_true(config.share.bps == 25000000000 && config.share.ppb == WEIR_NO_SHARE);
    weir_param_print_range(weir_param_find(rows, "share"), text, sizeof(text));
    assert_string_equal(text, "0 to 1, or 1 Mbps to 8 Tbps");
    assert_int_equal(set("share", "25"), WEIR_E_RANGE);
    assert_int_equal(set("share", "0.5 Mbps"), WEIR_E_RANGE);
    assert_int_equal(set("share", "25 us"), WEIR_E_UNIT);
    assert_int_equal(config.share.bps, 25000000000); /* what is refused changes nothing */
}

static void a_list_of_sizes_is_stored_in_its_order(void **state)
{
    (void)state;
    assert_int_equal(config.sizes.count, 0);
    assert_int_equal(set("sizes", "2644 B, 26.554 KB"), 0);
    assert_int_equal(config.sizes.count, 2);
    assert_int_equal(config.sizes.bytes[0], 2644);
    assert_int_equal(config.sizes.bytes[1], 26554);
    assert_int_equal(set("sizes", "9 B ,1 KB,2 B"), 0);
    assert_int_equal(config.sizes.count, 3);
    assert_int_equal(config.sizes.bytes[0], 9);
    assert_int_equal(config.sizes.bytes[1], 1000);
    assert_int_equal(config.sizes.bytes[2], 2);
    assert_int_equal(set("sizes", "1 B"), 0);
    assert_int_equal(config.sizes.count, 1);
    assert_int_equal(config.sizes.bytes[1], 0);
    assert_int_equal(set("sizes", "1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B"), 0);
    assert_int_equal(config.sizes.count, WEIR_SIZES_MAX);
    assert_int_equal(set("sizes", "none"), 0);
    assert_int_equal(config.sizes.count, 0);
}

static void a_list_with_anything_but_sizes_is_refused(void **state)
{
    (void)state;
    assert_int_equal(set("sizes", "7 B, 8 B"), 0);
    refuses("sizes", "", WEIR_E_SYNTAX, "sizes");
    refuses("sizes", "1 B,, 2 B", WEIR_E_SYNTAX, "sizes");
    refuses("sizes", ",1 B", WEIR_E_SYNTAX, "sizes");
    refuses("sizes", " ", WEIR_E_SYNTAX, "sizes");
    refuses("sizes", "1 B, none", WEIR_E_SYNTAX, "sizes");
    refuses("sizes", "1 B, 2", WEIR_E_UNIT, "sizes");
    refuses("sizes", "1 B, 2 us", WEIR_E_UNIT, "sizes");
    refuses("sizes", "1 B, 1 BDP", WEIR_E_UNIT, "sizes");
    refuses("sizes", "1 B, 2 MB", WEIR_E_RANGE, "sizes");
    refuses("sizes", "0 B", WEIR_E_RANGE, "sizes");
    refuses("sizes", "1 B, 1000000000000000000000000000000000000000000000000000000000000000 B", WEIR_E_SYNTAX, "sizes");
    refuses("sizes", "1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B,1 B", WEIR_E_RANGE, "sizes");
}

static const struct weir_param *const tables[] = {
    weir_topology_params, weir_framing_params, weir_host_param_rows,
    weir_fabric_params,   weir_routing_params, weir_traffic_params,
    weir_run_params,      fake_params,         rows,
};

static void for_every_table(void (*test)(const struct weir_param *table))
{
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        test(tables[t]);
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++) {
        assert_true((*f)->config_bytes <= sizeof(union any_config));
        if ((*f)->params != NULL)
            test((*f)->params);
        if ((*f)->list != NULL)
            test((*f)->list->params);
    }
}

static void rows_read_what_they_print(const struct weir_param *table)
{
    static union any_config drawn, read_back;
    static uint64_t x = 2463534242u; /* fixed: a failure repeats */
    for (const struct weir_param *row = table; row->key != NULL; row++) {
        for (int i = 0; i < 500; i++) {
            char text[512];
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            memset(&drawn, 0, sizeof(drawn));
            memset(&read_back, 0, sizeof(read_back));
            draw(row, x, &drawn);
            weir_param_print(row, &drawn, text, sizeof(text));
            if (row->kind == WEIR_KIND_TEXT && row->min > 0)
                continue;
            if (weir_param_set(row, &(struct weir_tok){ .text = text }, &read_back, &err) != 0)
                fail_msg("%s: %s: %s", row->key, text, err.text);
            assert_memory_equal(&drawn, &read_back, sizeof(drawn));
        }
    }
}

static void whatever_a_row_prints_it_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    for_every_table(rows_read_what_they_print);
}

static void rows_read_their_defaults(const struct weir_param *table)
{
    static union any_config expected, read_back;
    memset(&expected, 0, sizeof(expected));
    weir_param_defaults(table, &expected);
    read_back = expected;
    for (const struct weir_param *row = table; row->key != NULL; row++) {
        char text[512];
        weir_param_print_default(row, text, sizeof(text));
        if (text[0] != '\0')
            assert_int_equal(weir_param_set(row, &(struct weir_tok){ .text = text }, &read_back, &err), 0);
    }
    assert_memory_equal(&expected, &read_back, sizeof(expected));
}

static void printed_defaults_read_back_as_defaults(void **state)
{
    (void)state;
    for_every_table(rows_read_their_defaults);
}

static void help_words_kind_and_range(void **state)
{
    char out[128];
    (void)state;
    weir_param_print_kind(weir_param_find(rows, "choice"), out, sizeof(out));
    assert_string_equal(out, "red | green | dark-blue");
    weir_param_print_kind(weir_param_find(rows, "bdp"), out, sizeof(out));
    assert_string_equal(out, "size or BDP");
    weir_param_print_range(weir_param_find(rows, "time_ps"), out, sizeof(out));
    assert_string_equal(out, "1 ns to 1 ms");
    weir_param_print_range(weir_param_find(rows, "text"), out, sizeof(out));
    assert_string_equal(out, "");
    weir_param_print_default(weir_param_find(rows, "bdp"), out, sizeof(out));
    assert_string_equal(out, "1.5 BDP");
    weir_param_print_default(weir_param_find(weir_traffic_params, "load"), out, sizeof(out));
    assert_string_equal(out, ""); /* its default lies outside its range: it must be said */
}

/* Two structs whose gaps and unused ends of texts differ are the same until one field of one row differs. */
static void structs_are_the_same_by_their_rows(void **state)
{
    static const struct {
        const char *key, *text;
    } other[] = {
        { "count", "3" },       { "seed", "7" },          { "ppm", "0.5" },    { "ppb", "0.25" },
        { "time_ps", "3 ns" },  { "rate_bps", "1 Gbps" }, { "size", "5 KB" },  { "size32", "1461 B" },
        { "bdp", "1.6 BDP" },   { "sizes", "3 B" },       { "choice", "red" }, { "flag", "off" },
        { "text", "as it is" }, { "brief", "abd" },
    };
    struct sample copy;
    (void)state;
    memset(&copy, 0x5a, sizeof(copy));
    for (const struct weir_param *row = rows; row->key != NULL; row++)
        weir_param_copy(row, &config, &copy);
    assert_string_equal(copy.text, "as it was");
    assert_true(weir_params_same(rows, &config, &copy));
    assert_true(weir_params_same(NULL, &config, &copy));
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
        if (set(other[i].key, other[i].text) != 0)
            fail_msg("%s: %s", other[i].key, err.text);
        assert_false(weir_params_same(rows, &config, &copy));
        weir_param_copy(weir_param_find(rows, other[i].key), &copy, &config);
        assert_true(weir_params_same(rows, &config, &copy));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults_are_those_of_the_rows, setup),
        cmocka_unit_test_setup(every_kind_stores_its_exact_number, setup),
        cmocka_unit_test_setup(a_list_of_numbers_keeps_their_order_and_its_range, setup),
        cmocka_unit_test_setup(the_unit_says_whether_a_value_is_a_share_or_a_rate, setup),
        cmocka_unit_test_setup(a_list_of_sizes_is_stored_in_its_order, setup),
        cmocka_unit_test_setup(a_list_with_anything_but_sizes_is_refused, setup),
        cmocka_unit_test_setup(a_size_may_be_said_in_bdp_and_is_resolved_later, setup),
        cmocka_unit_test_setup(a_time_may_be_said_in_round_trips, setup),
        cmocka_unit_test_setup(a_size_said_in_bdp_keeps_to_its_range_too, setup),
        cmocka_unit_test_setup(a_flag_takes_six_words, setup),
        cmocka_unit_test_setup(only_zero_needs_no_unit, setup),
        cmocka_unit_test_setup(a_unit_of_another_kind_is_named, setup),
        cmocka_unit_test_setup(ranges_are_told_in_the_users_units, setup),
        cmocka_unit_test_setup(what_makes_no_sense_is_refused_not_guessed, setup),
        cmocka_unit_test_setup(a_negative_number_of_any_kind_must_not_be_negative, setup),
        cmocka_unit_test_setup(an_unknown_key_gets_the_nearest_or_all, setup),
        cmocka_unit_test_setup(whatever_a_row_prints_it_reads_back_to_the_same_bits, setup),
        cmocka_unit_test_setup(printed_defaults_read_back_as_defaults, setup),
        cmocka_unit_test_setup(structs_are_the_same_by_their_rows, setup),
        cmocka_unit_test_setup(help_words_kind_and_range, setup),
    };
    return cmocka_run_group_tests_name("param/param", tests, NULL, NULL);
}
