/* src/commands/testbed/dart_sim.c - simulates what Dart's figures measure, at the same rates and round trip. The
 * scenarios are in experiments/dart-testbed. */
#include "core/assert.h"
#include "model/account.h"
#include "testbed/dart.h"
#include "testbed/sim.h"

enum {
    LINKS = 64,
    SEEDS = 64,
    HEADS_US = 140, /* of a round trip: frames of 1538 B and ACKs of about 200 B, at two links each */
    TOKENS = 4,
};

static int open_scenario(struct weir_testbed_scenario *s, struct weir_figs *figs, const struct weir_dart_law *law,
                         double rtt_us, struct weir_err *err)
{
    int code = weir_testbed_scenario_open(s, "dart-testbed", figs->arena, err);
    if (code != 0)
        return code;
    for (const char *const *key = law->set; *key != NULL; key++)
        weir_testbed_scenario_set(s, "%s", *key);
    weir_testbed_scenario_rtt(s, rtt_us, HEADS_US);
    return 0;
}

/* ---- senders that join ---- */

struct join_taps { /* times in ps; 0 = not yet */
    const struct weir_topology *topo;
    uint64_t begun[WEIR_DART_SENDERS], first[WEIR_DART_SENDERS], own[WEIR_DART_SENDERS]; /* [n - 1] of the nth */
};

static void note(uint64_t *at, uint64_t at_ps)
{
    if (*at == 0)
        *at = at_ps;
}

static void take_row(struct join_taps *t, const struct weir_packet_row *row)
{
    for (uint32_t i = 0; i < WEIR_DART_SENDERS; i++) {
        bool counted = row->event == WEIR_PACKET_RECEIVED && row->pkt.kind == WEIR_PKT_ACK &&
                       row->pkt.share_count >= i + 1 && t->begun[i] != 0;
        if (row->link == weir_topology_link_from(t->topo, i + 1) && row->event == WEIR_PACKET_SENT &&
            row->pkt.kind == WEIR_PKT_DATA)
            note(&t->begun[i], row->at_ps);
        if (counted && row->link == weir_topology_link_to(t->topo, 1))
            note(&t->first[i], row->at_ps);
        if (counted && row->link == weir_topology_link_to(t->topo, i + 1))
            note(&t->own[i], row->at_ps);
    }
}

static int take_rows(void *ctx, const struct weir_packet_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        take_row(ctx, &row[i]);
    return 0;
}

/* Runs the scenario with the links of all senders tapped. */
static int run_joins(const struct weir_testbed_scenario *s, struct join_taps *t, struct weir_err *err)
{
    uint8_t tap[LINKS] = { 0 };
    const struct weir_sim_options options = { .threads = 1, .packets = take_rows, .packets_ctx = t, .tap = tap };
    struct weir_testbed_sim *sim = weir_testbed_scenario_load(s, "star.yaml", err);
    int code;
    if (sim == NULL)
        return (int)err->code;
    t->topo = &sim->setup.topo;
    WEIR_ASSERT(t->topo->link_count <= LINKS);
    for (uint32_t i = 0; i < WEIR_DART_SENDERS; i++) {
        tap[weir_topology_link_from(t->topo, i + 1)] = WEIR_TAP_SENT;
        tap[weir_topology_link_to(t->topo, i + 1)] = WEIR_TAP_ARRIVED;
    }
    code = weir_testbed_sim_run(sim, &options, err);
    weir_testbed_sim_close(sim);
    return code;
}

int weir_dart_simulate_star(struct weir_figs *figs, double rtt_us, struct weir_dart_joins *joins, struct weir_err *err)
{
    struct join_taps t = { 0 };
    struct weir_testbed_scenario s;
    int code = open_scenario(&s, figs, &weir_dart_laws[WEIR_DART_DART], rtt_us, err);
    if (code != 0)
        return code;
    code = run_joins(&s, &t, err);
    weir_testbed_scenario_close(&s);
    for (uint32_t i = 0; i < WEIR_DART_SENDERS && code == 0; i++) {
        if (t.begun[i] == 0 || t.first[i] == 0 || t.own[i] == 0)
            code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "the simulation did not count sender %u", (unsigned)i + 1);
        joins->first[i] = ((double)t.first[i] - (double)t.begun[i]) / (double)WEIR_PS_PER_US;
        joins->own[i] = ((double)t.own[i] - (double)t.begun[i]) / (double)WEIR_PS_PER_US;
    }
    return code;
}

/* ---- short messages and others ---- */

struct arrivals { /* at the receiver of short messages */
    double messages, deflected;
};

/* Counts messages by their first packets. */
static int count_arrivals(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct arrivals *a = ctx;
    for (size_t i = 0; i < count; i++) {
        const struct weir_pkt *pkt = &row[i].pkt;
        if (pkt->kind != WEIR_PKT_DATA || pkt->seq != pkt->ack || (pkt->flags & WEIR_PKT_RETX) != 0)
            continue;
        a->messages++;
        a->deflected += pkt->tokens < TOKENS;
    }
    return 0;
}

/* Reads what both figures have. sender: of the long messages; the short ones are of size group C. Links count from the
 * start of the run, and what packets take of them, which is 24 B more than a frame. */
static void read_bulk(const struct weir_testbed_sim *sim, uint32_t sender, struct weir_dart_bulk *bulk)
{
    const struct weir_result *r = &sim->result;
    const struct weir_topology *topo = &sim->setup.topo;
    double sim_us = (double)r->sim_ps / (double)WEIR_PS_PER_US, marks = 0;
    WEIR_ASSERT(r->sim_ps > 0 && r->link != NULL);
    for (uint32_t l = 0; l < topo->link_count; l++)
        marks += (double)r->link[l].marks;
    *bulk = (struct weir_dart_bulk){
        .p50_ms = (double)r->completion[WEIR_GROUP_C].p50 / (double)WEIR_PS_PER_MS,
        .p99_ms = (double)r->completion[WEIR_GROUP_C].p99 / (double)WEIR_PS_PER_MS,
        .long_mbps = 8 * (double)r->link[weir_topology_link_from(topo, sender)].bytes / sim_us * (1514.0 / 1538),
        .marks = marks / sim_us * 1e6,
    };
}

/* Runs a scenario. to: the host whose arrivals are counted; sender: see read_bulk() */
static int run_bulk(const struct weir_testbed_scenario *s, const char *file, uint32_t sender, uint32_t to,
                    struct weir_dart_bulk *bulk, struct weir_err *err)
{
    uint8_t tap[LINKS] = { 0 };
    struct arrivals arrivals = { 0 };
    const struct weir_sim_options options = {
        .threads = 1, .links = true, .packets = count_arrivals, .packets_ctx = &arrivals, .tap = tap
    };
    struct weir_testbed_sim *sim = weir_testbed_scenario_load(s, file, err);
    int code;
    if (sim == NULL)
        return (int)err->code;
    WEIR_ASSERT(sim->setup.topo.link_count <= LINKS);
    tap[weir_topology_link_to(&sim->setup.topo, to)] = WEIR_TAP_ARRIVED;
    code = weir_testbed_sim_run(sim, &options, err);
    if (code == 0)
        read_bulk(sim, sender, bulk);
    bulk->deflected = arrivals.messages > 0 ? 100 * arrivals.deflected / arrivals.messages : 0;
    weir_testbed_sim_close(sim);
    return code;
}

int weir_dart_simulate_incast(struct weir_figs *figs, const struct weir_dart_law *law, double rtt_us, uint32_t senders,
                              struct weir_dart_bulk *bulk, struct weir_err *err)
{
    struct weir_testbed_scenario s;
    int code = open_scenario(&s, figs, law, rtt_us, err);
    if (code != 0)
        return code;
    weir_testbed_scenario_set(&s, "traffic[1].fan_in=%u", (unsigned)senders);
    weir_testbed_scenario_set(&s, "traffic[1].from=2..%u", (unsigned)senders + 1);
    code = run_bulk(&s, "incast.yaml", 1, 0, bulk, err);
    weir_testbed_scenario_close(&s);
    return code;
}

/* Tests with a short run whether both hosts' packets take one spine with the seed that is set. */
static int share_spine(struct weir_testbed_scenario *s, bool *shared, struct weir_err *err)
{
    const struct weir_sim_options options = { .threads = 1, .links = true };
    uint32_t count = s->count;
    struct weir_testbed_sim *sim;
    int code;
    weir_testbed_scenario_set(s, "run.warmup=0 s");
    weir_testbed_scenario_set(s, "run.measure=25 ms"); /* two short messages */
    sim = weir_testbed_scenario_load(s, "deflect.yaml", err);
    s->count = count;
    if (sim == NULL)
        return (int)err->code;
    code = weir_testbed_sim_run(sim, &options, err);
    *shared = code == 0 && (sim->result.link[WEIR_DART_SPINE_LINK].bytes == 0 ||
                            sim->result.link[WEIR_DART_SPINE_LINK + 1].bytes == 0);
    weir_testbed_sim_close(sim);
    return code;
}

/* Sets the first seed with which both take one spine. */
static int set_seed(struct weir_testbed_scenario *s, struct weir_err *err)
{
    uint32_t count = s->count;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        bool shared = false;
        int code;
        weir_testbed_scenario_set(s, "run.seed=%u", (unsigned)seed);
        code = share_spine(s, &shared, err);
        if (code != 0 || shared)
            return code;
        s->count = count;
    }
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "no seed of the simulation puts both on one spine");
}

int weir_dart_simulate_deflect(struct weir_figs *figs, double rtt_us, bool deflects, struct weir_dart_bulk *bulk,
                               struct weir_err *err)
{
    struct weir_testbed_scenario s;
    int code = open_scenario(&s, figs, &weir_dart_laws[WEIR_DART_DART], rtt_us, err);
    if (code != 0)
        return code;
    code = set_seed(&s, err);
    if (deflects)
        weir_testbed_scenario_set(&s, "fabric.deflect.mode=on");
    if (code == 0)
        code = run_bulk(&s, "deflect.yaml", 0, 3, bulk, err);
    weir_testbed_scenario_close(&s);
    return code;
}
