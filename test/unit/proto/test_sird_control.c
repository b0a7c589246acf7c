/* test/unit/proto/test_sird_control.c - a sender that holds credit in silence is asked, and what it answers. */
#include "test/unit/proto/sird_bench.h"

#define LOSS_PS (2 * WEIR_PS_PER_MS)

/* The one control packet that waits. */
static struct weir_own_pkt waiting(void)
{
    struct weir_own_pkt out;
    assert_int_equal(host.head.controls, 1);
    sird->control_next(&cfg, &host, &out);
    assert_int_equal(host.head.controls, 0);
    return out;
}

static void a_peer_that_owes_nothing_is_not_asked(void **state)
{
    (void)state;
    assert_false(sird->peer_check(&cfg, &host, &peer[0], 10 * LOSS_PS));
    assert_int_equal(host.head.controls, 0);
}

/* Two packets were granted at 0. At half the time it is too early to ask; a report that changes begins the silence anew. */
static void a_silent_peer_is_asked_after_the_loss_time(void **state)
{
    struct weir_own_pkt report = { .now_ps = LOSS_PS / 2, .peer = &peer[3], .sequence = M, .kind = WEIR_SIRD_STATE };
    struct weir_own_pkt ask;
    struct weir_grant out;
    (void)state;
    (void)arriving(3, 2 * MSS, 0);
    assert_true(grant(0, &out));
    assert_true(grant(M_PS, &out));
    assert_true(sird->peer_check(&cfg, &host, &peer[3], LOSS_PS / 2));
    assert_int_equal(host.head.controls, 0);
    sird->control(&cfg, &host, &report);
    assert_true(sird->peer_check(&cfg, &host, &peer[3], LOSS_PS));
    assert_int_equal(host.head.controls, 0);
    report.now_ps = LOSS_PS; /* the same report is no news */
    sird->control(&cfg, &host, &report);
    assert_true(sird->peer_check(&cfg, &host, &peer[3], LOSS_PS / 2 + LOSS_PS));
    ask = waiting();
    assert_ptr_equal(ask.peer, &peer[3]);
    assert_int_equal(ask.kind, WEIR_SIRD_ASK);
    assert_int_equal(ask.sequence, 2 * M);
    assert_null(ask.tx);
    assert_null(ask.rx);
}

/* What was spent and did not come is taken back by two more checks; then nothing is owed. */
static void a_peer_that_was_settled_is_checked_no_more(void **state)
{
    struct weir_own_pkt report = { .now_ps = 1, .peer = &peer[0], .sequence = M, .kind = WEIR_SIRD_STATE };
    (void)state;
    (void)arriving(0, MSS, 0);
    assert_int_equal(grant_to(), 0);
    sird->control(&cfg, &host, &report);
    assert_true(sird->peer_check(&cfg, &host, &peer[0], 2));
    assert_false(sird->peer_check(&cfg, &host, &peer[0], 3));
    assert_int_equal(host.outstanding_bytes, 0);
    assert_true(peer[0].changed_ps == WEIR_NEVER);
}

/* It takes the credit that the question reports, keeps what it can use, and releases the rest. */
static void an_answer_reports_what_was_spent(void **state)
{
    struct weir_own_pkt ask = { .peer = &peer[1], .sequence = 3 * M, .kind = WEIR_SIRD_ASK }, answer;
    (void)state;
    (void)message(1, 200000);
    sird->control(&cfg, &host, &ask);
    answer = waiting();
    assert_ptr_equal(answer.peer, &peer[1]);
    assert_int_equal(answer.kind, WEIR_SIRD_STATE);
    assert_int_equal(answer.sequence, 0);
    assert_int_equal(host.held_bytes, 3 * M);
    ask.peer = &peer[2]; /* nothing is left to send there */
    sird->control(&cfg, &host, &ask);
    assert_int_equal(waiting().sequence, 3 * M);
    assert_int_equal(host.held_bytes, 3 * M);
}

static void an_unknown_kind_is_ignored(void **state)
{
    struct weir_own_pkt odd = { .peer = &peer[0], .sequence = 3 * M, .kind = 2 };
    (void)state;
    sird->control(&cfg, &host, &odd);
    assert_int_equal(host.head.controls, 0);
    assert_int_equal(host.held_bytes, 0);
    assert_int_equal(peer[0].spent_seen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_peer_that_owes_nothing_is_not_asked, setup_paper),
        cmocka_unit_test_setup(a_silent_peer_is_asked_after_the_loss_time, setup_paper),
        cmocka_unit_test_setup(a_peer_that_was_settled_is_checked_no_more, setup_paper),
        cmocka_unit_test_setup(an_answer_reports_what_was_spent, setup_paper),
        cmocka_unit_test_setup(an_unknown_kind_is_ignored, setup_paper),
    };
    return cmocka_run_group_tests_name("proto/sird/control", tests, NULL, NULL);
}
