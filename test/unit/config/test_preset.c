/* test/unit/config/test_preset.c - the presets and rows of the protocols there are: every one can be read. */
#include "test/unit/weir_test.h"
#include "param/param.h"
#include "config/scenario.h"
#include "fabric/ecn/ecn.h"
#include <stdio.h>
#include <string.h>

static struct weir_ecn_config *ecn_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "ecn")->config;
}

static struct weir_scenario scn;
static struct weir_err err;

static void accepts(const char *protocol, const char *preset)
{
    char text[256];
    (void)snprintf(text, sizeof(text), "protocol: {name: %s%s%s}\ntraffic: [{}]\n", protocol,
                   preset != NULL ? ", preset: " : "", preset != NULL ? preset : "");
    if (weir_scenario_parse(&scn, "a.yaml", text, strlen(text), NULL, 0, &err) != 0)
        fail_msg("%s %s: %s: %s", protocol, preset != NULL ? preset : "", err.file, err.text);
    assert_string_equal(scn.protocol->name, protocol);
}

static void every_preset_of_every_protocol_is_accepted(void **state)
{
    (void)state;
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        accepts(row->name, NULL);
        weir_scenario_free(&scn);
        for (const struct weir_preset *preset = row->presets; preset != NULL && preset->name != NULL; preset++) {
            accepts(row->name, preset->name);
            weir_scenario_free(&scn);
        }
    }
}

static void no_preset_named_means_the_first(void **state)
{
    (void)state;
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        unsigned char config[WEIR_PROTOCOL_CONFIG_MAX];
        struct weir_ecn_config ecn;
        if (row->presets == NULL)
            continue;
        accepts(row->name, NULL);
        memcpy(config, scn.protocol_config, sizeof(config));
        ecn = *ecn_of(&scn);
        weir_scenario_free(&scn);
        accepts(row->name, row->presets->name);
        assert_memory_equal(config, scn.protocol_config, sizeof(config));
        assert_int_equal(ecn.threshold.bytes, ecn_of(&scn)->threshold.bytes);
        assert_int_equal(ecn.threshold.bdp_milli, ecn_of(&scn)->threshold.bdp_milli);
        weir_scenario_free(&scn);
    }
}

static void rows_stay_inside_their_struct_and_defaults_read_back(void **state)
{
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        unsigned char expected[WEIR_PROTOCOL_CONFIG_MAX] = { 0 }, read_back[WEIR_PROTOCOL_CONFIG_MAX];
        assert_true(p->config_bytes <= WEIR_PROTOCOL_CONFIG_MAX);
        weir_param_defaults(p->params, expected);
        memcpy(read_back, expected, sizeof(expected));
        for (const struct weir_param *row = p->params; row->key != NULL; row++) {
            char text[512];
            assert_true(row->offset < p->config_bytes);
            weir_param_print_default(row, text, sizeof(text));
            if (text[0] != '\0' && weir_param_set(row, &(struct weir_tok){ .text = text }, read_back, &err) != 0)
                fail_msg("%s.%s: %s", p->name, row->key, err.text);
        }
        assert_memory_equal(expected, read_back, sizeof(expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_of_every_protocol_is_accepted),
        cmocka_unit_test(no_preset_named_means_the_first),
        cmocka_unit_test(rows_stay_inside_their_struct_and_defaults_read_back),
    };
    return cmocka_run_group_tests_name("config/preset", tests, NULL, NULL);
}
