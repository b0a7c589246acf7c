/* test/unit/output/test_findings_text.c - sentences about one thing and about two: each verb and pronoun fits its number. */
#include "test/unit/weir_test.h"
#include "output/findings.h"

static void says(enum weir_finding_kind kind, uint64_t number, uint64_t of, uint64_t more, const char *must)
{
    const struct weir_finding finding = { .kind = kind, .number = { number, of, more } };
    char text[WEIR_FINDING_TEXT];
    weir_finding_text(&finding, text);
    assert_string_equal(text, must);
}

static void messages_beyond_a_run_are_one_or_several(void **state)
{
    (void)state;
    says(WEIR_FINDING_BEYOND, 1, 1200, 0,
         "1 of 1,200 messages needs ten times this run or more, even alone: slowdown is without it; read goodput, "
         "fairness and queues");
    says(WEIR_FINDING_BEYOND, 2, 1200, 0,
         "2 of 1,200 messages need ten times this run or more, even alone: slowdown is without them; read goodput, "
         "fairness and queues");
}

static void messages_lost_with_a_host_are_one_or_several(void **state)
{
    (void)state;
    says(WEIR_FINDING_HOST_LOST, 1, 9, 0, "1 of 9 messages was lost with a host that restarted: it is in no slowdown");
    says(WEIR_FINDING_HOST_LOST, 2, 9, 0,
         "2 of 9 messages were lost with a host that restarted: they are in no slowdown");
}

static void unfinished_jobs_are_one_or_several(void **state)
{
    (void)state;
    says(WEIR_FINDING_JOBS, 1, 3, 0, "1 of 3 jobs unfinished: no completion time of it");
    says(WEIR_FINDING_JOBS, 2, 3, 0, "2 of 3 jobs unfinished: no completion time of theirs");
    says(WEIR_FINDING_JOBS, 2, 3, 1,
         "2 of 3 jobs unfinished: no completion time of theirs; measure: all waits for them");
}

static void messages_left_out_are_one_or_several(void **state)
{
    (void)state;
    says(WEIR_FINDING_LEFT_OUT, 1, 0, 0,
         "1 message is of traffic that does not count in slowdown (traffic.measured; incasts beside other traffic)");
    says(WEIR_FINDING_LEFT_OUT, 2, 0, 0,
         "2 messages are of traffic that does not count in slowdown (traffic.measured; incasts beside other traffic)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_beyond_a_run_are_one_or_several),
        cmocka_unit_test(messages_lost_with_a_host_are_one_or_several),
        cmocka_unit_test(unfinished_jobs_are_one_or_several),
        cmocka_unit_test(messages_left_out_are_one_or_several),
    };
    return cmocka_run_group_tests_name("output/findings_text", tests, NULL, NULL);
}
