/* test/unit/shares/test_shares.c - shares as another program asks for them: from none, hand-computed; what is refused. */
#include "test/unit/weir_test.h"
#include "weir/sim.h"
#include <math.h>
#include <string.h>

static const char none[] = "topology: {kind: chain, switches: 3, hosts: 3, host_link: 400 Gbps, core_link: 100 Gbps}\n"
                           "protocol: dctcp\ntraffic: [{kind: session}]\nrun: {warmup: 0 us, measure: all}\n";
static const char some[] =
    "topology: {kind: star, hosts: 4, host_link: 100 Gbps}\n"
    "protocol: dctcp\ntraffic: [{kind: incast, fan_in: 3, size: 1 MB, period: 1 ms, stop: 1.5 ms}]\n"
    "run: {warmup: 0 us, measure: 2 ms}\n";
static struct weir_sim_shares *shares;
static struct weir_sim_changed changed;

static void open_shares(const char *text, double within)
{
    const struct weir_sim_shares_opts opts = { .size = sizeof(opts), .wire = 1, .within = within };
    struct weir_sim_error error = { 0 };
    shares = weir_sim_shares_open(text, strlen(text), &opts, &error);
    if (shares == NULL)
        fail_msg("%s", error.text);
}

static int end(void **state)
{
    (void)state;
    weir_sim_shares_close(shares);
    shares = NULL;
    return 0;
}

static int change(uint32_t kind, uint32_t flow, uint32_t src, uint32_t dst, double weight)
{
    const struct weir_sim_change it = {
        .size = sizeof(it), .kind = kind, .flow = flow, .src = src, .dst = dst, .weight = weight
    };
    changed = (struct weir_sim_changed){ .size = sizeof(changed) };
    return weir_sim_shares_change(shares, &it, &changed);
}

static void has(uint32_t flow, double gbps)
{
    double bps = -1;
    assert_int_equal(weir_sim_shares_rate(shares, flow, &bps), 0);
    if (!(fabs(bps - gbps * 1e9) <= 1e-6 * gbps * 1e9))
        fail_msg("flow %u: %g", flow, bps);
}

static void flows_come_and_go_from_none(void **state)
{
    double far;
    (void)state;
    open_shares(none, 1e-9);
    assert_int_equal(change(WEIR_SIM_ADD, 0, 0, 1, 3), 0);
    assert_int_equal(changed.flow, 1);
    assert_int_equal(changed.share_count, 1);
    assert_int_equal(changed.share[0].flow, 1);
    assert_true(changed.share[0].before_bps <= 0 && changed.share[0].rate_bps > 99e9);
    assert_int_equal(change(WEIR_SIM_ADD, 0, 0, 2, 1), 0);
    assert_int_equal(change(WEIR_SIM_ADD, 0, 1, 2, 1), 0);
    assert_int_equal(changed.flow, 3);
    has(1, 75);
    has(2, 25);
    has(3, 75);
    assert_int_equal(change(WEIR_SIM_WEIGHT, 1, 0, 0, 1), 0);
    assert_int_equal(changed.share_count, 3);
    assert_true(fabs(changed.largest - 0.5) < 1e-6);
    has(2, 50);
    assert_int_equal(change(WEIR_SIM_REMOVE, 1, 0, 0, 0), 0);
    has(2, 50);
    has(3, 50);
    assert_int_equal(weir_sim_shares_compare(shares, &far), 0);
    assert_true(far <= 1e-8);
}

static void flows_of_the_scenario_are_there(void **state)
{
    double far;
    (void)state;
    open_shares(some, 0);
    for (uint32_t f = 1; f <= 3; f++)
        has(f, 100. / 3);
    assert_int_equal(change(WEIR_SIM_REMOVE, 2, 0, 0, 0), 0);
    has(3, 50);
    assert_int_equal(change(WEIR_SIM_ADD, 0, 0, 1, 1), 0);
    assert_int_equal(changed.flow, 4);
    assert_int_equal(weir_sim_shares_compare(shares, &far), 0);
    assert_true(far <= 1e-3);
}

static void refused(int code, const char *key)
{
    assert_int_equal(code, WEIR_SIM_E_ARGUMENT);
    assert_int_equal(weir_sim_shares_error(shares)->code, WEIR_SIM_E_ARGUMENT);
    if (strstr(weir_sim_shares_error(shares)->text, key) == NULL)
        fail_msg("%s: no %s", weir_sim_shares_error(shares)->text, key);
}

static void what_cannot_be_changes_nothing(void **state)
{
    struct weir_sim_change it = { .size = sizeof(it) - 1, .kind = WEIR_SIM_REMOVE, .flow = 1 };
    double bps;
    (void)state;
    open_shares(some, 1e-9);
    refused(change(WEIR_SIM_ADD, 0, 4, 1, 1), "host 4");
    refused(change(WEIR_SIM_ADD, 0, 1, 4, 1), "host 4");
    refused(change(WEIR_SIM_ADD, 0, 1, 1, 1), "host 1");
    refused(change(WEIR_SIM_ADD, 0, 1, 2, 0), "weight");
    refused(change(WEIR_SIM_ADD, 0, 1, 2, NAN), "weight");
    refused(change(WEIR_SIM_WEIGHT, 1, 0, 0, 1000001), "weight");
    refused(change(WEIR_SIM_WEIGHT, 4, 0, 0, 1), "flow 4");
    refused(change(WEIR_SIM_REMOVE, 0, 0, 0, 0), "flow 0");
    refused(change(0, 1, 0, 0, 1), "kind");
    refused(change(4, 1, 0, 0, 1), "kind");
    refused(weir_sim_shares_change(shares, &it, &changed), "size");
    it.size = sizeof(it);
    changed.size = 0;
    refused(weir_sim_shares_change(shares, &it, &changed), "size");
    changed.size = sizeof(changed);
    it.reserved = 1;
    refused(weir_sim_shares_change(shares, &it, &changed), "reserved");
    refused(weir_sim_shares_rate(shares, 4, &bps), "flow");
    for (uint32_t f = 1; f <= 3; f++)
        has(f, 100. / 3);
}

static void not_opened(const char *text, const struct weir_sim_shares_opts *opts, uint32_t line, const char *key)
{
    struct weir_sim_error error = { 0 };
    assert_null(weir_sim_shares_open(text, strlen(text), opts, &error));
    assert_int_equal(error.code, WEIR_SIM_E_SCENARIO);
    assert_int_equal(error.line, line);
    if (strstr(error.text, key) == NULL)
        fail_msg("%s: no %s", error.text, key);
}

static void what_cannot_be_opened_is_refused(void **state)
{
    const char *const set[] = { "topology.hosts=none", NULL };
    (void)state;
    not_opened("topology: {kind: star, hosts: 4}\nprotocol: no\n", NULL, 2, "no");
    not_opened("topology: {kind: star, hosts: 4, host_link: 100 Gbps}\nprotocol: dctcp\n"
               "traffic:\n  - {kind: poisson, sizes: 1 MB, load: 50%}\nrun: {warmup: 0 us, measure: 1 ms}\n",
               NULL, 4, "poisson");
    not_opened(some, &(struct weir_sim_shares_opts){ .size = 8 }, 0, "size");
    not_opened(some, &(struct weir_sim_shares_opts){ .size = sizeof(struct weir_sim_shares_opts), .within = 0.02 }, 0,
               "within");
    not_opened(some, &(struct weir_sim_shares_opts){ .size = sizeof(struct weir_sim_shares_opts), .within = NAN }, 0,
               "within");
    not_opened(some, &(struct weir_sim_shares_opts){ .size = sizeof(struct weir_sim_shares_opts), .set = set }, 0,
               "hosts");
    assert_null(weir_sim_shares_open(some, 3, NULL, NULL));
    weir_sim_shares_close(NULL);
}

#define TEST(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flows_come_and_go_from_none),
        TEST(flows_of_the_scenario_are_there),
        TEST(what_cannot_be_changes_nothing),
        TEST(what_cannot_be_opened_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
