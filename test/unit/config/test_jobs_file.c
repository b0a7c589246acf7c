/* test/unit/config/test_jobs_file.c - files of jobs: what their keys become, what is refused and where, and where tasks go. */
#include "test/unit/refusal.h"
#include "config/jobs_file.h"
#include "workload/plan.h"
#include "core/units.h"
#include "test/unit/config/page_test.h"

enum { HOSTS = 64, ITEMS = 2 };
static const struct weir_tok where[ITEMS] = { { .file = "s.yaml", .line = 5, .col = 3 },
                                              { .file = "s.yaml", .line = 6, .col = 3 } };
static FILE *file[ITEMS];
static struct weir_traffic_config item[ITEMS];
static struct weir_workload_limits limits;
static struct weir_jobs jobs;
static struct weir_err err;
static uint32_t items;

static int setup(void **state)
{
    (void)state;
    items = 0;
    limits = (struct weir_workload_limits){ .hosts = HOSTS, .seed = 1, .base_dir = "/dev/fd" };
    return 0;
}

static void close_files(void)
{
    for (uint32_t i = 0; i < items; i++)
        (void)fclose(file[i]);
    items = 0;
}

static int teardown(void **state)
{
    (void)state;
    close_files();
    weir_jobs_free(&jobs);
    return 0;
}

/* One more item, with this text in an unnamed file that /dev/fd knows. */
static void add(const char *text)
{
    file[items] = tmpfile();
    assert_non_null(file[items]);
    assert_true(fputs(text, file[items]) >= 0);
    assert_int_equal(fflush(file[items]), 0);
    item[items] = (struct weir_traffic_config){ .kind = WEIR_TRAFFIC_JOBS };
    (void)snprintf(item[items].file, sizeof(item[items].file), "%d", fileno(file[items]));
    items++;
}

static int load(void)
{
    weir_jobs_free(&jobs);
    return weir_jobs_load(&jobs, item, items, &limits, where, &err);
}

static void accepts(const char *text)
{
    close_files();
    add(text);
    if (load() != 0)
        fail_msg("%u:%u: %s (%s)", err.line, err.col, err.text, err.hint);
}

#define FLOW "{name: f, from: 0, to: 1, size: 1 KB}"
static const char whole[] =
    "notify: 3 us\n"
    "tick: 1 ms\n"
    "policy: equal-progress\n"
    "jobs:\n"
    "  - name: q1\n"
    "    start: 2 us\n"
    "    policy: given\n"
    "    tasks: {scan: 7, join: 9}\n"
    "    flows:\n"
    "      - {name: late, from: join, to: 3, size: 1.5 MB, weight: 2.5, after: [early, other],\n"
    "         delay: 4 us}\n"
    "      - {name: early, from: scan, to: join, size: 10 KB, delay: 1 us, coflow: in}\n"
    "      - {name: other, from: 5, to: join, size: 1 B, coflow: in,\n"
    "         weights: [{at: 1 us, weight: 0.5}, {at: 9 us, weight: 3}]}\n"
    "      - {name: last, from: 3, to: 4, size: 1 B, after: late}\n"
    "  - {name: q2, sum: 4, flows: [" FLOW "]}\n";

static void a_whole_file_arrives_in_its_struct(void **state)
{
    (void)state;
    accepts(whole);
    assert_int_equal(jobs.notify_ps, 3 * WEIR_PS_PER_US);
    assert_int_equal(jobs.tick_ps, WEIR_PS_PER_MS);
    assert_int_equal(jobs.job_count, 2);
    assert_int_equal(jobs.flow_count, 5);
    assert_string_equal(jobs.job[0].name, "q1");
    assert_int_equal(jobs.job[0].policy, WEIR_POLICY_GIVEN);
    assert_int_equal(jobs.job[0].start_ps, 2 * WEIR_PS_PER_US); /* other; early is 1 us later */
    assert_int_equal(jobs.job[1].policy, WEIR_POLICY_EQUAL_PROGRESS);
    assert_int_equal(jobs.job[1].sum_q20, 4 * WEIR_WEIGHT_ONE);
    assert_int_equal(jobs.job[1].first, 4);
    const struct weir_job_flow *late = &jobs.flow[0], *early = &jobs.flow[1], *other = &jobs.flow[2];
    assert_string_equal(jobs.flow_name[0], "late");
    assert_int_equal(late->src, 9);
    assert_int_equal(late->dst, 3);
    assert_int_equal(late->bytes, 1500000);
    assert_int_equal(late->weight_q20, WEIR_WEIGHT_ONE * 5 / 2);
    assert_int_equal(late->start_ps, 4 * WEIR_PS_PER_US);
    assert_int_equal(late->after_count, 2);
    assert_int_equal(jobs.edge[late->after_first], 1);
    assert_int_equal(jobs.edge[late->after_first + 1], 2);
    assert_int_equal(late->before_count, 1);
    assert_int_equal(early->src, 7);
    assert_int_equal(early->dst, 9);
    assert_int_equal(early->start_ps, 3 * WEIR_PS_PER_US);
    assert_int_equal(other->src, 5);
    assert_int_equal(other->change_count, 2);
    assert_int_equal(jobs.change[other->change_first].at_ps, 3 * WEIR_PS_PER_US);
    assert_int_equal(jobs.change[other->change_first].weight_q20, WEIR_WEIGHT_ONE / 2);
    assert_int_equal(jobs.change[other->change_first + 1].at_ps, 11 * WEIR_PS_PER_US);
}

static void flows_without_a_coflow_are_one(void **state)
{
    (void)state;
    accepts(whole);
    assert_int_equal(jobs.coflow_count, 3);
    assert_string_equal(jobs.coflow[0].name, "q1");
    assert_string_equal(jobs.coflow[1].name, "in");
    assert_string_equal(jobs.coflow[2].name, "q2");
    assert_int_equal(jobs.coflow[0].count, 2);
    assert_int_equal(jobs.flow[3].coflow, 0);
    assert_int_equal(jobs.flow[2].coflow, 1);
    assert_int_equal(jobs.flow[4].coflow, 2);
}

static void items_shift_and_switch_their_files(void **state)
{
    (void)state;
    add(whole);
    add("jobs: [{name: q3, flows: [" FLOW ", {name: g, from: 1, to: 2, size: 1 KB, after: f}]}]\n");
    item[0].start_ps = 10 * WEIR_PS_PER_US;
    (void)snprintf(item[1].policy, sizeof(item[1].policy), "critical-path");
    assert_int_equal(load(), 0);
    assert_int_equal(jobs.job_count, 3);
    assert_int_equal(jobs.flow[1].start_ps, 13 * WEIR_PS_PER_US);
    assert_int_equal(jobs.flow[0].start_ps, 4 * WEIR_PS_PER_US);
    assert_int_equal(jobs.change[0].at_ps, 13 * WEIR_PS_PER_US);
    assert_int_equal(jobs.flow[4].item, 0);
    assert_int_equal(jobs.flow[5].item, 1);
    assert_int_equal(jobs.flow[5].weight_q20, 2 * WEIR_WEIGHT_ONE);
    assert_int_equal(jobs.notify_ps, 3 * WEIR_PS_PER_US);
    (void)snprintf(item[1].policy, sizeof(item[1].policy), "critical");
    assert_int_equal(load(), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "s.yaml:6:3", "policy");
}

static void apart_starts_each_job_later_than_the_one_before(void **state)
{
    (void)state;
    add(whole);
    item[0].start_ps = 10 * WEIR_PS_PER_US;
    item[0].apart_ps = 50 * WEIR_PS_PER_US;
    assert_int_equal(load(), 0);
    assert_int_equal(jobs.flow[1].start_ps, 13 * WEIR_PS_PER_US); /* the first job as without it */
    assert_int_equal(jobs.flow[4].start_ps, 60 * WEIR_PS_PER_US);
    item[0].apart_ps = WEIR_TRAFFIC_TIME_MAX;
    item[0].start_ps = WEIR_TRAFFIC_TIME_MAX;
    assert_int_equal(load(), 0); /* the bound itself */
    close_files();
    add("jobs: [{name: a, flows: [" FLOW "]}, {name: b, flows: [" FLOW "]}, {name: c, flows: [" FLOW "]}]\n");
    item[0].start_ps = 1;
    item[0].apart_ps = WEIR_TRAFFIC_TIME_MAX;
    assert_int_equal(load(), WEIR_E_RANGE); /* 1 ps above it */
    assert_refusal(&err, WEIR_E_RANGE, "s.yaml:5:3", "'c'");
}

static void fair_is_what_the_others_are_compared_with(void **state)
{
    (void)state;
    add(whole);
    (void)snprintf(item[0].policy, sizeof(item[0].policy), "fair");
    assert_int_equal(load(), 0);
    assert_int_equal(jobs.change_count, 0);
    assert_int_equal(jobs.tick_ps, 0);
    assert_false(weir_jobs_weighted(&jobs));
}

static void files_of_one_run_agree(void **state)
{
    (void)state;
    add(whole);
    add("notify: 3 us\njobs: [{name: q3, flows: [" FLOW "]}]\n");
    assert_int_equal(load(), 0);
    close_files();
    add(whole);
    add("notify: 4 us\njobs: [{name: q3, flows: [" FLOW "]}]\n");
    assert_int_equal(load(), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "4:1:9", "notify");
}

/* --- tasks --- */

#define TASKS                                                                                                          \
    "jobs: [{name: q, repeat: 50, period: 2 us, tasks: {a: random, b: random, c: 5},\n"                                \
    "  flows: [{name: f, from: a, to: b, size: 1 KB}, {name: g, from: b, to: c, size: 1 KB}]}]\n"

static void tasks_of_a_job_have_hosts_of_their_own(void **state)
{
    uint32_t seen[HOSTS] = { 0 }, different = 0;
    (void)state;
    accepts(TASKS);
    assert_int_equal(jobs.job_count, 50);
    for (uint32_t j = 0; j < 50; j++) {
        const struct weir_job_flow *f = &jobs.flow[2 * j];
        assert_int_equal(f[0].dst, f[1].src);
        assert_int_equal(f[1].dst, 5);
        assert_true(f[0].src != f[0].dst && f[0].src != 5 && f[0].dst != 5);
        assert_int_equal(jobs.job[j].start_ps, 2 * WEIR_PS_PER_US * j);
        seen[f[0].src]++, seen[f[0].dst]++;
    }
    for (uint32_t h = 0; h < HOSTS; h++)
        different += seen[h] > 0;
    assert_in_range(different, 40, 63); /* 100 draws from 63: 50.3 are expected */
    assert_string_equal(jobs.job[0].name, "q#1");
    assert_string_equal(jobs.job[49].name, "q#50");
}

static void places_depend_on_the_seed_and_nothing_else(void **state)
{
    uint32_t first[100], same = 0;
    (void)state;
    accepts(TASKS);
    for (uint32_t f = 0; f < 100; f++)
        first[f] = jobs.flow[f].src;
    accepts(TASKS);
    for (uint32_t f = 0; f < 100; f++)
        assert_int_equal(jobs.flow[f].src, first[f]);
    limits.seed = 2;
    accepts(TASKS);
    for (uint32_t f = 0; f < 100; f++)
        same += jobs.flow[f].src == first[f];
    assert_in_range(same, 0, 20);
}

static void as_many_tasks_as_hosts_take_them_all(void **state)
{
    static const char text[] = "jobs: [{name: q, tasks: [a, b, c, d], flows: [{name: f, from: a, to: b, size: 1 B},\n"
                               "  {name: g, from: c, to: d, size: 1 B}]}]\n";
    uint32_t seen = 0;
    (void)state;
    limits.hosts = 4;
    accepts(text);
    for (uint32_t f = 0; f < 2; f++)
        seen |= 1u << jobs.flow[f].src | 1u << jobs.flow[f].dst;
    assert_int_equal(seen, 15);
    limits.hosts = 2; /* two tasks have to share a host; whether it is those of one flow is the seed's */
    for (limits.seed = 1; limits.seed < 20 && load() == 0; limits.seed++)
        assert_true(jobs.flow[1].src < 2);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "host");
}

static void poisson_copies_start_at_random_distances(void **state)
{
    uint64_t last;
    (void)state;
    accepts("jobs: [{name: q, repeat: 1000, period: 10 us, arrival: poisson, start: 5 us, flows: [" FLOW "]}]\n");
    assert_int_equal(jobs.job[0].start_ps, 5 * WEIR_PS_PER_US);
    last = jobs.job[999].start_ps;
    assert_in_range(last, 8800 * WEIR_PS_PER_US, 11200 * WEIR_PS_PER_US); /* 9995 us, four deviations of 316 us */
    assert_true(jobs.job[2].start_ps - jobs.job[1].start_ps != jobs.job[1].start_ps - jobs.job[0].start_ps);
}

/* --- refusals --- */

struct refusal {
    const char *text, *key;
    uint32_t line, col;
    enum weir_err_code code;
};

static void refuses(const struct refusal *r)
{
    char name[16];
    close_files();
    add(r->text);
    int code = load();
    assert_refusal(&err, r->code, NULL, r->key);
    assert_int_equal(code, r->code);
    assert_int_equal(err.line, r->line);
    assert_int_equal(err.col, r->col);
    (void)snprintf(name, sizeof(name), "%d", fileno(file[0]));
    assert_string_equal(err.file, r->line == 5 && r->col == 3 ? "s.yaml" : name);
    assert_null(jobs.flow);
    assert_null(jobs.text);
}

#define JOB(flow) "jobs: [{name: q, tasks: {scan: random, join: 3}, flows: [\n" flow "]}]\n"
#define TWO(more) JOB("{name: f, from: 0, to: 1, size: 1 KB},\n{name: g, from: 0, to: 1, size: 1 KB, " more "}")

static void each_flaw_of_a_flow_is_refused_with_its_place(void **state)
{
    static const struct refusal refusals[] = {
        { TWO("weight: 0"), "weight", 3, 47, WEIR_E_RANGE },
        { TWO("weight: -2"), "weight", 3, 47, WEIR_E_RANGE },
        { TWO("weight: .inf"), "weight", 3, 47, WEIR_E_RANGE },
        { TWO("weight: 1000001"), "weight", 3, 47, WEIR_E_RANGE },
        { TWO("weights: [{at: 1 us, weight: 0}]"), "weight", 3, 68, WEIR_E_RANGE },
        { TWO("weights: [{weight: 2}]"), "at", 3, 49, WEIR_E_SYNTAX },
        { TWO("weights: 3"), "weights", 3, 48, WEIR_E_SYNTAX },
        { TWO("weights: [{at: 2 us, weight: 1}, {at: 2 us, weight: 2}]"), "g", 3, 1, WEIR_E_CONFLICT },
        { TWO("after: [h]"), "q", 3, 47, WEIR_E_UNKNOWN },
        { TWO("after: {f: 1}"), "after", 3, 46, WEIR_E_SYNTAX },
        { TWO("after: g"), "g", 3, 1, WEIR_E_CONFLICT },
        { TWO("wait: f"), "wait", 3, 39, WEIR_E_UNKNOWN },
        { TWO("delay: 5"), "delay", 3, 46, WEIR_E_UNIT },
        { JOB("{name: f, from: scam, to: 1, size: 1 KB}"), "from", 2, 17, WEIR_E_UNKNOWN },
        { JOB("{name: f, from: 64, to: 1, size: 1 KB}"), "host 64", 2, 17, WEIR_E_RANGE },
        { JOB("{name: f, from: join, to: 3, size: 1 KB}"), "f", 2, 1, WEIR_E_RANGE },
        { JOB("{name: f, from: 1, to: 3, size: 0 B}"), "size", 2, 33, WEIR_E_RANGE },
        { JOB("{name: f, from: 1, to: 3}"), "size", 2, 1, WEIR_E_SYNTAX },
        { JOB("{name: f, from: 1, to: 3, size: 1 B}, {name: f, from: 1, to: 3, size: 1 B}"), "f", 2, 46,
          WEIR_E_CONFLICT },
        { JOB("17"), "flows[0]", 2, 1, WEIR_E_SYNTAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        refuses(&refusals[i]);
}

#define ALONE(keys) "jobs: [{name: q, " keys ", flows: [" FLOW "]}]\n"

static void each_flaw_of_a_job_or_a_file_is_refused_with_its_place(void **state)
{
    static const struct refusal refusals[] = {
        { "jobs: []\n", "", 1, 1, WEIR_E_SYNTAX },
        { "tick: 1 ms\n", "", 1, 1, WEIR_E_SYNTAX },
        { "- 1\n", "jobs", 1, 1, WEIR_E_SYNTAX },
        { "jobs: {q: 1}\n", "jobs", 1, 7, WEIR_E_SYNTAX },
        { "job: []\n", "job", 1, 1, WEIR_E_UNKNOWN },
        { "jobs: [{flows: [" FLOW "]}]\n", "name", 1, 8, WEIR_E_SYNTAX },
        { "jobs: [{name: q}]\n", "flows", 1, 8, WEIR_E_SYNTAX },
        { "jobs: [{name: q, flows: []}]\n", "q", 1, 25, WEIR_E_SYNTAX },
        { "jobs: [{name: 'q#1', flows: [" FLOW "]}]\n", "name", 1, 15, WEIR_E_SYNTAX },
        { "jobs:\n- {name: q, flows: [" FLOW "]}\n- {name: q, flows: [" FLOW "]}\n", "q", 3, 10, WEIR_E_CONFLICT },
        { ALONE("policy: fast"), "policy", 1, 26, WEIR_E_UNKNOWN },
        { ALONE("sum: 0"), "sum", 1, 23, WEIR_E_RANGE },
        { ALONE("repeat: 0"), "repeat", 1, 26, WEIR_E_RANGE },
        { ALONE("repeat: 1000, period: 100 s"), "q", 5, 3, WEIR_E_RANGE },
        { ALONE("policy: altruistic"), "q", 5, 3, WEIR_E_CONFLICT },
        { ALONE("tasks: {a: 64}"), "host 64", 1, 29, WEIR_E_RANGE },
        { ALONE("tasks: {a: here}"), "a", 1, 29, WEIR_E_SYNTAX },
        { ALONE("tasks: {7: 7}"), "7", 1, 26, WEIR_E_SYNTAX },
        { ALONE("tasks: [a, a]"), "a", 1, 29, WEIR_E_CONFLICT },
        { ALONE("tasks: [[a]]"), "tasks", 1, 26, WEIR_E_SYNTAX },
        { ALONE("tasks: a"), "tasks", 1, 25, WEIR_E_SYNTAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        refuses(&refusals[i]);
}

static void a_file_that_is_not_there_is_told_at_its_item(void **state)
{
    (void)state;
    item[0] = (struct weir_traffic_config){ .kind = WEIR_TRAFFIC_JOBS, .file = "none.yaml" };
    limits.base_dir = "data/workloads";
    assert_int_equal(weir_jobs_load(&jobs, item, 1, &limits, where, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "s.yaml:5:3", "data/workloads/none.yaml");
    item[0].file[0] = '\0';
    assert_int_equal(weir_jobs_load(&jobs, item, 1, &limits, where, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "s.yaml:5:3", "file");
}

/* --- doc/jobs.md --- */

static void the_examples_of_the_page_are_accepted(void **state)
{
    (void)state;
    assert_true(page_examples("doc/jobs.md", "# jobs", accepts) >= 2);
}

static void the_page_names_every_key(void **state)
{
    static const struct weir_param *const tables[] = { weir_jobs_params, weir_job_params, weir_job_flow_params,
                                                       weir_job_change_params };
    char *text = page_read("doc/jobs.md"), cell[64];
    (void)state;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const struct weir_param *row = tables[i]; row->key != NULL; row++) {
            (void)snprintf(cell, sizeof(cell), "| `%s` |", row->key);
            assert_non_null(strstr(text, cell));
            for (const char *const *word = row->choices; word != NULL && *word != NULL; word++)
                assert_non_null(strstr(text, *word));
        }
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_whole_file_arrives_in_its_struct),
        TEST(flows_without_a_coflow_are_one),
        TEST(items_shift_and_switch_their_files),
        TEST(apart_starts_each_job_later_than_the_one_before),
        TEST(fair_is_what_the_others_are_compared_with),
        TEST(files_of_one_run_agree),
        TEST(tasks_of_a_job_have_hosts_of_their_own),
        TEST(places_depend_on_the_seed_and_nothing_else),
        TEST(as_many_tasks_as_hosts_take_them_all),
        TEST(poisson_copies_start_at_random_distances),
        TEST(each_flaw_of_a_flow_is_refused_with_its_place),
        TEST(each_flaw_of_a_job_or_a_file_is_refused_with_its_place),
        TEST(a_file_that_is_not_there_is_told_at_its_item),
        TEST(the_examples_of_the_page_are_accepted),
        TEST(the_page_names_every_key),
    };
    return cmocka_run_group_tests_name("config/jobs_file", tests, NULL, NULL);
}
