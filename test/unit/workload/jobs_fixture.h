/* test/unit/workload/jobs_fixture.h - small jobs, made by hand: 16 hosts, flow k of a job from host k to host k + 1. */
#ifndef WEIR_TEST_JOBS_FIXTURE_H
#define WEIR_TEST_JOBS_FIXTURE_H
#include "test/unit/refusal.h"
#include "workload/jobs.h"
#include <string.h>

enum { HOSTS = 16, FLOWS_MAX = 8 };
static struct weir_jobs fix_jobs;
static struct weir_err fix_err;
static const struct weir_tok fix_where[FLOWS_MAX] = {
    { .file = "j.yaml", .line = 10, .col = 9 }, { .file = "j.yaml", .line = 11, .col = 9 },
    { .file = "j.yaml", .line = 12, .col = 9 }, { .file = "j.yaml", .line = 13, .col = 9 },
    { .file = "j.yaml", .line = 14, .col = 9 }, { .file = "j.yaml", .line = 15, .col = 9 },
    { .file = "j.yaml", .line = 16, .col = 9 }, { .file = "j.yaml", .line = 17, .col = 9 },
};

static inline int fix_setup(void **state)
{
    (void)state;
    fix_jobs = (struct weir_jobs){ 0 };
    fix_err = (struct weir_err){ 0 };
    return 0;
}

static inline int fix_teardown(void **state)
{
    (void)state;
    weir_jobs_free(&fix_jobs);
    return 0;
}

/* A job with one coflow of the same name. */
static inline void fix_job(const char *name, uint32_t policy)
{
    struct weir_job job = { .name = name, .policy = policy, .sum_q20 = WEIR_WEIGHT_ONE };
    assert_int_equal(weir_jobs_add(&fix_jobs, &job, &fix_err), 0);
    assert_int_equal(weir_jobs_add_coflow(&fix_jobs, name, &fix_err), 0);
}

static inline struct weir_job_flow *fix_flow(const char *name, uint64_t bytes)
{
    uint32_t n = fix_jobs.flow_count % (HOSTS - 1);
    struct weir_job_flow flow = {
        .bytes = bytes, .weight_q20 = WEIR_WEIGHT_ONE, .src = n, .dst = n + 1, .coflow = fix_jobs.coflow_count - 1
    };
    assert_int_equal(weir_jobs_add_flow(&fix_jobs, &flow, name, &fix_err), 0);
    return &fix_jobs.flow[fix_jobs.flow_count - 1];
}

static inline void fix_after(uint32_t flow)
{
    assert_int_equal(weir_jobs_add_after(&fix_jobs, flow, &fix_err), 0);
}

static inline void fix_finish(void)
{
    if (weir_jobs_finish(&fix_jobs, HOSTS, fix_where, &fix_err) != 0)
        fail_msg("%s", fix_err.text);
}

/* Refused with this code and key at this line; 0 = without a place. */
static inline void fix_refuse(enum weir_err_code code, uint32_t line, const char *key)
{
    int got = weir_jobs_finish(&fix_jobs, HOSTS, fix_where, &fix_err);
    assert_refusal(&fix_err, code, NULL, key);
    assert_int_equal(got, code);
    assert_int_equal(fix_err.line, line);
    weir_jobs_free(&fix_jobs);
}

#define JOBS_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)
#endif
