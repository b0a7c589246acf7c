/* test/unit/config/test_variants.c - the section `variants`: what it may have, that a run does not use it, and the
 * setting that does. */
#include "test/unit/refusal.h"
#include "config/dump.h"
#include "config/scenario.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test/unit/config/scenario_test.h"

#define VARIANTS                                                                                                       \
    "protocol: {name: dctcp, g: 0.5, wait: 3 us}\n"                                                                    \
    "fabric: {switches: [{at: leaf 0, buffer: 1 MB}]}\n"                                                               \
    "variants:\n"                                                                                                      \
    "  slow: {protocol.name: dctcp, protocol.g: 0.02, protocol.window: 2 BDP}\n"                                       \
    "  bare: {protocol: none, fabric.ecn.threshold: 9 KB, \"fabric.switches[0].buffer\": 2 MB, host.reply_bytes: "     \
    "4}\n" TRAFFIC

static const struct fake_config *keys(void)
{
    return scn.protocol_config;
}

static void variants_are_listed_and_not_used(void **state)
{
    const struct weir_law_variant *slow, *bare;
    (void)state;
    accepts(VARIANTS);
    assert_int_equal(scn.variant_count, 2);
    slow = weir_variants_find(&scn, "slow");
    bare = weir_variants_find(&scn, "bare");
    assert_non_null(slow);
    assert_non_null(bare);
    assert_null(weir_variants_find(&scn, "slo"));
    assert_string_equal(slow->protocol->name, "dctcp");
    assert_int_equal(slow->set_count, 2);
    assert_string_equal(slow->set[1].text, "protocol.window=2 BDP");
    assert_int_equal(slow->set[1].where.line, 4);
    assert_string_equal(bare->protocol->name, "none");
    assert_int_equal(bare->set_count, 3);
    assert_int_equal(keys()->g_ppm, 500000);
    accepts("variants:\n" TRAFFIC);
    assert_int_equal(scn.variant_count, 0);
}

static void a_dump_is_that_of_the_file_without_variants(void **state)
{
    static const char with[] = "variants: {slow: {protocol.name: dctcp, protocol.g: 0.02}}\n" TRAFFIC;
    char *text[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        size_t length;
        FILE *out = open_memstream(&text[i], &length);
        assert_non_null(out);
        accepts(i == 0 ? with : TRAFFIC);
        weir_scenario_dump(out, &scn);
        (void)fclose(out);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

static void a_setting_takes_a_variant_for_its_protocol_and_keys(void **state)
{
    (void)state;
    override("protocol=slow");
    accepts(VARIANTS);
    assert_string_equal(scn.protocol->name, "dctcp");
    assert_int_equal(keys()->g_ppm, 20000);
    assert_int_equal(keys()->window.bdp_milli, 2000);
    assert_int_equal(keys()->wait_ps, 6 * WEIR_PS_PER_US); /* as after protocol=dctcp */
    set_count = 0;
    override("protocol.name=slow");
    accepts(VARIANTS);
    assert_int_equal(keys()->g_ppm, 20000);
    assert_int_equal(keys()->wait_ps, 3 * WEIR_PS_PER_US); /* as after protocol.name=dctcp */
    override("protocol.g=0.25");                           /* a later one counts */
    accepts(VARIANTS);
    assert_int_equal(keys()->g_ppm, 250000);
    set_count = 0;
    override("protocol=bare");
    accepts(VARIANTS);
    assert_string_equal(scn.protocol->name, "none");
    assert_int_equal(ecn_of(&scn)->threshold.bytes, 9000);
    assert_int_equal(scn.switches[0].buffer_bytes, 2000000);
    assert_int_equal(scn.host.reply_bytes, 4);
}

static void names_that_are_refused(void **state)
{
    (void)state;
    refuses(TRAFFIC "variants: {dctcp: {protocol.name: none}}\n", WEIR_E_CONFLICT, 2, 12, "dctcp");
    refuses(TRAFFIC "variants: {none: {protocol.name: none}}\n", WEIR_E_CONFLICT, 2, 12, "none");
    refuses(TRAFFIC "variants: {file: {protocol.name: none}}\n", WEIR_E_CONFLICT, 2, 12, "file");
    refuses(TRAFFIC "variants: {\"\": {protocol.name: none}}\n", WEIR_E_SYNTAX, 2, 12, "variants");
    refuses(TRAFFIC "variants: {a-b: {protocol.name: none}}\n", WEIR_E_SYNTAX, 2, 12, "a-b");
    refuses(TRAFFIC "variants: {a123456789b123456789c123456789d1: {protocol.name: none}}\n", WEIR_E_SYNTAX, 2, 12,
            "a123456789b123456789c123456789d1");
    accepts(TRAFFIC "variants: {a123456789b123456789c123456789d: {protocol.name: none}}\n");
    refuses(TRAFFIC "variants: {a: {protocol.name: none}, b: {protocol.name: none}, a: {protocol.name: dctcp}}\n",
            WEIR_E_CONFLICT, 2, 64, "a");
}

static void entries_that_are_refused(void **state)
{
    char many[4096] = TRAFFIC "variants:\n";
    (void)state;
    refuses(TRAFFIC "variants: [slow]\n", WEIR_E_SYNTAX, 2, 11, "variants");
    refuses(TRAFFIC "variants: {slow: dctcp}\n", WEIR_E_SYNTAX, 2, 18, "slow");
    refuses(TRAFFIC "variants: {slow: {protocol.g: 0.1}}\n", WEIR_E_SYNTAX, 2, 12, "protocol.name");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dtcp}}\n", WEIR_E_UNKNOWN, 2, 34, "dtcp");
    assert_non_null(strstr(err.hint, "'dctcp'"));
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, protocol: none}}\n", WEIR_E_CONFLICT, 2, 41, "slow");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, run.seed: 3}}\n", WEIR_E_CONFLICT, 2, 41, "run.seed");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, fabric: {ecn: {threshold: 3 KB}}}}\n", WEIR_E_SYNTAX, 2,
            49, "fabric");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, protocol.g: }}\n", WEIR_E_SYNTAX, 2, 53, "protocol.g");
    /* would make one variant of the other, and that of the first again */
    refuses(TRAFFIC "variants: {a: {protocol: none, \"protocol \": b}, b: {protocol: none, \"protocol \": a}}\n",
            WEIR_E_SYNTAX, 2, 32, "a");
    refuses(TRAFFIC "variants: {a: {protocol: none, \"protocol=b\": c}}\n", WEIR_E_SYNTAX, 2, 32, "protocol=b");
    for (uint32_t i = 0; i <= WEIR_LAW_VARIANTS_MAX; i++)
        (void)snprintf(many + strlen(many), sizeof(many) - strlen(many), "  v%u: {protocol: none}\n", (unsigned)i);
    refuses(many, WEIR_E_RANGE, 3, 3, "variants");
}

static void keys_are_refused_where_they_are(void **state)
{
    (void)state;
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, protocol.gg: 1}}\n", WEIR_E_UNKNOWN, 2, 54, "gg");
    assert_non_null(strstr(err.hint, "'g'"));
    refuses(TRAFFIC "variants: {slow: {protocol.name: none, protocol.g: 0.1}}\n", WEIR_E_UNKNOWN, 2, 52, "g");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, protocol.g: 2}}\n", WEIR_E_RANGE, 2, 53, "g");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, protocol.preset: pap}}\n", WEIR_E_UNKNOWN, 2, 58, "pap");
    refuses(TRAFFIC "variants: {slow: {protocol.name: dctcp, framing: n2}}\n", WEIR_E_UNKNOWN, 2, 50, "n2");
    refuses(TRAFFIC "variants: {slow: {protocol: dctcp, fabric.ecn.treshold: 1 KB}}\n", WEIR_E_UNKNOWN, 2, 57,
            "treshold");
    refuses(TRAFFIC "variants: {slow: {protocol: dctcp, fabric.ecn.threshold: 1}}\n", WEIR_E_UNIT, 2, 58, "threshold");
    refuses(TRAFFIC "variants: {slow: {protocol: dctcp, \"fabric.switches[0].buffer\": 1 MB}}\n", WEIR_E_RANGE, 2, 65,
            "fabric.switches[0].buffer");
    /* the second variant, and a key of a law other than the file's */
    refuses("protocol: {name: dctcp, g: 0.5}\nvariants:\n  a: {protocol: none}\n  b: {protocol: none, protocol.h: "
            "1}\n" TRAFFIC,
            WEIR_E_UNKNOWN, 4, 35, "h");
}

static void errors_of_the_scenario_come_first(void **state)
{
    (void)state;
    refuses("variants: {slow: {protocol: dctcp, protocol.gg: 1}}\nrun: {sead: 1}\n" TRAFFIC, WEIR_E_UNKNOWN, 2, 7,
            "sead");
}

static void settings_that_are_refused(void **state)
{
    (void)state;
    override("variants.slow.protocol.g=1");
    assert_int_equal(parse(VARIANTS), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "--set", "variants.slow.protocol.g");
    set_count = 0;
    override("protocol=slwo");
    assert_int_equal(parse(VARIANTS), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "--set", "slwo");
    assert_non_null(strstr(err.hint, "'slow'"));
    set_count = 0;
    refuses("protocol: slow\nvariants: {slow: {protocol: dctcp}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 11, "slow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variants_are_listed_and_not_used, setup, teardown),
        cmocka_unit_test_setup_teardown(a_dump_is_that_of_the_file_without_variants, setup, teardown),
        cmocka_unit_test_setup_teardown(a_setting_takes_a_variant_for_its_protocol_and_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(names_that_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(entries_that_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_are_refused_where_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_of_the_scenario_come_first, setup, teardown),
        cmocka_unit_test_setup_teardown(settings_that_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests_name("config/variants", tests, NULL, NULL);
}
