/* test/unit/config/test_laws.c - protocols, host keys and classes of traffic items. */
#include "test/unit/refusal.h"
#include "config/scenario.h"
#include "proto/cubic/cubic.h"
#include "proto/dctcp/dctcp.h"
#include <string.h>

static struct weir_scenario scn;
static struct weir_err err;

#define PERM "kind: permutation, size: 1 KB"

static int read_text(const char *text, const char *set)
{
    const struct weir_override override = { .text = set };
    weir_scenario_free(&scn);
    return weir_scenario_parse(&scn, "dir/a.yaml", text, strlen(text), &override, set != NULL, &err);
}

static void is_read(const char *text)
{
    if (read_text(text, NULL) != 0)
        fail_msg("%s:%" PRIu32 ": %s (%s)", err.file, err.line, err.text, err.hint);
}

static void is_refused(const char *text, enum weir_err_code code, const char *key)
{
    assert_int_equal(read_text(text, NULL), code);
    assert_refusal(&err, code, NULL, key);
}

static int end(void **state)
{
    (void)state;
    weir_scenario_free(&scn);
    return 0;
}

static void items_without_a_law_have_the_runs(void **state)
{
    (void)state;
    is_read("traffic:\n  - {" PERM "}\n  - {" PERM "}\n");
    assert_int_equal(scn.law_count, 1);
    assert_int_equal(scn.law_of_item[0] + scn.law_of_item[1], 0);
}

static void an_item_may_have_a_protocol_with_preset_and_keys(void **state)
{
    (void)state;
    is_read("host: {connections: 7, nic_queue: unlimited, mark: 9 KB}\n"
            "traffic:\n  - {" PERM "}\n"
            "  - {" PERM ", protocol: cubic}\n"
            "  - {" PERM ", protocol: {name: cubic, preset: datacenter, cut: 0.5}, class: 3, host: {ack_class: 2}}\n");
    assert_int_equal(scn.law_count, 3);
    struct weir_scenario_law run = weir_scenario_law(&scn, 0), second = weir_scenario_law(&scn, scn.law_of_item[1]),
                             third = weir_scenario_law(&scn, scn.law_of_item[2]);
    assert_string_equal(run.protocol->name, "dctcp");
    assert_int_equal(run.host->connections, 7);
    assert_string_equal(second.protocol->name, "cubic");
    assert_int_equal(second.host->ack_every, 2);                  /* of its preset, linux */
    assert_int_equal(second.host->connections, 40);               /* host is of items that say nothing .. */
    assert_int_equal(second.host->nic_queue, WEIR_NIC_UNLIMITED); /* .. but for the NIC */
    assert_int_equal(second.host->mark_bytes, 9000);
    assert_int_equal(third.host->ack_every, 1);
    assert_int_equal(third.host->data_class, 3);
    assert_int_equal(third.host->ack_class, 2);
    assert_memory_not_equal(second.config, third.config, sizeof(struct weir_cubic_config));
}

static void equal_laws_are_one_the_runs_included(void **state)
{
    (void)state;
    is_read(
        "protocol: {name: dctcp, g: 0.1}\ntraffic:\n  - {" PERM "}\n  - {" PERM ", protocol: {name: dctcp, g: 0.1}}\n"
        "  - {" PERM ", protocol: {name: cubic}, class: 1}\n  - {" PERM ", protocol: {name: cubic, preset: linux}}\n"
        "  - {" PERM ", class: 1}\n  - {" PERM ", host: {data_class: 2}}\n  - {" PERM ", class: 2}\n");
    static const uint8_t law[] = { 0, 0, 1, 1, 0, 2, 2 };
    assert_int_equal(scn.law_count, 3);
    assert_memory_equal(scn.law_of_item, law, sizeof(law));
}

static void without_an_item_of_the_runs_law_the_first_items_is_the_runs(void **state)
{
    (void)state;
    is_read("protocol: {name: dctcp, g: 0.1}\ntraffic:\n  - {" PERM ", protocol: cubic}\n  - {" PERM
            ", protocol: newreno}\n  - {" PERM ", protocol: cubic}\n");
    assert_int_equal(scn.law_count, 2);
    assert_string_equal(scn.protocol->name, "cubic");
    assert_int_equal(scn.host.ack_every, 2);
    assert_int_equal(scn.law_of_item[0] + scn.law_of_item[2], 0);
    assert_int_equal(scn.law_of_item[1], 1);
    assert_string_equal(weir_scenario_law(&scn, 1).protocol->name, "newreno");
}

static void a_law_is_set_on_the_command_line_like_other_keys(void **state)
{
    static const char two[] = "traffic:\n  - {" PERM "}\n  - {" PERM ", protocol: cubic}\n";
    (void)state;
    assert_int_equal(read_text(two, "traffic[1].protocol=newreno"), 0);
    assert_string_equal(weir_scenario_law(&scn, 1).protocol->name, "newreno");
    assert_int_equal(read_text(two, "traffic[1].protocol.cut=0.5"), 0);
    assert_int_equal(((const struct weir_cubic_config *)weir_scenario_law(&scn, 1).config)->cut_ppm, 500000);
    assert_int_equal(read_text(two, "traffic[0].host.ack_every=3"), 0);
    assert_string_equal(scn.protocol->name, "dctcp"); /* no item has the run's law: that of the first is the run's */
    assert_int_equal(scn.host.ack_every, 3);
    assert_int_equal(scn.law_count, 2);
}

static void frames_are_of_the_laws_preset_or_else_the_runs(void **state)
{
    (void)state;
    is_read("framing: {preset: hpcc}\nfabric: {routing: spray, priorities: 2, ecn: {threshold: 1 BDP}}\n"
            "traffic:\n  - {" PERM "}\n  - {" PERM ", protocol: cubic}\n  - {" PERM ", protocol: sird}\n");
    assert_int_equal(weir_scenario_law(&scn, 0).framing->payload_bytes, 1000);
    assert_int_equal(weir_scenario_law(&scn, 1).framing->payload_bytes, 1000);
    assert_true(weir_scenario_law(&scn, 2).framing->payload_bytes != 1000);
}

static void bad_laws_are_refused_with_the_key(void **state)
{
    (void)state;
    is_refused("traffic:\n  - {" PERM ", protocol: qubic}\n", WEIR_E_UNKNOWN, "qubic");
    assert_non_null(strstr(err.hint, "cubic"));
    is_refused("traffic:\n  - {" PERM ", protocol: {preset: linux}}\n", WEIR_E_SYNTAX, "name");
    is_refused("traffic:\n  - {" PERM ", protocol: {name: cubic, g: 0.1}}\n", WEIR_E_UNKNOWN, "g");
    is_refused("traffic:\n  - {" PERM ", protocol: {name: cubic, preset: fast}}\n", WEIR_E_UNKNOWN, "fast");
    is_refused("traffic:\n  - {" PERM ", protocol: [cubic]}\n", WEIR_E_SYNTAX, "protocol");
    is_refused("traffic:\n  - {" PERM ", host: {nic_queue: pull}}\n", WEIR_E_CONFLICT, "nic_queue");
    is_refused("traffic:\n  - {" PERM ", host: {mark: 5 KB}}\n", WEIR_E_CONFLICT, "mark");
    is_refused("traffic:\n  - {" PERM ", host: {nic_rate: 0.5}}\n", WEIR_E_CONFLICT, "nic_rate");
    is_refused("host: {nic_rate: 0}\ntraffic:\n  - {" PERM "}\n", WEIR_E_RANGE, "nic_rate");
    is_refused("host: {nic_rate: 1.000001}\ntraffic:\n  - {" PERM "}\n", WEIR_E_RANGE, "nic_rate");
    is_refused("traffic:\n  - {" PERM ", host: {nic_schedule: weighted}}\n", WEIR_E_CONFLICT, "nic_schedule");
    is_refused("traffic:\n  - {" PERM ", host: {speed: 5 KB}}\n", WEIR_E_UNKNOWN, "speed");
    is_refused("traffic:\n  - {" PERM ", class: 8}\n", WEIR_E_RANGE, "class");
    is_refused("protocol: ndp\ntraffic:\n  - {" PERM ", class: 1}\n", WEIR_E_CONFLICT, "class");
}

#define CLASS(n) "  - {" PERM ", class: " #n "}\n"

static void more_than_four_laws_are_refused(void **state)
{
    (void)state;
    is_read("traffic:\n" CLASS(0) CLASS(2) CLASS(3) CLASS(4)); /* that of the run has no item */
    assert_int_equal(scn.law_count, 4);
    is_read("traffic:\n  - {" PERM "}\n" CLASS(2) CLASS(3) CLASS(4));
    assert_int_equal(scn.law_count, 4);
    is_refused("traffic:\n  - {" PERM "}\n" CLASS(2) CLASS(3) CLASS(4) CLASS(5), WEIR_E_RANGE, "4");
    is_refused("traffic:\n" CLASS(0) CLASS(2) CLASS(3) CLASS(4) CLASS(5), WEIR_E_RANGE, "4");
    is_refused("traffic:\n" CLASS(0) CLASS(2) CLASS(3) CLASS(4) CLASS(5) CLASS(6), WEIR_E_RANGE, "4");
}

/* SIRD's preset sprays, has two priorities and marks from 1.25 BDP on; the run has DCTCP's. */
static void a_preset_that_wants_another_fabric_is_refused_until_the_file_decides(void **state)
{
    (void)state;
    is_refused("traffic:\n  - {" PERM "}\n  - {" PERM ", protocol: sird}\n", WEIR_E_CONFLICT, "fabric.routing.mode");
    assert_non_null(strstr(err.hint, "fabric.routing: {mode: spray}"));
    is_refused("fabric: {routing: ecmp}\ntraffic:\n  - {" PERM "}\n  - {" PERM ", protocol: sird}\n", WEIR_E_CONFLICT,
               "fabric.priorities");
    is_refused("fabric: {routing: ecmp, priorities: 2}\ntraffic:\n  - {" PERM "}\n  - {" PERM ", protocol: sird}\n",
               WEIR_E_CONFLICT, "fabric.ecn.threshold");
    is_read("fabric: {routing: ecmp, priorities: 2, ecn: {kmin: 9 KB, kmax: 10 KB, pmax: 10%}}\n"
            "traffic:\n  - {" PERM "}\n  - {" PERM ", protocol: sird}\n"); /* kmin stands instead of threshold */
    is_refused("fabric: {ecn: {threshold: 9 KB}}\ntraffic:\n  - {" PERM "}\n  - {" PERM ", protocol: dart}\n",
               WEIR_E_CONFLICT, "host.mark");
}

#define POISSON "kind: poisson, sizes: wkc, load: 20%"

static void a_part_of_an_item_may_have_another_law(void **state)
{
    (void)state;
    is_read("traffic:\n  - {" POISSON ", deploy: {share: 12.5%, by: hosts, protocol: cubic, class: 2}}\n"
            "  - {" POISSON ", protocol: swift, deploy: {share: 0%, host: {ecn: off}}}\n"
            "  - {" POISSON ", deploy: {share: 100%, protocol: dctcp}}\n");
    assert_int_equal(scn.law_count, 4);
    assert_int_equal(scn.law_of_item[0], 0);
    assert_int_equal(scn.deploy[0].share_ppm, 125000);
    assert_int_equal(scn.deploy[0].by, WEIR_DEPLOY_HOSTS);
    assert_string_equal(weir_scenario_law(&scn, scn.law_of_deploy[0]).protocol->name, "cubic");
    assert_int_equal(weir_scenario_law(&scn, scn.law_of_deploy[0]).host->data_class, 2);
    assert_int_equal(scn.deploy[1].by, WEIR_DEPLOY_MESSAGES);
    assert_string_equal(weir_scenario_law(&scn, scn.law_of_deploy[1]).protocol->name, "dctcp"); /* the run's, changed */
    assert_int_equal(scn.law_of_deploy[2], 0);
    assert_int_equal(weir_scenario_laws_of_item(&scn, 0), 1u << 0 | 1u << scn.law_of_deploy[0]);
    assert_int_equal(weir_scenario_laws_of_item(&scn, 2), 1);
}

static void hosts_may_send_by_a_law_of_their_own(void **state)
{
    (void)state;
    is_read("hosts: [{at: rack 1, protocol: cubic}, {at: host 3, link: 1 Gbps}, {at: host 4, host: {ecn: off}}]\n"
            "traffic:\n  - {" POISSON "}\n  - {" POISSON ", protocol: dctcp}\n");
    assert_int_equal(scn.law_count, 3);
    assert_string_equal(weir_scenario_law(&scn, scn.law_of_hosts[0]).protocol->name, "cubic");
    assert_int_equal(scn.law_of_hosts[1], WEIR_LAW_NONE);
    assert_string_equal(weir_scenario_law(&scn, scn.law_of_hosts[2]).protocol->name, "dctcp");
    assert_int_equal(weir_scenario_laws_of_item(&scn, 0), 7);
    assert_int_equal(weir_scenario_laws_of_item(&scn, 1), 1); /* it says the run's law itself */
}

static void bad_parts_and_hosts_are_refused_with_the_key(void **state)
{
    (void)state;
    is_refused("traffic:\n  - {" POISSON ", deploy: {share: 101%, protocol: cubic}}\n", WEIR_E_RANGE, "share");
    is_refused("traffic:\n  - {" POISSON ", deploy: {protocol: cubic}}\n", WEIR_E_SYNTAX, "share");
    is_refused("traffic:\n  - {" POISSON ", deploy: {share: 10%}}\n", WEIR_E_SYNTAX, "protocol");
    is_refused("traffic:\n  - {" POISSON ", deploy: cubic}\n", WEIR_E_SYNTAX, "deploy");
    is_refused("traffic:\n  - {" POISSON ", deploy: {share: 10%, protocol: qubic}}\n", WEIR_E_UNKNOWN, "qubic");
    is_refused("traffic:\n  - {" POISSON ", deploy: {share: 10%, protocol: cubic, by: flows}}\n", WEIR_E_UNKNOWN, "by");
    is_refused("traffic:\n  - {" POISSON ", deploy: {share: 10%, protocol: sird}}\n", WEIR_E_CONFLICT,
               "traffic[0].deploy");
    is_refused("hosts: [{at: rack 1, protocol: qubic}]\ntraffic:\n  - {" POISSON "}\n", WEIR_E_UNKNOWN, "qubic");
    is_refused("hosts: [{at: rack 1, protocol: sird}]\ntraffic:\n  - {" POISSON "}\n", WEIR_E_CONFLICT, "hosts[0]");
    is_refused("hosts: [{at: rack 1, host: {nic_queue: pull}}]\ntraffic:\n  - {" POISSON "}\n", WEIR_E_CONFLICT,
               "nic_queue");
    is_refused("hosts: [{at: rack 1, protocol: cubic}]\ntraffic:\n  - {" POISSON ", protocol: dctcp}\n",
               WEIR_E_CONFLICT, "hosts[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(items_without_a_law_have_the_runs, end),
        cmocka_unit_test_teardown(an_item_may_have_a_protocol_with_preset_and_keys, end),
        cmocka_unit_test_teardown(equal_laws_are_one_the_runs_included, end),
        cmocka_unit_test_teardown(without_an_item_of_the_runs_law_the_first_items_is_the_runs, end),
        cmocka_unit_test_teardown(a_law_is_set_on_the_command_line_like_other_keys, end),
        cmocka_unit_test_teardown(frames_are_of_the_laws_preset_or_else_the_runs, end),
        cmocka_unit_test_teardown(bad_laws_are_refused_with_the_key, end),
        cmocka_unit_test_teardown(more_than_four_laws_are_refused, end),
        cmocka_unit_test_teardown(a_part_of_an_item_may_have_another_law, end),
        cmocka_unit_test_teardown(hosts_may_send_by_a_law_of_their_own, end),
        cmocka_unit_test_teardown(bad_parts_and_hosts_are_refused_with_the_key, end),
        cmocka_unit_test_teardown(a_preset_that_wants_another_fabric_is_refused_until_the_file_decides, end),
    };
    return cmocka_run_group_tests_name("config/laws", tests, NULL, NULL);
}
