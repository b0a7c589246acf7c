/* test/unit/setup/test_weights.c - what weights need of a scenario: queueing delays in data, weighted round robin, a protocol that
 * heeds them; what does not go together is refused by the key to change. */
#include "test/unit/setup/file_fixture.h"
#include "features/maxqd/maxqd.h"
#include "features/phantom/phantom.h"
#include "features/wrr/wrr.h"
#include "hooks/features.h"

static const struct weir_wrr_model *queueing(const struct weir_model *m)
{
    return weir_features_find(&m->features, "wrr")->model;
}

static const struct weir_maxqd_model *delays(const struct weir_model *m)
{
    return weir_features_find(&m->features, "maxqd")->model;
}

static void read_format(const char *format)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), format, fileno(file));
    parse("/dev/fd/a.yaml", text);
}

static const struct weir_model *accepts(const char *format)
{
    read_format(format);
    return is_accepted();
}

static void refuses(const char *format, uint32_t line, enum weir_err_code code, const char *key)
{
    read_format(format);
    is_refused(line, code, key);
}

#define STAR "topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}\n" /* line 1 */
#define TREE "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2}\n"
#define FLOWS "traffic: [{kind: flows, file: '%d'}]\n"
#define JOBS "traffic: [{kind: jobs, file: '%d'}]\n"
#define RUN "run: {warmup: 0 us, measure: all}\n"
#define WEIGHTS "src,dst,bytes,start,weight\n0,1,10 KB,0,2\n2,1,10 KB,0,1\n"

/* --- queueing delays --- */

static void delays_are_told_where_the_protocol_needs_them(void **state)
{
    const struct weir_model *m;
    (void)state;
    file_set("0,1,10 KB,0\n");
    m = accepts(STAR FLOWS RUN);
    assert_null(weir_features_find(&m->features, "maxqd"));
    assert_int_equal(m->host.qdelay_unit_ps, 0);
    m = accepts(STAR "protocol: soze\n" FLOWS RUN);
    assert_int_equal(delays(m)->unit_ps, 4000);
    assert_int_equal(delays(m)->filter_ps, 10000000);
    assert_int_equal(m->host.qdelay_unit_ps, 4000);
    assert_false(m->host.track);
    m = accepts(STAR "protocol: soze\nfabric: {maxqd: {mode: on, unit: 64 ns, filter: 0 s}}\n" FLOWS RUN);
    assert_int_equal(delays(m)->unit_ps, 64000);
    assert_int_equal(delays(m)->filter_ps, 0);
}

static void delays_that_are_off_or_unread_are_refused(void **state)
{
    (void)state;
    file_set("0,1,10 KB,0\n");
    refuses(STAR "protocol: soze\nfabric: {maxqd: off}\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "soze");
    refuses(STAR "fabric: {maxqd: on, ecn: {threshold: 100 KB}}\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "fabric.maxqd");
}

/* --- weighted round robin --- */

/* The base round trip of the star: 4 us of cables, and a full packet and an ACK over two links each. */
static void phantom_delays_follow_p_and_the_round_trip(void **state)
{
    (void)state;
    file_set("0,1,10 KB,0\n");
    const struct weir_model *m = accepts(STAR "protocol: {name: soze, preset: phantom}\n" FLOWS RUN);
    const struct weir_phantom_model *p = weir_features_find(&m->features, "phantom")->model;
    uint64_t base_ps = m->host.path.base_rtt_ps, p_ps = 3 * base_ps;
    assert_int_equal(base_ps, 4000000 + 2 * (1538 + 84) * 80);
    assert_null(weir_features_find(&m->features, "maxqd"));
    assert_true(p->into_acks);
    assert_int_equal(p->base_rtt_ps, base_ps);
    assert_int_equal(p->cap_q20, 4 * p_ps << 20);
    assert_int_equal(p->unit_ps, (p_ps + 4095) / 4096);
    assert_int_equal(m->host.qdelay_unit_ps, p->unit_ps);
    assert_int_equal(p->rho_q20, 1038090);
    assert_int_equal(p->rho_min_q20, 734003);
    assert_int_equal(p->slack_bytes, 8000);
    assert_int_equal(m->host.params.nic_schedule, WEIR_NIC_WEIGHTED);
    assert_int_equal(m->host.params.nic_rate_ppm, 990000);
    m = accepts(
        STAR
        "protocol: {name: soze, signal: phantom, k: 1 us}\n"
        "fabric: {routing: ecmp, phantom: {mode: data, rho: 0.5, rho_min: 0.5, cap: 21 us, unit: 400 ps}}\n" FLOWS RUN);
    p = weir_features_find(&m->features, "phantom")->model;
    assert_false(p->into_acks);
    assert_int_equal(p->cap_q20, UINT64_C(21000000) << 20);
    assert_int_equal(p->unit_ps, 400);
    assert_int_equal(p->rho_q20, 1 << 19);
}

#define PHANTOM STAR "protocol: {name: soze, preset: phantom, p: 20 us, k: 1 us}\n"

static void phantom_delays_are_refused_that_nobody_could_read(void **state)
{
    (void)state;
    file_set("0,1,10 KB,0\n");
    refuses(STAR "protocol: dctcp\nfabric: {phantom: ack}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "phantom");
    refuses(STAR "protocol: soze\nfabric: {phantom: data}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "phantom");
    refuses(PHANTOM "fabric: {phantom: off}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "phantom");
    refuses(PHANTOM "fabric: {phantom: {rho: 0.8, rho_min: 0.800001}}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "rho_min");
    (void)accepts(PHANTOM "fabric: {phantom: {rho: 0.8, rho_min: 0.8}}\n" FLOWS RUN);
    refuses(PHANTOM "fabric: {phantom: {cap: 20.999 us}}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "cap");
    (void)accepts(PHANTOM "fabric: {phantom: {cap: 21 us}}\n" FLOWS RUN);
    /* 80 us and 4.26 of the round trip are 65535 units of 1286 ps */
    refuses(PHANTOM "fabric: {phantom: {unit: 1285 ps}}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "unit");
    (void)accepts(PHANTOM "fabric: {phantom: {unit: 1286 ps}}\n" FLOWS RUN);
    (void)accepts(PHANTOM "fabric: {phantom: {unit: 1286 ps, queue_max: 4278 ns}}\n" FLOWS RUN);
    refuses(PHANTOM "fabric: {phantom: {unit: 1286 ps, queue_max: 4279 ns}}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "unit");
    refuses(PHANTOM "fabric: {routing: spray}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "fabric.phantom");
    refuses(TREE "protocol: {name: soze, preset: phantom, p: 20 us}\nfabric: {routing: ecmp}\n" FLOWS RUN, 3,
            WEIR_E_CONFLICT, "fabric.phantom");
    (void)accepts(PHANTOM "fabric: {routing: ecmp}\n" FLOWS RUN); /* a star has one path */
    (void)accepts(
        TREE "protocol: {name: soze, preset: phantom, p: 40 us}\nfabric: {routing: spray, phantom: data}\n" FLOWS RUN);
    refuses(STAR "protocol: {name: soze, preset: phantom, p: 20 us}\nhost: {nic_queue: unlimited, nic_rate: 1, "
                 "nic_schedule: round-robin}\n" FLOWS RUN,
            2, WEIR_E_CONFLICT, "phantom");
    refuses(PHANTOM "host: {nic_schedule: round-robin}\ntraffic:\n  - {kind: permutation, size: 1 KB}\n"
                    "  - {kind: permutation, size: 1 KB, protocol: {name: soze, preset: phantom, signal: real}}\n" RUN,
            2, WEIR_E_CONFLICT, "soze");
}

static void queues_become_the_models(void **state)
{
    const struct weir_model *m;
    (void)state;
    file_set(WEIGHTS);
    m = accepts(STAR "protocol: aimd\nfabric: {queues: per-flow}\n" FLOWS RUN);
    assert_int_equal(queueing(m)->kind, WEIR_QUEUE_PER_FLOW);
    assert_true(m->host.wrr);
    assert_true(m->host.track);
    m = accepts(STAR "protocol: aimd\nfabric: {queues: {kind: groups, groups: 3, weights: [1, 20, 255]}}\n" FLOWS RUN);
    assert_int_equal(queueing(m)->kind, WEIR_QUEUE_GROUPS);
    assert_int_equal(queueing(m)->groups, 3);
    assert_int_equal(queueing(m)->group_weight[0], 1);
    assert_int_equal(queueing(m)->group_weight[1], 20);
    assert_int_equal(queueing(m)->group_weight[2], 255);
    assert_true(m->host.wrr);
}

static void groups_need_a_weight_each(void **state)
{
    (void)state;
    file_set(WEIGHTS);
    refuses(STAR "protocol: aimd\nfabric: {queues: groups}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "fabric.queues");
    refuses(STAR "protocol: aimd\nfabric: {queues: {kind: groups, groups: 2, weights: [1, 2, 3]}}\n" FLOWS RUN, 3,
            WEIR_E_CONFLICT, "fabric.queues");
    refuses(STAR "protocol: aimd\nfabric: {queues: {kind: groups, groups: 2, weights: [1, 256]}}\n" FLOWS RUN, 3,
            WEIR_E_RANGE, "weights");
    refuses(STAR "protocol: aimd\nfabric: {queues: {kind: groups, groups: 2, weights: [0, 2]}}\n" FLOWS RUN, 3,
            WEIR_E_RANGE, "weights");
    refuses(STAR "protocol: aimd\nfabric: {queues: {kind: groups, groups: 2, weights: [1.5, 2]}}\n" FLOWS RUN, 3,
            WEIR_E_RANGE, "weights");
    refuses(STAR "protocol: aimd\nfabric: {queues: {kind: per-flow, weights: [1, 2]}}\n" FLOWS RUN, 3, WEIR_E_CONFLICT,
            "weights");
}

static void round_robin_does_not_go_with_everything(void **state)
{
    (void)state;
    file_set("0,1,10 KB,0\n");
    refuses(STAR "protocol: hpcc\nfabric: {queues: per-flow}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "weighted");
    refuses(STAR "protocol: aimd\nfabric: {queues: per-flow, pfc: static, buffer: 16 MB}\n" FLOWS RUN, 3,
            WEIR_E_CONFLICT, "weighted");
    refuses(STAR "protocol: rocc\nfabric: {queues: per-flow}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "weighted");
    refuses(STAR "protocol: aimd\nfabric: {queues: per-flow, priorities: 2}\n" FLOWS RUN, 3, WEIR_E_CONFLICT,
            "weighted");
    refuses(STAR "protocol: sird\nfabric: {queues: per-flow, priorities: 1}\n" FLOWS RUN, 3, WEIR_E_CONFLICT,
            "weighted");
    refuses(STAR "protocol: aimd\nhost: {nic_queue: unlimited}\nfabric: {queues: per-flow}\n" FLOWS RUN, 4,
            WEIR_E_CONFLICT, "weighted");
}

/* --- host.nic_schedule and host.nic_rate --- */

static void a_nic_that_reads_weights_is_enough(void **state)
{
    (void)state;
    file_set(WEIGHTS);
    const struct weir_model *m =
        accepts(STAR "protocol: dctcp\nhost: {nic_schedule: weighted, nic_rate: 0.99}\n" FLOWS RUN);
    assert_true(m->host.track);
    assert_int_equal(m->host.params.nic_schedule, WEIR_NIC_WEIGHTED);
    assert_int_equal(m->host.params.nic_rate_ppm, 990000);
    for (uint32_t l = 0; l < m->topo->link_count; l++)
        assert_int_equal(weir_model_link_bps(m, l),
                         m->topo->link[l].rate_bps / 100 * (m->topo->link[l].src < m->topo->host_count ? 99 : 100));
    refuses(STAR "protocol: dctcp\nhost: {nic_rate: 0.99}\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "dctcp");
}

static void keys_of_the_nic_do_not_go_with_everything(void **state)
{
    (void)state;
    file_set("0,1,10 KB,0\n");
    refuses(STAR "host: {nic_schedule: weighted, nic_queue: unlimited}\n" FLOWS RUN, 2, WEIR_E_CONFLICT,
            "nic_schedule");
    refuses(STAR "host: {nic_rate: 0.5, nic_queue: unlimited}\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "nic_rate");
    (void)accepts(STAR "host: {nic_rate: 1, nic_schedule: round-robin, nic_queue: unlimited}\n" FLOWS RUN);
    refuses(STAR "protocol: sird\nhost: {nic_schedule: weighted}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "nic_schedule");
    refuses(STAR "protocol: sird\nhost: {nic_rate: 0.999999}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "nic_rate");
    refuses(STAR "protocol: none\nhost: {nic_schedule: weighted}\n" FLOWS RUN, 3, WEIR_E_CONFLICT, "nic_schedule");
    refuses(STAR "host: {nic_schedule: weighted}\nfabric: {priorities: 2}\n"
                 "traffic:\n  - {kind: permutation, size: 1 KB}\n"
                 "  - {kind: permutation, size: 1 KB, protocol: cubic, class: 1}\n" RUN,
            2, WEIR_E_CONFLICT, "nic_schedule");
    (void)accepts(STAR "host: {nic_rate: 0.5}\nfabric: {priorities: 2}\n"
                       "traffic:\n  - {kind: permutation, size: 1 KB}\n"
                       "  - {kind: permutation, size: 1 KB, protocol: cubic, class: 1}\n" RUN);
}

/* --- weights --- */

static void dart_reads_weights_where_it_is_to(void **state)
{
    (void)state;
    file_set(WEIGHTS);
    assert_true(accepts(STAR "protocol: {name: dart, weights: true}\n" FLOWS RUN)->workload->weighted);
    refuses(STAR "protocol: dart\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "dart");
}

static void weights_that_nobody_heeds_are_refused(void **state)
{
    (void)state;
    file_set(WEIGHTS);
    refuses(STAR "protocol: hpcc\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "hpcc");
    refuses(STAR "protocol: sird\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "sird");
    file_set("policy: equal-finish\njobs: [{name: q, flows: [{name: a, from: 0, to: 1, size: 1 KB}, {name: b, from: 2, "
             "to: 1, size: 2 KB}]}]\n");
    refuses(STAR "protocol: hpcc\n" JOBS RUN, 2, WEIR_E_CONFLICT, "hpcc");
    assert_false(accepts(STAR "protocol: hpcc\ntraffic: [{kind: jobs, file: '%d', policy: fair}]\n" RUN)->host.track);
    assert_true(accepts(STAR "protocol: soze\n" JOBS RUN)->host.track);
    file_set(WEIGHTS);
    assert_false(
        accepts(STAR "protocol: hpcc\ntraffic: [{kind: flows, file: '%d', connections: weight}]\n" RUN)->host.track);
    assert_int_equal(setup.workload.finite_messages, 3);
}

/* A thousandth of the weight that alpha: auto is for: such a flow could not fill a link by the law; its share is a share. */
static void shares_of_weights_that_only_the_law_cannot_carry_are_solved(void **state)
{
    (void)state;
    file_set("src,dst,bytes,start,weight\n0,1,10 KB,0,1\n2,1,10 KB,0,0.001\n");
    refuses(STAR "protocol: soze\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "min_weight");
    assert_int_equal(weir_setup_init_for_shares(&setup, &scn, &err), 0);
    is_set_up = true;
    assert_int_equal(setup.workload.listed[1].weight_q20, 1049);
    refuses(STAR "protocol: hpcc\n" FLOWS RUN, 2, WEIR_E_CONFLICT, "hpcc");
    assert_int_equal(weir_setup_init_for_shares(&setup, &scn, &err), 0);
    is_set_up = true;
    read_format(STAR "protocol: soze\nfabric: {maxqd: off}\n" FLOWS RUN); /* not of weights: refused as for a run */
    assert_int_equal(weir_setup_init_for_shares(&setup, &scn, &err), WEIR_E_CONFLICT);
    assert_int_equal(err.line, 2);
}

/* --- jobs --- */

static void jobs_become_the_workloads(void **state)
{
    const struct weir_model *m;
    (void)state;
    file_set(
        "jobs: [{name: q, flows: [{name: a, from: 0, to: 1, size: 1 KB}, {name: b, from: 1, to: 2, size: 2 KB, after: "
        "a}]}]\n");
    m = accepts(TREE "protocol: soze\n"
                     "traffic: [{kind: permutation, size: 1 KB}, {kind: jobs, file: '%d', start: 1 us}]\n" RUN);
    assert_ptr_equal(m->workload->jobs, &setup.jobs);
    assert_int_equal(m->workload->tag_count, 2);
    assert_int_equal(m->workload->finite_messages, 6);
    assert_false(m->workload->endless);
    assert_int_equal(setup.jobs.flow[0].start_ps, 1000000);
    assert_int_equal(setup.jobs.flow[0].item, 1);
}

static void jobs_of_long_flows_are_refused_without_acknowledgements(void **state)
{
    (void)state;
    file_set("jobs: [{name: q, flows: [{name: a, from: 0, to: 1, size: 1 MB}]}]\n");
    refuses(STAR "protocol: none\n" JOBS RUN, 2, WEIR_E_CONFLICT, "none");
}

static void what_is_wrong_in_a_file_of_jobs_is_told_there(void **state)
{
    (void)state;
    file_set("jobs:\n- name: q\n  flows:\n  - {name: a, from: 0, to: 9, size: 1 KB}\n");
    refuses(STAR "protocol: soze\n" JOBS RUN, 4, WEIR_E_RANGE, "host 9");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_file, end_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(delays_are_told_where_the_protocol_needs_them),
        TEST(delays_that_are_off_or_unread_are_refused),
        TEST(phantom_delays_follow_p_and_the_round_trip),
        TEST(phantom_delays_are_refused_that_nobody_could_read),
        TEST(queues_become_the_models),
        TEST(groups_need_a_weight_each),
        TEST(round_robin_does_not_go_with_everything),
        TEST(a_nic_that_reads_weights_is_enough),
        TEST(keys_of_the_nic_do_not_go_with_everything),
        TEST(dart_reads_weights_where_it_is_to),
        TEST(weights_that_nobody_heeds_are_refused),
        TEST(shares_of_weights_that_only_the_law_cannot_carry_are_solved),
        TEST(jobs_become_the_workloads),
        TEST(jobs_of_long_flows_are_refused_without_acknowledgements),
        TEST(what_is_wrong_in_a_file_of_jobs_is_told_there),
    };
    return cmocka_run_group_tests_name("setup/weights", tests, NULL, NULL);
}
