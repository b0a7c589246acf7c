/* test/unit/core/test_pkt.c - the epoch in the number of a packet on its way. */
#include "test/unit/weir_test.h"
#include "core/pkt.h"

static void a_number_comes_back_from_its_own_epoch_alone(void **state)
{
    static const uint32_t conn[] = { 0, 7, WEIR_PKT_EPOCH_CONNS - 1, WEIR_PKT_NO_CONN };
    (void)state;
    for (size_t i = 0; i < sizeof(conn) / sizeof(conn[0]); i++)
        for (uint32_t law = 0; law < WEIR_LAWS_MAX; law++)
            for (uint32_t epoch = 0; epoch < 16; epoch++) {
                struct weir_pkt pkt = { .conn = law << WEIR_PKT_CONN_BITS | conn[i] };
                weir_pkt_put_epoch(&pkt, epoch);
                assert_int_equal(weir_pkt_law(&pkt), law);
                assert_false(weir_pkt_take_epoch(&pkt, epoch + 1));
                assert_true(weir_pkt_take_epoch(&pkt, epoch + 16)); /* modulo 16 */
                assert_int_equal(pkt.conn, law << WEIR_PKT_CONN_BITS | conn[i]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_number_comes_back_from_its_own_epoch_alone) };
    return cmocka_run_group_tests_name("core/pkt", tests, NULL, NULL);
}
