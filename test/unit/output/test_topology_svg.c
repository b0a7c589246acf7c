/* test/unit/output/test_topology_svg.c - every node and cable is drawn, within the picture, and none where another is. */
#include "test/unit/output/topology_rig.h"

static int draw(struct weir_err *err)
{
    size_t size;
    FILE *memory = rig_open(&size);
    int code = weir_topology_svg(memory, &rig->answer, err);
    assert_int_equal(fclose(memory), 0);
    return code;
}

static void draw_it(void)
{
    struct weir_err err;
    if (draw(&err) != 0)
        fail_msg("%s", err.text);
    rig_says("<svg xmlns='http://www.w3.org/2000/svg'");
    rig_says("</svg>\n");
}

/* The numbers behind an attribute, in the order of the text. */
static uint32_t numbers(const char *attribute, uint32_t *out, uint32_t most)
{
    uint32_t count = 0;
    for (const char *at = rig->text; (at = strstr(at, attribute)) != NULL && count < most;) {
        at += strlen(attribute);
        out[count++] = (uint32_t)strtoul(at, NULL, 10);
    }
    return count;
}

static void hosts_and_switches_are_drawn_apart(void **state)
{
    uint32_t x[256] = { 0 }, y[256] = { 0 }, box[2] = { 0 };
    (void)state;
    rig_load("kind: leaf-spine");
    draw_it();
    assert_int_equal(rig_count("<circle class='h'"), 144);
    assert_int_equal(rig_count("<rect class='s'"), 13);
    assert_int_equal(rig_count("<title>host 17 - leaf 1: 100.0 Gbps, 1.250 us</title>"), 1);
    assert_int_equal(rig_count("</title></path>"), 180);
    rig_says("a&lt;b&gt;.yaml: 144 hosts");
    assert_int_equal(numbers(" width='", box, 1), 1);
    assert_int_equal(numbers("cx='", x, 256), 144);
    assert_int_equal(numbers("cy='", y, 256), 144);
    for (uint32_t h = 0; h < 144; h++) {
        assert_true(x[h] < box[0]);
        assert_true(h == 0 || x[h] > x[h - 1] + 6);
        assert_int_equal(y[h], y[0]);
    }
}

static void parallel_cables_are_one_thick_line(void **state)
{
    (void)state;
    rig_load("kind: file, file: examples/files/pods.topo");
    draw_it();
    assert_int_equal(rig_count(", 2 cables: 50.00 Gbps"), 16);
    assert_int_equal(rig_count("stroke-width='3'"), 16);
    rig_says("back 50.00 Gbps, 1.000 us");
}

/* Hosts beyond what can be read are one box for each switch. */
static void many_hosts_are_boxes(void **state)
{
    (void)state;
    rig_load("kind: leaf-spine, hosts: 1024, racks: 32, spines: 4");
    draw_it();
    assert_int_equal(rig_count("<circle"), 0);
    assert_int_equal(rig_count("<rect class='h'"), 32);
    assert_int_equal(rig_count("</title></path>"), 128);
}

/* Names of a file may hold any printable byte; the label of a tier is the first word of one. */
static void names_of_a_file_are_text(void **state)
{
    (void)state;
    rig_load("kind: file, file: test/unit/output/markup_names.yaml");
    draw_it();
    assert_int_equal(rig_count("<i>"), 0);
    assert_int_equal(rig_count("a&b"), 0);
    rig_says("'>1 x &lt;i&gt;a&amp;b</text>");
    rig_says("<title>&lt;i&gt;a&amp;b 0</title>");
    rig_says("<title>h&lt;i&gt;0</title>");
}

static void too_many_switches_are_refused(void **state)
{
    struct weir_err err;
    (void)state;
    rig_load("kind: leaf-spine, hosts: 2, racks: 2, spines: 4095");
    assert_int_equal(draw(&err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "--svg");
    assert_int_equal(strlen(rig->text), 0);
}

/* Leaves and spines are above the hosts, the servers' switches below. A host stands with its server. */
static void switches_of_hosts_alone_are_below_the_hosts(void **state)
{
    uint32_t x[16] = { 0 }, y[16] = { 0 }, box[16] = { 0 }, size[1] = { 0 };
    (void)state;
    rig_load("kind: file, file: examples/networks/servers.yaml");
    draw_it();
    assert_int_equal(numbers("cx='", x, 16), 8);
    assert_int_equal(numbers("cy='", y, 16), 8);
    assert_int_equal(rig_count("</title></path>"), 24);
    rig_says(">2 x hosts only<");
    rig_says(">4 x tier 1<");
    rig_says("oversubscription 1.00");
    rig_says(">0-3<");
    rig_says(">4-7<");
    for (uint32_t h = 1; h < 8; h++)
        assert_true(x[h] > x[h - 1] && y[h] == y[0]);
    assert_int_equal(numbers(" height='", size, 1), 1);
    assert_int_equal(numbers("<rect class='s' x='", x, 16), 8);
    for (const char *at = rig->text, *next; (next = strstr(at, "<rect class='s' x='")) != NULL; at = next + 1) {
        uint32_t own = (uint32_t)strtoul(strstr(next, " y='") + 4, NULL, 10);
        box[0] += own > y[0];
        box[1] += own < y[0];
        assert_true(own + 10 < size[0]);
    }
    assert_int_equal(box[0], 2);
    assert_int_equal(box[1], 6);
}

/* Spines above leaves above hosts above NVSwitches, although leaves are as near to hosts as NVSwitches are. */
static void leaves_of_rails_are_between_hosts_and_spines(void **state)
{
    uint32_t y[16] = { 0 }, box[4] = { 0 };
    (void)state;
    rig_load("kind: rail, servers: 4, gpus: 4, spines: 2");
    draw_it();
    assert_int_equal(numbers("cy='", y, 16), 16);
    for (const char *at = rig->text, *next; (next = strstr(at, "<rect class='s' x='")) != NULL; at = next + 1) {
        uint32_t own = (uint32_t)strtoul(strstr(next, " y='") + 4, NULL, 10);
        box[own > y[0] ? 0 : own + 150 > y[0] ? 1 : own + 300 > y[0] ? 2 : 3]++;
    }
    assert_int_equal(box[0], 4); /* NVSwitches */
    assert_int_equal(box[1], 4); /* leaves, 90 above the hosts */
    assert_int_equal(box[2], 2); /* spines, 150 above those */
    assert_int_equal(box[3], 0);
}

/* Arcs, each within the picture: the control points are below the hosts. */
static void cables_between_hosts_are_arcs_below_them(void **state)
{
    uint32_t y[4] = { 0 }, size[1] = { 0 };
    (void)state;
    rig_load("kind: file, file: examples/networks/mesh.yaml");
    draw_it();
    assert_int_equal(rig_count("</title></path>"), 6);
    assert_int_equal(rig_count("Q"), 6);
    assert_int_equal(numbers("cy='", y, 4), 4);
    assert_int_equal(numbers(" height='", size, 1), 1);
    for (const char *at = rig->text, *next; (next = strstr(at, "Q")) != NULL; at = next + 1) {
        uint32_t control = (uint32_t)strtoul(strchr(next, ' ') + 1, NULL, 10);
        assert_true(control > y[0] && (y[0] + control) / 2 < size[0]); /* the arc reaches half as far */
    }
}

/* 600 hosts: a box for each half, with a line to the switch of the half and one to the leaf; and the leaf's own cable. */
static void many_hosts_with_nics_are_boxes_by_their_switch(void **state)
{
    (void)state;
    rig_load("kind: file, file: test/unit/output/many_nics.yaml");
    draw_it();
    assert_int_equal(rig_count("<circle"), 0);
    assert_int_equal(rig_count("<rect class='h'"), 2);
    assert_int_equal(rig_count("<path class"), 4 + 1 + 2); /* 2: the rates' colours */
    assert_int_equal(rig_count("</title></path>"), 1);
    rig_says(">0-299<");
    rig_says(">300-599<");
}

/* 40 servers of 56, 41 of 18: their labels are slanted. 170 and 20 are beside them. */
static void many_blocks_are_narrow(void **state)
{
    uint32_t wide = 0, narrow = 0;
    (void)state;
    rig_load("kind: rail, servers: 40, gpus: 16, spines: 2");
    draw_it();
    assert_int_equal(numbers("' width='", &wide, 1), 1);
    assert_int_equal(wide, 170 + 40 * 56 + 20);
    (void)rig_free(state);
    rig_load("kind: rail, servers: 41, gpus: 16, spines: 2");
    draw_it();
    assert_int_equal(numbers("' width='", &narrow, 1), 1);
    assert_int_equal(narrow, 170 + 41 * 18 + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hosts_and_switches_are_drawn_apart, rig_free),
        cmocka_unit_test_teardown(parallel_cables_are_one_thick_line, rig_free),
        cmocka_unit_test_teardown(many_hosts_are_boxes, rig_free),
        cmocka_unit_test_teardown(names_of_a_file_are_text, rig_free),
        cmocka_unit_test_teardown(too_many_switches_are_refused, rig_free),
        cmocka_unit_test_teardown(switches_of_hosts_alone_are_below_the_hosts, rig_free),
        cmocka_unit_test_teardown(leaves_of_rails_are_between_hosts_and_spines, rig_free),
        cmocka_unit_test_teardown(cables_between_hosts_are_arcs_below_them, rig_free),
        cmocka_unit_test_teardown(many_hosts_with_nics_are_boxes_by_their_switch, rig_free),
        cmocka_unit_test_teardown(many_blocks_are_narrow, rig_free),
    };
    return cmocka_run_group_tests_name("output/topology_svg", tests, NULL, NULL);
}
