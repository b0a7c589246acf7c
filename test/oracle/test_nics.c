/* test/oracle/test_nics.c - hosts with several NICs: runs whose times are computed by hand, and random networks, engine against oracle. A full
 * packet has 1538 B on the wire, 123.04 ns at 100 Gb/s; cables take 1 us. */
#include "test/unit/program/program_fixture.h"
#include "model/account.h"
#include "test/unit/setup/file_fixture.h"
#include "test/oracle/oracle.h"
#include <inttypes.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_file, end_file)
#define US WEIR_PS_PER_US
#define FULL_PS UINT64_C(123040)
#define PAIR(rate)                                                                                                     \
    "defaults: {delay: 1 us}\nhosts: [a, b]\nswitches: [s0, s1]\ncables:\n"                                            \
    "  - {a: a, b: s0, rate: 100 Gbps}\n  - {a: a, b: s1, rate: " rate "}\n"                                           \
    "  - {a: b, b: s0, rate: 100 Gbps}\n  - {a: b, b: s1, rate: " rate "}\n"
#define FOUR                                                                                                           \
    "defaults: {delay: 1 us, rate: 100 Gbps}\nhosts: [h0..h3]\nswitches: []\ncables:\n"                                \
    "  - {a: h0, b: h1}\n  - {a: h1, b: h2}\n  - {a: h2, b: h3}\n  - {a: h0, b: h3}\n"                                 \
    "  - {a: h0, b: h2}\n  - {a: h1, b: h3}\n"

static struct weir_result result;
static uint64_t last_ps;  /* end of the message that ended last */
static uint64_t ideal_ps; /* of it */

static int note_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        if (row[i].d.end_ps > last_ps) {
            last_ps = row[i].d.end_ps;
            ideal_ps = row[i].d.ideal_ps;
        }
    return 0;
}

/* Runs a scenario on the network in the file by engine and oracle. */
static void run(const char *network, const char *host, const char *rest)
{
    const struct weir_sim_options options = { .check = true, .links = true };
    struct weir_result oracle;
    char text[1024];
    last_ps = 0;
    file_set(network);
    (void)snprintf(text, sizeof(text), "topology: {kind: file, file: %u}\nhost: {%s}\n%s" RUN_ALL,
                   (unsigned)fileno(file), host, rest);
    parse("/dev/fd/a.yaml", text);
    if (weir_oracle_run(is_accepted(), &options, &oracle, &err) != 0)
        fail_msg("oracle: %s", err.text);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct weir_sim_options with = { .check = true, .links = true, .threads = threads, .rows = note_rows };
        if (weir_sim_run(&setup.model, &with, &result, &err) != 0)
            fail_msg("engine: %s", err.text);
        assert_int_equal(result.digest, oracle.digest);
        if (threads < 3)
            weir_result_free(&result);
    }
    weir_result_free(&oracle);
}

/* Asserts when the message arrived. */
static void arrives_at(const char *network, const char *host, uint32_t bytes, uint64_t at_ps)
{
    char rest[256];
    (void)snprintf(rest, sizeof(rest),
                   "protocol: {name: dctcp, init_cwnd: 64 KB}\ntraffic: [{kind: incast, from: 0, to: 1, fan_in: 1, "
                   "size: %u B, period: 1 ms, "
                   "stop: 1500 us}]\n",
                   (unsigned)bytes);
    run(network, host, rest);
    assert_int_equal(result.messages_completed, 1);
    assert_int_equal(last_ps, US * 1000 + at_ps);
    weir_result_free(&result);
}

/* Likewise, and that no way to send it is faster. */
static void arrives(const char *network, const char *host, uint32_t bytes, uint64_t at_ps)
{
    arrives_at(network, host, bytes, at_ps);
    assert_int_equal(ideal_ps, at_ps);
}

/* One NIC carries ten packets, or two NICs five each. Then the last one crosses the second cable. */
static void a_message_by_one_nic_or_by_both(void **state)
{
    static const char *const by_one[] = { "nics: flow-hash", "nics: rail", "nics: rail, nic_queue: unlimited" };
    static const char *const by_both[] = { "nics: spray", "nics: least-queued", "nics: spray, nic_queue: unlimited" };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        arrives(PAIR("100 Gbps"), by_one[i], 14600, 11 * FULL_PS + 2 * US);
        arrives(PAIR("100 Gbps"), by_both[i], 14600, 6 * FULL_PS + 2 * US);
        arrives(PAIR("100 Gbps"), by_both[i], 13140, 6 * FULL_PS + 2 * US); /* nine: one NIC has five all the same */
    }
}

/* NIC 1 needs four times as long, 492.16 ns. Packets leave NIC 0 at 0, 123.04, 246.08 and 369.12 ns, and NIC 1 at 0. At 492.16 ns both are
 * free. In turn NIC 1 is next, so the sixth packet takes it, and arrives last: at 492.16 + 2 x 492.16 + 2000 ns. By age NIC 1 is first, too:
 * its last packet began at 0. */
static void unlike_nics_take_a_packet_when_they_are_free(void **state)
{
    (void)state;
    arrives_at(PAIR("25 Gbps"), "nics: spray", 14600, 3 * 4 * FULL_PS + 2 * US);
    arrives_at(PAIR("25 Gbps"), "nics: least-queued", 14600, 3 * 4 * FULL_PS + 2 * US);
}

/* Six steps of ten packets, each over one cable. */
static void a_ring_over_cables_between_hosts(void **state)
{
    (void)state;
    run(FOUR, "nics: flow-hash",
        "protocol: {name: dctcp, init_cwnd: 64 KB}\n"
        "traffic: [{kind: collective, op: all-reduce, algorithm: ring, bytes: 58400 B}]\n");
    assert_int_equal(last_ps, 6 * (10 * FULL_PS + US));
    for (uint32_t l = 0; l < setup.topo.link_count; l++) { /* DATA goes to the next host alone */
        const struct weir_link *link = &setup.topo.link[l];
        bool next = link->dst == (link->src + 1) % 4, before = link->src == (link->dst + 1) % 4;
        assert_int_equal(result.link[l].bytes, next ? 60 * 1538 : before ? 60 * 84 : 0);
    }
    weir_result_free(&result);
}

/* Rates and round trips that laws begin with, and a load of 100 %: of planes the sum where packets are spread, else a NIC's. */
static void rates_of_transports(void **state)
{
    static const char one[] = "protocol: dctcp\ntraffic: [{kind: permutation, size: 1 KB}]\n";
    (void)state;
    run(PAIR("25 Gbps"), "nics: spray", one);
    assert_int_equal(setup.model.host.path.rate_bps, UINT64_C(125000000000));
    assert_int_equal(setup.topo.host_link_bps, UINT64_C(125000000000));
    weir_result_free(&result);
    run(PAIR("25 Gbps"), "nics: flow-hash", one);
    assert_int_equal(setup.model.host.path.rate_bps, UINT64_C(25000000000)); /* sizes in BDP are of the slowest */
    assert_int_equal(setup.topo.host_link_bps, UINT64_C(125000000000));      /* loads are of both */
    for (uint32_t t = 0; t < 2; t++) {                                       /* out and back over two cables of 1 us */
        const struct weir_path path = weir_host_path(&setup.model.host.nics->transport[t], 0, 1);
        uint64_t times = t == 0 ? 1 : 4;
        assert_int_equal(path.rate_bps, UINT64_C(100000000000) / times);
        assert_int_equal(path.base_rtt_ps, 4 * US + times * 2 * (FULL_PS + 84 * 80));
        assert_int_equal(path.control_rtt_ps, 4 * US + times * 4 * 84 * 80);
        assert_int_equal(path.bdp_bytes, path.base_rtt_ps * (100 / times) / 8000);
    }
    weir_result_free(&result);
}

#define EVENTS(queue)                                                                                                  \
    "fabric: {reroute_delay: 0 us, events: [{time: 10300 us, nic: a/0, state: down, queue: " queue "}, "               \
    "{time: 15 ms, cable: a - s0, state: up}]}\n"
#define LONG "traffic: [{kind: incast, from: 0, to: 1, fan_in: 1, size: 25 MB, period: 10 ms, stop: 15 ms}]\n"

/* 25 MB are 17,124 packets: 2107 us of one NIC, 1053 of both. NIC 0 fails after 300 us, when both have sent 4,876 packets,
 * and NIC 1 needs 1507 us for the rest. Alone NIC 0 has sent 2,438 packets, and NIC 1 needs 1807 us for the rest. With rails nothing leaves until NIC 0 is up after 5 ms, and then also 1807 us. */
static void a_nic_that_fails(void **state)
{
    static const struct {
        const char *nics;
        uint64_t from_us, until_us;
    } cases[] = {
        { "spray", 1807, 1860 },
        { "least-queued", 1807, 1860 },
        { "flow-hash", 2107, 4000 },
        { "rail", 6807, 8000 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char host[64];
        (void)snprintf(host, sizeof(host), "nics: %s", cases[i].nics);
        run(PAIR("100 Gbps"), host, "protocol: dctcp\n" EVENTS("flush") LONG);
        assert_int_equal(result.messages_completed, 1);
        assert_in_range(last_ps / US - 10000, cases[i].from_us, cases[i].until_us);
        weir_result_free(&result);
    }
}

/* ---- refusals ---- */

static const struct refused {
    const char *network, *host, *rest, *text;
} refusals[] = {
    { PAIR("100 Gbps"), "nics: least-queued, nic_queue: unlimited", "",
      "host.nics: least-queued, and unlimited queues: a NIC would never be free" },
    { FOUR, "nics: rail", "", "host.nics: rail, and there are none: not every NIC of h0 has a network of its own" },
    { PAIR("100 Gbps"), "nics: spray", "fabric: {routing: symmetric}\n",
      "fabric.routing: hosts have several NICs, and then both directions of a path may differ" },
    { PAIR("100 Gbps"), "nics: spray", "fabric: {routing: trees}\n",
      "fabric.routing: hosts have several NICs, and then both directions of a path may differ" },
    { PAIR("100 Gbps"), "nics: spray", "fabric: {routing: {metric: delay}}\n",
      "fabric.routing: where hosts have several NICs, the shortest paths are those of the fewest links" },
    { "defaults: {delay: 1 us, rate: 100 Gbps}\nhosts: [a, b, c]\nswitches: [s0, s1]\ncables:\n  - {a: a, b: s0}\n  - "
      "{a: b, b: s0}\n"
      "  - {a: b, b: s1}\n  - {a: c, b: s1}\n",
      "nics: spray", "", "topology: no path of at most 66 links leads from a to c, and hosts do not forward" },
    { PAIR("100 Gbps"), "nics: spray", "protocol: expresspass\nfabric: {routing: ecmp}\n",
      "fabric.credit_gate: data comes back the way its credit went only if a message has one NIC" },
    { PAIR("100 Gbps"), "nics: least-queued", "protocol: hpcc\n",
      "fabric: telemetry is compared with the last of the same path, and host.nics spreads packets" },
    { PAIR("100 Gbps"), "nics: spray", "fabric: {deflect: {mode: on}}\n",
      "fabric: deflection keeps packets in order, and host.nics does not" },
};

static void what_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refused *r = &refusals[i];
        char text[512];
        file_set(r->network);
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: file, file: %u}\nhost: {%s}\n%s%straffic: "
                       "[{kind: permutation, size: 1 KB}]\n" RUN_ALL,
                       (unsigned)fileno(file), r->host, strstr(r->rest, "protocol:") != NULL ? "" : "protocol: dctcp\n",
                       r->rest);
        parse("/dev/fd/a.yaml", text);
        assert_int_not_equal(weir_setup_init(&setup, &scn, &err), 0);
        assert_string_equal(err.text, r->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_by_one_nic_or_by_both),
        TEST(unlike_nics_take_a_packet_when_they_are_free),
        TEST(a_ring_over_cables_between_hosts),
        TEST(rates_of_transports),
        TEST(a_nic_that_fails),
        TEST(what_is_refused),
    };
    return cmocka_run_group_tests_name("oracle/nics", tests, NULL, NULL);
}
