/* test/twin/test_replay.c - the protocol that was simulated is the one that runs behind the wire: the hosts of every picked scenario,
 * once more and apart from each other, with bytes between them. */
#include "test/prop/rig.h"
#include "test/oracle/cases.h"
#include "test/twin/replay.h"
#include <stdio.h>

static void play(const char *name, const char *text, struct replay_tally *tally)
{
    struct replay_tape tape;
    struct weir_err err = { 0 };
    char differs[256];
    begin(text);
    if (replay_record(&rig.setup.model, &tape, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    if (!replay_run(&rig.setup.model, &tape, NULL, tally, differs))
        fail_msg("%s: %s\n%s", name, differs, text);
    replay_free(&tape);
    end();
}

static void print(const char *title, uint32_t scenarios, const struct replay_tally *t)
{
    (void)printf("%s: %" PRIu32 " scenarios, %" PRIu64 " calls; %" PRIu64 " packets arrived as bytes (%" PRIu64
                 " with payload), %" PRIu64 " packets and %" PRIu64 " words to the world came out, all the same\n",
                 title, scenarios, t->calls, t->arrived, t->payloads, t->left, t->told);
}

static void hosts_behind_the_wire_answer_as_the_simulators_do(void **state)
{
    struct replay_tally tally = { 0 };
    uint32_t scenarios = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strstr(cases[i].text, "name: sird") == NULL)
            continue;
        play(cases[i].name, cases[i].text, &tally);
        scenarios++;
    }
    print("SIRD", scenarios, &tally);
    assert_true(scenarios >= 15 && tally.arrived > 500000 && tally.told > 30000);
}

/* Its credits are control packets of its own, with their number, the time at which they left, and a class. On the wire they all have
 * one size, as with preset udp. Gates drop some. */
static void so_do_hosts_whose_credit_is_held_back(void **state)
{
    static const char star[] = "topology: {kind: star, hosts: 9, host_link: 10 Gbps}\n"
                               "protocol: {name: expresspass, preset: udp}\n";
    struct replay_tally tally = { 0 };
    char text[2048];
    (void)state;
    (void)snprintf(text, sizeof(text), "%s" TRAFFIC MIX("60%%") RUN("6 ms"), star);
    play("ExpressPass", text, &tally);
    (void)snprintf(text, sizeof(text), "%sfabric: {loss: 5%%}\n" TRAFFIC PERM("200 KB") RUN("10 ms"), star);
    play("ExpressPass, losing", text, &tally);
    print("ExpressPass", 2, &tally);
    assert_true(tally.arrived > 10000 && tally.told > 20);
}

/* Replies carry a payload, which a REPLY has not on the wire: nobody needs them there. */
static void so_do_sender_driven_hosts(void **state)
{
    struct replay_tally tally = { 0 };
    (void)state;
    play("plain", LEAF_SPINE DCTCP "fabric: {routing: ecmp}\n" TRAFFIC MIX("60%") RUN("100 us"), &tally);
    play("losing", STAR DCTCP HURRY "fabric: {loss: 20%}\n" TRAFFIC PERM("200 KB") RUN("10 ms"), &tally);
    play("delayed acknowledgements",
         LEAF_SPINE DCTCP "host: {ack_every: 4, ack_delay: 20 us}\n" TRAFFIC MIX("60%") RUN("100 us"), &tally);
    print("DCTCP", 3, &tally);
}

/* Presets of TCP have other hosts. */
#define AS_ENDPOINTS "host: {ack_every: 1, reliability: selective, handshake: false, ecn: rfc8257, " SOON "}\n"

/* Each law that runs between endpoints, at rest and with a packet in twenty lost. */
static void so_does_every_law_of_endpoints(void **state)
{
    static const char *const laws[] = {
        "aimd", "cubic", "dart", "dcqcn", "dctcp", "newreno", "soze", "swift", "timely"
    };
    uint64_t raised = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        struct replay_tally tally = { 0 };
        char text[2048];
        (void)snprintf(text, sizeof(text),
                       LEAF_SPINE "protocol: {name: %s}\nfabric: {routing: ecmp}\n" AS_ENDPOINTS TRAFFIC MIX("60%%")
                           RUN("100 us"),
                       laws[i]);
        play(laws[i], text, &tally);
        (void)snprintf(text, sizeof(text),
                       LEAF_SPINE
                       "protocol: {name: %s}\nfabric: {routing: ecmp, loss: 5%%}\n" AS_ENDPOINTS TRAFFIC PERM("200 KB")
                           RUN("1 ms"),
                       laws[i]);
        play(laws[i], text, &tally);
        print(laws[i], 2, &tally);
        assert_true(tally.arrived > 10000 && tally.told > 200);
        raised += tally.raised;
    }
    assert_true(raised > 1000);
}

/* Laws that read records of switches: HPCC's in DATA and back in ACKs, FNCC's in ACKs. Quantised ones are whole nanoseconds, as those on
 * the wire. */
static void so_do_laws_that_read_records(void **state)
{
    static const char *const laws[] = { "hpcc", "fncc" };
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        struct replay_tally tally = { 0 };
        char text[2048];
        for (uint32_t lossy = 0; lossy < 2; lossy++) {
            (void)snprintf(
                text, sizeof(text),
                LEAF_SPINE "protocol: {name: %s, int: quantised}\nfabric: {routing: symmetric%s}\n" AS_ENDPOINTS TRAFFIC
                           "%s",
                laws[i], lossy ? ", loss: 5%" : "", lossy ? PERM("200 KB") RUN("1 ms") : MIX("60%") RUN("100 us"));
            play(laws[i], text, &tally);
        }
        print(laws[i], 2, &tally);
        assert_true(tally.arrived > 10000 && tally.told > 200 && tally.records > 10000);
    }
}

/* Dart's messages have tokens, which switches spend where they deflect: what is left arrives as bytes. */
static void so_do_hosts_whose_messages_are_deflected(void **state)
{
    struct replay_tally tally = { 0 };
    (void)state;
    play("tokens",
         FAT_TREE "protocol: {name: dart, look_ahead: false}\nfabric: {routing: ecmp, ecn: {threshold: 22500 B}, "
                  "deflect: {threshold: 3 KB, "
                  "short: 60 KB}}\n" AS_ENDPOINTS TRAFFIC MIX("40%") INCAST("4", "50 KB", "30%") RUN("100 us"),
         &tally);
    print("Dart", 1, &tally);
    assert_true(tally.tokens > 1000 && tally.spent > 100 && tally.spent < tally.tokens);
}

/* DCQCN's congestion notifications, a NOTICE each. */
static void so_do_hosts_that_send_notices(void **state)
{
    struct replay_tally tally = { 0 };
    (void)state;
    play("notices",
         LEAF_SPINE
         "protocol: {name: dcqcn}\nfabric: {routing: ecmp, ecn: {threshold: 5 KB}}\n" AS_ENDPOINTS TRAFFIC INCAST(
             "12", "500 KB", "30%") RUN("1 ms"),
         &tally);
    print("DCQCN", 1, &tally);
    assert_true(tally.notices > 50);
}

static void lose_csn(struct weir_pkt *pkt)
{
    pkt->flags &= (uint8_t)~WEIR_PKT_OWN;
}

static void lose_ce(struct weir_pkt *pkt)
{
    pkt->flags &= (uint8_t)~WEIR_PKT_CE;
}

static void lose_unsched(struct weir_pkt *pkt)
{
    pkt->flags &= (uint8_t)~WEIR_PKT_UNSCHED;
}

static void forge_credit(struct weir_pkt *pkt)
{
    pkt->ack += pkt->kind == WEIR_PKT_CREDIT ? 1538 : 0;
}

static void misplace_a_packet(struct weir_pkt *pkt)
{
    pkt->seq ^= pkt->kind == WEIR_PKT_DATA && pkt->seq == 40;
}

static void lengthen_on_the_wire(struct weir_pkt *pkt)
{
    pkt->wire_bytes++;
}

static void lose_a_record(struct weir_pkt *pkt)
{
    if (pkt->hops > 0)
        pkt->hops--;
}

static void a_record_that_is_lost_is_noticed(void **state)
{
    static const char *const laws[] = { "hpcc", "fncc" };
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        struct replay_tape tape;
        struct replay_tally tally = { 0 };
        struct weir_err err = { 0 };
        char differs[256], text[2048];
        (void)snprintf(text, sizeof(text),
                       LEAF_SPINE
                       "protocol: {name: %s, int: quantised}\nfabric: {routing: symmetric}\n" AS_ENDPOINTS TRAFFIC
                           INCAST("12", "500 KB", "30%%") RUN("100 us"),
                       laws[i]);
        begin(text);
        assert_int_equal(replay_record(&rig.setup.model, &tape, &err), 0);
        assert_true(replay_run(&rig.setup.model, &tape, NULL, &tally, differs));
        assert_false(replay_run(&rig.setup.model, &tape, lose_a_record, &tally, differs));
        (void)printf("%s: %s\n", laws[i], differs);
        replay_free(&tape);
        end();
    }
}

/* Or the comparison above would show nothing. */
static void every_field_that_is_lost_is_noticed(void **state)
{
    static void (*const change[])(struct weir_pkt *) = { lose_csn,     lose_ce,           lose_unsched,
                                                         forge_credit, misplace_a_packet, lengthen_on_the_wire };
    struct replay_tape tape;
    struct replay_tally tally = { 0 };
    struct weir_err err = { 0 };
    char differs[256];
    (void)state;
    begin(LEAF_SPINE "protocol: {name: sird}\nfabric: {ecn: {threshold: 5 KB}}\n" TRAFFIC MIX("60%")
              INCAST("12", "500 KB", "10%") RUN("400 us"));
    assert_int_equal(replay_record(&rig.setup.model, &tape, &err), 0);
    assert_true(replay_run(&rig.setup.model, &tape, NULL, &tally, differs));
    for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
        assert_false(replay_run(&rig.setup.model, &tape, change[i], &tally, differs));
        (void)printf("change %zu: %s\n", i, differs);
    }
    replay_free(&tape);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_behind_the_wire_answer_as_the_simulators_do),
        cmocka_unit_test(so_do_hosts_whose_credit_is_held_back),
        cmocka_unit_test(so_do_sender_driven_hosts),
        cmocka_unit_test(so_does_every_law_of_endpoints),
        cmocka_unit_test(so_do_laws_that_read_records),
        cmocka_unit_test(so_do_hosts_whose_messages_are_deflected),
        cmocka_unit_test(so_do_hosts_that_send_notices),
        cmocka_unit_test(every_field_that_is_lost_is_noticed),
        cmocka_unit_test(a_record_that_is_lost_is_noticed),
    };
    return cmocka_run_group_tests_name("twin/replay", tests, NULL, NULL);
}
