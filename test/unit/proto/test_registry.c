/* test/unit/proto/test_registry.c - what the one list promises of every row. */
#include "core/credit_ops.h"
#include "core/feature.h"
#include "test/unit/proto/law_bench.h"
#include "param/param.h"
#include "registry.h"

enum { NAME = 32 }; /* bytes of a name that messages, paths of keys and `weir compare` have room for, with the NUL */

static void every_protocol_can_be_configured_and_run(void **state)
{
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        assert_true(strlen(p->name) < NAME && strlen(p->hint) > 10 && p->source != NULL);
        assert_true((p->cc != NULL) != (p->credit != NULL));
        assert_string_equal(p->cc != NULL ? p->cc->name : p->credit->name, p->name);
        assert_true(p->config_bytes > 0);
        if (p->cc != NULL)
            assert_true(p->cc->state_bytes >= sizeof(struct weir_cc));
        else
            assert_true(p->credit->tx_bytes >= sizeof(struct weir_tx_msg) &&
                        p->credit->rx_bytes >= sizeof(struct weir_rx_msg));
        assert_non_null(p->params);
        assert_non_null(p->recommends);
        law_rows_are_sound(p->params, p->presets, p->config_bytes);
        for (const struct weir_preset *set = p->presets; set != NULL && set->name != NULL; set++) {
            for (const char *const *value = set->values; *value != NULL; value++)
                assert_non_null(strstr(*value, ": "));
        }
    }
}

static void every_feature_has_a_description_and_keys(void **state)
{
    (void)state;
    assert_true(weir_features_rows() > 0);
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++) {
        const struct weir_feature *row = *f;
        assert_true(strlen(row->name) < NAME && strlen(row->hint) > 10);
        assert_true(row->section == NULL || strlen(row->section) < NAME);
        assert_true(row->params != NULL || row->list != NULL);
        assert_non_null(row->setup);
        law_rows_are_sound(row->params, NULL, row->config_bytes);
        for (const struct weir_alternative *a = row->alternatives; a != NULL && a->key != NULL; a++) {
            assert_non_null(weir_param_find(row->params, a->key));
            for (uint32_t i = 0; i < 2; i++)
                assert_true(a->instead_of[i] == NULL || weir_param_find(row->params, a->instead_of[i]) != NULL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_protocol_can_be_configured_and_run),
        cmocka_unit_test(every_feature_has_a_description_and_keys),
    };
    return cmocka_run_group_tests_name("proto/registry", tests, NULL, NULL);
}
