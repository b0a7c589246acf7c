/* test/unit/output/test_topology_print.c - names of cables are those that events take; the audit's lines. JSON: test/cli/topology.sh. */
#include "test/unit/output/topology_rig.h"

static void every_cable_is_listed_by_a_name_that_finds_it(void **state)
{
    size_t size;
    uint32_t found = 0;
    char *line;
    (void)state;
    rig_load("kind: file, file: examples/files/pods.topo");
    FILE *memory = rig_open(&size);
    weir_topology_print_cables(memory, &rig->setup.topo);
    assert_int_equal(fclose(memory), 0);
    (void)strtok(rig->text, "\n"); /* the header */
    while ((line = strtok(NULL, "\n")) != NULL) {
        const char *rate = strstr(line, "100.0 Gbps") != NULL ? strstr(line, "100.0 Gbps") : strstr(line, "50.00 Gbps");
        char name[WEIR_LINK_NAME];
        size_t length;
        assert_non_null(rate);
        length = (size_t)(rate - line);
        memcpy(name, line, length);
        while (name[length - 1] == ' ')
            length--;
        name[length] = '\0';
        assert_true(weir_topology_find_link(&rig->setup.topo, name) < rig->setup.topo.link_count);
        found++;
    }
    assert_int_equal(found, rig->setup.topo.link_count / 2);
}

static void the_audit_has_a_line_for_each_tier(void **state)
{
    size_t size;
    (void)state;
    rig_load("kind: leaf-spine, hosts: 32, racks: 4, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps");
    FILE *memory = rig_open(&size);
    weir_topology_print(memory, &rig->answer);
    assert_int_equal(fclose(memory), 0);
    rig_says("leaf-spine, 32 hosts, 6 switches, 40 cables");
    rig_says("4 links, for example host 0 - host 8");
    rig_says("equal paths   2, shortest by hops");
    rig_says("4.00  leaf 0: 4.00");
    rig_says("directions alike");
    assert_int_equal(rig_count("spine "), 1);
}

static void ids_of_a_file_are_printed_beside_the_numbers(void **state)
{
    size_t size;
    (void)state;
    rig_load("kind: file, file: examples/files/racks.txt");
    FILE *memory = rig_open(&size);
    weir_topology_print(memory, &rig->answer);
    assert_int_equal(fclose(memory), 0);
    rig_says("5 to 16 of the file are hosts 0 to 11");
}

static void tiers_are_called_as_their_nodes(void **state)
{
    static const struct weir_topology_config cfg = { .kind = WEIR_RAIL,
                                                     .servers = 2,
                                                     .gpus = 2,
                                                     .spines = 1,
                                                     .host_link_bps = 1000000000,
                                                     .core_link_bps = 1000000000,
                                                     .server_link_bps = 1000000000,
                                                     .host_delay_ps = 1000,
                                                     .core_delay_ps = 1000,
                                                     .server_delay_ps = 1000 };
    struct weir_topology rail;
    struct weir_err err;
    char label[WEIR_NODE_NAME];
    (void)state;
    assert_int_equal(weir_topology_build(&rail, &cfg, NULL, &err), 0);
    assert_string_equal(weir_topology_tier_label(&rail, 1, label), "nvswitch");
    assert_string_equal(weir_topology_tier_label(&rail, 2, label), "leaf");
    assert_string_equal(weir_topology_tier_label(&rail, 3, label), "spine");
    weir_topology_free(&rail);
    rig_load("kind: file, file: examples/files/pods.topo");
    assert_string_equal(weir_topology_tier_label(&rig->setup.topo, 1, label), "tor");
    assert_string_equal(weir_topology_tier_label(&rig->setup.topo, 3, label), "core");
    (void)rig_free(state);
    rig_load("kind: file, file: examples/networks/rpm-equal.yaml");
    assert_string_equal(weir_topology_tier_label(&rig->setup.topo, 2, label), "tier 2");
}

/* The servers' switches have 2 x 4 x 2400 Gb/s from below and nothing above; the leaves 2 x 100 for 2 x 100 each. */
static void nics_are_counted_and_switches_of_servers_left_out(void **state)
{
    size_t size;
    (void)state;
    rig_load("kind: file, file: examples/networks/servers.yaml");
    FILE *memory = rig_open(&size);
    weir_topology_print(memory, &rig->answer);
    assert_int_equal(fclose(memory), 0);
    rig_says("NICs          2 of a host: 8 NICs of 100.0 Gbps, 8 NICs of 2.400 Tbps");
    rig_says("bisection     400.0 Gbps with the links of hosts, from hosts 0 to 3 to hosts 4 to 7");
    rig_says("2 to 4 links between two hosts, 2.86 on average"); /* 4 others at 2 links, 3 at 4: 20 / 7 */
    rig_says("20.00 Tbps  800.0 Gbps     1.00  leaf0: 1.00");
    rig_says("tier 1: 2 of 6 switches have cables to hosts alone");
    memory = rig_open(&size);
    weir_topology_print_json(memory, &rig->answer);
    assert_int_equal(fclose(memory), 0);
    rig_says("\"hosts_compared\": 8");
    rig_says("\"oversubscription\": 1,");
    rig_says("{\"rate_gbps\": 2400.000000000, \"nics\": 8}");
}

static void without_switches_there_is_no_line_about_them(void **state)
{
    size_t size;
    (void)state;
    rig_load("kind: file, file: examples/networks/mesh.yaml");
    FILE *memory = rig_open(&size);
    weir_topology_print(memory, &rig->answer);
    assert_int_equal(fclose(memory), 0);
    rig_says("4 hosts, 0 switches, 6 cables");
    rig_says("longest path  1 link, for example h0 - h1");
    assert_int_equal(rig_count("of a switch"), 0);
    assert_int_equal(rig_count("over"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_cable_is_listed_by_a_name_that_finds_it, rig_free),
        cmocka_unit_test_teardown(the_audit_has_a_line_for_each_tier, rig_free),
        cmocka_unit_test_teardown(ids_of_a_file_are_printed_beside_the_numbers, rig_free),
        cmocka_unit_test_teardown(tiers_are_called_as_their_nodes, rig_free),
        cmocka_unit_test_teardown(nics_are_counted_and_switches_of_servers_left_out, rig_free),
        cmocka_unit_test_teardown(without_switches_there_is_no_line_about_them, rig_free),
    };
    return cmocka_run_group_tests_name("output/topology_print", tests, NULL, NULL);
}
