/* test/unit/config/test_framing.c - the four framings, byte by byte. */
#include "test/unit/weir_test.h"
#include "core/host_params.h"
#include "core/units.h"
#include "config/scenario.h"
#include "param/param.h"
#include <stdio.h>
#include <string.h>
#include "test/unit/config/fake_registry.h"

static void each_framing_has_its_bytes(void **state)
{
    static const struct {
        const char *text;
        uint32_t payload, header, gap, min_wire, ack, full_wire, one_byte_wire;
    } cases[] = {
        { "framing: ethernet", 1460, 58, 20, 84, 84, 1538, 84 },
        { "framing: ns2", 1460, 40, 0, 40, 40, 1500, 41 },
        { "framing: hpcc", 1000, 48, 0, 60, 60, 1048, 60 },
        { "framing: udp", 1458, 60, 20, 84, 84, 1538, 84 },
    };
    static struct weir_scenario scn;
    struct weir_err err;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "%s\ntraffic: [{}]\n", cases[i].text);
        assert_int_equal(weir_scenario_parse(&scn, "a.yaml", text, strlen(text), NULL, 0, &err), 0);
        assert_int_equal(scn.framing.payload_bytes, cases[i].payload);
        assert_int_equal(scn.framing.header_bytes, cases[i].header);
        assert_int_equal(scn.framing.gap_bytes, cases[i].gap);
        assert_int_equal(scn.framing.min_wire_bytes, cases[i].min_wire);
        assert_int_equal(scn.framing.ack_wire_bytes, cases[i].ack);
        assert_int_equal(weir_framing_wire(&scn.framing, cases[i].payload), cases[i].full_wire);
        assert_int_equal(weir_framing_wire(&scn.framing, 1), cases[i].one_byte_wire);
        weir_scenario_free(&scn);
    }
    assert_string_equal(weir_framing_presets[0].name, "ethernet"); /* the first is the default */
}

static void plain_frames_are_the_defaults(void **state)
{
    struct weir_framing f;
    (void)state;
    weir_param_defaults(weir_framing_params, &f);
    assert_memory_equal(&f, &weir_framing_plain, sizeof(f));
}

static void the_largest_frame_fits_the_wire(void **state)
{
    uint64_t most = 0;
    (void)state;
    for (int i = 0; i < 3; i++)
        most += weir_framing_params[i].max; /* payload, header, gap */
    assert_true(most <= WEIR_WIRE_MAX_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_framing_has_its_bytes),
        cmocka_unit_test(plain_frames_are_the_defaults),
        cmocka_unit_test(the_largest_frame_fits_the_wire),
    };
    return cmocka_run_group_tests_name("config/framing", tests, NULL, NULL);
}
