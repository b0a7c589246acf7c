/* test/unit/proto/test_registry.c - what the one list promises of every row, and the marking feature it names. */
#include "test/unit/proto/law_bench.h"
#include "fabric/mark.h"
#include "fabric/mark_core.h"
#include "core/pkt.h"
#include "registry.h"

static void every_protocol_can_be_configured_and_run(void **state)
{
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        assert_true(strlen(p->hint) > 10 && p->source != NULL);
        assert_true((p->cc != NULL) != (p->credit != NULL));
        assert_string_equal(p->cc != NULL ? p->cc->name : p->credit->name, p->name);
        assert_true(p->config_bytes > 0);
        if (p->cc != NULL)
            assert_true(p->cc->state_bytes >= sizeof(struct weir_cc));
        else
            assert_true(p->credit->tx_bytes >= sizeof(struct weir_tx_msg) &&
                        p->credit->rx_bytes >= sizeof(struct weir_rx_msg));
        assert_non_null(p->params);
        law_rows_are_sound(p->params, p->presets, p->config_bytes);
        for (const struct weir_preset *set = p->presets; set != NULL && set->name != NULL; set++) {
            for (const char *const *value = set->values; *value != NULL; value++)
                assert_non_null(strstr(*value, ": "));
        }
    }
}

static void what_dctcp_needs_the_ecn_feature_offers(void **state)
{
    uint32_t offers = 0, rows = 0;
    (void)state;
    for (const struct weir_feature *f = weir_features; f->name != NULL; f++, rows++) {
        offers |= f->ops != NULL ? f->ops->offers : 0;
        assert_true(f->hint != NULL && strncmp(f->keys, "fabric.", 7) == 0);
    }
    assert_int_equal(rows, 11);
    assert_string_equal(weir_protocols[0].name, "dctcp");
    assert_int_equal(weir_protocols[0].cc->needs & ~offers, 0);
}

static void the_queue_a_packet_finds_decides_its_mark(void **state)
{
    const struct weir_mark_config cfg = { .kmin_bytes = 5000, .kmax_bytes = 5000 };
    struct weir_port_view port[2] = { { .queue_bytes = 5000 }, { .queue_bytes = 4999 } };
    const struct weir_switch_view view = { .port = port, .port_count = 2 };
    (void)state;
    struct weir_pkt_meta pkt = { .flags = WEIR_PKT_ECT, .out_port = 1 };
    assert_int_equal(weir_mark_ops.on_enqueue(&cfg, &view, &pkt), WEIR_PASS);
    assert_int_equal(pkt.flags, WEIR_PKT_ECT);
    pkt.out_port = 0;
    assert_int_equal(weir_mark_ops.on_enqueue(&cfg, &view, &pkt), WEIR_PASS);
    assert_int_equal(pkt.flags, WEIR_PKT_ECT | WEIR_PKT_CE);
    assert_true(pkt.marked_here);
    pkt = (struct weir_pkt_meta){ .flags = 0, .out_port = 0 }; /* an ACK is not ECT: never marked */
    assert_int_equal(weir_mark_ops.on_enqueue(&cfg, &view, &pkt), WEIR_PASS);
    assert_int_equal(pkt.flags, 0);
    assert_false(pkt.marked_here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_protocol_can_be_configured_and_run),
        cmocka_unit_test(what_dctcp_needs_the_ecn_feature_offers),
        cmocka_unit_test(the_queue_a_packet_finds_decides_its_mark),
    };
    return cmocka_run_group_tests_name("proto/registry", tests, NULL, NULL);
}
