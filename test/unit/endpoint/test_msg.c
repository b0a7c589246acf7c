/* test/unit/endpoint/test_msg.c - records of inbound messages: found while they arrive, named while they wait for an
 * answer, then free. */
#include "test/unit/endpoint/endpoint_test.h"

static struct weir_pkt request(uint32_t conn, uint64_t bytes)
{
    return (struct weir_pkt){ .kind = WEIR_PKT_REQUEST, .conn = conn, .msg_bytes = bytes };
}

static void a_message_is_found_by_peer_and_number(void **state)
{
    struct weir_pkt a = request(5, 116), b = request(6, 16);
    (void)state;
    struct weir_peer *p = peer(0, 1), *q = peer(0, 2);
    struct ep_msg *m = ep_msg_begin(ep[0], p, &a, NULL), *n = ep_msg_begin(ep[0], p, &b, NULL);
    assert_int_equal(m->bytes, 100);
    assert_int_equal(m->room, 112);
    assert_int_equal(n->bytes, 0);
    assert_null(n->data);
    assert_ptr_equal(ep_msg_find(ep[0], p, 5), m);
    assert_ptr_equal(ep_msg_find(ep[0], p, 6), n);
    assert_null(ep_msg_find(ep[0], q, 5));
    assert_int_equal(p->arriving, 2);
    ep_msg_lost(ep[0], m, -ECONNRESET);
    assert_null(ep_msg_find(ep[0], p, 5));
    assert_ptr_equal(ep_msg_find(ep[0], p, 6), n);
    ep_msg_lost(ep[0], n, -ECONNRESET);
    assert_int_equal(p->arriving, 0);
    assert_null(p->msgs);
    assert_int_equal(ep[0]->rx.used, ep[0]->msg_block_bytes);
}

static void records_take_a_quarter_of_the_budget_at_most(void **state)
{
    struct weir_pkt pkt = request(0, 16);
    uint32_t count = 0;
    (void)state;
    begin();
    opts[0].rx_bytes = 1 << 20;
    assert_int_equal(start(0), 0);
    while (ep_msg_begin(ep[0], peer(0, 1), &pkt, NULL) != NULL) {
        pkt.conn++;
        count++;
    }
    assert_int_equal(count, ep[0]->msg_most);
    assert_true(count * sizeof(struct ep_msg) <= 1 << 18);
    assert_true(ep[0]->rx.used <=
                (1 << 18) + (1 << 16)); /* blocks of memory are a little larger than the records in them */
    assert_int_equal(ep_msg_most(ep[0]), 3 << 18);
}

static void a_large_message_leaves_an_eighth_of_the_budget_to_small_ones(void **state)
{
    struct weir_pkt large = request(0, 300000), small = request(9, 1000);
    struct ep_msg *m;
    (void)state;
    begin();
    opts[0].rx_bytes = 1 << 20;
    assert_int_equal(start(0), 0);
    for (; (m = ep_msg_begin(ep[0], peer(0, 1), &large, NULL)) != NULL; large.conn++)
        ;
    assert_int_equal(large.conn, 2); /* of 327680 each; a third would leave less than 131072 */
    assert_non_null(ep_msg_begin(ep[0], peer(0, 1), &small, NULL));
}

static void packets_are_reassembled_in_any_order(void **state)
{
    unsigned char payload[3][MSS];
    struct weir_pkt pkt = request(0, 2 * MSS + 50);
    (void)state;
    for (int i = 0; i < 3; i++)
        memset(payload[i], 'a' + i, MSS);
    struct ep_msg *m = ep_msg_begin(ep[0], peer(0, 1), &pkt, NULL);
    for (int k = 0; k < 3; k++) {
        static const uint32_t order[] = { 2, 0, 1 };
        uint32_t i = order[k];
        pkt = (struct weir_pkt){ .seq = i, .payload_bytes = i == 2 ? 50 : MSS };
        ep_msg_store(m, &pkt, payload[i], MSS);
    }
    assert_int_equal(m->bytes, 2 * MSS + 50 - 16);
    assert_memory_equal(m->head, payload[0], 16);
    for (uint32_t i = 0; i < m->bytes; i++)
        assert_int_equal(m->data[i], 'a' + (int)((i + 16) / MSS));
    ep_msg_lost(ep[0], m, -ECONNRESET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_is_found_by_peer_and_number, setup, teardown),
        cmocka_unit_test_teardown(records_take_a_quarter_of_the_budget_at_most, teardown),
        cmocka_unit_test_teardown(a_large_message_leaves_an_eighth_of_the_budget_to_small_ones, teardown),
        cmocka_unit_test_setup_teardown(packets_are_reassembled_in_any_order, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/msg", tests, NULL, NULL);
}
