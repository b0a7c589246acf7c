/* test/unit/program/test_placement.c - at which hosts ranks are: orders by server and rail, and files. */
#include "test/unit/program/program_fixture.h"
#include "test/unit/setup/file_fixture.h"
#include <stdio.h>

/* Two servers of two GPUs, and one of three: a NIC to the server's switch, one to the rail. */
#define CLUSTER                                                                                                        \
    "defaults: {rate: 100 Gbps, delay: 1 us}\nhosts: [h0..h6]\nswitches: [n0, n1, n2, r0, r1, r2, s]\ncables:\n"       \
    "  - {a: h0..h1, b: n0}\n  - {a: h2..h3, b: n1}\n  - {a: h4..h6, b: n2}\n"                                         \
    "  - {a: h0, b: r0}\n  - {a: h2, b: r0}\n  - {a: h4, b: r0}\n  - {a: h1, b: r1}\n  - {a: h3, b: r1}\n"             \
    "  - {a: h5, b: r1}\n  - {a: h6, b: r2}\n  - {a: r0, b: s}\n  - {a: r1, b: s}\n  - {a: r2, b: s}\n"

static const struct weir_program *accepts(const char *topology, const char *keys)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), "topology: {%s}\ntraffic: [{kind: collective, bytes: 1 MB, %s}]\n" RUN_ALL,
                   topology, keys);
    parse("/dev/fd/a.yaml", text);
    return &is_accepted()->programs->program[0];
}

static void assert_hosts(const struct weir_program *p, uint32_t ranks, const uint32_t *host)
{
    assert_int_equal(p->ranks, ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        assert_int_equal(p->host_of[r], host[r]);
        assert_int_equal(p->rank_of[host[r]], r);
    }
}

static const char *cluster(void)
{
    static char topology[64];
    file_set(CLUSTER);
    (void)snprintf(topology, sizeof(topology), "kind: file, file: %u", (unsigned)fileno(file));
    return topology;
}

static void rail_after_rail(void **state)
{
    static const uint32_t aligned[] = { 0, 2, 4, 1, 3, 5, 6 }; /* h0, h2, h4 are of rail 0 */
    static const uint32_t spread[] = { 0, 3, 6, 1, 2, 4, 5 };  /* the next server's next GPU */
    static const uint32_t packed[] = { 0, 1, 2, 3, 4, 5, 6 };
    static const uint32_t some[] = { 2, 4, 3, 5 };
    (void)state;
    assert_hosts(accepts(cluster(), "placement: packed"), 7, packed);
    assert_hosts(accepts(cluster(), "placement: rail-aligned"), 7, aligned);
    assert_hosts(accepts(cluster(), "placement: rail-aligned, ranks: 3"), 3, aligned); /* of all hosts */
    assert_hosts(accepts(cluster(), "placement: rail-aligned, ranks: 2..5"), 4, some);
    assert_hosts(accepts(cluster(), "placement: spread"), 7, spread);
}

static void racks_are_servers(void **state)
{
    static const uint32_t spread[] = { 0, 4, 8, 1, 5, 6, 2, 3, 7 };
    (void)state;
    const struct weir_program *p = accepts("kind: leaf-spine, hosts: 9, racks: 3, spines: 1", "placement: spread");
    assert_hosts(p, 9, spread);
    tear_down();
    parse("/dev/fd/a.yaml", "topology: {kind: leaf-spine, hosts: 9, racks: 3, spines: 1}\n"
                            "traffic: [{kind: collective, bytes: 1 MB, placement: rail-aligned}]\n" RUN_ALL);
    is_refused(2, WEIR_E_CONFLICT, "rail-aligned");
}

static const struct refused_file {
    const char *rows, *text;
    uint32_t line;
} refused_files[] = {
    { "0\n1\n", "2 rows, and there are 3 ranks", 0 },
    { "0\n1\n2\n3\n", "more rows than there are ranks, which are 3", 4 },
    { "0\n# a comment\n8\n1\n", "host 8: the topology has 8 hosts (0 to 7)", 3 },
    { "0\n1\n0\n", "host 0 has a rank already", 3 },
    { "0\nx\n", "'x': no host", 2 },
    { "0,1\n", "'0': no host", 1 },
};

static void a_file_says_where_ranks_are(void **state)
{
    static const uint32_t hosts[] = { 7, 0, 3 };
    char keys[96];
    (void)state;
    (void)snprintf(keys, sizeof(keys), "ranks: 3, placement: file, placement_file: %u", (unsigned)fileno(file));
    file_set("7\n0\n\n3 # the last\n");
    assert_hosts(accepts("kind: star, hosts: 8", keys), 3, hosts);
    for (size_t i = 0; i < sizeof(refused_files) / sizeof(refused_files[0]); i++) {
        char text[512];
        file_set(refused_files[i].rows);
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: star, hosts: 8}\ntraffic: [{kind: collective, bytes: 1 MB, %s}]\n" RUN_ALL,
                       keys);
        parse("/dev/fd/a.yaml", text);
        assert_int_not_equal(weir_setup_init(&setup, &scn, &err), 0);
        assert_string_equal(err.text, refused_files[i].text);
        assert_int_equal(err.line, refused_files[i].line);
    }
}

static void a_file_without_its_key_is_refused(void **state)
{
    static const char *const keys[] = { "placement: file", "placement_file: 3" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: star, hosts: 8}\ntraffic: [{kind: collective, bytes: 1 MB, %s}]\n" RUN_ALL,
                       keys[i]);
        parse("/dev/fd/a.yaml", text);
        is_refused(2, i == 0 ? WEIR_E_SYNTAX : WEIR_E_CONFLICT, "placement_file");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rail_after_rail, begin_file, end_file),
        cmocka_unit_test_teardown(racks_are_servers, end),
        cmocka_unit_test_setup_teardown(a_file_says_where_ranks_are, begin_file, end_file),
        cmocka_unit_test_teardown(a_file_without_its_key_is_refused, end),
    };
    return cmocka_run_group_tests_name("program/placement", tests, NULL, NULL);
}
