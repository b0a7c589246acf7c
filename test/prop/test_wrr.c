/* test/prop/test_wrr.c - weighted round robin in a star: three flows of 600 packets to one host, whose ends are known to the picosecond. */
#include "core/cc.h"
#include "features/wrr/wrr.h"
#include "test/prop/rig.h"
#include "model/account.h"
#include "workload/jobs.h"

enum { FRAME_PS = 1538 * 80, DELAY_PS = 1000000, PKTS = 600 };

/* --- a law that never waits --- */

static void eager_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES };
}

static const struct weir_cc_ops eager = { .name = "eager", .state_bytes = sizeof(struct weir_cc), .init = eager_init };

static uint64_t end_ps[3]; /* by source */

static int note_end(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(row[i].d.id >> 40, 0, 2);
        end_ps[row[i].d.id >> 40] = row[i].d.end_ps;
    }
    return 0;
}

/* Hosts 0, 1 and 2 start at once and send to 3 with weights 1, 2 and 3. */
static void run_star(const struct weir_wrr_model *wrr)
{
    static run_fn *const simulators[] = { weir_oracle_run, weir_sim_run };
    struct weir_model *m = &rig.setup.model;
    begin("topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}\nprotocol: {name: dctcp}\n"
          "fabric: {ecn: {threshold: 1 GB}}\nhost: {rto_min: 100 ms, rto_init: 100 ms}\n"
          "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n");
    m->host.cc = &eager;
    m->host.track = m->host.wrr = true;
    m->features.on[m->features.count++] = (struct weir_feature_on){ .row = &weir_wrr_feature, .model = wrr };
    for (uint32_t h = 0; h < 3; h++) {
        list(h, 3, (uint64_t)PKTS * 1460, 0);
        rig.listed[h].weight_q20 = (h + 1) * WEIR_WEIGHT_ONE;
    }
    use_list();
    rig.wl.weighted = true;
    for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); i++) {
        struct weir_sim_options options = { .threads = 1, .check = true, .rows = note_end };
        struct weir_result result;
        struct weir_err err = { 0 };
        memset(end_ps, 0, sizeof(end_ps));
        if (simulators[i](m, &options, &result, &err) != 0)
            fail_msg("%s", err.text);
        keep(&result);
    }
    end();
}

/* When the n-th packet to leave the switch has arrived: all of them follow each other. */
static uint64_t arrival_ps(uint64_t n)
{
    return FRAME_PS + DELAY_PS + n * FRAME_PS + DELAY_PS;
}

/* Of each six packets one, two and three are theirs. The last of flow 2 is the last of 200 such rounds; then it is one and two of
 * three for the 200 that flow 1 has left, and flow 0 ends with all 1800. */
static void flows_share_by_weight_packet_by_packet(void **state)
{
    (void)state;
    run_star(&(struct weir_wrr_model){ .kind = WEIR_QUEUE_PER_FLOW });
    assert_int_equal(end_ps[2], arrival_ps(1200));
    assert_int_equal(end_ps[1], arrival_ps(1500));
    assert_int_equal(end_ps[0], arrival_ps(1800));
}

/* A group each. */
static void groups_share_by_weight_packet_by_packet(void **state)
{
    (void)state;
    run_star(&(struct weir_wrr_model){ .kind = WEIR_QUEUE_GROUPS, .groups = 3, .group_weight = { 3, 1, 2 } });
    assert_int_equal(end_ps[2], arrival_ps(1200));
    assert_int_equal(end_ps[1], arrival_ps(1500));
    assert_int_equal(end_ps[0], arrival_ps(1800));
}

/* Without weights of their own they take turns: the last three packets are one of each. */
static void in_one_group_they_stand_in_one_queue(void **state)
{
    (void)state;
    run_star(&(struct weir_wrr_model){ .kind = WEIR_QUEUE_GROUPS, .groups = 1, .group_weight = { 5 } });
    for (uint32_t h = 0; h < 3; h++)
        assert_int_equal(end_ps[h], arrival_ps(1798 + h));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_share_by_weight_packet_by_packet),
        cmocka_unit_test(groups_share_by_weight_packet_by_packet),
        cmocka_unit_test(in_one_group_they_stand_in_one_queue),
    };
    return cmocka_run_group_tests_name("prop/wrr", tests, NULL, NULL);
}
