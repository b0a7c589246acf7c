/* test/unit/session/test_changes.c - what a program changes while a session is on: weights of messages, and cables,
 * switches and hosts that go down and up. All of it has the digest of a run whose scenario says the same before. */
#include "test/unit/session/run_test.h"
#include "session/session.h"
#include "workload/jobs.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 1 << 14, HOSTS = 8 };
#define RUN_DONE "run: {warmup: 0 us, measure: all}\n"

static bool run_all; /* --all, as `./dev soak` wants */

/* ---- weights ---- */

static const struct weir_jobs *sorted_by_start;

static int by_start(const void *a, const void *b)
{
    const struct weir_job_flow *flow = sorted_by_start->flow;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (flow[x].start_ps != flow[y].start_ps)
        return flow[x].start_ps < flow[y].start_ps ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Gives all messages at the beginning, and each change of a weight `early` before it, or at the floor. */
static uint64_t give_weights(const struct weir_jobs *jobs, const char *text, uint32_t threads, uint64_t early_ps)
{
    struct weir_sim *sim = open_checked(text, threads);
    uint64_t *id = calloc(jobs->flow_count, sizeof(*id));
    uint32_t *order = calloc(jobs->flow_count, sizeof(*order));
    assert_non_null(id);
    assert_non_null(order);
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        order[f] = f;
    sorted_by_start = jobs;
    qsort(order, jobs->flow_count, sizeof(*order), by_start);
    for (uint32_t i = 0; i < jobs->flow_count; i++) {
        const struct weir_job_flow *f = &jobs->flow[order[i]];
        const struct weir_sim_message m = { .size = sizeof(m),
                                            .src = f->src,
                                            .dst = f->dst,
                                            .bytes = f->bytes,
                                            .start_ps = f->start_ps,
                                            .weight = (double)f->weight_q20 / (double)WEIR_WEIGHT_ONE };
        done(sim, weir_sim_inject(sim, &m, &id[order[i]]));
    }
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        for (uint32_t c = 0; c < jobs->flow[f].change_count; c++) {
            const struct weir_job_change *change = &jobs->change[jobs->flow[f].change_first + c];
            uint64_t until_ps = change->at_ps > early_ps ? change->at_ps - early_ps : 0;
            while (until_ps > weir_sim_now(sim) && advance(sim, until_ps, NULL) > 0)
                ;
            done(sim,
                 weir_sim_set_weight(sim, id[f], change->at_ps, (double)change->weight_q20 / (double)WEIR_WEIGHT_ONE));
        }
    while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
        ;
    free(id);
    free(order);
    return close_session(sim);
}

#define STAR "topology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 1 us}\n"

static void changes_of_weights_have_the_digest_of_jobs(void **state)
{
    static const char pairs[] = STAR "protocol: soze\ntraffic: [{kind: pairs, count: 24, size: 900 KB, weights: 1..8, "
                                     "changes: 100%, change_at: 100 us}]\n" RUN_DONE;
    static const char session[] = STAR "protocol: soze\ntraffic: [{kind: session, weights: 1..8}]\n" RUN_DONE;
    static const char plain[] = STAR "protocol: soze\ntraffic: [{kind: pairs, count: 24, size: 900 KB, weights: "
                                     "1..8}]\n" RUN_DONE;
    struct run *r = run_text(pairs), *p = run_text(plain);
    (void)state;
    assert_int_equal(r->setup.jobs.change_count, 24);
    assert_true(r->digest != p->digest); /* the changes matter */
    for (uint32_t threads = 1; threads <= 3; threads++) {
        assert_int_equal(give_weights(&r->setup.jobs, session, threads, 100 * US), r->digest);
        assert_int_equal(give_weights(&r->setup.jobs, session, threads, 0), r->digest);
        assert_int_equal(give_weights(&r->setup.jobs, session, threads, 7 * US), r->digest);
    }
    free_run(r);
    free_run(p);
}

static void weights_that_are_refused(void **state)
{
    static const char text[] = STAR "protocol: soze\ntraffic: [{kind: session, weights: 1..8}]\n" RUN_DONE;
    const struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1000, .start_ps = 5 * US };
    struct weir_sim *sim = open_checked(text, 1);
    uint64_t id = 0;
    (void)state;
    done(sim, weir_sim_inject(sim, &m, &id));
    assert_int_equal(advance(sim, 2 * US, NULL), 0);
    assert_int_equal(weir_sim_set_weight(sim, id, 2 * US - 1, 2), WEIR_SIM_E_PAST);
    assert_int_equal(weir_sim_set_weight(sim, id, 2 * US, 0), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(weir_sim_error(sim)->text, "weight 0: must be from 0.001 to 1000000");
    assert_int_equal(weir_sim_set_weight(sim, id, 2 * US, 8.01), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(weir_sim_error(sim)->text, "weight 8.01: no item of kind session says that it may come");
    assert_int_equal(weir_sim_set_weight(sim, 999, 2 * US, 2), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(weir_sim_error(sim)->text, "no message has the id 999");
    assert_int_equal(weir_sim_set_weight(sim, id, 2 * US, 8), 0); /* before it starts */
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    assert_int_equal(weir_sim_set_weight(sim, id, weir_sim_floor(sim), 2), 0); /* it has ended: nothing changes */
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    (void)close_session(sim);
}

/* A weight may come from the least to the greatest that the item says, both of which may, in units of 2^-20. */
static void weights_at_the_limits_of_their_item(void **state)
{
    static const char text[] = STAR "protocol: soze\ntraffic: [{kind: session, weights: 2..8}]\n" RUN_DONE;
    const double unit = 1 / (double)WEIR_WEIGHT_ONE;
    const struct {
        double weight;
        int code;
    } tries[] = { { 2 - unit, WEIR_SIM_E_ARGUMENT }, { 2, 0 }, { 2 + unit, 0 }, { 8 - unit, 0 }, { 8, 0 },
                  { 8 + unit, WEIR_SIM_E_ARGUMENT } };
    struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1000, .weight = 4 };
    struct weir_sim *sim = open_checked(text, 1);
    uint64_t id = 0;
    (void)state;
    done(sim, weir_sim_inject(sim, &m, &id));
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        m.weight = tries[i].weight;
        assert_int_equal(weir_sim_inject(sim, &m, NULL), tries[i].code);
        assert_int_equal(weir_sim_set_weight(sim, id, US, tries[i].weight), tries[i].code);
    }
    (void)close_session(sim);
}

/* A change that is due after the message has ended is as if it had never been given: the floor is a reaction after the
 * end, and not after the change. */
static void a_change_ends_with_its_message(void **state)
{
    static const char text[] = STAR "protocol: soze\ntraffic: [{kind: session, weights: 1..8}]\n" RUN_DONE;
    const struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1000 };
    uint64_t floor_ps[2], id = 0;
    (void)state;
    for (uint32_t way = 0; way < 2; way++) {
        struct weir_sim *sim = open_checked(text, 1);
        done(sim, weir_sim_inject(sim, &m, &id));
        for (uint64_t at_ps = 900 * US; way == 1 && at_ps < 903 * US; at_ps += US)
            done(sim, weir_sim_set_weight(sim, id, at_ps, 2));
        while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
            ;
        if (way == 1)
            done(sim, weir_sim_set_weight(sim, id, 950 * US, 2));
        while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
            ;
        floor_ps[way] = weir_sim_floor(sim);
        (void)close_session(sim);
    }
    assert_int_equal(floor_ps[0], floor_ps[1]);
}

/* ---- the network ---- */

struct change {
    uint64_t at_ps;
    const char *name, *kind; /* kind: of the item of fabric.events */
    bool up, waits;
};

enum { CHANGES_MAX = 24 };

struct shape {
    const char *head;
    const char *part[12];
    uint32_t cables, parts; /* the first are cables, the others switches and hosts */
};

static const struct shape leaf_spine = {
    .head = "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 200 Gbps, "
            "host_delay: 1 us, core_delay: 3 us}\n",
    .part = { "leaf 0 - spine 0", "leaf 1 - spine 1", "leaf 1 - spine 0", "host 3 - leaf 0", "spine 0", "leaf 1",
              "host 5" },
    .cables = 4,
    .parts = 7,
};
static const struct shape star = {
    .head = "topology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 2 us}\n",
    .part = { "host 1 - switch 0", "host 4 - switch 0", "switch 0", "host 7" },
    .cables = 2,
    .parts = 4,
};
static const struct shape tree = {
    .head = "topology: {kind: fat-tree, k: 4, host_link: 100 Gbps, core_link: 100 Gbps}\n",
    .part = { "edge 0 - agg 0", "edge 3 - agg 2", "agg 1 - core 2", "agg 0", "core 2", "host 9" },
    .cables = 3,
    .parts = 6,
};

/* Draws changes in the order of time, and takes all parts up again at the end. @return their number */
static uint32_t draw_changes(const struct shape *shape, uint64_t key, struct change *change)
{
    bool is_down[12] = { false };
    uint64_t at_ps = 20 * US; /* later than every lead */
    uint32_t count = 0, draws = 0;
    for (; count < 10; count++) {
        uint32_t part = weir_rng_below(weir_rng_at(key, draws++), shape->parts);
        at_ps += weir_rng_below(weir_rng_at(key, draws++), 3) == 0 && count > 0 &&
                         change[count - 1].name != shape->part[part]
                     ? 0 /* a change of the same instant, of another part */
                     : 1 + weir_rng_below(weir_rng_at(key, draws++), (uint32_t)(30 * US));
        for (uint32_t i = 0; i < count; i++) /* of one part only one at an instant */
            at_ps += change[i].at_ps == at_ps && change[i].name == shape->part[part];
        is_down[part] = !is_down[part];
        change[count] = (struct change){ .at_ps = at_ps,
                                         .name = shape->part[part],
                                         .kind = part < shape->cables                         ? "cable"
                                                 : strncmp(shape->part[part], "host", 4) == 0 ? "host"
                                                                                              : "switch",
                                         .up = !is_down[part],
                                         .waits = is_down[part] && part < shape->cables &&
                                                  weir_rng_below(weir_rng_at(key, draws++), 2) == 0 };
    }
    for (uint32_t part = 0; part < shape->parts; part++)
        if (is_down[part]) {
            change[count] = change[0];
            change[count].name = shape->part[part];
            change[count].kind = part < shape->cables                         ? "cable"
                                 : strncmp(shape->part[part], "host", 4) == 0 ? "host"
                                                                              : "switch";
            change[count].up = true;
            change[count].waits = false;
            change[count++].at_ps = at_ps + 50 * US;
        }
    assert_true(count <= CHANGES_MAX);
    return count;
}

/* Writes the scenario with the changes as fabric.events. */
static void write_events(char *text, const char *head, const char *fabric, const char *traffic,
                         const struct change *change, uint32_t count)
{
    int length = snprintf(text, TEXT, "%sfabric:\n  reroute_delay: 3 us\n%s  events:\n", head, fabric);
    for (uint32_t i = 0; i < count; i++)
        length += snprintf(text + length, TEXT - (size_t)length, "    - {time: %" PRIu64 " ps, %s: %s, state: %s%s}\n",
                           change[i].at_ps, change[i].kind, change[i].name, change[i].up ? "up" : "down",
                           change[i].waits ? ", queue: wait" : "");
    length += snprintf(text + length, TEXT - (size_t)length, "%s%s", traffic, RUN_DONE);
    assert_in_range(length, 1, TEXT - 1);
}

static void give_messages(struct weir_sim *sim, const struct weir_workload *wl)
{
    for (uint32_t h = 0; h < wl->hosts; h++) {
        struct weir_source source;
        weir_source_init(&source, wl, h);
        while (weir_source_next_ps(&source) != WEIR_NEVER) {
            struct weir_message m;
            weir_source_take(&source, &m);
            const struct weir_sim_message message = {
                .size = sizeof(message), .src = m.src, .dst = m.dst, .bytes = m.bytes, .start_ps = m.start_ps
            };
            done(sim, weir_sim_inject(sim, &message, NULL));
        }
    }
}

static void give_change(struct weir_sim *sim, const struct change *c)
{
    if (c->up)
        done(sim, weir_sim_mend(sim, c->name, c->at_ps));
    else if (c->waits)
        done(sim, weir_sim_hold(sim, c->name, c->at_ps));
    else
        done(sim, weir_sim_cut(sim, c->name, c->at_ps));
}

/* Gives each change as late as it may be given. At the instant itself, less the lead, if the session stops there alone,
 * and not at events; else where it then stops, or at an event that is a little earlier. */
static uint64_t give_changes(const char *text, const struct weir_workload *wl, const struct change *change,
                             uint32_t count, uint32_t threads, bool at_events)
{
    struct weir_sim *sim =
        open_session(text, &(struct weir_sim_opts){ .size = sizeof(struct weir_sim_opts),
                                                    .threads = threads,
                                                    .check = 1,
                                                    .events = at_events ? WEIR_SIM_DELIVERED | WEIR_SIM_COMPLETED
                                                                        : WEIR_SIM_TIMER });
    uint64_t lead_ps = weir_sim_lead(sim);
    give_messages(sim, wl);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t early_ps = lead_ps + (at_events ? weir_sim_reaction(sim) : 0);
        uint64_t last_ps = change[i].at_ps > early_ps ? change[i].at_ps - early_ps : 0;
        while (last_ps > weir_sim_now(sim) && advance(sim, last_ps, NULL) > 0)
            ;
        assert_true(at_events || last_ps == 0 || weir_sim_floor(sim) == last_ps);
        give_change(sim, &change[i]);
    }
    while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
        ;
    return close_session(sim);
}

/* At instants and at events on 1, 2 and 3 threads with --all; in `check` each number of threads has one of them, and of the next row the other. */
static void check_changes(const struct shape *shape, const char *law, const char *fabric, uint64_t key, uint32_t row)
{
    static char text[TEXT], session[TEXT], head[1024];
    static const char traffic[] = "traffic: [{kind: poisson, sizes: 20 KB, load: 40%, stop: 200 us}]\n";
    struct change change[CHANGES_MAX];
    uint32_t count = draw_changes(shape, key, change);
    struct run *r, *whole;
    (void)snprintf(head, sizeof(head), "%sprotocol: %s\n", shape->head, law);
    write_events(text, head, fabric, traffic, change, count);
    r = run_text(text);
    (void)snprintf(session, sizeof(session), "%sfabric:\n  reroute_delay: 3 us\n%s%s%s", head, fabric, traffic,
                   RUN_DONE);
    whole = run_text(session);
    assert_true(whole->digest != r->digest); /* the changes matter */
    (void)snprintf(session, sizeof(session), "%sfabric:\n  reroute_delay: 3 us\n  cuttable: all\n%s%s%s", head, fabric,
                   "traffic: [{kind: session, sizes: 20 KB}]\n", RUN_DONE);
    for (uint32_t way = 0; way < 6; way++) {
        uint64_t digest;
        if (!run_all && (row + way / 2) % 2 == way % 2)
            continue;
        digest = give_changes(session, &r->setup.workload, change, count, 1 + way / 2, way % 2 != 0);
        if (digest != r->digest)
            fail_msg("%s, key %" PRIu64 ", %" PRIu32 " threads, %s: digest %016" PRIx64 ", not %016" PRIx64 "\n%s", law,
                     key, 1 + way / 2, way % 2 == 0 ? "at instants" : "at events", digest, r->digest, text);
    }
    free_run(r);
    free_run(whole);
}

static void changes_of_the_network_have_the_digest_of_events(void **state)
{
    static const struct {
        const struct shape *shape;
        const char *law, *fabric;
    } row[] = {
        { &leaf_spine, "dctcp", "" },
        { &star, "sird", "" },
        { &tree, "dcqcn",
          "  priorities: 2\n  buffer: 2 MB\n  ecn: {scale: rate}\n  pfc: {kind: static, xoff: 20 KB}\n" },
        { &leaf_spine, "ndp", "" },
        { &tree, "hpcc", "" },
        { &star, "homa", "" },
        { &leaf_spine, "swift", "" },
        { &leaf_spine, "dcqcn",
          "  priorities: 2\n  buffer: 2 MB\n  ecn: {scale: rate}\n  pfc: {kind: static, xoff: 60 KB}\n" },
        { &tree, "dctcp", "" },
        { &leaf_spine, "newreno", "" },
    };
    (void)state;
    for (size_t i = 0; i < (run_all ? sizeof(row) / sizeof(row[0]) : 3); i++)
        for (uint64_t key = 1; key <= (run_all ? 10 : 1); key++)
            check_changes(row[i].shape, row[i].law, row[i].fabric, key, (uint32_t)i);
}

/* ---- what is refused ---- */

#define PAIR                                                                                                           \
    "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\nprotocol: dctcp\n"                        \
    "framing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\ntraffic: [{kind: session}]\n" RUN_DONE
/* Twice a frame of 1538 B at 800 ps each, and a delay; two delays by which switches may be ahead; one more. */
#define LEAD_PS (UINT64_C(2) * 1538 * UINT64_C(800) + 2 * US + 2 * 2 * US + 1)

static void refused(struct weir_sim *sim, int code, int wanted, const char *sentence)
{
    assert_int_equal(code, wanted);
    assert_string_equal(weir_sim_error(sim)->text, sentence);
}

static void changes_that_are_refused(void **state)
{
    struct weir_sim *sim = open_checked("fabric: {cuttable: hosts}\n" PAIR, 1);
    (void)state;
    assert_int_equal(weir_sim_lead(sim), LEAD_PS);
    refused(sim, weir_sim_cut(sim, "host 3", 99 * US), WEIR_SIM_E_ARGUMENT,
            "no cable, switch or host has the name 'host 3'");
    refused(sim, weir_sim_mend(sim, "host 0 - host 1", 99 * US), WEIR_SIM_E_ARGUMENT,
            "no cable, switch or host has the name 'host 0 - host 1'");
    refused(sim, weir_sim_cut(sim, "host 1", LEAD_PS - 1), WEIR_SIM_E_PAST,
            "8460800 ps is too soon: frames that arrive before 8460801 ps may be on their way");
    assert_int_equal(weir_sim_cut(sim, "host 1", LEAD_PS), 0);
    refused(sim, weir_sim_mend(sim, "host 1", LEAD_PS - 1), WEIR_SIM_E_PAST,
            "8460800 ps is too soon: frames that arrive before 8460801 ps may be on their way");
    assert_int_equal(weir_sim_cut(sim, "host 2 - switch 0", 40 * US), 0);
    refused(sim, weir_sim_mend(sim, "host 1", 40 * US - 1), WEIR_SIM_E_PAST,
            "39999999 ps: a change at 40000000 ps is given already, and changes are given in the order of time");
    assert_int_equal(weir_sim_mend(sim, "host 1", 40 * US), 0);
    refused(sim, weir_sim_hold(sim, "host 1", 50 * US), WEIR_SIM_E_ARGUMENT,
            "host 1: what goes down as a whole has no queue in which packets could wait");
    refused(sim, weir_sim_cut(sim, "host 1", UINT64_C(1) << 62), WEIR_SIM_E_ARGUMENT,
            "4611686018427387904 ps: times are below 2^62 ps");
    assert_int_equal(advance(sim, 60 * US, NULL), 0);
    refused(sim, weir_sim_cut(sim, "host 1", 60 * US - 1), WEIR_SIM_E_PAST,
            "59999999 ps is in the past: nothing before 60000000 ps can be changed any more");
    (void)close_session(sim);
    sim = open_checked(PAIR, 1);
    refused(sim, weir_sim_cut(sim, "host 0", 99 * US), WEIR_SIM_E_ARGUMENT,
            "host 0: fabric.cuttable of the scenario does not say that this may go down");
    (void)close_session(sim);
    sim = open_checked("fabric: {cuttable: core}\n" PAIR, 1);
    refused(sim, weir_sim_cut(sim, "switch 0", 99 * US), WEIR_SIM_E_ARGUMENT, /* it has cables of hosts alone */
            "switch 0: fabric.cuttable of the scenario does not say that this may go down");
    (void)close_session(sim);
}

static void on_event(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct weir_sim *sim = *(struct weir_sim **)ctx;
    (void)here;
    refused(sim, weir_sim_cut(sim, "host 1", event->at_ps + 90 * US), WEIR_SIM_E_CALL,
            "a call-back cannot change the network");
}

static void a_call_back_may_not_change_the_network(void **state)
{
    static const char text[] = "fabric: {cuttable: all}\n" PAIR;
    struct weir_sim *sim = NULL;
    const struct weir_sim_opts opts = { .size = sizeof(opts), .on_event = on_event, .ctx = &sim };
    const struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 10 };
    (void)state;
    sim = weir_sim_open(text, strlen(text), &opts, NULL);
    assert_non_null(sim);
    done(sim, weir_sim_inject(sim, &m, NULL));
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    (void)close_session(sim);
}

static void a_scenario_has_events_or_a_program_gives_them(void **state)
{
    static const char text[] = "fabric:\n  cuttable: all\n  events: [{time: 1 us, host: host 1, state: down}]\n" PAIR;
    struct weir_sim_error error = { 0 };
    (void)state;
    assert_null(weir_sim_open(text, strlen(text), NULL, &error));
    assert_string_equal(error.text,
                        "cuttable: all, and the scenario takes cables down itself: who did so last would count");
    assert_int_equal(error.line, 2);
}

/* After a failure between windows the other threads still wait for the next one. */
static void a_session_that_failed_is_closed(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct weir_sim *sim = open_checked(PAIR, threads);
        assert_int_equal(advance(sim, 5 * US, NULL), 0);
        sim->failed = true;
        sim->error.code = WEIR_SIM_E_RUN;
        assert_int_equal(weir_sim_close(sim, NULL, NULL), WEIR_SIM_E_RUN);
    }
}

/* A thousand changes: routes that nobody uses any more are freed. */
static void many_changes(void **state)
{
    struct weir_sim *sim = open_checked("fabric: {cuttable: all}\n" PAIR, 1);
    const struct weir_sim_event *event = NULL;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t at_ps = weir_sim_floor(sim) + weir_sim_lead(sim);
        const struct weir_sim_message m = {
            .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1460, .start_ps = at_ps + 10 * US
        };
        done(sim, i % 2 == 0 ? weir_sim_hold(sim, "host 1 - switch 0", at_ps)
                             : weir_sim_mend(sim, "host 1 - switch 0", at_ps));
        if (i % 2 == 1) {
            done(sim, weir_sim_inject(sim, &m, NULL));
            assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
            assert_int_equal(event->at_ps, m.start_ps + UINT64_C(2) * 1538 * 800 + 4 * US);
        }
        (void)advance(sim, at_ps + 40 * US, NULL);
    }
    (void)close_session(sim);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_that_are_refused),
        cmocka_unit_test(a_call_back_may_not_change_the_network),
        cmocka_unit_test(a_scenario_has_events_or_a_program_gives_them),
        cmocka_unit_test(many_changes),
        cmocka_unit_test(changes_of_weights_have_the_digest_of_jobs),
        cmocka_unit_test(weights_that_are_refused),
        cmocka_unit_test(weights_at_the_limits_of_their_item),
        cmocka_unit_test(a_change_ends_with_its_message),
        cmocka_unit_test(a_session_that_failed_is_closed),
        cmocka_unit_test(changes_of_the_network_have_the_digest_of_events),
    };
    run_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("session/changes", tests, NULL, NULL);
}
