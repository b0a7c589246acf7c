/* test/unit/workload/workload_fixture.h - items and limits as a scenario would give them: 144 hosts at 100 Gb/s. */
#ifndef WEIR_TEST_WORKLOAD_FIXTURE_H
#define WEIR_TEST_WORKLOAD_FIXTURE_H
#include "test/unit/refusal.h"
#include "core/units.h"
#include "workload/workload.h"
#include <stdio.h>
#include <string.h>

/* What a scenario would put where nothing is said. */
static inline struct weir_traffic_config fix_defaults(struct weir_traffic_config item)
{
    item.fan_in = item.fan_in != 0 ? item.fan_in : 30;
    item.size.bytes = item.size.bytes != 0 ? item.size.bytes : 500000;
    item.stop_ps = item.stop_ps != 0 ? item.stop_ps : WEIR_NEVER;
    return item;
}

#define POISSON(...) fix_defaults((struct weir_traffic_config){ .kind = WEIR_TRAFFIC_POISSON, __VA_ARGS__ })
#define INCAST(...) fix_defaults((struct weir_traffic_config){ .kind = WEIR_TRAFFIC_INCAST, __VA_ARGS__ })
#define PERMUTATION(...) fix_defaults((struct weir_traffic_config){ .kind = WEIR_TRAFFIC_PERMUTATION, __VA_ARGS__ })
#define FLOWS(...) fix_defaults((struct weir_traffic_config){ .kind = WEIR_TRAFFIC_FLOWS, __VA_ARGS__ })

static struct weir_workload fix_wl;
static struct weir_err fix_err;
static struct weir_traffic_config fix_item[WEIR_TRAFFIC_MAX];
static uint32_t fix_items;
static struct weir_workload_limits fix_limits;

static inline int fix_setup(void **state)
{
    (void)state;
    fix_items = 0;
    fix_err = (struct weir_err){ 0 };
    fix_limits = (struct weir_workload_limits){
        .hosts = 144, .host_rate_bps = 100000000000, .end_ps = WEIR_PS_PER_MS, .seed = 1
    };
    return 0;
}

static inline int fix_teardown(void **state)
{
    (void)state;
    weir_workload_free(&fix_wl);
    return 0;
}

static inline void fix_add(struct weir_traffic_config item)
{
    fix_item[fix_items++] = item;
}

static inline int fix_try(void)
{
    static const struct weir_tok where[WEIR_TRAFFIC_MAX] = {
        { .file = "s.yaml", .line = 10, .col = 5 },
        { .file = "s.yaml", .line = 11, .col = 5 },
        { .file = "s.yaml", .line = 12, .col = 5 },
    };
    weir_workload_free(&fix_wl);
    return weir_workload_build(&fix_wl, fix_item, fix_items, &fix_limits, where, &fix_err);
}

static inline void fix_build(void)
{
    if (fix_try() != 0)
        fail_msg("%s:%u:%u: %s", fix_err.file, fix_err.line, fix_err.col, fix_err.text);
}

/* The workload must be refused with this code and key, at this line of s.yaml. */
static inline void fix_refuse(enum weir_err_code code, uint32_t line, const char *key)
{
    int got = fix_try();
    assert_refusal(&fix_err, code, NULL, key);
    assert_int_equal(got, code);
    assert_string_equal(fix_err.file, "s.yaml");
    assert_int_equal(fix_err.line, line);
    assert_int_equal(fix_err.col, 5);
    assert_null(fix_wl.listed);
}
#endif
