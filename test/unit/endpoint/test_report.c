/* test/unit/endpoint/test_report.c - the queue of events, and how they are handed over. */
#include "test/unit/endpoint/endpoint_test.h"

static void events_come_in_order_and_at_most_max(void **state)
{
    struct weir_event two[2];
    (void)state;
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, i), 0);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(weir_cancel(ep[0], i), 1);
    assert_int_equal(stats(0).events_pending, 5);
    assert_int_equal(stats(0).ops_pending, 0);
    assert_int_equal(weir_deadline(ep[0]), 0);
    for (uint64_t i = 0; i < 5; i += 2) {
        assert_int_equal(weir_poll(ep[0], two, 2, -1), i == 4 ? 1 : 2);
        assert_int_equal(two[0].user_data, i);
        assert_int_equal(two[0].result, -ECANCELED);
        assert_int_equal(two[0].type, WEIR_EV_RECEIVED);
    }
    assert_int_equal(stats(0).events_pending, 0);
}

static void writable_comes_behind_all_others(void **state)
{
    struct weir_event three[3];
    (void)state;
    begin();
    opts[0].max_ops = 2;
    assert_int_equal(start(0), 0);
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, i), 0);
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 2), -EAGAIN);
    assert_int_equal(weir_cancel(ep[0], 0), 1);
    assert_int_equal(weir_cancel(ep[0], 1), 1);
    assert_int_equal(stats(0).events_pending, 2); /* both records are taken until their events are */
    assert_int_equal(weir_poll(ep[0], three, 1, 0), 1);
    assert_int_equal(stats(0).events_pending, 2); /* and so there is room now */
    assert_int_equal(weir_poll(ep[0], three, 3, 0), 2);
    assert_int_equal(three[0].type, WEIR_EV_RECEIVED);
    assert_int_equal(three[0].user_data, 1);
    assert_int_equal(three[1].type, WEIR_EV_WRITABLE);
    assert_int_equal(stats(0).events_pending, 0);
}

/* An -EAGAIN, room, and another -EAGAIN before the first one's event was taken: one event is due for both. */
static void writable_is_due_once(void **state)
{
    struct weir_event one;
    (void)state;
    begin();
    opts[0].max_ops = 1;
    assert_int_equal(start(0), 0);
    for (uint64_t i = 0; i < 2; i++) {
        assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, i), 0);
        assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 9), -EAGAIN);
        assert_int_equal(weir_cancel(ep[0], i), 1);
        assert_int_equal(weir_poll(ep[0], &one, 1, 0), 1);
        assert_int_equal(one.type, WEIR_EV_RECEIVED);
        assert_int_equal(stats(0).events_pending, 1);
    }
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), 1);
    assert_int_equal(one.type, WEIR_EV_WRITABLE);
    assert_int_equal(stats(0).events_pending, 0);
    assert_true(weir_deadline(ep[0]) == UINT64_MAX);
}

static void a_peer_is_the_applications_once_its_event_is_taken(void **state)
{
    struct weir_event one;
    const struct weir_peer *p;
    (void)state;
    asleep[1] = true;
    assert_int_equal(send_bytes(0, 1, "x", 1, 7), 0);
    for (int i = 0; i < 6; i++) { /* progress, and no event is taken */
        run(20 * US);
        assert_int_equal(weir_poll(ep[1], NULL, 0, 0), 0);
    }
    p = &ep[1]->peers[0];
    assert_int_equal(ep[1]->events_pending, 1);
    assert_int_equal(p->named, 1);
    assert_false(p->exposed);
    assert_int_equal(weir_poll(ep[1], &one, 1, 0), 1);
    assert_int_equal(one.type, WEIR_EV_MESSAGE);
    assert_ptr_equal(one.peer, p);
    assert_int_equal(p->named, 0);
    assert_true(p->exposed);
    weir_release(ep[1], one.lease);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_come_in_order_and_at_most_max, setup, teardown),
        cmocka_unit_test_teardown(writable_comes_behind_all_others, teardown),
        cmocka_unit_test_teardown(writable_is_due_once, teardown),
        cmocka_unit_test_setup_teardown(a_peer_is_the_applications_once_its_event_is_taken, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/report", tests, NULL, NULL);
}
