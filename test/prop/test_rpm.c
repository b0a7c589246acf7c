/* test/prop/test_rpm.c - when a sender hears of congestion, to the picosecond: by an ACK that the switch marks, or by way of the receiver.
 * The network is that of RPM's evaluation: H1 - S1 - R1 - S2 - H2 with a bottleneck from R1 to S2; two more pairs of hosts make a queue. */
#define _GNU_SOURCE                                                                                                    \
    1 /* memfd_create(); NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's own name */
#include "core/cc.h"
#include "core/feature.h"
#include "test/prop/rig.h"
#include "features/rpm/rpm.h"
#include <sys/mman.h>
#include <unistd.h>

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US

enum { FRAME = 1538, ACK = 84, PAYLOAD = 1460 };
#define F UINT64_C(1230400) /* a frame at 10 Gb/s; .. */
#define F_CORE (F / 10)     /* .. at 100, between S1 and R1 */
#define A UINT64_C(67200)   /* an acknowledgement, likewise */
#define A_CORE (A / 10)
#define D1 (10 * MS) /* H1 - S1 */
#define CORE (10 * US)
/* Messages that overlap have connections of their own; here they share a cell. */
#define ONE_CELL ", rpm: {mode: on, entries: 1}"

/* From R1, where an ACK arrives, to H1. */
#define BACK (A_CORE + CORE + A + D1)

/* ---- a law that sends at once and notes the first ACK with a mark ---- */

static uint64_t heard_ps; /* 0 = not yet */

static void ears_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES };
}

static void ears_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    if (ack->marked_bytes > 0 && heard_ps == 0)
        heard_ps = ack->now_ps;
}

static const struct weir_cc_ops ears = { .name = "ears",
                                         .state_bytes = sizeof(struct weir_cc),
                                         .needs = WEIR_NEED_ECN,
                                         .init = ears_init,
                                         .on_ack = ears_on_ack };

/* ---- a feature that marks what joins or leaves one port at one instant ---- */

struct force {
    uint64_t at_ps;
    uint32_t link;
    bool at_join;
};

static bool force_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    return port->link == ((const struct force *)here->model)->link;
}

static uint32_t force_on_join(const struct weir_here *here, const struct weir_join *join)
{
    const struct force *f = here->model;
    return f->at_join && join->now_ps == f->at_ps && (join->pkt->flags & WEIR_PKT_ECT) != 0 ? WEIR_MARK | WEIR_RULE(0)
                                                                                            : 0;
}

static uint32_t force_on_dequeue(const struct weir_here *here, struct weir_dequeue *d)
{
    const struct force *f = here->model;
    return !f->at_join && d->now_ps == f->at_ps && (d->pkt->flags & WEIR_PKT_ECT) != 0 ? WEIR_MARK | WEIR_RULE(0) : 0;
}

static const struct weir_rule force_rules[] = { { .name = "force", .paragraph = "join.mark", .fate = WEIR_FATE_MARKED },
                                                { 0 } };
static const struct weir_feature force_feature = { .name = "force",
                                                   .rules = force_rules,
                                                   .port_init = force_port_init,
                                                   .on_join = force_on_join,
                                                   .on_dequeue = force_on_dequeue };

/* ---- the network ---- */

/* Between R1 and H2, both ways, with an ACK and without waiting: what the detour by the receiver takes. */
static uint64_t detour_ps(uint64_t d2_ps)
{
    return F + CORE + F + d2_ps + A + d2_ps + A + CORE;
}

static void begin_network(uint64_t d2_ps, const char *fabric)
{
    char path[64], text[1024];
    int fd = memfd_create("net", 0), length;
    assert_true(fd >= 0);
    length = snprintf(text, sizeof(text),
                      "defaults: {rate: 10 Gbps, delay: 10 us}\nhosts: [H1, H3, H5, H2, H4, H6]\n"
                      "switches: [S1, R1, S2]\ncables:\n  - {a: H1, b: S1, delay: 10 ms}\n  - {a: H3, b: S1}\n"
                      "  - {a: H5, b: S1}\n  - {a: S1, b: R1, rate: 100 Gbps}\n  - {a: R1, b: S2}\n"
                      "  - {a: S2, b: H2, delay: %" PRIu64 " ps}\n  - {a: S2, b: H4}\n  - {a: S2, b: H6}\n",
                      d2_ps);
    assert_int_equal(write(fd, text, (size_t)length), length);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: file, file: %s}\nprotocol: {name: dctcp}\n"
                   "fabric: {ecn: {threshold: 1 GB}%s}\nhost: {nic_queue: pull, rto_min: 1 s, rto_init: 1 s}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n",
                   path, fabric);
    begin(text);
    (void)close(fd);
    rig.setup.model.host.cc = &ears;
}

static uint32_t bottleneck(void)
{
    const struct weir_topology *topo = &rig.setup.topo;
    uint32_t i = 0;
    while (topo->link[i].src != topo->host_count + 1 || topo->link[i].dst != topo->host_count + 2)
        i++;
    return i;
}

/* Three packets from H1 to H2; the third has an event, at `force`. first_ack_ps .. : of the second arrives at R1 then. With a queue two packets
 * of others join the bottleneck right before the third. */
struct run_case {
    uint64_t d2_ps, third_ps; /* when the third starts at H1 */
    const char *fabric;
    bool at_join, queue;
    uint64_t at_ps;                   /* of the event */
    uint64_t wanted_ps;               /* when H1 hears of it */
    uint64_t events, marked, forward; /* what RPM counts */
};

static void run_case(const struct run_case *c)
{
    static run_fn *const simulators[] = { weir_oracle_run, weir_sim_run };
    struct weir_model *m = NULL;
    struct force force;
    for (size_t i = 0; i < 2; i++) {
        struct weir_result result;
        begin_network(c->d2_ps, c->fabric);
        m = &rig.setup.model;
        force = (struct force){ .at_ps = c->at_ps, .link = bottleneck(), .at_join = c->at_join };
        m->features.on[m->features.count++] = (struct weir_feature_on){ .row = &force_feature, .model = &force };
        list(0, 3, PAYLOAD, 0);
        list(0, 3, PAYLOAD, 5 * MS);
        list(0, 3, PAYLOAD, c->third_ps);
        for (uint32_t h = 1; h <= 2 && c->queue; h++) /* a picosecond earlier at S1 */
            list(h, 3 + h, PAYLOAD, c->third_ps + D1 - CORE - 1);
        use_list();
        heard_ps = 0;
        result = run(simulators[i], NULL);
        assert_int_equal(heard_ps, c->wanted_ps);
        assert_int_equal(feature_count(&result, "events"), c->events);
        assert_int_equal(feature_count(&result, "marked"), c->marked);
        assert_int_equal(feature_count(&result, "forward"), c->forward);
        assert_int_equal(result.marks, c->forward + (c->events == 0));
        end();
    }
}

/* When a packet that starts at H1 at t starts at R1, if nothing waits. */
static uint64_t at_r1_ps(uint64_t t_ps)
{
    return t_ps + F + D1 + F_CORE + CORE;
}

static const uint64_t d2[] = { 10 * MS, 20 * MS, 30 * MS, 40 * MS, 50 * MS };

/* The second packet's ACK arrives at R1 a picosecond after the third starts there. */
static void the_sender_hears_by_the_next_ack_that_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        uint64_t third_ps = 5 * MS + detour_ps(d2[i]) - 1, at_ps = at_r1_ps(third_ps);
        run_case(&(struct run_case){ .d2_ps = d2[i],
                                     .third_ps = third_ps,
                                     .fabric = ONE_CELL,
                                     .at_ps = at_ps,
                                     .wanted_ps = at_ps + 1 + BACK, /* 10.010073921 ms later, whatever d2 is */
                                     .events = 1,
                                     .marked = 1 });
    }
}

/* At one instant the ACK comes first: that of the third packet itself is the next. */
static void an_ack_of_the_same_instant_is_too_early(void **state)
{
    uint64_t third_ps = 5 * MS + detour_ps(d2[0]), at_ps = at_r1_ps(third_ps);
    (void)state;
    run_case(&(struct run_case){ .d2_ps = d2[0],
                                 .third_ps = third_ps,
                                 .fabric = ONE_CELL,
                                 .at_ps = at_ps,
                                 .wanted_ps = at_ps + detour_ps(d2[0]) + BACK,
                                 .events = 1,
                                 .marked = 1 });
}

/* As above, but the event happens where the third packet joins, and ACK and DATA arrive at the same instant. */
static void the_same_where_packets_are_marked_when_they_join(void **state)
{
    (void)state;
    for (uint64_t late_ps = 0; late_ps < 2; late_ps++) {
        uint64_t third_ps = 5 * MS + detour_ps(d2[0]) - late_ps, at_ps = at_r1_ps(third_ps);
        run_case(&(struct run_case){ .d2_ps = d2[0],
                                     .third_ps = third_ps,
                                     .fabric = ", rpm: {cells: port}",
                                     .at_join = true,
                                     .at_ps = at_ps,
                                     .wanted_ps = at_ps + late_ps + BACK + (late_ps == 0 ? detour_ps(d2[0]) : 0),
                                     .events = 1,
                                     .marked = 1 });
    }
}

/* CE, and ECE from the receiver: the same event reaches the sender by the detour. */
static void forward_marking_takes_the_way_by_the_receiver(void **state)
{
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        uint64_t third_ps = 5 * MS + detour_ps(d2[i]) - 1, at_ps = at_r1_ps(third_ps);
        run_case(&(struct run_case){ .d2_ps = d2[i],
                                     .third_ps = third_ps,
                                     .fabric = "",
                                     .at_ps = at_ps,
                                     .wanted_ps = at_ps + detour_ps(d2[i]) + BACK });
    }
}

/* Before any ACK has passed RPM marks forward. */
static void without_an_ack_so_far_the_packet_is_marked(void **state)
{
    uint64_t at_ps = at_r1_ps(0);
    (void)state;
    run_case(&(struct run_case){ .d2_ps = d2[0],
                                 .third_ps = 200 * MS,
                                 .fabric = ONE_CELL,
                                 .at_ps = at_ps, /* of the first packet */
                                 .wanted_ps = at_ps + detour_ps(d2[0]) + BACK,
                                 .events = 1,
                                 .forward = 1 });
}

/* The third packet joins behind two others, of which the first has begun 2 F_CORE ago: it waits for 2 (F - F_CORE). What is marked on joining waits
 * with its packet; RPM does not. */
static void a_mark_on_joining_waits_for_the_queue_and_rpm_does_not(void **state)
{
    uint64_t wait_ps = 2 * (F - F_CORE);
    (void)state;
    for (uint32_t rpm = 0; rpm < 2; rpm++) {
        uint64_t third_ps = 5 * MS + detour_ps(d2[4]) - 2 * F_CORE, at_ps = at_r1_ps(third_ps) + 2 * F_CORE - 1;
        run_case(
            &(struct run_case){ .d2_ps = d2[4],
                                .third_ps = third_ps,
                                .fabric = rpm != 0 ? ONE_CELL : "",
                                .at_join = true,
                                .queue = true,
                                .at_ps = at_ps,
                                .wanted_ps = rpm != 0 ? at_ps + 1 + BACK : at_ps + wait_ps + detour_ps(d2[4]) + BACK,
                                .events = rpm,
                                .marked = rpm });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sender_hears_by_the_next_ack_that_passes),
        cmocka_unit_test(an_ack_of_the_same_instant_is_too_early),
        cmocka_unit_test(the_same_where_packets_are_marked_when_they_join),
        cmocka_unit_test(forward_marking_takes_the_way_by_the_receiver),
        cmocka_unit_test(without_an_ack_so_far_the_packet_is_marked),
        cmocka_unit_test(a_mark_on_joining_waits_for_the_queue_and_rpm_does_not),
    };
    return cmocka_run_group_tests_name("prop/rpm", tests, NULL, NULL);
}
