/* test/unit/port/test_port.c - ports off the fast path, each rule of doc/model.md by hand. Ports are those of a star
 * that was set up from text; packets join by hand. A frame of 1000 B takes 800000 ps at 10 Gb/s. */
#include "test/unit/sim_fixture.h"
#include "features/ecn/ecn.h"
#include "features/maxqd/maxqd.h"

#define TAIL PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"

static struct sim_thread *th;
static struct sim_link *port; /* of the switch, to host 1 */

static void make(const char *text)
{
    th = fix_make(text);
    th->counting = true; /* queues are summed up */
    port = fix_port(0, 1);
}

static bool join_class(struct sim_link *link, uint32_t seq, uint64_t now_ps, uint8_t class_id, uint16_t bytes)
{
    struct weir_pkt pkt = fix_pkt((uint16_t)link->dst, bytes, seq);
    pkt.class_id = WEIR_PKT_CLASS(class_id);
    return fix_join(th, link, &pkt, now_ps);
}

static bool join(uint32_t seq, uint64_t now_ps)
{
    return join_class(port, seq, now_ps, 0, 1000);
}

static void area_is(uint64_t now_ps, uint64_t area)
{
    sim_area is = weir_sim_port_area(port, now_ps);
    assert_int_equal((uint64_t)(is >> 64), 0);
    assert_int_equal((uint64_t)is, area);
}

/* --- a rate without whole picoseconds per byte --- */

/* 8e12 / 56e9 = 142 6/7 ps per byte; a frame of 1538 B lasts 219714 2/7 ps, seven of them 1538000 ps exactly. */
static void a_fractional_rate_carries_its_remainder_from_frame_to_frame(void **state)
{
    static const uint32_t seq[] = { 0, 1, 2, 3, 4, 5, 6 };
    static const uint64_t arrival_ps[] = { 2219714, 2439428, 2659142, 2878857, 3098571, 3318285, 3538000 };
    (void)state;
    make("topology: {kind: star, hosts: 3, host_link: 56 Gbps, host_delay: 2 us}\n" TAIL);
    fix_kind_is(port, .fraction = true, .join = true); /* a threshold in bytes is none in time */
    for (uint32_t i = 0; i < 7; i++)
        assert_true(join_class(port, i, 0, 0, 1538));
    fix_on_wire(port, seq, arrival_ps, 7);
    assert_int_equal(port->free_at_ps, 1538000);
    assert_int_equal(port->bytes, 7 * 1538);
}

/* All joined at once: b falls from 1538000 to 0, A = twice the triangle. */
static void areas_and_queue_bytes_follow_the_exact_rate(void **state)
{
    (void)state;
    make("topology: {kind: star, hosts: 3, host_link: 56 Gbps, host_delay: 2 us}\n" TAIL);
    for (uint32_t i = 0; i < 7; i++)
        (void)join_class(port, i, 0, 0, 1538);
    area_is(0, 0);
    area_is(769000, UINT64_C(1538000) * 1538000 - UINT64_C(769000) * 769000);
    area_is(1538000, UINT64_C(1538000) * 1538000);
    area_is(9000000, UINT64_C(1538000) * 1538000);
    assert_int_equal((uint64_t)weir_sim_port_area_of_all(port, 0), UINT64_C(1538000) * 1538000);
    assert_int_equal(weir_sim_switch_queue_bytes(th, fix_switch(0), 0), 7 * 1538);
    assert_int_equal(weir_sim_switch_queue_bytes(th, fix_switch(0), 142),
                     7 * 1538 - 1); /* 142 ps are not quite a byte */
    assert_int_equal(weir_sim_switch_queue_bytes(th, fix_switch(0), 143), 7 * 1538 - 2); /* and 143 a little more */
    assert_int_equal(port->backlog_max_ps, 1538000);
}

/* --- strict priority --- */

#define CLASSES STAR("3") "fabric: {priorities: 3}\n" TAIL

static void a_decision_sees_what_arrives_at_its_instant_and_not_what_comes_later(void **state)
{
    static const uint32_t order[] = { 1, 3, 2, 4 };
    static const uint64_t arrival_ps[] = { 2800000, 3600000, 4400000, 5200000 };
    (void)state;
    make(CLASSES);
    (void)join_class(port, 1, 0, 1, 1000); /* idle port: starts at once */
    (void)join_class(port, 2, 100, 1, 1000);
    (void)join_class(port, 3, 800000, 0, 1000);  /* arrives just when the port decides: goes first */
    (void)join_class(port, 4, 1600001, 0, 1000); /* a picosecond after the next decision: has to wait */
    assert_int_equal(sim_port_decide(th, port, 10000000), WEIR_NEVER);
    fix_on_wire(port, order, arrival_ps, 4);
    assert_int_equal(port->waiting_pkts, 0);
}

static void of_two_that_arrive_at_an_idle_port_at_once_the_higher_class_goes(void **state)
{
    static const uint32_t order[] = { 2, 1 };
    static const uint64_t arrival_ps[] = { 2800500, 3600500 };
    (void)state;
    make(CLASSES);
    (void)join_class(port, 1, 500, 2, 1000);
    (void)join_class(port, 2, 500, 1, 1000);
    (void)sim_port_decide(th, port, 10000000);
    fix_on_wire(port, order, arrival_ps, 2);
}

static void within_a_class_first_come_is_first_served_and_classes_beyond_the_last_are_the_last(void **state)
{
    static const uint32_t order[] = { 0, 3, 1, 2, 4 };
    static const uint64_t arrival_ps[] = { 2800000, 3600000, 4400000, 5200000, 6000000 };
    (void)state;
    make(CLASSES);
    (void)join_class(port, 0, 0, 2, 1000);
    (void)join_class(port, 1, 1, 2, 1000);
    (void)join_class(port, 2, 2, 7, 1000); /* 7 is 2 here */
    (void)join_class(port, 3, 3, 1, 1000);
    (void)join_class(port, 4, 4, 2, 1000);
    (void)sim_port_decide(th, port, 10000000);
    fix_on_wire(port, order, arrival_ps, 5);
}

static void a_replay_makes_no_decision_at_or_after_its_end(void **state)
{
    (void)state;
    make(CLASSES);
    (void)join_class(port, 1, 0, 1, 1000);
    (void)join_class(port, 2, 0, 1, 1000);
    assert_int_equal(sim_port_decide(th, port, 0), 0);
    assert_int_equal(fix_count(port), 0);
    assert_int_equal(sim_port_decide(th, port, KB_PS), KB_PS);
    assert_int_equal(fix_count(port), 1);
    (void)sim_port_decide(th, port, KB_PS + 1);
    assert_int_equal(fix_count(port), 2);
}

/* b(t) and A do not depend on the order of service: known when a packet joins, replayed or not. */
static void unsent_work_and_area_are_known_before_any_decision(void **state)
{
    (void)state;
    make(CLASSES);
    (void)join_class(port, 1, 0, 2, 1000);
    (void)join_class(port, 2, 300000, 0, 1000);
    (void)join_class(port, 3, 300000, 1, 1000);
    assert_int_equal(weir_sim_port_backlog_ps(port, 300000), 2100000);
    assert_int_equal(port->backlog_max_ps, 2100000);
    area_is(2400000, UINT64_C(800000) * (800000 + 2 * 500000 + 800000 + 2 * 1300000 + 800000));
    assert_int_equal(fix_count(port), 2); /* the first is sent, and class 0 leaves next, whatever comes */
    assert_int_equal(port->waiting_pkts, 1);
}

/* The frame of class 0 lasts from 800000 to 1600000, when the cable goes down for ever. It counts whole, whenever the last
 * delivery was. The third waits, and counts from when it joined, at 300000, until then. */
static void at_the_end_of_all_what_left_counts_whole_and_what_waits_until_the_last_delivery(void **state)
{
    static const struct {
        uint64_t end_ps, waited_ps;
    } row[] = { { 299999, 0 }, { 300000, 0 }, { 300001, 1 }, { 1000000, 700000 }, { 5000000, 4700000 } };
    (void)state;
    make(STAR("3") "fabric: {priorities: 3, events: [{time: 1600 ns, cable: host 1 - switch 0, queue: wait}]}\n" TAIL);
    (void)join_class(port, 1, 0, 2, 1000);
    (void)join_class(port, 2, 300000, 0, 1000);
    (void)join_class(port, 3, 300000, 1, 1000);
    (void)sim_port_decide(th, port, 9000000);
    assert_int_equal(port->waiting_pkts, 1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal((uint64_t)weir_sim_port_area_of_all(port, row[i].end_ps),
                         UINT64_C(800000) * (800000 + 2 * 500000 + 800000 + 2 * row[i].waited_ps));
}

/* --- limited buffers --- */

static void memory_is_held_until_the_very_end_of_a_transmission(void **state)
{
    (void)state;
    make(STAR("3") "fabric: {buffer: 2000 B}\n" TAIL);
    fix_kind_is(port, .memory = true);
    assert_true(join(1, 0));
    assert_true(join(2, 0));
    assert_false(join(3, 0));
    assert_false(join(4, KB_PS - 1));
    assert_true(join(5, KB_PS)); /* the first frame ends here: it has left */
    assert_false(join(6, KB_PS));
    assert_false(join(7, 2 * KB_PS - 1));
    assert_true(join(8, 2 * KB_PS));
    assert_int_equal(port->drops, 4);
    assert_int_equal(port->bytes, 4000); /* what was refused does not count */
    assert_int_equal(fix_switch(0)->used_bytes, 2000);
}

static void a_buffer_is_shared_by_the_ports_of_a_switch(void **state)
{
    struct sim_link *other;
    (void)state;
    make(STAR("3") "fabric: {buffer: 2000 B}\n" TAIL);
    other = fix_port(0, 2);
    assert_true(join(1, 0));
    assert_true(join_class(other, 2, 0, 0, 1000));
    assert_false(join_class(other, 3, KB_PS - 1, 0, 1000));
    assert_int_equal(other->drops, 1);
    assert_true(join_class(other, 4, KB_PS, 0, 2000)); /* both frames ended: all of it is free */
    assert_false(join_class(port, 5, KB_PS, 0, 1));
}

static void a_port_has_a_limit_of_its_own(void **state)
{
    (void)state;
    make(STAR("3") "fabric: {port_buffer: 1999 B}\n" TAIL);
    assert_true(join(1, 0));
    assert_false(join(2, 0));
    assert_true(join_class(fix_port(0, 2), 3, 0, 0, 1999));
    assert_true(join(4, KB_PS));
}

/* With alpha 1 a port may hold as much as is free: after two frames of 1000 of 4000 B a third would make it 3000 with
 * 2000 free. */
static void a_dynamic_threshold_leaves_room_for_other_ports(void **state)
{
    (void)state;
    make(STAR("3") "fabric: {buffer: 4000 B, alpha: 1}\n" TAIL);
    assert_true(join(1, 0));
    assert_true(join(2, 0));
    assert_false(join(3, 0));
    assert_true(join_class(fix_port(0, 2), 4, 0, 0, 1000));
    assert_false(join_class(fix_port(0, 2), 5, 0, 0, 1000)); /* 2000 with 1000 free */
}

/* With classes a frame's end is not known before its decision: the port is brought up to date first. */
static void a_port_with_classes_gives_memory_back_at_the_same_instants(void **state)
{
    static const uint32_t order[] = { 1, 5, 2 };
    static const uint64_t arrival_ps[] = { 2800000, 3600000, 4400000 };
    (void)state;
    make(STAR("3") "fabric: {buffer: 2000 B, priorities: 2}\n" TAIL);
    assert_true(join_class(port, 1, 0, 1, 1000));
    assert_true(join_class(port, 2, 0, 1, 1000));
    assert_false(join_class(port, 3, 0, 0, 1000));
    assert_false(join_class(port, 4, KB_PS - 1, 0, 1000));
    assert_true(join_class(port, 5, KB_PS, 0, 1000));
    (void)sim_port_decide(th, port, 10000000);
    fix_on_wire(port, order, arrival_ps, 3);
}

/* --- cables --- */

static struct weir_cable_event down_up_down[] = { { .at_ps = 100 }, { .at_ps = 200, .up = true }, { .at_ps = 300 } };

static void a_transmission_may_start_when_the_cable_is_up(void **state)
{
    static const struct {
        uint64_t at_ps, up_ps;
    } row[] = {
        { 0, 0 },     { 99, 99 },   { 100, 200 }, { 101, 200 },        { 199, 200 },
        { 200, 200 }, { 250, 250 }, { 299, 299 }, { 300, WEIR_NEVER }, { 1000, WEIR_NEVER },
    };
    struct sim_port p = { .event = down_up_down, .event_count = 3 };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_sim_port_up_ps(&p, row[i].at_ps), row[i].up_ps);
}

static void events_that_change_nothing_change_nothing(void **state)
{
    static struct weir_cable_event event[] = { { .at_ps = 50, .up = true },
                                               { .at_ps = 100 },
                                               { .at_ps = 150 },
                                               { .at_ps = 200, .up = true },
                                               { .at_ps = 250, .up = true } };
    static const struct {
        uint64_t at_ps, up_ps;
    } row[] = {
        { 0, 0 },     { 50, 50 },   { 99, 99 },   { 100, 200 }, { 150, 200 },
        { 199, 200 }, { 200, 200 }, { 250, 250 }, { 900, 900 },
    };
    struct sim_port p = { .event = event, .event_count = 5 };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_sim_port_up_ps(&p, row[i].at_ps), row[i].up_ps);
    assert_int_equal(weir_sim_port_up_ps(&(struct sim_port){ .event_count = 0 }, 77), 77);
}

/* Lost when the cable goes down at u with start < u < arrival, both ends excluded. */
static void a_frame_is_cut_only_strictly_between_start_and_arrival(void **state)
{
    static const struct {
        uint64_t start_ps, arrival_ps;
        bool cut;
    } row[] = {
        { 0, 100, false },   { 0, 101, true },   { 99, 101, true }, { 100, 101, false }, { 150, 250, false },
        { 200, 300, false }, { 200, 301, true }, { 0, 1000, true }, { 300, 400, false },
    };
    struct sim_port p = { .event = down_up_down, .event_count = 3 };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_sim_port_cut(&p, row[i].start_ps, row[i].arrival_ps), row[i].cut);
}

#define BREAKS_WITH(more, queue, down, up)                                                                             \
    STAR("3")                                                                                                          \
    "fabric: {" more "events: [{time: " down ", cable: host 1 - switch 0, state: down, queue: " queue "}, "            \
    "{time: " up ", cable: host 1 - switch 0, state: up}]}\n" TAIL
#define BREAKS(down, up) BREAKS_WITH("", "wait", down, up)

/* The first frame starts at 0 and is cut at 500 ns; the port is busy until 800 ns all the same; the second waits for
 * the cable. */
static void unsent_work_stands_still_while_a_cable_is_down(void **state)
{
    static const uint32_t order[] = { 2 };
    static const uint64_t arrival_ps[] = { 10000000 + KB_PS + DELAY_PS };
    (void)state;
    make(BREAKS("500 ns", "10 us"));
    fix_kind_is(port, .serve = SIM_SERVE_QUEUE, .cable = true);
    fix_kind_is(fix_port(0, 2), .serve = SIM_SERVE_FIFO);
    (void)join(1, 0);
    (void)join(2, 100000);
    assert_int_equal(weir_sim_port_backlog_ps(port, 100000), 1500000);
    area_is(500000, UINT64_C(800000) * 800000 - UINT64_C(300000) * 300000 + UINT64_C(2) * 800000 * 400000);
    (void)sim_port_decide(th, port, 5000000);
    assert_int_equal(weir_sim_port_backlog_ps(port, 800000), 800000);
    assert_int_equal(weir_sim_port_backlog_ps(port, 5000000), 800000);
    assert_int_equal(weir_sim_switch_queue_bytes(th, fix_switch(0), 5000000), 1000);
    area_is(5000000, UINT64_C(800000) * 800000 + UINT64_C(2) * 800000 * 4900000);
    assert_int_equal(sim_port_decide(th, port, 10000000), 10000000);
    (void)sim_port_decide(th, port, 10000001);
    fix_on_wire(port, order, arrival_ps, 1);
    area_is(10400000,
            UINT64_C(800000) * 800000 + UINT64_C(800000) * (2 * 9900000 + 800000) - UINT64_C(400000) * 400000);
    area_is(99000000, UINT64_C(800000) * 800000 + UINT64_C(800000) * (2 * 9900000 + 800000));
    assert_int_equal(port->losses, 1);
}

static void a_packet_that_joins_while_the_cable_is_down_counts_behind_the_queue(void **state)
{
    (void)state;
    make(BREAKS("1 us", "10 us"));
    for (uint32_t i = 0; i < 3; i++)
        (void)join(i, 2000000);
    assert_int_equal(port->backlog_max_ps, 3 * KB_PS);
    (void)sim_port_decide(th, port, 20000000);
    assert_int_equal(fix_count(port), 3);
    assert_int_equal(weir_sim_port_backlog_ps(port, 10000000 + KB_PS), 2 * KB_PS);
    assert_int_equal(port->losses, 0);
}

static uint64_t caused(uint32_t cause)
{
    return th->lost[cause][WEIR_LOST_DATA][0];
}

/* Cable and switch go down one after the other: with the second event goes what waited since the first. */
static void a_switch_that_goes_down_drops_what_waits_behind_a_cable_that_is_down(void **state)
{
    (void)state;
    make(STAR("3") "fabric: {events: [{time: 500 ns, cable: host 1 - switch 0, queue: wait}, "
                   "{time: 2 us, switch: switch 0}]}\n" TAIL);
    assert_true(join(1, 0));
    assert_true(join(2, 100000));
    assert_int_equal(sim_port_decide(th, port, 1900000), 2000000);
    assert_int_equal(port->drops, 0);
    assert_int_equal(sim_port_decide(th, port, 2000001), WEIR_NEVER);
    assert_int_equal(port->drops, 1);
    assert_true(weir_sim_port_discards(port->port, 2000001));
}

/* The first frame is cut at 500 ns, the second waits then; the third comes while the cable is down. */
static void a_cable_that_goes_down_flushes_its_port_until_it_is_up(void **state)
{
    static const uint32_t order[] = { 4 };
    static const uint64_t arrival_ps[] = { 10000000 + KB_PS + DELAY_PS };
    static const uint64_t kept = UINT64_C(800000) * 800000 + UINT64_C(2) * 800000 * 400000;
    (void)state;
    make(BREAKS_WITH("", "flush", "500 ns", "10 us"));
    assert_true(join(1, 0));
    assert_true(join(2, 100000));
    assert_int_equal(sim_port_decide(th, port, 400000), 500000); /* due then, not when the cable is up */
    assert_int_equal(port->drops, 0);
    assert_int_equal(sim_port_decide(th, port, 500001), WEIR_NEVER);
    assert_int_equal(port->drops, 1);
    assert_int_equal(port->bytes, 1000);
    assert_int_equal(weir_sim_port_backlog_ps(port, 600000), 200000); /* the port is busy until 800 ns all the same */
    area_is(5000000, kept);
    assert_false(join(3, 2000000));
    assert_true(join(4, 10000000));
    (void)sim_port_decide(th, port, 10000001);
    fix_on_wire(port, order, arrival_ps, 1);
    assert_int_equal(port->losses, 1);
    assert_int_equal(port->drops, 2);
    assert_int_equal(caused(fix_engine.cut_cause), 1);
    assert_int_equal(caused(fix_engine.flush_cause), 1);
    assert_int_equal(caused(fix_engine.discard_cause), 1);
}

/* Of what comes at the instant of an event nothing joined before it. */
static void a_port_discards_from_the_event_on_and_not_at_the_one_that_ends_it(void **state)
{
    (void)state;
    make(BREAKS_WITH("", "flush", "1 us", "10 us"));
    assert_true(join(0, 999999));
    assert_true(join(1, 999999));
    assert_false(join(2, 1000000));
    assert_int_equal(port->drops, 2);
    assert_false(join(3, 9999999));
    assert_true(join(4, 10000000));
    (void)sim_port_decide(th, port, 20000000);
    assert_int_equal(fix_count(port), 1);
}

/* An event at which nothing waits must not drop what joins when the cable is up again. */
static void an_event_that_has_passed_drops_nothing(void **state)
{
    (void)state;
    make(BREAKS_WITH("", "flush", "1 us", "2 us"));
    assert_true(join(0, 5000000));
    assert_true(join(1, 5000000));
    (void)sim_port_decide(th, port, 20000000);
    assert_int_equal(fix_count(port), 2);
    assert_int_equal(port->drops, 0);
}

/* 3 KB hold three frames; when two of them are flushed there is room for two, at another port. */
static void a_flush_gives_memory_back(void **state)
{
    struct sim_link *other;
    (void)state;
    make(BREAKS_WITH("buffer: 3 KB, ", "flush", "500 ns", "10 us"));
    other = fix_port(0, 2);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(join(i, 0));
    assert_false(join_class(other, 3, 499999, 0, 1000));
    assert_true(join_class(other, 4, 500000, 0, 1000));
    assert_true(join_class(other, 5, 500000, 0, 1000));
    assert_false(join_class(other, 6, 500000, 0, 1000)); /* the frame on the wire holds its memory until 800 ns */
    assert_true(join_class(other, 7, 800000, 0, 1000));
}

/* A second event of a cable that is down can make its ports discard, but not keep. */
static void one_event_that_flushes_is_enough_until_the_cable_is_up(void **state)
{
    static struct weir_cable_event event[] = { { .at_ps = 100, .flush = true },
                                               { .at_ps = 150 },
                                               { .at_ps = 200, .up = true },
                                               { .at_ps = 300 },
                                               { .at_ps = 350, .flush = true } };
    static const struct {
        uint64_t at_ps;
        bool discards;
    } row[] = { { 99, false },  { 100, true },  { 150, true },  { 199, true },
                { 200, false }, { 300, false }, { 349, false }, { 350, true } };
    struct sim_port p = { .event = event, .event_count = 5 };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_sim_port_discards(&p, row[i].at_ps), row[i].discards);
}

/* --- loss, marks --- */

/* The run ends at 10 us; frame k starts at 800 ns times k: 13 start before that. */
static void a_start_after_the_end_asks_no_hook(void **state)
{
    (void)state;
    make(STAR("3") "fabric: {loss: 100%}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 10 us}\n");
    fix_kind_is(port, .start = true);
    for (uint32_t i = 0; i < 20; i++)
        assert_true(join(i, 0));
    assert_int_equal(port->losses, 13);
    assert_int_equal(fix_count(port), 7);           /* begin at the end or later: not lost, and never seen */
    assert_int_equal(port->free_at_ps, 20 * KB_PS); /* its time on the wire it takes all the same */
}

/* doc/model.md [join.mark]: the draw counts every packet offered before, admitted or not. */
static void a_ramp_draws_once_per_packet_offered(void **state)
{
    const struct weir_ecn_model *marking;
    uint64_t key, marks = 0;
    uint32_t link;
    (void)state;
    make(STAR("3") "fabric: {port_buffer: 30 KB, ecn: {kmin: 5 KB, kmax: 25 KB, pmax: 50%}}\n" TAIL);
    marking = weir_features_find(&fix_setup.model.features, "ecn")->model;
    link = (uint32_t)(port - fix_engine.link);
    key = weir_rng_key(fix_setup.model.seed, link, WEIR_RNG_LINK_MARK, 0);
    for (uint32_t i = 0; i < 40; i++) { /* thirty fit, ten are refused */
        struct weir_pkt pkt = fix_pkt(1, 1000, i);
        pkt.flags = WEIR_PKT_ECT;
        (void)fix_join(th, port, &pkt, 0);
    }
    assert_int_equal(port->drops, 10);
    for (uint32_t i = 0; i < 30; i++)
        marks += weir_ecn_marks(&marking->ramp, 1000 * i, weir_rng_at(key, i));
    assert_true(marks > 5); /* 25000 and above for certain */
    assert_int_equal(port->marks, marks);
    (void)join(99, 30 * KB_PS);
    assert_int_equal(port->port->offered, 41);
}

static void a_packet_that_may_not_be_marked_is_not(void **state)
{
    struct weir_pkt pkt = fix_pkt(1, 1000, 0);
    const struct weir_pkt *at = NULL;
    (void)state;
    make(STAR("3") "fabric: {port_buffer: 30 KB, ecn: {threshold: 1 KB}}\n" TAIL);
    pkt.flags = WEIR_PKT_ECT;
    assert_true(join(0, 0));
    assert_true(join(1, 0));                          /* finds 1000 B but has no ECT */
    assert_true(fix_join(th, port, &pkt, KB_PS + 1)); /* finds 999 B */
    assert_true(fix_join(th, port, &pkt, 2 * KB_PS)); /* finds 1000 B */
    assert_int_equal(port->marks, 1);
    assert_int_equal(fix_next(port, &at)->flags, 0);
    assert_int_equal(fix_next(port, &at)->flags, 0);
    assert_int_equal(fix_next(port, &at)->flags, WEIR_PKT_ECT);
    assert_int_equal(fix_next(port, &at)->flags, WEIR_PKT_ECT | WEIR_PKT_CE);
}

/* --- queueing delays in DATA --- */

/* Makes the same engine, with delays in units of 1000 ps, of each packet's own. */
static void make_maxqd(const char *text)
{
    static const struct weir_maxqd_model delays = { .unit_ps = 1000 };
    struct weir_model *m = fix_model(text);
    m->features.on[m->features.count++] = (struct weir_feature_on){ .row = &weir_maxqd_feature, .model = &delays };
    m->host.qdelay_unit_ps = 1000;
    assert_int_equal(weir_sim_engine_init(&fix_engine, m, &fix_options, &fix_err), 0);
    fix_has_engine = true;
    th = &fix_engine.thread[0];
    port = fix_port(0, 1);
}

/* Asserts the delays that packets on the wire carry; -1 ends the list. */
static void delays_are(const int *delay)
{
    const struct weir_pkt *at = NULL, *pkt;
    for (; (pkt = fix_next(port, &at)) != NULL; delay++)
        assert_int_equal(pkt->kind == WEIR_PKT_DATA ? pkt->qdelay : pkt->sent_ps, *delay);
    assert_int_equal(*delay, -1);
}

static void join_kind(uint64_t now_ps, enum weir_pkt_kind kind, uint8_t class_id, uint16_t qdelay)
{
    struct weir_pkt pkt = fix_pkt((uint16_t)port->dst, 1000, 0);
    pkt.class_id = WEIR_PKT_CLASS(class_id);
    pkt.kind = kind & 15u;
    if (kind == WEIR_PKT_DATA)
        pkt.qdelay = qdelay;
    else
        pkt.sent_ps = 5;
    assert_true(fix_join(th, port, &pkt, now_ps));
}

/* Each waits for those before it, 800000 ps a frame; the longest delay stays, and an ACK is left as it is. */
static void a_fifo_port_computes_the_delay_when_a_packet_joins(void **state)
{
    (void)state;
    make_maxqd(STAR("3") TAIL);
    fix_kind_is(port, .start = true);
    for (uint32_t h = 0; h < 3; h++)
        fix_kind_is(fix_engine.host[h].nic, .serve = SIM_SERVE_PULL); /* hosts write none */
    join_kind(0, WEIR_PKT_DATA, 0, 0);
    join_kind(0, WEIR_PKT_DATA, 0, 0);
    join_kind(0, WEIR_PKT_ACK, 0, 0);
    join_kind(600, WEIR_PKT_DATA, 0, 2398);
    join_kind(600, WEIR_PKT_DATA, 0, 4000);
    delays_are((const int[]){ 0, 800, 5, 2399, 4000, -1 });
}

/* The third packet to come, of the first class, starts second. */
static void a_port_with_classes_computes_the_delay_at_the_decision(void **state)
{
    (void)state;
    make_maxqd(STAR("3") "fabric: {priorities: 2}\n" TAIL);
    fix_kind_is(port, .serve = SIM_SERVE_QUEUE, .start = true);
    join_kind(0, WEIR_PKT_DATA, 1, 0);
    join_kind(100000, WEIR_PKT_DATA, 1, 0);
    join_kind(200000, WEIR_PKT_DATA, 0, 0);
    (void)sim_port_decide(th, port, 10000000);
    delays_are((const int[]){ 0, 600, 1500, -1 });
}

#define PORT_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(a_fractional_rate_carries_its_remainder_from_frame_to_frame),
        PORT_TEST(areas_and_queue_bytes_follow_the_exact_rate),
        PORT_TEST(a_decision_sees_what_arrives_at_its_instant_and_not_what_comes_later),
        PORT_TEST(of_two_that_arrive_at_an_idle_port_at_once_the_higher_class_goes),
        PORT_TEST(within_a_class_first_come_is_first_served_and_classes_beyond_the_last_are_the_last),
        PORT_TEST(a_replay_makes_no_decision_at_or_after_its_end),
        PORT_TEST(unsent_work_and_area_are_known_before_any_decision),
        PORT_TEST(at_the_end_of_all_what_left_counts_whole_and_what_waits_until_the_last_delivery),
        PORT_TEST(memory_is_held_until_the_very_end_of_a_transmission),
        PORT_TEST(a_buffer_is_shared_by_the_ports_of_a_switch),
        PORT_TEST(a_port_has_a_limit_of_its_own),
        PORT_TEST(a_dynamic_threshold_leaves_room_for_other_ports),
        PORT_TEST(a_port_with_classes_gives_memory_back_at_the_same_instants),
        PORT_TEST(a_transmission_may_start_when_the_cable_is_up),
        PORT_TEST(events_that_change_nothing_change_nothing),
        PORT_TEST(a_frame_is_cut_only_strictly_between_start_and_arrival),
        PORT_TEST(unsent_work_stands_still_while_a_cable_is_down),
        PORT_TEST(a_packet_that_joins_while_the_cable_is_down_counts_behind_the_queue),
        PORT_TEST(a_switch_that_goes_down_drops_what_waits_behind_a_cable_that_is_down),
        PORT_TEST(a_cable_that_goes_down_flushes_its_port_until_it_is_up),
        PORT_TEST(a_port_discards_from_the_event_on_and_not_at_the_one_that_ends_it),
        PORT_TEST(an_event_that_has_passed_drops_nothing),
        PORT_TEST(a_flush_gives_memory_back),
        PORT_TEST(one_event_that_flushes_is_enough_until_the_cable_is_up),
        PORT_TEST(a_start_after_the_end_asks_no_hook),
        PORT_TEST(a_ramp_draws_once_per_packet_offered),
        PORT_TEST(a_packet_that_may_not_be_marked_is_not),
        PORT_TEST(a_fifo_port_computes_the_delay_when_a_packet_joins),
        PORT_TEST(a_port_with_classes_computes_the_delay_at_the_decision),
    };
    return cmocka_run_group_tests_name("sim/port", tests, NULL, NULL);
}
