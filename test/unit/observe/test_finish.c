/* test/unit/observe/test_finish.c - every invariant of --check can fail, and names itself; the report of a stall names the
 * messages that hang, and where. */
#include "core/feature.h"
#include "test/unit/sim_fixture.h"
#include "test/unit/host/internals.h"
#include "proto/sird/sird.h"
#include <stdio.h>

#define IDLE STAR("3") PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"

static struct sim_thread *th;

static void make(const char *text)
{
    th = fix_make(text);
    assert_null(weir_sim_check(&fix_engine, 0));
}

static void check_says(uint64_t now_ps, const char *broken)
{
    assert_string_equal(weir_sim_check(&fix_engine, now_ps), broken);
}

/* Returns the number of the cause loss.random. */
static uint32_t loss_random(void)
{
    const struct weir_features *f = &fix_setup.model.features;
    for (uint32_t i = 0; i < f->count; i++)
        if (strcmp(f->on[i].row->name, "loss") == 0)
            return weir_features_cause(f, i);
    fail_msg("no loss");
    return WEIR_CAUSE_NONE;
}

/* A host sends into the network: injected once, then on a link, behind it, lost or dropped. */
static void every_packet_is_counted_as_in_flight_or_gone(void **state)
{
    struct weir_pkt pkt = fix_pkt(1, 1000, 0);
    struct sim_link *out;
    (void)state;
    make(STAR("3") "fabric: {priorities: 3, loss: 0.1%}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    out = fix_port(0, 1);
    th->injected = 5;
    for (int i = 0; i < 22; i++) /* across a chunk's border */
        fix_fly(th, fix_engine.host[0].nic, &pkt, 1000);
    check_says(0, "packets are not conserved: sent is not received + dropped + lost + still inside");
    th->injected = 22;
    assert_null(weir_sim_check(&fix_engine, 0));
    assert_true(fix_join(th, out, &pkt, 0)); /* waits in a class FIFO */
    check_says(0, "packets are not conserved: sent is not received + dropped + lost + still inside");
    th->injected++;
    assert_null(weir_sim_check(&fix_engine, 0));
    out->drops = 1, out->losses = 2, out->unrouted = 4;
    th->lost[WEIR_CAUSE_MEMORY][WEIR_LOST_DATA][0] = 1;
    th->lost[WEIR_CAUSE_NO_ROUTE][WEIR_LOST_ACK][0] = 4;
    th->lost[loss_random()][WEIR_LOST_DATA][2] = 2;
    th->injected += 8;
    th->absorbed = 1;
    assert_null(weir_sim_check(&fix_engine, 0));
    th->absorbed = 2;
    check_says(0, "packets are not conserved: sent is not received + dropped + lost + still inside");
}

static void check_finds_what_is_dropped_or_lost_without_a_cause(void **state)
{
    static const char broken[] = "what was dropped, lost or marked is not the sum over its causes";
    struct sim_link *out;
    (void)state;
    make(STAR("3") "fabric: {loss: 0.1%}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    out = fix_port(0, 1);
    th->injected = 1;
    out->drops = 1;
    check_says(0, broken);
    th->lost[loss_random()][WEIR_LOST_DATA][0] = 1; /* no drop */
    check_says(0, broken);
    out->drops = 0, out->losses = 1;
    assert_null(weir_sim_check(&fix_engine, 0));
    out->port->hook_marks = out->marks = 1; /* by a hook, which has counted no cause */
    check_says(0, broken);
    out->mark_cause = WEIR_CAUSE_NONE;
    out->port->hook_marks = 0; /* by a threshold that is none */
    check_says(0, "a port that has no threshold has marked without a rule");
}

static void check_finds_packets_that_overtake(void **state)
{
    struct weir_pkt pkt = fix_pkt(1, 1000, 0);
    (void)state;
    make(IDLE);
    th->injected = 2;
    fix_fly(th, fix_engine.host[0].nic, &pkt, 1001);
    fix_fly(th, fix_engine.host[0].nic, &pkt, 1000);
    check_says(0, "packets on a link overtake each other");
    fix_engine.end_ps = 1000; /* nobody reads what arrives from then on */
    assert_null(weir_sim_check(&fix_engine, 0));
    fix_engine.end_ps = 1001;
    check_says(0, "packets on a link overtake each other");
}

/* 1000 B take 800000 ps at 10 Gb/s. */
static void check_finds_a_link_above_its_rate(void **state)
{
    struct sim_link *link;
    (void)state;
    make(IDLE);
    link = fix_port(0, 1);
    link->bytes = 1000;
    check_says(799999, "a link carried more than its rate allows");
    assert_null(weir_sim_check(&fix_engine, 800000));
    link->free_at_ps = 800000; /* not sent yet, but accepted */
    assert_null(weir_sim_check(&fix_engine, 5));
    link->free_at_ps = 0;
    link->drops = 1; /* there is no carry that it could take with it */
    check_says(799999, "a link carried more than its rate allows");
}

/* 1000 B take 1142857 1/7 ps at 7 Gb/s, of which 1/7 is carried on. */
static void a_drop_may_take_a_picosecond_of_carry_with_it(void **state)
{
    struct sim_link *link;
    (void)state;
    make("topology: {kind: star, hosts: 3, host_link: 7 Gbps, host_delay: 2 us}\n" PERM(
        "1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    link = fix_port(0, 1);
    link->bytes = 1000;
    assert_null(weir_sim_check(&fix_engine, 1142857));
    check_says(1142856, "a link carried more than its rate allows");
    link->drops = 2;
    assert_string_not_equal(weir_sim_check(&fix_engine, 1142855), /* but that the drops have no cause */
                            "a link carried more than its rate allows");
    check_says(1142854, "a link carried more than its rate allows");
}

static void check_finds_a_switch_above_its_memory(void **state)
{
    (void)state;
    make(STAR("3") "fabric: {buffer: 5 KB}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    fix_switch(0)->used_bytes = 5000;
    assert_null(weir_sim_check(&fix_engine, 0));
    fix_switch(0)->used_bytes = 5001;
    check_says(0, "a switch holds more than its memory");
}

static void check_finds_bytes_without_a_source(void **state)
{
    (void)state;
    make(IDLE);
    fix_engine.account.shard[0].started_bytes = 10;
    assert_null(weir_sim_check(&fix_engine, 0));
    fix_engine.account.shard[0].delivered_bytes = 1; /* yet no host saw a byte arrive */
    check_says(0, "bytes are not conserved: new bytes that arrived lie outside delivered .. started");
}

#define CREDIT(RULES)                                                                                                  \
    STAR("3")                                                                                                          \
    "protocol: {name: sird, " RULES "}\nfabric: {priorities: 2}\n" PERM("1 KB") "run: {warmup: 0 us, measure: all}\n"

static void check_finds_credit_that_does_not_return(void **state)
{
    struct weir_sird_host *sird;
    (void)state;
    make(CREDIT("loss_timeout: 2 ms"));
    sird = (void *)host_credit_of(fix_engine.host[1].h)->state;
    sird->outstanding_bytes = 1; /* it may, as long as something will happen */
    assert_null(weir_sim_check(&fix_engine, 0));
    fix_engine.stopped_ps = WEIR_NEVER;
    check_says(0, "all is quiet, and credit is still out");
    sird->outstanding_bytes = 0;
    assert_null(weir_sim_check(&fix_engine, 0));
    sird->held_bytes = 1;
    check_says(0, "all is quiet, and credit is still out");
    sird->held_bytes = 0;
    sird->surplus_bytes = 1;
    check_says(0, "more credit came back to a receiver than it gave");
    sird->surplus_bytes = 0;
    sird->outstanding_bytes = sird->bucket_bytes + 1;
    check_says(0, "a receiver has more credit outstanding than its bucket holds");
}

static void without_loss_timeout_lost_credit_may_stay_out(void **state)
{
    (void)state;
    make(CREDIT("loss_timeout: off"));
    ((struct weir_sird_host *)(void *)host_credit_of(fix_engine.host[1].h)->state)->outstanding_bytes = 1;
    fix_engine.stopped_ps = WEIR_NEVER;
    assert_null(weir_sim_check(&fix_engine, 0));
}

static char text[4096];

/* Runs it and keeps the report of a stall. */
static const struct weir_result *run_diagnosed(const char *scenario)
{
    const struct weir_result *r;
    size_t length;
    FILE *file = tmpfile();
    assert_non_null(file);
    fix_options.diagnosis = file;
    r = fix_run(scenario);
    rewind(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    (void)fclose(file);
    return r;
}

static void says(const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not said: %s\nbut: %s", part, text);
}

static void a_stall_names_stuck_messages_and_lossy_links(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = run_diagnosed(
        STAR("2") "fabric: {loss: 100%}\n" PERM("2920 B") "run: {warmup: 0 us, measure: all, stall: 20 ms}\n");
    assert_true(r->stalled);
    assert_int_equal(r->messages_started, 2);
    assert_int_equal(r->messages_completed, 0);
    assert_true(r->losses >= 4);
    says("stalled: nothing new has arrived since 0.000000 us\n");
    says("  host 0 -> host 1: 2920 bytes, started at 0 ps; 2 packets unacknowledged, 0 not sent yet, ");
    says("  host 1 -> host 0: 2920 bytes, started at 0 ps; 2 packets unacknowledged, 0 not sent yet, ");
    says("  2 messages hang\n");
    says("  link from host 0 to switch 0: 0 dropped, ");
    says("  link from host 1 to switch 0: 0 dropped, ");
}

static void a_stall_without_a_route_reports_it(void **state)
{
    (void)state;
    (void)run_diagnosed("topology: {kind: dumbbell, hosts: 2, host_link: 10 Gbps, core_link: 10 Gbps}\n"
                        "fabric: {events: [{time: 0 us, cable: switch 0 - switch 1, state: down}]}\n" PERM(
                            "1 KB") "run: {warmup: 0 us, measure: all, stall: 20 ms}\n");
    says("    no way leads there now: every cable towards it is down\n");
    says(" without a route\n");
}

static void a_long_list_of_stuck_messages_is_truncated(void **state)
{
    const char *at = text;
    uint32_t lines = 0;
    (void)state;
    (void)run_diagnosed(
        STAR("30") "fabric: {loss: 100%}\n" PERM("1 KB") "run: {warmup: 0 us, measure: all, stall: 20 ms}\n");
    while ((at = strstr(at, " -> ")) != NULL)
        at++, lines++;
    assert_int_equal(lines, 10);
    says("  30 messages hang; the first ones are listed\n");
}

static void a_run_that_completes_reports_nothing(void **state)
{
    (void)state;
    assert_false(run_diagnosed(STAR("2") PERM("1 KB") RUN_ALL)->stalled);
    assert_string_equal(text, "");
}

/* The port of switch 0 with the longest queue, after ports 0, 1 and 2 had queues of so many bytes. */
static uint64_t fullest_of(uint64_t port_0, uint64_t port_1, uint64_t port_2)
{
    const uint64_t bytes[] = { port_0, port_1, port_2 };
    uint64_t fullest;
    th = fix_make(IDLE);
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_link *out = &fix_engine.link[fix_switch(0)->first_out + i];
        out->backlog_max_ps = bytes[i] * out->ps_per_byte;
    }
    weir_sim_finish(&fix_engine, &fix_result);
    assert_int_equal(fix_result.port_queue.max_bytes, weir_max_u64(weir_max_u64(port_0, port_1), port_2));
    fullest = fix_result.fullest_port - fix_switch(0)->first_out;
    assert_int_equal(fix_end(NULL), 0);
    assert_int_equal(fix_begin(NULL), 0);
    return fullest;
}

static void of_equally_full_ports_the_first_is_named(void **state)
{
    (void)state;
    assert_int_equal(fullest_of(1000, 1001, 999), 1);
    assert_int_equal(fullest_of(1000, 1001, 1001), 1);
    assert_int_equal(fullest_of(1001, 1000, 1001), 0);
    assert_int_equal(fullest_of(1000, 1000, 1001), 2);
}

#define FINISH_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FINISH_TEST(every_packet_is_counted_as_in_flight_or_gone),
        FINISH_TEST(check_finds_what_is_dropped_or_lost_without_a_cause),
        FINISH_TEST(check_finds_packets_that_overtake),
        FINISH_TEST(check_finds_a_link_above_its_rate),
        FINISH_TEST(a_drop_may_take_a_picosecond_of_carry_with_it),
        FINISH_TEST(check_finds_a_switch_above_its_memory),
        FINISH_TEST(check_finds_bytes_without_a_source),
        FINISH_TEST(check_finds_credit_that_does_not_return),
        FINISH_TEST(without_loss_timeout_lost_credit_may_stay_out),
        FINISH_TEST(a_stall_names_stuck_messages_and_lossy_links),
        FINISH_TEST(a_stall_without_a_route_reports_it),
        FINISH_TEST(a_long_list_of_stuck_messages_is_truncated),
        FINISH_TEST(a_run_that_completes_reports_nothing),
        FINISH_TEST(of_equally_full_ports_the_first_is_named),
    };
    return cmocka_run_group_tests_name("sim/finish", tests, NULL, NULL);
}
