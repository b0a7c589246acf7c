/* test/unit/features/test_deflect.c - deflection packet by packet: which messages go another way, and what the table of
 * a switch holds. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "features/deflect/deflect_core.h"
#include <stdlib.h>
#include <string.h>

enum { PORTS = 4, HOST_PORT = 3, IN = 0, OUT = 1, OTHER = 2, ENTRIES = 2, LONG = 15001 };
#define T0 (77 * WEIR_PS_PER_MS)

static struct weir_deflect_model model;
static struct weir_deflect_port ports[PORTS];
_Static_assert(sizeof(struct weir_deflect_port) % 16 == 0, "as the simulator lays them out");
static struct weir_deflect_node *node;
static uint32_t out_port, in_port;

static struct weir_here here_of(uint32_t p)
{
    return (struct weir_here){ .model = &model, .node = node, .port = &ports[p], .ports = ports };
}

static int setup(void **state)
{
    (void)state;
    model = (struct weir_deflect_model){ .threshold_bytes = 15000, .timeout_ps = WEIR_PS_PER_S, .entries = ENTRIES };
    memset(ports, 0, sizeof(ports));
    node = calloc(1, sizeof(*node) + ENTRIES * sizeof(node->entry[0]));
    if (node == NULL)
        return 1;
    for (uint32_t p = 0; p < PORTS; p++) {
        const struct weir_here here = here_of(p);
        assert_true(weir_deflect_feature.port_init(
            &here, &(struct weir_fabric_port){ .index = p, .link = 40 + p, .to_host = p == HOST_PORT }));
    }
    in_port = IN;
    out_port = OUT;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(node);
    return 0;
}

/* By the port it would leave by it has two links to go, by any other four. */
static uint32_t links(const struct weir_forward *f, uint32_t port)
{
    return port == f->out_port ? 2 : 4;
}

static uint32_t forward(struct weir_pkt *pkt, uint64_t now_ps, uint64_t queue_bytes)
{
    const struct weir_here here = here_of(in_port);
    struct weir_forward f = { .pkt = pkt,
                              .now_ps = now_ps,
                              .queue_bytes = queue_bytes,
                              .in_port = in_port,
                              .out_port = out_port,
                              .links = links };
    uint64_t first = ((const struct weir_deflect_port *)here.port)->messages;
    uint32_t answer = weir_deflect_feature.on_forward(&here, &f);
    bool begins = ((const struct weir_deflect_port *)here.port)->messages > first;
    assert_int_equal(answer, f.out_port == out_port ? 0 : WEIR_DEFLECT | WEIR_RULE(begins ? 0 : 1)); /* first, follow */
    return f.out_port;
}

/* Packet i of n of a message. */
static struct weir_pkt pkt_of(uint32_t msg, uint32_t i, uint32_t n, uint32_t tokens)
{
    return (struct weir_pkt){ .kind = WEIR_PKT_DATA,
                              .src = 7,
                              .conn = 5,
                              .msg = msg,
                              .seq = 100 + i,
                              .ack = 100,
                              .tokens = WEIR_PKT_TOKENS(tokens),
                              .flags = i + 1 == n ? WEIR_PKT_END : 0u };
}

/* @return the port by which packet i of n leaves; its tokens fall where it is deflected */
static uint32_t sends(uint32_t msg, uint32_t i, uint32_t n, uint64_t queue_bytes)
{
    struct weir_pkt pkt = pkt_of(msg, i, n, 4);
    uint32_t port = forward(&pkt, T0 + i, queue_bytes);
    assert_int_equal(pkt.tokens, port == out_port ? 4 : 3);
    return port;
}

static void all_packets_follow_the_first(void **state)
{
    (void)state;
    assert_int_equal(sends(1, 0, 3, LONG), OTHER);
    assert_int_equal(sends(1, 1, 3, 0), OTHER); /* whatever the queue is */
    assert_int_equal(sends(1, 2, 3, 0), OTHER);
    assert_int_equal(sends(1, 1, 3, LONG), OUT); /* the last one freed the entry */
    assert_int_equal(ports[IN].messages, 1);
    assert_int_equal(ports[IN].packets, 3);
}

static void only_the_first_packet_decides(void **state)
{
    (void)state;
    assert_int_equal(sends(1, 0, 3, 15000), OUT);
    assert_int_equal(sends(1, 1, 3, LONG), OUT);
    assert_int_equal(sends(1, 2, 3, LONG), OUT);
}

static void a_full_table_deflects_no_more_messages_but_those_of_one_packet(void **state)
{
    (void)state;
    assert_int_equal(sends(1, 0, 2, LONG), OTHER);
    assert_int_equal(sends(2, 0, 2, LONG), OTHER);
    assert_int_equal(sends(3, 0, 2, LONG), OUT);
    assert_int_equal(ports[IN].table_full, 1);
    assert_int_equal(sends(3, 1, 2, LONG), OUT);
    assert_int_equal(sends(1, 1, 2, 0), OTHER);
    assert_int_equal(sends(4, 0, 2, LONG), OTHER);
    assert_int_equal(ports[IN].table_full, 1);
}

static void a_message_of_one_packet_takes_no_entry(void **state)
{
    (void)state;
    for (uint32_t msg = 1; msg <= 3; msg++)
        assert_int_equal(sends(msg, 0, 1, LONG), OTHER);
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert_int_equal(node->entry[i].tokens, 0);
}

static void without_tokens_or_once_sent_before_it_stays(void **state)
{
    struct weir_pkt none = pkt_of(1, 0, 2, 0), again = pkt_of(1, 0, 2, 0);
    (void)state;
    assert_int_equal(forward(&none, T0, LONG), OUT);
    assert_int_equal(ports[IN].no_token, 1);
    again.flags |= WEIR_PKT_RETX;
    assert_int_equal(forward(&again, T0, LONG), OUT);
    assert_int_equal(ports[IN].no_token, 1);
}

static void never_at_the_last_hop_unless_it_is_allowed(void **state)
{
    uint32_t port;
    (void)state;
    out_port = HOST_PORT;
    assert_int_equal(sends(1, 0, 1, LONG), HOST_PORT);
    model.last_hop = true;
    port = sends(1, 0, 1, LONG);
    assert_true(port == OUT || port == OTHER);
}

/* Of the ports to switches without the two: none is left if it came from one of three. */
static void never_back_and_never_to_a_host(void **state)
{
    bool seen[PORTS] = { false };
    (void)state;
    for (uint32_t msg = 0; msg < 50; msg++)
        assert_int_equal(sends(msg, 0, 1, LONG), OTHER);
    in_port = HOST_PORT;
    for (uint32_t msg = 0; msg < 50; msg++)
        seen[sends(msg, 0, 1, LONG)] = true;
    assert_true(seen[IN] && seen[OTHER] && !seen[OUT] && !seen[HOST_PORT]);
    ports[OTHER].to_switch = false;
    in_port = IN;
    assert_int_equal(sends(99, 0, 1, LONG), OUT);
    assert_int_equal(ports[IN].no_port, 1);
}

static void an_entry_that_is_not_used_for_too_long_is_free(void **state)
{
    struct weir_pkt late = pkt_of(1, 1, 3, 4), last = pkt_of(2, 1, 2, 4), first = pkt_of(3, 0, 2, 4);
    (void)state;
    assert_int_equal(sends(1, 0, 3, LONG), OTHER);
    assert_int_equal(sends(2, 0, 2, LONG), OTHER);
    assert_int_equal(forward(&late, T0 + WEIR_PS_PER_S - 1, 0), OTHER); /* which uses it */
    assert_int_equal(forward(&last, T0 + WEIR_PS_PER_S, 0), OUT);
    assert_int_equal(forward(&first, T0 + WEIR_PS_PER_S, LONG), OTHER);
    assert_int_equal(ports[IN].expired, 1);
}

static void links_are_counted_with_and_without_the_detour(void **state)
{
    struct weir_pkt without_tokens = pkt_of(4, 0, 1, 0);
    (void)state;
    (void)sends(1, 0, 1, LONG);
    (void)sends(2, 0, 1, 0);
    in_port = HOST_PORT;
    (void)sends(3, 0, 1, 0);
    assert_int_equal(ports[IN].links, 2);
    assert_int_equal(ports[IN].least_links, UINT64_C(0)); /* 2 - (4 - 2): later switches add the rest */
    assert_int_equal(ports[HOST_PORT].links, 2);          /* and the link of its host */
    assert_int_equal(ports[HOST_PORT].least_links, 2);
    assert_int_equal(ports[IN].short_links, 2); /* the detour */
    assert_int_equal(ports[IN].short_least_links, 0);
    assert_int_equal(ports[HOST_PORT].short_links, 3); /* the link of its host, and two by its route */
    assert_int_equal(ports[HOST_PORT].short_least_links, 3);
    (void)forward(&without_tokens, T0, 0); /* not of a short message */
    assert_int_equal(ports[HOST_PORT].short_least_links, 3);
}

/* ---- virtual lanes ---- */

enum { LANE_CLASS = 2 };

/* A packet with so many tokens comes in a lane. deflected: it meets a long queue, too. @return the lane in which it leaves */
static uint32_t changes(uint32_t tokens, uint32_t lane, bool deflected)
{
    static uint32_t msg;
    struct weir_pkt pkt = pkt_of(msg++, 0, 1, tokens);
    pkt.class_id = WEIR_PKT_CLASS(LANE_CLASS + lane);
    assert_int_equal(forward(&pkt, T0, deflected ? LONG : 0), deflected ? OTHER : OUT);
    assert_int_equal(pkt.tokens, tokens - deflected);
    return pkt.class_id - LANE_CLASS;
}

static const char *broken(void)
{
    const struct weir_here here = here_of(IN);
    return weir_deflect_feature.broken(&here, PORTS);
}

static void a_packet_deflected_up_changes_its_lane_at_once_and_down_at_the_next_switch(void **state)
{
    static const struct {
        uint32_t tokens, lane;
        bool deflected, up;
        uint32_t leaves;
    } row[] = {
        { 4, 4, false, true, 4 },  { 4, 4, true, true, 3 },   { 4, 4, true, false, 4 }, { 3, 4, false, false, 3 },
        { 3, 4, true, false, 3 },  { 3, 4, true, true, 2 },   { 1, 1, true, true, 0 },  { 1, 1, true, false, 1 },
        { 0, 1, false, false, 0 }, { 0, 0, false, false, 0 },
    };
    (void)state;
    model.lanes = 5, model.lane_class = LANE_CLASS, model.lane_each = true;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        ports[OTHER].goes_up = row[i].up;
        assert_int_equal(changes(row[i].tokens, row[i].lane, row[i].deflected), row[i].leaves);
        assert_null(broken());
    }
}

/* As in the paper: a packet without tokens is in the escape lane from the next switch on, wherever it was deflected to. */
static void of_two_lanes_the_upper_one_is_left_without_tokens(void **state)
{
    static const struct {
        uint32_t tokens, lane;
        bool deflected;
        uint32_t leaves;
    } row[] = { { 4, 1, false, 1 }, { 4, 1, true, 1 }, { 1, 1, true, 1 }, { 0, 1, false, 0 }, { 0, 0, false, 0 } };
    (void)state;
    model.lanes = 2, model.lane_class = LANE_CLASS;
    for (uint32_t up = 0; up < 2; up++) {
        ports[OTHER].goes_up = up;
        for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
            assert_int_equal(changes(row[i].tokens, row[i].lane, row[i].deflected), row[i].leaves);
        assert_null(broken());
    }
}

/* With escape: paused. A packet stays at a port by which it is deflected and which does not go up; elsewhere it may escape, and loses its
 * tokens. At the next switch it may escape again. */
static void a_packet_stays_where_it_is_deflected_down(void **state)
{
    (void)state;
    model.lanes = 2, model.lane_class = LANE_CLASS, model.escapes = true;
    for (uint32_t row = 0; row < 4; row++) {
        bool deflected = row % 2 != 0, up = row / 2 != 0;
        struct weir_pkt pkt = pkt_of(1, 0, 1, 3);
        const struct weir_here here = here_of(OTHER);
        pkt.class_id = WEIR_PKT_CLASS(LANE_CLASS + 1);
        ports[OTHER].goes_up = up;
        assert_int_equal(forward(&pkt, T0, deflected ? LONG : 0), deflected ? OTHER : OUT);
        assert_int_equal(pkt.stays, deflected && !up);
        assert_int_equal(forward(&pkt, T0, 0), OUT);
        assert_int_equal(pkt.stays, 0);
        weir_deflect_feature.on_escape(&here, &pkt);
        assert_int_equal(pkt.class_id, LANE_CLASS);
        assert_int_equal(pkt.tokens, 0);
        assert_int_equal(ports[OTHER].escaped, row + 1);
        assert_int_equal(forward(&pkt, T0, LONG), OUT); /* never deflected again */
        assert_null(broken());
    }
}

static void a_packet_in_a_lane_not_of_its_tokens_is_reported(void **state)
{
    (void)state;
    model.lanes = 5, model.lane_class = LANE_CLASS, model.lane_each = true;
    assert_int_equal(changes(2, 1, false), 1); /* a lane is never risen to */
    assert_non_null(broken());
    node->wrong_lane = false;
    assert_int_equal(changes(2, 3, false), 2);
    assert_null(broken());
    assert_int_equal(changes(2, 4, false), 2);
    assert_non_null(broken());
}

static void without_lanes_the_class_stays(void **state)
{
    (void)state;
    ports[OTHER].goes_up = true;
    assert_int_equal(changes(4, 0, true), 0);
    assert_int_equal(changes(4, 3, true), 3);
}

struct back { /* a packet that comes back */
    uint32_t at, i, tokens;
};

/* Six packets, one per unit of time; what is deflected is back three later, and comes before a fresh packet. @return how many left */
static uint32_t loop_of_three(bool by_message, uint32_t order[6])
{
    enum { PKTS = 6, LOOP = 3, END = 32 };
    struct back back[END];
    uint32_t left = 0, first = 0, count = 0, fresh = 0;
    model.by_message = by_message;
    for (uint32_t t = 0; left < PKTS && t < END;) {
        bool returns = first < count && back[first].at == t;
        struct back next = returns ? back[first++] : (struct back){ .i = fresh, .tokens = 4 };
        struct weir_pkt pkt = pkt_of(1, next.i, PKTS, next.tokens);
        if (!returns)
            t++; /* and then the next unit of time */
        if (!returns && fresh++ >= PKTS)
            continue;
        if (forward(&pkt, T0 + t, !returns && next.i == 0 ? LONG : 0) == OUT)
            order[left++] = next.i;
        else
            back[count++] = (struct back){ .at = returns ? t + LOOP : t - 1 + LOOP, .i = next.i, .tokens = pkt.tokens };
    }
    return left;
}

/* An error of the paper: its table is keyed by the message alone. */
static void a_message_that_comes_back_before_its_end_stays_in_order(void **state)
{
    static const uint32_t by_message[] = { 0, 3, 1, 4, 2, 5 }, in_order[] = { 0, 1, 2, 3, 4, 5 };
    uint32_t order[6];
    (void)state;
    assert_int_equal(loop_of_three(true, order), 6);
    assert_memory_equal(order, by_message, sizeof(order));
    assert_int_equal(loop_of_three(false, order), 6);
    assert_memory_equal(order, in_order, sizeof(order));
}

/* The first packet pays with a token, the others come with all of theirs; an entry of the message alone has them all. */
static void only_the_first_packet_spends_a_token_if_it_says_so(void **state)
{
    struct weir_pkt first = pkt_of(1, 0, 3, 4), second = pkt_of(1, 1, 3, 4), last = pkt_of(1, 2, 3, 2);
    (void)state;
    model.by_message = model.first_spends = true;
    assert_int_equal(forward(&first, T0, LONG), OTHER);
    assert_int_equal(first.tokens, 3);
    assert_int_equal(forward(&second, T0 + 1, 0), OTHER);
    assert_int_equal(second.tokens, 4);
    assert_int_equal(forward(&last, T0 + 2, 0), OTHER); /* with any tokens */
    assert_int_equal(last.tokens, 2);
    assert_int_equal(sends(1, 1, 3, LONG), OUT); /* the last one has freed the entry */
}

static void the_packet_itself_counts_if_it_says_so(void **state)
{
    struct weir_pkt pkt = pkt_of(1, 0, 1, 4);
    (void)state;
    pkt.wire_bytes = 1500;
    assert_int_equal(forward(&pkt, T0, 13501), OUT);
    model.itself = true;
    assert_int_equal(forward(&pkt, T0, 13500), OUT);
    assert_int_equal(forward(&pkt, T0, 13501), OTHER);
}

/* Packets of a message stay together: what each has after a deflection depends on what it had before alone. */
static void a_deflected_message_has_another_hash_if_it_says_so(void **state)
{
    struct weir_pkt first = pkt_of(1, 0, 2, 4), last = pkt_of(1, 1, 2, 4), stays = pkt_of(2, 0, 1, 4);
    uint32_t once;
    (void)state;
    first.hash = last.hash = stays.hash = 99;
    assert_int_equal(forward(&first, T0, LONG), OTHER);
    assert_int_equal(first.hash, 99);
    model.new_hash = true;
    assert_int_equal(forward(&last, T0 + 1, 0), OTHER);
    once = last.hash;
    assert_int_equal(once, weir_mix_u32(100));
    assert_int_equal(forward(&stays, T0, 0), OUT);
    assert_int_equal(stays.hash, 99);
    last = pkt_of(1, 0, 1, 3); /* the next switch deflects it, too */
    last.hash = once;
    assert_int_equal(forward(&last, T0 + 2, LONG), OTHER);
    assert_int_equal(last.hash, weir_mix_u32(once + 1));
    assert_int_not_equal(last.hash, once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_packets_follow_the_first, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_first_packet_spends_a_token_if_it_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(the_packet_itself_counts_if_it_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(a_deflected_message_has_another_hash_if_it_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_first_packet_decides, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_table_deflects_no_more_messages_but_those_of_one_packet, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_message_of_one_packet_takes_no_entry, setup, teardown),
        cmocka_unit_test_setup_teardown(without_tokens_or_once_sent_before_it_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(never_at_the_last_hop_unless_it_is_allowed, setup, teardown),
        cmocka_unit_test_setup_teardown(never_back_and_never_to_a_host, setup, teardown),
        cmocka_unit_test_setup_teardown(an_entry_that_is_not_used_for_too_long_is_free, setup, teardown),
        cmocka_unit_test_setup_teardown(links_are_counted_with_and_without_the_detour, setup, teardown),
        cmocka_unit_test_setup_teardown(a_packet_deflected_up_changes_its_lane_at_once_and_down_at_the_next_switch,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(of_two_lanes_the_upper_one_is_left_without_tokens, setup, teardown),
        cmocka_unit_test_setup_teardown(a_packet_stays_where_it_is_deflected_down, setup, teardown),
        cmocka_unit_test_setup_teardown(a_packet_in_a_lane_not_of_its_tokens_is_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(without_lanes_the_class_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_message_that_comes_back_before_its_end_stays_in_order, setup, teardown),
    };
    return cmocka_run_group_tests_name("features/deflect", tests, NULL, NULL);
}
