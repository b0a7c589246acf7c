/* test/unit/report/test_dropped.c - what a page says of drops and losses: how many, of how many, and why. */
#include "test/unit/report/report_fixture.h"
#include "report/dropped.h"
#include "report/runs_open.h"

static struct weir_err err;
static int next;

static int begin(void **state)
{
    assert_int_equal(make_sample(state), 0);
    change("DELETE FROM run; DELETE FROM metric; DELETE FROM series; DELETE FROM point; DELETE FROM by_size; "
           "DELETE FROM histogram");
    next = 1;
    return 0;
}

/* Adds a run. numbers: rows of its metrics, "('drops', 7)"; NULL = an older Weir, without this number. more: fields of
 * its JSON, each after a comma */
static void put_run(const char *law, const char *status, int seed, const char *numbers, const char *more)
{
    char sql[2048];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO run (id, name, label, status, started_utc, protocol, seed, scenario, json) VALUES (%d, "
                   "'n', '%s', '%s', '', '%s', %d, 'protocol: {name: %s}' || char(10) || 'run: {seed: %d}', "
                   "'{\"verdict\": \"stable\", \"slowdown\": {\"all\": {\"count\": 9}}%s}');"
                   "INSERT INTO metric VALUES (%d, 'goodput_gbps', 40);"
                   "INSERT INTO metric SELECT %d, column1, column2 FROM (VALUES %s)",
                   next, law, status, law, seed, law, seed, more, next, next, numbers);
    change(sql);
    next++;
}

#define HOPS(packets) ", \"packet_hops\": " packets
#define FOUR(data, ack, credit, control)                                                                               \
    "{\"data\": " data ", \"ack\": " ack ", \"credit\": " credit ", \"control\": " control "}"
#define DROPS(causes) ", \"drops_by_cause\": {" causes "}"
#define LOSSES(causes) ", \"losses_by_cause\": {" causes "}"
#define MEMORY(data, ack, credit, control) "\"switch.memory\": " FOUR(data, ack, credit, control)
#define ROUTE(data) "\"switch.no-route\": " FOUR(data, "0", "0", "0")
#define GATE(credit) "\"credit-gate.full\": " FOUR("0", "0", credit, "0")
#define NONE "('drops', 0), ('losses', 0)"

static void is(const char *want)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    struct memory m;
    char *text;
    memory_open(&m);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    weir_dropped_sentences(m.file, &(struct weir_group){ runs.run, runs.count });
    weir_runs_close(&runs);
    text = memory_text(&m);
    assert_string_equal(text, want);
    free(text);
}

#define SAID(text) "<p class=\"facts\">" text "</p>\n"

static void where_nothing_was_dropped_that_is_said(void **state)
{
    (void)state;
    put_run("a", "done", 1, NONE, HOPS("100"));
    is(SAID("Nothing was dropped or lost."));
    put_run("b", "done", 1, "('drops', 0)", HOPS("100")); /* a file of before losses were counted */
    is(SAID("Nothing was dropped or lost."));
}

static void without_the_number_nothing_is_said(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('losses', 3)", HOPS("100"));
    put_run("b", "failed", 1, "('drops', 3)", HOPS("100"));
    is("");
}

static void one_rule_and_one_kind_need_no_second_number(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 12), ('losses', 0)", HOPS("10000") DROPS(MEMORY("12", "0", "0", "0")));
    is(SAID("Dropped: <strong>12 packets</strong> (0.12 % of the packets that links carried): all data because the "
            "memory of a switch was full."));
}

static void rules_stand_in_the_order_of_their_packets_with_the_kinds(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 17), ('losses', 9)",
            HOPS("1000") DROPS(MEMORY("6", "1", "1", "1") ", " ROUTE("8"))
                LOSSES("\"x<y.z\": " FOUR("4", "0", "5", "0")));
    is(SAID("Dropped or lost: <strong>26 packets</strong> (2.6 % of the packets that links carried): 6 data, 1 ACK, 1 "
            "credit, 1 control because the memory of a switch was full; 4 data, 5 credits by the rule x&lt;y.z; 8 data "
            "because no way to the destination was left."));
}

static void of_many_rules_the_first_three_are_named(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 10), ('losses', 0)",
            DROPS("\"p.q\": " FOUR("1", "0", "0", "0") ", \"r.s\": " FOUR("4", "0", "0", "0") ", \"t.u\": " FOUR(
                "3", "0", "0", "0") ", \"v.w\": " FOUR("2", "0", "0", "0")));
    is(SAID("Dropped: <strong>10 packets</strong>: 4 data by the rule r.s; 3 data by the rule t.u; 2 data by the rule "
            "v.w; others for 1 more reason."));
    change("UPDATE run SET json = json_set(json, '$.drops_by_cause', json_set(json_extract(json, '$.drops_by_cause'), "
           "'$.more', json('" FOUR("1", "0", "0", "0") "')))");
    is(SAID("Dropped: <strong>10 packets</strong>: 4 data by the rule r.s; 3 data by the rule t.u; 2 data by the rule "
            "v.w; others for 2 more reasons."));
}

/* Also of one packet, and of a share near the least that is printed. */
static void losses_alone_are_called_so(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 0), ('losses', 1)", HOPS("100000"));
    is(SAID("Lost on the wire: <strong>1 packet</strong> (0.0010 % of the packets that links carried)."));
    change("UPDATE run SET json = json_set(json, '$.packet_hops', 100001)");
    is(SAID("Lost on the wire: <strong>1 packet</strong> (less than 0.001 % of the packets that links carried)."));
    change("UPDATE run SET json = json_set(json, '$.packet_hops', 0)");
    is(SAID("Lost on the wire: <strong>1 packet</strong>."));
}

static void seeds_are_averaged(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 4), ('losses', 0)", HOPS("100") DROPS(MEMORY("4", "0", "0", "0")));
    put_run("a", "done", 2, "('drops', 3), ('losses', 0)", HOPS("300") DROPS(MEMORY("0", "3", "0", "0")));
    is(SAID("Dropped: <strong>3.50 packets</strong> a run (1.8 % of the packets that links carried): 2 data, 1.50 ACKs "
            "because the memory of a switch was full."));
}

static void the_set_with_most_comes_first_and_the_others_behind_it(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 5), ('losses', 0)", "");
    put_run("b<1>", "done", 1, "('drops', 7), ('losses', 0)", "");
    put_run("c", "done", 1, NONE, "");
    is(SAID("Dropped: most with b&lt;1&gt;, <strong>7 packets</strong>. Also with a (5). Nothing with c."));
    put_run("d", "done", 1, "('drops', 7), ('losses', 0)", ""); /* of equal ones the first */
    put_run("e", "done", 1, "('drops', 1), ('losses', 0)", "");
    put_run("f", "done", 1, NONE, "");
    is(SAID("Dropped: most with b&lt;1&gt;, <strong>7 packets</strong>. Also with a (5), d (7) and e (1). Nothing with "
            "c and f."));
}

/* Four names, and the number of the others. */
static void many_sets_are_counted(void **state)
{
    char law[8];
    (void)state;
    put_run("most", "done", 1, "('drops', 9), ('losses', 0)", "");
    for (int i = 0; i < 4; i++) {
        (void)snprintf(law, sizeof(law), "n%d", i);
        put_run(law, "done", 1, NONE, "");
    }
    is(SAID("Dropped: most with most, <strong>9 packets</strong>. Nothing with n0, n1, n2 and n3."));
    put_run("n4", "done", 1, NONE, "");
    is(SAID("Dropped: most with most, <strong>9 packets</strong>. Nothing with n0, n1, n2, n3 and 1 more set."));
    put_run("n5", "done", 1, NONE, "");
    is(SAID("Dropped: most with most, <strong>9 packets</strong>. Nothing with n0, n1, n2, n3 and 2 more sets."));
}

/* A law that paces credit drops it to slow senders: that is not what most is lost by. */
static void credits_do_not_decide_who_lost_most(void **state)
{
    (void)state;
    put_run("a", "done", 1, "('drops', 900), ('losses', 0)", DROPS(GATE("900")));
    put_run("b", "done", 1, "('drops', 2), ('losses', 0)", DROPS(MEMORY("2", "0", "0", "0")));
    is(SAID("Dropped: most with b, <strong>2 packets</strong>: all data because the memory of a switch was full. Also "
            "with a (900, 900 of them credits)."));
    change("DELETE FROM run WHERE id = 2; DELETE FROM metric WHERE run = 2");
    put_run("c", "done", 1, NONE, "");
    is(SAID("Dropped: most with a, <strong>900 packets</strong>: all credits because credit came faster than a port "
            "may send it. Nothing with c."));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_sample)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(where_nothing_was_dropped_that_is_said),
        TEST(without_the_number_nothing_is_said),
        TEST(one_rule_and_one_kind_need_no_second_number),
        TEST(rules_stand_in_the_order_of_their_packets_with_the_kinds),
        TEST(of_many_rules_the_first_three_are_named),
        TEST(losses_alone_are_called_so),
        TEST(seeds_are_averaged),
        TEST(the_set_with_most_comes_first_and_the_others_behind_it),
        TEST(many_sets_are_counted),
        TEST(credits_do_not_decide_who_lost_most),
    };
    return cmocka_run_group_tests_name("report/dropped", tests, NULL, NULL);
}
