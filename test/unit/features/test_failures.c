/* test/unit/features/test_failures.c - the random process of failures: its times by seed and part, their means, and what is refused. */
#include "core/feature.h"
#include "core/feature_setup.h"
#include "test/unit/refusal.h"
#include "features/failures/failures.h"
#include <stdio.h>
#include <string.h>

#define MEAN_UP_PS (1000 * WEIR_PS_PER_US)
#define MEAN_DOWN_PS (100 * WEIR_PS_PER_US)

/* Cables are called c0, c1, .., and have the even links. */
static uint32_t fake_cable(const struct weir_fabric_env *env, const char *name)
{
    (void)env;
    return name[0] == 'c' ? 2 * (uint32_t)(name[1] - '0') : UINT32_MAX;
}

static uint32_t fake_switches(const struct weir_fabric_env *env, const char *at, uint32_t *node, uint32_t max)
{
    (void)env;
    (void)max;
    node[0] = 40;
    return strcmp(at, "spine") == 0 ? 1 : UINT32_MAX;
}

static bool fake_is_host(const struct weir_fabric_env *env, uint32_t node)
{
    (void)env;
    return node < 30;
}

static const struct weir_fabric_network network = { .is_host = fake_is_host,
                                                    .cable = fake_cable,
                                                    .switches_at = fake_switches };
static const struct weir_tok where = { .text = "failures" };
static struct weir_failures_config cfg;
static struct weir_failures_model m;
static struct weir_err err;

static int draw(uint64_t seed, const char *cables, const char *switches, uint64_t end_ps)
{
    struct weir_fabric_env env = {
        .where = &where, .is_set = true, .seed = seed, .end_ps = end_ps, .network = &network
    };
    struct weir_feature_plan plan = { .on = false };
    int code;
    (void)snprintf(cfg.cables, sizeof(cfg.cables), "%s", cables);
    (void)snprintf(cfg.switches, sizeof(cfg.switches), "%s", switches);
    code = weir_failures_feature.setup(&cfg, &env, &m, &plan, &err);
    assert_int_equal(plan.failure_count, m.count);
    assert_true(plan.on == (code == 0));
    return code;
}

static int setup(void **state)
{
    (void)state;
    cfg = (struct weir_failures_config){ .mtbf_ps = MEAN_UP_PS, .mttr_ps = MEAN_DOWN_PS, .until_ps = UINT64_MAX };
    return 0;
}

/* Some 45,000 of either: a mean has a standard deviation of 0.5 %. */
static void times_have_their_means(void **state)
{
    uint64_t up_ps = 0, down_ps = 0, count = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t from_ps = 0;
        assert_int_equal(draw(seed, "c1", "", 500 * MEAN_UP_PS), 0);
        for (uint32_t i = 0; i < m.count; i++) {
            assert_true(m.failure[i].down_ps > from_ps && m.failure[i].up_ps > m.failure[i].down_ps);
            up_ps += m.failure[i].down_ps - from_ps;
            down_ps += m.failure[i].up_ps - m.failure[i].down_ps;
            from_ps = m.failure[i].up_ps;
        }
        count += m.count;
    }
    assert_in_range(count, 44000, 47000);
    assert_in_range(up_ps / count, MEAN_UP_PS / 100 * 98, MEAN_UP_PS / 100 * 102);
    assert_in_range(down_ps / count, MEAN_DOWN_PS / 100 * 98, MEAN_DOWN_PS / 100 * 102);
}

static void a_seed_gives_the_same_failures_and_another_gives_others(void **state)
{
    static struct weir_failures_model first;
    (void)state;
    assert_int_equal(draw(7, "c1", "", 50 * MEAN_UP_PS), 0);
    first = m;
    assert_int_equal(draw(7, "c1", "", 50 * MEAN_UP_PS), 0);
    assert_memory_equal(&first, &m, sizeof(m));
    assert_int_equal(draw(8, "c1", "", 50 * MEAN_UP_PS), 0);
    assert_int_not_equal(first.failure[0].down_ps, m.failure[0].down_ps);
    assert_int_equal(draw(7, "c0, c1", "spine", 50 * MEAN_UP_PS), 0); /* other parts change nothing of this one */
    for (uint32_t i = 0, k = 0; i < m.count; i++)
        if (m.failure[i].link == 2)
            assert_int_equal(m.failure[i].down_ps, first.failure[k++].down_ps);
    assert_int_equal(m.failure[m.count - 1].link, UINT32_MAX);
    assert_int_equal(m.failure[m.count - 1].node, 40);
}

static void no_failure_begins_at_the_end_or_after_until(void **state)
{
    uint32_t whole;
    (void)state;
    assert_int_equal(draw(7, "c1", "", 50 * MEAN_UP_PS), 0);
    whole = m.count;
    cfg.until_ps = m.failure[whole - 1].down_ps;
    assert_int_equal(draw(7, "c1", "", 50 * MEAN_UP_PS), 0);
    assert_int_equal(m.count, whole - 1);
    cfg.until_ps++;
    assert_int_equal(draw(7, "c1, c1", "", UINT64_MAX), 0); /* named twice, it fails once */
    assert_int_equal(m.count, whole);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    assert_int_equal(draw(7, "c1", "", UINT64_MAX), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, NULL, "until");
    assert_int_equal(draw(7, "x", "", MEAN_UP_PS), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, NULL, "no cable 'x'");
    assert_int_equal(draw(7, "", "tor", MEAN_UP_PS), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, NULL, "no switch is at 'tor'");
    assert_int_equal(draw(7, "c1, c2", "", 500 * MEAN_UP_PS), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "more than 512 failures");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(times_have_their_means, setup),
        cmocka_unit_test_setup(a_seed_gives_the_same_failures_and_another_gives_others, setup),
        cmocka_unit_test_setup(no_failure_begins_at_the_end_or_after_until, setup),
        cmocka_unit_test_setup(what_cannot_be_drawn_is_refused, setup),
    };
    return cmocka_run_group_tests_name("features/failures", tests, NULL, NULL);
}
