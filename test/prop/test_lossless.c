/* test/prop/test_lossless.c - pause frames, telemetry and RoCC's controllers in networks whose answer is known without running. */
#include "core/feature_setup.h"
#include "test/prop/rig.h"
#include "core/rng.h"
#include "core/rocc_cp_core.h"
#include "features/fair_rate/fair_rate.h"
#include "features/int/int.h"
#include "features/pfc/pfc_core.h"
#include "proto/hpcc/hpcc_core.h"
#include "hooks/features.h"
#include <stdlib.h>

enum { FRAME = 1538, FRAME_PS = FRAME * 80, SHORT_PS = 84 * 80, PAYLOAD = 1460, HEARD_MAX = 4096 };

/* --- a law that always has the same window, and remembers what it is told --- */

struct heard {
    uint64_t now_ps, value;
    uint32_t hop_count, source;
    struct weir_int_hop hop;
};
static struct heard acks[HEARD_MAX], notices[HEARD_MAX];
static uint32_t ack_count, notice_count;

static void fixed_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES };
}

static void fixed_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    if (ack_count == HEARD_MAX)
        return;
    acks[ack_count] = (struct heard){ .now_ps = ack->now_ps, .hop_count = ack->hop_count };
    if (ack->hop_count > 0)
        acks[ack_count].hop = ack->hop[0];
    ack_count++;
}

static void fixed_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)cc, (void)config;
    assert_int_equal(notice->kind, WEIR_ROCC_CP_NOTICE);
    assert_true(notice_count < HEARD_MAX);
    notices[notice_count++] =
        (struct heard){ .now_ps = notice->now_ps, .value = notice->value, .source = notice->source };
}

static const struct weir_cc_ops fixed_plain = { .name = "fixed",
                                                .state_bytes = sizeof(struct weir_cc),
                                                .init = fixed_init,
                                                .on_ack = fixed_on_ack,
                                                .on_notice = fixed_on_notice },
                                fixed_int = { .name = "fixed",
                                              .state_bytes = sizeof(struct weir_cc),
                                              .needs = WEIR_NEED_INT,
                                              .init = fixed_init,
                                              .on_ack = fixed_on_ack },
                                fixed_ack_int = { .name = "fixed",
                                                  .state_bytes = sizeof(struct weir_cc),
                                                  .needs = WEIR_NEED_ACK_INT,
                                                  .init = fixed_init,
                                                  .on_ack = fixed_on_ack };

/* ---- features as their set-up would have them, but for what a test changes ---- */

static struct weir_pfc_model pfc;
static struct weir_int_model telemetry;

static void begin_fixed(const char *topology, const char *run_text, const struct weir_cc_ops *law)
{
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "topology: %s\nprotocol: {name: dctcp}\nfabric: {ecn: {threshold: 1 GB}}\n"
                   "host: {rto_min: 100 ms, rto_init: 100 ms}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, %s}\n",
                   topology, run_text);
    begin(text);
    rig.setup.model.host.cc = law;
}

static void use_telemetry(bool into_acks, uint32_t records_max)
{
    const struct weir_feature_plan plan = { .on = true, .records_max = records_max, .rates = &telemetry.rates };
    telemetry = (struct weir_int_model){ .rates = { .bps = { UINT64_C(100000000000) }, .count = 1 },
                                         .into_acks = into_acks,
                                         .multi = 4 };
    weir_features_add(&rig.setup.model.features, &weir_int_feature, &telemetry, &plan);
    rig.setup.model.host.rates = &telemetry.rates;
}

static run_fn *const simulators[] = { weir_oracle_run, weir_sim_run };

static int earlier(const void *a, const void *b)
{
    const struct heard *x = a, *y = b;
    return (x->now_ps > y->now_ps) - (x->now_ps < y->now_ps);
}

/* Every simulator tells the same; what the law heard is from the last, which visits one host after the other: put in order. */
static void run_and_end(struct weir_result *result)
{
    use_list();
    for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); i++) {
        uint64_t digest = result->digest;
        ack_count = notice_count = 0;
        *result = run(simulators[i], NULL);
        assert_true(i == 0 || result->digest == digest);
    }
    qsort(acks, ack_count, sizeof(acks[0]), earlier);
    qsort(notices, notice_count, sizeof(notices[0]), earlier);
    end();
}

/* --- PFC --- */

static void use_static_pfc(uint64_t xoff_bytes, uint64_t xon_bytes)
{
    const struct weir_feature_plan plan = { .on = true, .lossless = 1, .lanes = 1 };
    pfc = (struct weir_pfc_model){ .is_static = true,
                                   .lossless = 1,
                                   .mtu_bytes = FRAME,
                                   .xoff_bytes = xoff_bytes,
                                   .xon_bytes = xon_bytes,
                                   .memory_bytes = UINT64_MAX,
                                   .host_link_bps = rig.setup.topo.host_link_bps };
    weir_features_add(&rig.setup.model.features, &weir_pfc_feature, &pfc, &plan);
}

static void limit_memory(uint64_t bytes)
{
    rig.setup.model.memory_bytes = pfc.memory_bytes = bytes;
}

static const struct weir_feature_count *count_of(const struct weir_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->feature_counts; i++)
        if (strcmp(r->feature_count[i].counter->name, name) == 0)
            return &r->feature_count[i];
    fail_msg("nothing is counted as '%s'", name);
    return NULL;
}

static uint64_t counted(const struct weir_result *r, const char *name)
{
    return count_of(r, name)->value;
}

/* A fast link into a slow one, which takes 12.3 us per frame. Two delays and a pause frame last 16 frames and 2 ps, so that
 * 17 more begin before the sender has heard: with the one that crossed the threshold the whole headroom, to the byte. */
enum { EDGE_DELAY_PS = 980961, SLOW_FRAME_PS = FRAME * 8000 };

static struct weir_result into_a_slow_link(uint64_t headroom_bytes, const char *run_text)
{
    struct weir_result r = { 0 };
    begin_fixed("{kind: dumbbell, hosts: 2, host_link: 100 Gbps, core_link: 1 Gbps, host_delay: 980961 ps, "
                "core_delay: 1 us}",
                run_text, &fixed_plain);
    use_static_pfc(2 * FRAME, 2 * FRAME);
    pfc.fixed_headroom = true;
    pfc.headroom_bytes = headroom_bytes;
    list(0, 1, 1000 * PAYLOAD, 0);
    run_and_end(&r);
    return r;
}

static void headroom_is_enough_to_the_byte(void **state)
{
    static const struct weir_pfc_cable edge = { UINT64_C(100000000000), EDGE_DELAY_PS, UINT64_C(100000000000),
                                                EDGE_DELAY_PS };
    uint64_t headroom = weir_pfc_headroom_bytes(&edge, FRAME, 0, 1);
    struct weir_result r = into_a_slow_link(headroom, "measure: 10 us");
    (void)state;
    assert_int_equal(headroom, 18 * FRAME);
    assert_int_equal(r.drops + counted(&r, "lossless_drops"), 0);
    assert_int_equal(r.port_queue.max_bytes / FRAME, 19); /* twenty frames held, part of the first one sent */
    r = into_a_slow_link(headroom - 1, "measure: 10 us");
    assert_int_equal(r.drops, 1);
    assert_int_equal(counted(&r, "lossless_drops"), 1);
    assert_int_equal(count_of(&r, "lossless_drops")->link, 0); /* the sender's */
}

static void a_pause_begins_and_ends_at_known_instants(void **state)
{
    uint64_t way_ps = SHORT_PS + EDGE_DELAY_PS; /* of a pause or resume frame */
    uint64_t third_ps = 3 * FRAME_PS + EDGE_DELAY_PS, paused_ps = third_ps + way_ps;
    /* of twenty, nineteen have left when less than two are held */
    uint64_t resumed_ps = FRAME_PS + EDGE_DELAY_PS + UINT64_C(19) * SLOW_FRAME_PS + way_ps;
    uint64_t again_ps = resumed_ps + 2 * FRAME_PS + EDGE_DELAY_PS + way_ps; /* one is held, two more are too many */
    struct weir_result r = into_a_slow_link(1000000, "measure: 240 us");
    (void)state;
    assert_int_equal(paused_ps, 2337762);
    assert_int_equal(resumed_ps, 235867682);
    assert_int_equal(counted(&r, "pause_frames"), 2);
    assert_int_equal(counted(&r, "resume_frames"), 1);
    assert_int_equal(counted(&r, "pause_frames_arrived"), 2);
    assert_int_equal(counted(&r, "resume_frames_arrived"), 1);
    assert_int_equal(counted(&r, "paused_longest"), resumed_ps - paused_ps);
    assert_int_equal(count_of(&r, "paused_longest")->link, 0);
    assert_int_equal(counted(&r, "paused"), resumed_ps - paused_ps + 240 * WEIR_PS_PER_US - again_ps);
}

/* Each sender's link carries one share of the port's rate; it is let go now and then, and stands still the rest of the time. */
static void senders_into_one_port(uint32_t n, bool is_static)
{
    char topology[128];
    struct weir_result r = { 0 };
    double stood, goodput;
    (void)snprintf(topology, sizeof(topology),
                   "{kind: star, hosts: %" PRIu32 ", host_link: 100 Gbps, host_delay: 1 us}", n + 1);
    begin_fixed(topology, "measure: 1 ms", &fixed_plain);
    use_static_pfc(100000, 90000);
    limit_memory(n * 160000); /* and the receiver's in-link brings nothing but ACKs */
    if (!is_static) {
        limit_memory(2000000);
        pfc.is_static = false;
        pfc.alpha_shift = 3;
        pfc.reserve_bytes = 4096;
        pfc.resume_offset_bytes = 3072;
    }
    for (uint32_t i = 0; i < n; i++)
        list(i, n, 8000 * PAYLOAD, 0);
    run_and_end(&r);
    stood = (double)counted(&r, "paused") / n / 1e9;
    goodput = (double)r.goodput_bps * (n + 1);
    (void)printf("%s, %" PRIu32 " senders: %" PRIu64
                 " pauses, stood %.4f of the time, %.3f Gb/s, queue at most %" PRIu64 " bytes, Jain %.5f\n",
                 is_static ? "static" : "dynamic", n, counted(&r, "pause_frames"), stood, goodput * 1e-9,
                 r.port_queue.max_bytes, (double)r.jain_ppm * 1e-6);
    assert_int_equal(r.drops, 0);
    assert_true(counted(&r, "pause_frames") > 10);
    assert_in_range(counted(&r, "pause_frames") - counted(&r, "resume_frames"), 0,
                    n); /* in turn: at most one more, per sender */
    assert_in_range(counted(&r, "pause_frames") - counted(&r, "pause_frames_arrived"), 0, n);
    assert_in_range(counted(&r, "resume_frames") - counted(&r, "resume_frames_arrived"), 0, n);
    assert_true(stood > 1 - 1.0 / n - 0.05 && stood < 1 - 1.0 / n + 0.01); /* they all run at first */
    assert_true(goodput > 0.995 * 1e11 * PAYLOAD / FRAME && r.jain_ppm > 990000);
}

static void paused_senders_share_a_port_without_loss(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 16; n *= 2) {
        senders_into_one_port(n, true);
        senders_into_one_port(n, false);
    }
}

/* The least buffer that the rule for headroom admits: every account of the busiest switch full. */
static uint64_t least_buffer_bytes(const struct weir_pfc_model *m)
{
    const struct weir_topology *topo = &rig.setup.topo;
    uint64_t most = 0;
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < topo->node[n].in_count; i++) {
            const struct weir_link *link = &topo->link[topo->in_link[topo->node[n].first_in + i]];
            const struct weir_link *back = &topo->link[link->reverse];
            struct weir_pfc_cable cable = { link->rate_bps, link->delay_ps, back->rate_bps, back->delay_ps };
            struct weir_pfc_in in = weir_pfc_in_of(m, &cable, rig.setup.model.host.path.rate_bps);
            sum += weir_pfc_in_bytes(m, &in);
        }
        most = weir_max_u64(most, sum);
    }
    return most;
}

static void choose_pfc(struct weir_rng *rng)
{
    uint64_t xoff = 2000 + weir_rng_below(weir_rng_next(rng), 100000);
    use_static_pfc(xoff, xoff - weir_rng_below(weir_rng_next(rng), (uint32_t)xoff / 2));
    pfc.is_static = weir_rng_below(weir_rng_next(rng), 2);
    pfc.alpha_shift = weir_rng_below(weir_rng_next(rng), 4);
    pfc.reserve_bytes = weir_rng_below(weir_rng_next(rng), 8192);
    pfc.resume_offset_bytes = weir_rng_below(weir_rng_next(rng), 4096);
    limit_memory(least_buffer_bytes(&pfc));
    if (!pfc.is_static)
        limit_memory(pfc.memory_bytes + weir_rng_below(weir_rng_next(rng), 1000000));
}

static const uint32_t some_gbps[] = { 10, 25, 40, 56, 100, 200, 400 };

/* Every link gets a delay of its own and, but for those from hosts, a rate. */
static void make_directions_unlike(struct weir_rng *rng)
{
    struct weir_topology *topo = &rig.setup.topo;
    for (uint32_t l = 0; l < topo->link_count; l++) {
        topo->link[l].delay_ps = (100 + weir_rng_below(weir_rng_next(rng), 5000)) * WEIR_PS_PER_NS;
        if (topo->link[l].src >= topo->host_count)
            topo->link[l].rate_bps = some_gbps[weir_rng_below(weir_rng_next(rng), 7)] * UINT64_C(1000000000);
    }
}

static struct weir_result random_incast(uint64_t seed, bool unlike)
{
    const uint32_t *gbps = some_gbps;
    struct weir_rng rng = { .key = weir_rng_key(seed, 2, WEIR_RNG_TEST, 0) };
    struct weir_result r = { 0 };
    char topology[256];
    uint32_t receiver = weir_rng_below(weir_rng_next(&rng), 12);
    (void)snprintf(topology, sizeof(topology),
                   "{kind: leaf-spine, hosts: 12, racks: 3, spines: 2, host_link: %" PRIu32 " Gbps, core_link: %" PRIu32
                   " Gbps, host_delay: %" PRIu32 " ns, core_delay: %" PRIu32 " ns}",
                   gbps[weir_rng_below(weir_rng_next(&rng), 7)], gbps[weir_rng_below(weir_rng_next(&rng), 7)],
                   100 + weir_rng_below(weir_rng_next(&rng), 3000), 100 + weir_rng_below(weir_rng_next(&rng), 3000));
    begin_fixed(topology, "measure: all", &fixed_plain);
    if (unlike)
        make_directions_unlike(&rng);
    choose_pfc(&rng);
    for (uint32_t h = 0; h < 12; h++)
        if (h != receiver)
            list(h, weir_rng_below(weir_rng_next(&rng), 4) != 0 ? receiver : (h + 1) % 12,
                 1 + weir_rng_below(weir_rng_next(&rng), 200000), weir_rng_below(weir_rng_next(&rng), 5000000));
    run_and_end(&r);
    return r;
}

/* Half of them over cables whose directions are unlike. */
static void random_incasts_lose_nothing_in_the_least_buffer(void **state)
{
    enum { INCASTS = 1000 };
    uint64_t pauses = 0, paused = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= INCASTS; seed++) {
        struct weir_result r = random_incast(seed, seed % 2 == 0);
        if (r.drops != 0 || r.messages_completed != 11 ||
            counted(&r, "pause_frames") != counted(&r, "pause_frames_arrived") ||
            counted(&r, "resume_frames") != counted(&r, "pause_frames") ||
            counted(&r, "resume_frames_arrived") != counted(&r, "resume_frames"))
            fail_msg("incast %" PRIu64 ": %" PRIu64 " drops, %" PRIu64 " of 11 messages, %" PRIu64 " pauses", seed,
                     r.drops, r.messages_completed, counted(&r, "pause_frames"));
        assert_int_equal(r.retransmissions, 0);
        pauses += counted(&r, "pause_frames");
        paused += counted(&r, "pause_frames") > 0;
    }
    (void)printf("%d incasts, %" PRIu64 " with pauses, %" PRIu64 " pauses\n", INCASTS, paused, pauses);
    assert_true(paused > INCASTS / 2);
}

/* An incast of all other hosts, and short messages that wait behind it, until all have arrived. */
static struct weir_result paused_run(run_fn *simulate, const char *protocol, const char *host)
{
    struct weir_result r;
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: leaf-spine, hosts: 16, racks: 4, spines: 2, host_link: 40 Gbps, core_link: 40 "
                   "Gbps}\nprotocol: %s\nhost: {data_class: 1, ack_class: 2%s}\n"
                   "fabric: {priorities: 3, buffer: 16 MB, pfc: {kind: static, xoff: 150 KB}}\ntraffic:\n"
                   "  - {kind: poisson, sizes: 20 KB, load: 20%%, stop: 2 ms}\n"
                   "  - {kind: incast, fan_in: 15, size: 1 MB, load: 60%%, stop: 1 ms, arrivals: poisson}\n"
                   "run: {warmup: 0 ms, measure: all, seed: 5}\n",
                   protocol, host);
    begin(text);
    r = run(simulate, NULL);
    end();
    assert_int_equal(r.drops + r.losses, 0);
    assert_int_equal(r.messages_completed, r.messages_started);
    return r;
}

/* The timer that nobody sets outlasts every pause. With one that does not, all that is sent again arrives twice. */
static void a_pause_is_no_loss(void **state)
{
    static const char *const law[] = { "{name: dcqcn, preset: paper-40g}", "timely", "rocc" };
    (void)state;
    for (size_t i = 0; i < sizeof(law) / sizeof(law[0]); i++) {
        struct weir_result r = paused_run(weir_sim_run, law[i], ""), must;
        assert_true(counted(&r, "pause_frames") > 100);
        assert_int_equal(r.retransmissions + r.duplicates + r.timeouts, 0);
        r = paused_run(weir_sim_run, law[i], ", rto_min: 1 ms, rto_init: 5 ms");
        assert_true(r.timeouts > 0);
        assert_in_range(r.duplicates, r.retransmissions - 10, r.retransmissions); /* a copy may still be on its way */
        assert_true(r.duplicates > 50);
        must = paused_run(weir_oracle_run, law[i], ", rto_min: 1 ms, rto_init: 5 ms");
        assert_int_equal(r.digest, must.digest);
        assert_int_equal(r.duplicates, must.duplicates);
    }
}

/* What a cable takes with it is sent again after the timer, and until then the run does not count as stalled. */
static void a_cable_that_fails_costs_a_timer(void **state)
{
    struct weir_result r[2];
    (void)state;
    begin("topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 1 us}\nprotocol: timely\n"
          "fabric:\n  pfc: {kind: static, xoff: 60 KB}\n  events:\n"
          "    - {at: 1500 ns, link: host 0 - switch 0, action: down}\n"
          "    - {at: 10 us, link: host 0 - switch 0, action: up}\n"
          "traffic: [{kind: permutation, size: 1460 B, stop: 1 us}]\nrun: {warmup: 0 ms, measure: all}\n");
    for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); i++)
        r[i] = run(simulators[i], NULL);
    end();
    assert_true(r[0].losses > 0 && r[0].timeouts > 0 && r[0].retransmissions > 0);
    assert_false(r[0].stalled || r[1].stalled);
    assert_int_equal(r[0].messages_completed, 3);
    assert_in_range(r[0].sim_ps, 100 * WEIR_PS_PER_MS, 110 * WEIR_PS_PER_MS);
    assert_int_equal(r[1].digest, r[0].digest);
    assert_int_equal(r[1].duplicates, r[0].duplicates);
}

struct traced {
    struct weir_control_row row[4096];
    size_t count, batches;
};

static int keep_pauses(void *ctx, const struct weir_control_row *row, size_t count)
{
    struct traced *t = ctx;
    assert_true(t->count + count <= sizeof(t->row) / sizeof(t->row[0]));
    memcpy(t->row + t->count, row, count * sizeof(*row));
    t->count += count;
    t->batches++;
    return 0;
}

static struct traced *trace_of(uint32_t threads, struct weir_result *result)
{
    struct traced *t = calloc(1, sizeof(*t));
    struct weir_sim_options options = { .threads = threads, .check = true, .control = keep_pauses, .control_ctx = t };
    struct weir_err err;
    assert_non_null(t);
    assert_int_equal(weir_sim_run(&rig.setup.model, &options, result, &err), 0);
    keep(result);
    return t;
}

/* Sixteen senders into one port, for longer than one batch of rows: each frame that arrived is told once, in order of time, and for a port
 * and class pause and resume take turns. */
static void the_trace_tells_each_frame_in_order(void **state)
{
    struct weir_result r = { 0 };
    struct traced *one, *two;
    uint64_t pauses = 0;
    bool paused[64] = { false };
    (void)state;
    begin_fixed("{kind: star, hosts: 17, host_link: 100 Gbps, host_delay: 1 us}", "measure: 3 ms", &fixed_plain);
    use_static_pfc(100000, 90000);
    limit_memory(16 * 160000);
    for (uint32_t i = 0; i < 16; i++)
        list(i, 16, 30000 * PAYLOAD, 0);
    use_list();
    two = trace_of(2, &r);
    one = trace_of(1, &r);
    assert_int_equal(one->count, counted(&r, "pause_frames_arrived") + counted(&r, "resume_frames_arrived"));
    assert_true(one->count > 100 && one->batches >= 3);
    assert_int_equal(one->count, two->count);
    for (size_t i = 0; i < one->count; i++) {
        const struct weir_control_row *row = &one->row[i], *same = &two->row[i];
        assert_true(row->at_ps == same->at_ps && row->link == same->link && row->code == same->code);
        assert_true(i == 0 || row[-1].at_ps < row->at_ps || (row[-1].at_ps == row->at_ps && row[-1].link < row->link));
        assert_true(row->link < 16 && paused[row->link] != row->code); /* a host's own link */
        paused[row->link] = row->code;
        pauses += row->code;
    }
    assert_int_equal(pauses, counted(&r, "pause_frames_arrived"));
    end();
    free(one);
    free(two);
}

/* Leaf 0 has lost spine 1 and leaf 1 spine 0: flows between them go down and up again, by leaf 2 or 3, and with those between leaf 2
 * and leaf 3 the ports spine 0 -> leaf 2 -> spine 1 -> leaf 3 -> spine 0, or the other way round, wait for each other. */
static void a_circle_of_pauses_stands_still(void **state)
{
    struct weir_result r[2] = { 0 };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        begin("topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, core_link: 100 Gbps}\n"
              "protocol: {name: dctcp}\nhost: {rto_min: 100 ms, rto_init: 100 ms}\n"
              "fabric:\n  ecn: {threshold: 1 GB}\n  events:\n"
              "    - {at: 0 us, link: 'leaf 0 - spine 1', action: down}\n"
              "    - {at: 0 us, link: 'leaf 1 - spine 0', action: down}\n"
              "traffic:\n  - {kind: permutation, size: 1 B}\n");
        rig.setup.model.host.cc = &fixed_plain;
        rig.setup.model.warmup_ps = (i + 1) * WEIR_PS_PER_MS; /* measured: the second millisecond, and the third */
        rig.setup.model.measure_ps = WEIR_PS_PER_MS;
        use_static_pfc(20000, 16000);
        for (uint32_t h = 0; h < 8; h++)
            for (uint32_t flow = 0; flow < 8; flow++)
                list(h, (h ^ 2) / 2 * 2 + flow % 2, 2000 * PAYLOAD, 0);
        run_and_end(&r[i]);
    }
    assert_int_equal(r[1].drops, 0);
    assert_int_equal(r[0].messages_completed, r[1].messages_completed);
    assert_in_range(r[0].messages_completed, 0, 63);
    assert_int_equal(counted(&r[0], "pause_frames"),
                     counted(&r[1], "pause_frames")); /* none of the one or the other since */
    assert_int_equal(counted(&r[0], "resume_frames"), counted(&r[1], "resume_frames"));
    assert_in_range(counted(&r[1], "pause_frames") - counted(&r[1], "resume_frames"), 4, 100);
    assert_in_range(counted(&r[1], "paused_longest"), WEIR_PS_PER_MS, 3 * WEIR_PS_PER_MS);
}

/* Hosts 1 and 2 send to host 3, which loses its cable at 50 us; later host 1 begins to send to host 0. */
static struct weir_result beside_a_dead_host(const char *queue)
{
    char text[512];
    struct weir_result r[2];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\nprotocol: timely\n"
                   "fabric:\n  pfc: {kind: static, xoff: 20 KB}\n"
                   "  events: [{at: 50 us, link: host 3 - switch 0, action: down, queue: %s}]\n"
                   "traffic: [{kind: permutation, size: 1 B}]\nrun: {warmup: 0 us, measure: 5 ms}\n",
                   queue);
    begin(text);
    list(1, 3, 1000000, 0);
    list(1, 0, 200000, 100 * WEIR_PS_PER_US);
    list(2, 3, 1000000, 0);
    use_list();
    for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); i++)
        r[i] = run(simulators[i], NULL);
    end();
    assert_int_equal(r[1].digest, r[0].digest);
    return r[0];
}

/* The accounts of what waits for a dead host are given back, so its neighbours may go on. */
static void a_host_that_loses_its_cable_stops_no_other(void **state)
{
    struct weir_result flush = beside_a_dead_host("flush"), wait = beside_a_dead_host("wait");
    (void)state;
    assert_int_equal(wait.messages_completed, 0); /* host 1 is paused for ever */
    assert_int_equal(wait.drops, 0);
    assert_int_equal(flush.messages_completed, 1);
    assert_true(flush.drops > 0);
}

/* Messages of one packet, some of them lost for good: a message is undelivered to the end, and samples go on until nothing is
 * pending. A cable that goes down long after is not. */
static void a_cable_alone_does_not_make_a_run_go_on(void **state)
{
    struct weir_result r[2];
    (void)state;
    begin("topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps}\n"
          "protocol: none\n"
          "fabric:\n  loss: 20%\n  pfc: {kind: static, xoff: 20 KB}\n  events:\n"
          "    - {at: 20 us, link: leaf 0 - spine 1, action: down}\n"
          "    - {at: 30 us, link: leaf 0 - spine 1, action: up}\n"
          "    - {at: 900 us, link: leaf 1 - spine 1, action: down}\n"
          "traffic:\n  - {kind: poisson, sizes: 1460 B, load: 50%, stop: 100 us}\n"
          "run: {warmup: 0 us, measure: all, seed: 3, sample: 1 us}\n");
    for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); i++)
        r[i] = run(simulators[i], NULL);
    end();
    assert_true(r[0].losses > 100 && r[0].messages_completed < r[0].messages_started);
    assert_int_equal(r[1].digest, r[0].digest);
    assert_int_equal(r[1].tor_queue.p99_bytes, r[0].tor_queue.p99_bytes);
    assert_true(r[0].tor_queue.p99_bytes > 1538); /* of 110 samples; of 900 it would be next to nothing */
}

/* Nothing else is pending when the message starts, and its host's cable is down: it waits in the host, and leaves when the cable is up. */
static void a_message_waits_in_a_host_whose_cable_comes_back(void **state)
{
    struct weir_result r = { 0 };
    (void)state;
    begin("topology: {kind: star, hosts: 2, host_link: 100 Gbps, host_delay: 1 us}\n"
          "protocol: {name: dctcp}\nhost: {rto_min: 100 ms, rto_init: 100 ms}\n"
          "fabric:\n  ecn: {threshold: 1 GB}\n  events:\n"
          "    - {at: 10 us, link: host 0 - switch 0, action: down}\n"
          "    - {at: 200 us, link: host 0 - switch 0, action: up}\n"
          "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n");
    list(0, 1, PAYLOAD, 50 * WEIR_PS_PER_US);
    run_and_end(&r);
    assert_int_equal(r.messages_completed, 1);
    assert_int_equal(r.sim_ps, 200 * WEIR_PS_PER_US + 2 * (FRAME_PS + WEIR_PS_PER_US));
}

/* --- telemetry --- */

static void a_record_on_data_is_of_its_port_when_it_leaves(void **state)
{
    struct weir_result r = { 0 };
    (void)state;
    for (int quantised = 0; quantised < 2; quantised++) {
        /* both first frames are here at the first instant; while one leaves, two more come */
        const uint64_t queue[4] = { FRAME, 2 * FRAME, FRAME, 0 }, queue_units[4] = { 4, 9, 4, 0 };
        const uint64_t tx_units[4] = { 0, 3, 6, 9 };
        begin_fixed("{kind: star, hosts: 3, host_link: 100 Gbps, host_delay: 1 us}", "measure: all", &fixed_int);
        use_telemetry(false, 1);
        telemetry.quantised = quantised;
        list(0, 2, 2 * PAYLOAD, 0);
        list(1, 2, 2 * PAYLOAD, 0);
        run_and_end(&r);
        assert_int_equal(ack_count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            uint64_t ts_ps = (i + 1) * FRAME_PS + WEIR_PS_PER_US;
            assert_int_equal(acks[i].hop_count, 1);
            assert_int_equal(acks[i].hop.rate_bps, UINT64_C(100000000000));
            assert_int_equal(acks[i].hop.ts_ps, quantised ? ts_ps / 1000 * 1000 : ts_ps);
            assert_int_equal(acks[i].hop.tx_bytes, quantised ? tx_units[i] * 512 : i * FRAME);
            assert_int_equal(acks[i].hop.queue_bytes, quantised ? queue_units[i] * 320 : queue[i]);
        }
    }
}

/* u of HPCC's equation from consecutive records of one port, Q30. */
static uint64_t u_of(struct weir_hpcc_hop *last, const struct weir_int_hop *now, uint64_t base_rtt_ps)
{
    uint64_t u_q30 = 0;
    assert_int_not_equal(weir_hpcc_hop_seen(last, now, base_rtt_ps, WEIR_HPCC_TX_WRAP_EXACT, &u_q30), 0);
    return u_q30;
}

/* One sender at 100 Gb/s through a link of 400: that is used to a quarter, exactly. */
static void hpcc_sees_a_quarter_of_a_link_in_use(void **state)
{
    struct weir_result r = { 0 };
    struct weir_hpcc_hop last = { 0 };
    (void)state;
    begin_fixed("{kind: dumbbell, hosts: 2, host_link: 100 Gbps, core_link: 400 Gbps, host_delay: 1 us, "
                "core_delay: 1 us}",
                "measure: all", &fixed_int);
    use_telemetry(false, 2);
    telemetry.rates.bps[telemetry.rates.count++] = UINT64_C(400000000000);
    list(0, 1, 100 * PAYLOAD, 0);
    run_and_end(&r);
    assert_int_equal(ack_count, 100);
    assert_int_equal(acks[0].hop.rate_bps, telemetry.rates.bps[1]);
    (void)weir_hpcc_hop_seen(&last, &acks[0].hop, 10 * WEIR_PS_PER_US, WEIR_HPCC_TX_WRAP_EXACT, &(uint64_t){ 0 });
    for (uint32_t i = 1; i < ack_count; i++)
        assert_int_equal(u_of(&last, &acks[i].hop, 10 * WEIR_PS_PER_US), WEIR_HPCC_ONE_Q30 / 4);
}

/* Two senders into one port: it is always busy, and of two records the smaller queue counts, in round trips of the link. */
static void hpcc_sees_a_full_link_and_its_queue(void **state)
{
    enum { RTT_PS = 10000000 };
    struct weir_result r = { 0 };
    struct weir_hpcc_hop last = { 0 };
    (void)state;
    begin_fixed("{kind: star, hosts: 3, host_link: 100 Gbps, host_delay: 1 us}", "measure: all", &fixed_int);
    use_telemetry(false, 1);
    list(0, 2, 50 * PAYLOAD, 0);
    list(1, 2, 50 * PAYLOAD, 0);
    run_and_end(&r);
    assert_int_equal(ack_count, 100);
    (void)weir_hpcc_hop_seen(&last, &acks[0].hop, RTT_PS, WEIR_HPCC_TX_WRAP_EXACT, &(uint64_t){ 0 });
    for (uint32_t i = 1; i < ack_count; i++) {
        /* two come and one leaves per frame's time, until fifty have left; then it empties */
        uint64_t before = i <= 50 ? i : 100 - i, now = i < 50 ? i + 1 : 99 - i;
        uint64_t queue_ps = weir_min_u64(before, now) * FRAME_PS;
        assert_int_equal(acks[i].hop.queue_bytes, now * FRAME);
        assert_int_equal(u_of(&last, &acks[i].hop, RTT_PS), WEIR_HPCC_ONE_Q30 + (queue_ps << 30) / RTT_PS);
    }
}

/* Two senders at full speed: their common queue grows by a frame per frame. The delay is such that the first ACK is decided on at
 * the very instant at which the port it tells of begins its 18th frame, for which the port's number decides who is first. */
static void first_ack(uint32_t receiver, uint64_t period_ps, struct weir_int_hop *hop)
{
    struct weir_result r = { 0 };
    begin_fixed("{kind: star, hosts: 3, host_link: 100 Gbps, host_delay: 980960 ps}", "measure: all", &fixed_ack_int);
    use_telemetry(true, 1);
    telemetry.period_ps = period_ps;
    for (uint32_t h = 0; h < 3; h++)
        if (h != receiver)
            list(h, receiver, 40 * PAYLOAD, 0);
    run_and_end(&r);
    assert_int_equal(ack_count, 80);
    assert_int_equal(acks[0].hop_count, 1);
    *hop = acks[0].hop;
}

static void a_record_on_an_ack_is_of_the_port_its_data_left_by(void **state)
{
    const uint64_t first_ps = FRAME_PS + 980960, ack_ps = first_ps + 17 * FRAME_PS;
    struct weir_int_hop hop;
    (void)state;
    assert_int_equal(ack_ps, 2 * FRAME_PS + SHORT_PS + 3 * 980960); /* there and most of the way back */
    first_ack(2, 0, &hop); /* the ACK's port is decided first: 17 have begun, 18 of each have come */
    assert_int_equal(hop.ts_ps, ack_ps);
    assert_int_equal(hop.tx_bytes, 17 * FRAME);
    assert_int_equal(hop.queue_bytes, 19 * FRAME);
    first_ack(0, 0, &hop); /* .. or last: the 18th has begun, it has left the queue and is not on the wire yet */
    assert_int_equal(hop.ts_ps, ack_ps);
    assert_int_equal(hop.tx_bytes, 17 * FRAME);
    assert_int_equal(hop.queue_bytes, 18 * FRAME);
    first_ack(2, first_ps, &hop); /* the table is of 2 * first: 8 frames and more have begun, 9 of each have come */
    assert_int_equal(hop.ts_ps, 2 * first_ps);
    assert_int_equal(2 * first_ps, first_ps + 8 * FRAME_PS + 119680);
    assert_int_equal(hop.tx_bytes, 9 * FRAME - 42); /* 119680 ps are 1496 of 1538 bytes */
    assert_int_equal(hop.queue_bytes, 9 * FRAME);
    first_ack(2, ack_ps, &hop); /* before anything of that instant: 17 have begun, 17 of each have come */
    assert_int_equal(hop.ts_ps, ack_ps);
    assert_int_equal(hop.tx_bytes, 17 * FRAME);
    assert_int_equal(hop.queue_bytes, 17 * FRAME);
}

/* --- RoCC --- */

static void a_controller_steps_at_multiples_of_its_period(void **state)
{
    struct weir_result r = { 0 };
    const struct weir_feature_plan plan = { .on = true, .period_ps = 40 * WEIR_PS_PER_US };
    uint32_t port;
    (void)state;
    begin_fixed("{kind: star, hosts: 3, host_link: 100 Gbps, host_delay: 1 us}", "measure: 100 us", &fixed_plain);
    port = rig.setup.topo.node[3].first_out + 2; /* towards the receiver */
    weir_features_add(&rig.setup.model.features, &weir_fair_rate_feature, NULL, &plan);
    list(0, 2, 2000 * PAYLOAD, 0);
    list(1, 2, 2000 * PAYLOAD, 0);
    run_and_end(&r);
    assert_int_equal(counted(&r, "notices"), 4);
    assert_int_equal(notice_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(notices[i].source, port);
        assert_int_equal(notices[i].now_ps, (i < 2 ? 40 : 80) * WEIR_PS_PER_US + SHORT_PS + WEIR_PS_PER_US);
        /* 486,054 bytes are 810 units: 10000 - 0.45 * 310 - 2.25 * 810; 988,830 are 1648: more than Q_max */
        assert_int_equal(notices[i].value, i < 2 ? UINT64_C(80380000000) : UINT64_C(100000000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headroom_is_enough_to_the_byte),
        cmocka_unit_test(a_pause_begins_and_ends_at_known_instants),
        cmocka_unit_test(paused_senders_share_a_port_without_loss),
        cmocka_unit_test(random_incasts_lose_nothing_in_the_least_buffer),
        cmocka_unit_test(a_pause_is_no_loss),
        cmocka_unit_test(a_cable_that_fails_costs_a_timer),
        cmocka_unit_test(the_trace_tells_each_frame_in_order),
        cmocka_unit_test(a_circle_of_pauses_stands_still),
        cmocka_unit_test(a_cable_alone_does_not_make_a_run_go_on),
        cmocka_unit_test(a_host_that_loses_its_cable_stops_no_other),
        cmocka_unit_test(a_message_waits_in_a_host_whose_cable_comes_back),
        cmocka_unit_test(hpcc_sees_a_quarter_of_a_link_in_use),
        cmocka_unit_test(hpcc_sees_a_full_link_and_its_queue),
        cmocka_unit_test(a_record_on_data_is_of_its_port_when_it_leaves),
        cmocka_unit_test(a_record_on_an_ack_is_of_the_port_its_data_left_by),
        cmocka_unit_test(a_controller_steps_at_multiples_of_its_period),
    };
    return cmocka_run_group_tests_name("prop/lossless", tests, NULL, NULL);
}
