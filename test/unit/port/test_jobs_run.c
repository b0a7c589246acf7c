/* test/unit/port/test_jobs_run.c - flows that wait for others. A full packet of 1538 B on 10 Gb/s takes 1230400 ps, a
 * cable 2 us: from its start to its arrival at the other host it is 6460800 ps. Its answer leaves the receiver's NIC
 * before a packet that starts at that instant, and takes 67200 ps. */
#include "core/cc.h"
#include "test/unit/sim_fixture.h"
#include "workload/jobs.h"

enum { HOP_PS = 6460800, TOLD_MAX = 64 };

static struct weir_jobs jobs;
static struct {
    uint64_t id, start_ps, end_ps, bytes;
} row[16];
static uint32_t rows;

static int take_rows(void *ctx, const struct weir_account_row *r, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++, rows++) {
        assert_true(rows < 16);
        row[rows].id = r[i].d.id;
        row[rows].start_ps = r[i].d.start_ps;
        row[rows].end_ps = r[i].d.end_ps;
        row[rows].bytes = r[i].d.bytes;
    }
    return 0;
}

/* A law that notes the weights it is notified of, and when. */
static struct {
    uint64_t now_ps, value;
} notified[TOLD_MAX];
static uint32_t told_count;

static void spy_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 1 << 20 };
}

static void spy_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)cc, (void)config;
    assert_int_equal(notice->kind, WEIR_NOTICE_WEIGHT);
    assert_true(told_count < TOLD_MAX);
    notified[told_count].now_ps = notice->now_ps;
    notified[told_count++].value = notice->value;
}

static const struct weir_cc_ops spy = { .name = "spy",
                                        .state_bytes = sizeof(struct weir_cc),
                                        .needs = WEIR_NEED_WEIGHTS,
                                        .init = spy_init,
                                        .on_notice = spy_on_notice };

static int begin(void **state)
{
    (void)fix_begin(state);
    jobs = (struct weir_jobs){ 0 };
    rows = told_count = 0;
    fix_options.rows = take_rows;
    return 0;
}

static int end(void **state)
{
    weir_jobs_free(&jobs);
    return fix_end(state);
}

static void job(enum weir_job_policy policy)
{
    struct weir_job what = { .name = "job", .policy = policy, .sum_q20 = WEIR_WEIGHT_ONE };
    assert_int_equal(weir_jobs_add(&jobs, &what, &fix_err), 0);
    assert_int_equal(weir_jobs_add_coflow(&jobs, "all", &fix_err), 0);
}

static void flow(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps)
{
    struct weir_job_flow what = { .src = src,
                                  .dst = dst,
                                  .bytes = bytes,
                                  .start_ps = start_ps,
                                  .weight_q20 = WEIR_WEIGHT_ONE,
                                  .coflow = jobs.coflow_count - 1 };
    assert_int_equal(weir_jobs_add_flow(&jobs, &what, "flow", &fix_err), 0);
}

static void after(uint32_t other)
{
    assert_int_equal(weir_jobs_add_after(&jobs, other, &fix_err), 0);
}

static void change(uint64_t at_ps, uint64_t weight_q20)
{
    struct weir_job_change what = { .at_ps = at_ps, .weight_q20 = weight_q20 };
    assert_int_equal(weir_jobs_add_change(&jobs, &what, &fix_err), 0);
}

/* Adds the jobs to the text's traffic. */
static void make(const char *text)
{
    struct weir_model *model = fix_model(text);
    assert_int_equal(weir_jobs_finish(&jobs, model->topo->host_count, NULL, &fix_err), 0);
    fix_setup.workload.jobs = &jobs;
    fix_setup.workload.tag_count += jobs.flow_count;
    fix_setup.workload.finite_messages += jobs.flow_count;
    fix_setup.workload.weighted |= weir_jobs_weighted(&jobs);
    model->host.track = true;
}

static void run(const char *text)
{
    make(text);
    if (fix_run_model() != 0)
        fail_msg("%s", fix_err.text);
}

#define NOTHING_ELSE "traffic: [{kind: permutation, size: 1 B, start: 900 ms}]\n"
#define TO_40_US "run: {warmup: 0 us, measure: 40 us}\n"

static void row_is(uint32_t i, uint64_t src, uint64_t nth, uint64_t start_ps, uint64_t end_ps)
{
    assert_int_equal(row[i].id, src << 40 | nth);
    assert_int_equal(row[i].start_ps, start_ps);
    assert_int_equal(row[i].end_ps, end_ps);
}

/* 0 -> 1; then 1 -> 0, at the same host, and 2 -> 0, a microsecond after a link's delay; then, when both have come, 0
 * -> 2. */
static void diamond(void)
{
    job(WEIR_POLICY_GIVEN);
    flow(0, 1, 1460, 0);
    flow(1, 0, 1460, 0);
    after(0);
    flow(2, 0, 1460, 1000000);
    after(0);
    flow(0, 2, 1460, 0);
    after(1);
    after(2);
}

static void a_flow_starts_when_all_it_waits_for_have_arrived(void **state)
{
    uint64_t second_ps = HOP_PS + 3000000;
    (void)state;
    diamond();
    run(STAR("3") NOTHING_ELSE TO_40_US);
    assert_int_equal(rows, 4);
    row_is(0, 0, 0, 0, HOP_PS);
    row_is(1, 1, 0, HOP_PS, 2 * HOP_PS + ACK_PS);
    row_is(2, 2, 0, second_ps, second_ps + HOP_PS);
    row_is(3, 0, 1, second_ps + HOP_PS, second_ps + 2 * HOP_PS + ACK_PS);
}

static void results_hold_completion_of_jobs_and_coflows(void **state)
{
    const struct weir_job_results *r;
    (void)state;
    diamond();
    run(STAR("3") NOTHING_ELSE TO_40_US);
    r = fix_result.jobs;
    assert_int_equal(r->job_count, 1);
    assert_string_equal(r->job[0].name, "job");
    assert_int_equal(r->job[0].start_ps, 0);
    assert_int_equal(r->job[0].end_ps, 3000000 + 3 * HOP_PS + ACK_PS);
    assert_int_equal(r->job[0].flows, 4);
    assert_int_equal(r->job[0].ended, 4);
    assert_int_equal(r->coflow_count, 1);
    assert_string_equal(r->coflow[0].name, "all");
    assert_string_equal(r->coflow[0].job, "job");
    assert_int_equal(r->coflow[0].first_end_ps, HOP_PS);
    assert_int_equal(r->coflow[0].end_ps, r->job[0].end_ps);
}

static void a_controller_may_take_longer_than_a_link(void **state)
{
    (void)state;
    diamond();
    jobs.notify_ps = 5000000;
    run(STAR("3") NOTHING_ELSE TO_40_US);
    assert_int_equal(row[1].start_ps, HOP_PS); /* at the same host there is no notification */
    assert_int_equal(row[2].start_ps, HOP_PS + 6000000);
}

static void jobs_that_have_not_ended_are_unfinished(void **state)
{
    (void)state;
    diamond();
    run(STAR("3") NOTHING_ELSE "run: {warmup: 0 us, measure: 14 us}\n");
    assert_int_equal(fix_result.jobs->job[0].end_ps, WEIR_NEVER);
    assert_int_equal(fix_result.jobs->job[0].ended, 2);
    assert_int_equal(fix_result.jobs->coflow[0].first_end_ps, HOP_PS);
    assert_int_equal(fix_result.jobs->coflow[0].end_ps, WEIR_NEVER);
}

/* 7 ms lie between, longer than the time after which a run stalls. */
static void a_run_to_the_last_message_waits_for_flows_that_can_still_start(void **state)
{
    (void)state;
    job(WEIR_POLICY_GIVEN);
    flow(0, 1, 1460, 0);
    flow(2, 0, 1460, UINT64_C(7000000000));
    after(0);
    run(STAR("3") "traffic: [{kind: permutation, size: 1 B}]\nrun: {warmup: 0 us, measure: all, stall: 1 ms}\n");
    assert_false(fix_result.stalled);
    assert_int_equal(fix_result.messages_completed, 5);
    assert_int_equal(fix_result.jobs->job[0].ended, 2);
    assert_int_equal(fix_result.sim_ps, fix_result.jobs->job[0].end_ps);
    assert_true(fix_result.sim_ps > UINT64_C(7000000000));
}

/* At one instant at one host: the source's messages, then flows by number, whatever their order in the graph. */
static void messages_that_start_together_have_an_order(void **state)
{
    (void)state;
    job(WEIR_POLICY_GIVEN);
    for (uint32_t i = 1; i <= 3; i++)
        flow(0, 1, 100 * i, 0);
    run(STAR("2") "traffic: [{kind: permutation, size: 400 B}]\n" TO_40_US);
    assert_int_equal(rows, 5);
    for (uint32_t i = 0; i < rows; i++)
        if (row[i].id >> 40 == 0)
            assert_int_equal(row[i].bytes, row[i].id == 0 ? 400 : 100 * row[i].id);
}

static void told_is(uint32_t i, uint64_t now_ps, uint64_t value)
{
    assert_true(i < told_count);
    assert_int_equal(notified[i].now_ps, now_ps);
    assert_int_equal(notified[i].value, value);
}

/* Flow 0 takes 20 packets, 20 * 1230400 ps and 5230400 more; flow 1 begins at 10 us. A law is notified of 1.0 first,
 * then of its weight. */
static void weight_changes_apply_to_active_and_later_flows_only(void **state)
{
    (void)state;
    job(WEIR_POLICY_GIVEN);
    flow(0, 1, UINT64_C(20) * 1460, 0);
    change(3000000, 5 * WEIR_WEIGHT_ONE);
    change(39000000, 6 * WEIR_WEIGHT_ONE); /* it has ended */
    flow(2, 1, 1460, 10000000);
    change(2000000, 7 * WEIR_WEIGHT_ONE);
    change(10000000, 8 * WEIR_WEIGHT_ONE); /* starts with 7, and is notified of 8 at once */
    make(STAR("3") NOTHING_ELSE TO_40_US);
    fix_setup.model.host.cc = &spy;
    assert_int_equal(fix_run_model(), 0);
    told_is(0, 0, WEIR_WEIGHT_ONE);
    told_is(1, 0, WEIR_WEIGHT_ONE);
    told_is(2, 3000000, 5 * WEIR_WEIGHT_ONE);
    told_is(3, 10000000, WEIR_WEIGHT_ONE);
    told_is(4, 10000000, 7 * WEIR_WEIGHT_ONE);
    told_is(5, 10000000, 8 * WEIR_WEIGHT_ONE);
    assert_int_equal(told_count, 6);
}

/* Two flows of weight 1 that are to sum to 1; one alone has it all again. */
static void ticks_set_weights_anew(void **state)
{
    uint32_t halves = 0;
    (void)state;
    job(WEIR_POLICY_CONSTANT_SUM);
    jobs.tick_ps = 4000000;
    flow(0, 1, UINT64_C(20) * 1460, 0);
    flow(2, 1, 1460, 0);
    make(STAR("3") NOTHING_ELSE TO_40_US);
    fix_setup.model.host.cc = &spy;
    assert_int_equal(fix_run_model(), 0);
    for (uint32_t i = 0; i < told_count; i++)
        if (notified[i].now_ps > 0)
            assert_int_equal(notified[i].now_ps % 4000000, 0);
    for (uint32_t i = 0; i < told_count; i++)
        halves += notified[i].value == WEIR_WEIGHT_ONE / 2;
    assert_true(halves >= 2);
    assert_int_equal(notified[told_count - 1].value, WEIR_WEIGHT_ONE);
}

static void results_do_not_depend_on_threads(void **state)
{
    uint64_t digest = 0;
    (void)state;
    diamond();
    make(STAR("3") NOTHING_ELSE TO_40_US);
    for (fix_options.threads = 1; fix_options.threads <= 3; fix_options.threads++) {
        rows = 0;
        assert_int_equal(fix_run_model(), 0);
        assert_int_equal(rows, 4);
        assert_true(fix_options.threads == 1 || fix_result.digest == digest);
        digest = fix_result.digest;
    }
}

#define JOBS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOBS_TEST(a_flow_starts_when_all_it_waits_for_have_arrived),
        JOBS_TEST(results_hold_completion_of_jobs_and_coflows),
        JOBS_TEST(a_controller_may_take_longer_than_a_link),
        JOBS_TEST(jobs_that_have_not_ended_are_unfinished),
        JOBS_TEST(a_run_to_the_last_message_waits_for_flows_that_can_still_start),
        JOBS_TEST(messages_that_start_together_have_an_order),
        JOBS_TEST(weight_changes_apply_to_active_and_later_flows_only),
        JOBS_TEST(ticks_set_weights_anew),
        JOBS_TEST(results_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests_name("sim/jobs_run", tests, NULL, NULL);
}
