/* test/unit/config/test_preset.c - the presets and rows of the protocols there are: every one can be read. */
#include "test/unit/weir_test.h"
#include "param/param.h"
#include "config/scenario.h"
#include "features/ecn/ecn.h"
#include <stdio.h>
#include <stdlib.h>
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

static unsigned char *copy_of(const void *bytes, size_t size)
{
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

static void no_preset_named_means_the_first(void **state)
{
    (void)state;
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        unsigned char *config;
        struct weir_ecn_config ecn;
        if (row->presets == NULL)
            continue;
        accepts(row->name, NULL);
        config = copy_of(scn.protocol_config, row->config_bytes);
        ecn = *ecn_of(&scn);
        weir_scenario_free(&scn);
        accepts(row->name, row->presets->name);
        assert_memory_equal(config, scn.protocol_config, row->config_bytes);
        free(config);
        assert_int_equal(ecn.threshold.bytes, ecn_of(&scn)->threshold.bytes);
        assert_int_equal(ecn.threshold.bdp_milli, ecn_of(&scn)->threshold.bdp_milli);
        weir_scenario_free(&scn);
    }
}

static void rows_stay_inside_their_struct_and_defaults_read_back(void **state)
{
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        unsigned char *expected = calloc(1, p->config_bytes), *read_back;
        assert_non_null(expected);
        weir_param_defaults(p->params, expected);
        read_back = copy_of(expected, p->config_bytes);
        for (const struct weir_param *row = p->params; row->key != NULL; row++) {
            char text[512];
            assert_true(row->offset < p->config_bytes);
            weir_param_print_default(row, text, sizeof(text));
            if (text[0] != '\0' && weir_param_set(row, &(struct weir_tok){ .text = text }, read_back, &err) != 0)
                fail_msg("%s.%s: %s", p->name, row->key, err.text);
        }
        assert_memory_equal(expected, read_back, p->config_bytes);
        free(expected);
        free(read_back);
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
