/* test/unit/reproduce/test_sweep.c - how long what is left of a sweep will take. The clock, the result file and the runs
 * are those of the tests (wrapped, see meson.build); a run is a child that ends at once, or when it is let go. */
#include "test/unit/weir_test.h"
#include "reproduce/sweep.h"
#include "reproduce/sweep_child.h"
#include "text/clock.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define S UINT64_C(1000000000)

static uint64_t now_ns, first_end_ns; /* first_end_ns: when the first run ends */
static uint32_t ends_first;           /* slot of the run that does */
static int gate[2];                   /* runs of other slots end when gate[1] is closed */
static uint32_t started, merged;

uint64_t __wrap_weir_wall_ns(void);
int __wrap_weir_child_start(struct weir_child *child, const struct weir_plan *plan, struct weir_point *point,
                            const struct weir_sweep_dir *dir, uint32_t slot, struct weir_err *err);
void __wrap_weir_child_clean(const struct weir_child *child);
int __wrap_weir_store_run_begin(struct weir_store *store, const struct weir_store_run *run, int64_t *id,
                                struct weir_err *err);
int __wrap_weir_store_merge(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err);

uint64_t __wrap_weir_wall_ns(void)
{
    return now_ns;
}

/* The first two runs start 20 s apart. */
int __wrap_weir_child_start(struct weir_child *child, const struct weir_plan *plan, struct weir_point *point,
                            const struct weir_sweep_dir *dir, uint32_t slot, struct weir_err *err)
{
    char byte;
    (void)plan, (void)dir, (void)err;
    now_ns = started == 1 ? 20 * S : now_ns;
    started++;
    *child = (struct weir_child){ .point = point, .start_ns = now_ns, .pid = fork() };
    if (child->pid != 0)
        return child->pid > 0 ? 0 : WEIR_E_RUN;
    (void)close(gate[1]);
    if (slot != ends_first)
        (void)!read(gate[0], &byte, 1);
    _exit(0);
}

void __wrap_weir_child_clean(const struct weir_child *child)
{
    (void)child;
}

int __wrap_weir_store_run_begin(struct weir_store *store, const struct weir_store_run *run, int64_t *id,
                                struct weir_err *err)
{
    (void)store, (void)run, (void)err;
    *id = started;
    return 0;
}

int __wrap_weir_store_merge(struct weir_store *store, const char *path, int64_t *last, struct weir_err *err)
{
    (void)store, (void)path, (void)err;
    *last = ++merged;
    if (merged == 1) {
        now_ns = first_end_ns;
        (void)close(gate[1]);
    }
    return 0;
}

static void runs_share_jobs_but_no_run_is_shared(void **state)
{
    struct weir_left left = { 0 };
    (void)state;
    assert_true(weir_left_ns(&left, 8) == 0);
    weir_left_add(&left, 10);
    assert_true(weir_left_ns(&left, 8) == 10); /* not 10 / 8 */
    weir_left_add(&left, 4);
    assert_true(weir_left_ns(&left, 8) == 10);
    assert_true(weir_left_ns(&left, 1) == 14);
    weir_left_add(&left, 10);
    assert_true(weir_left_ns(&left, 2) == 12);
}

/* Runs three points of these weights; said[] gets what is printed on stderr. */
static void sweep(uint32_t jobs, const uint64_t weight[3], char *said, size_t size)
{
    static const struct weir_figure figure = { .name = "f" };
    static const char *const name[] = { "a", "b", "c" };
    struct weir_experiment *exp = calloc(1, sizeof(*exp));
    struct weir_point point[3];
    struct weir_plan plan = { .exp = exp, .point = point, .point_count = 3 };
    struct weir_sweep_dir dir = { .is_open = true };
    struct weir_sweep_options options = { .dir = &dir, .jobs = jobs };
    struct weir_sweep_outcome outcome;
    struct weir_err err;
    FILE *out = tmpfile();
    int home = dup(STDERR_FILENO), code;
    size_t length;
    assert_true(exp != NULL && out != NULL && home >= 0 && pipe(gate) == 0);
    exp->implied = true;
    for (uint32_t i = 0; i < 3; i++)
        point[i] = (struct weir_point){
            .figure = &figure, .name = name[i], .weight = weight[i], .wanted = true, .state = WEIR_POINT_PENDING
        };
    now_ns = started = merged = 0;
    (void)sigemptyset(&dir.awaited);
    (void)sigaddset(&dir.awaited, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &dir.awaited, &dir.outside);
    assert_true(dup2(fileno(out), STDERR_FILENO) >= 0);
    code = weir_sweep_run(&plan, &options, &outcome, &err);
    (void)fflush(stderr);
    (void)dup2(home, STDERR_FILENO);
    (void)sigprocmask(SIG_SETMASK, &dir.outside, NULL);
    (void)close(home);
    (void)close(gate[0]);
    rewind(out);
    length = fread(said, 1, size - 1, out);
    said[length] = '\0';
    (void)fclose(out);
    free(exp);
    assert_int_equal(code, 0);
    assert_int_equal(outcome.done, 3);
}

/* Two of three runs are on, and one ends. Its time and its weight say what the other one still needs, which has run for a
 * while, and what the third one will take. */
static void what_is_left_counts_the_runs_of_all_jobs(void **state)
{
    static const struct {
        uint32_t jobs, ends_first;
        uint64_t end_s, weight[3];
        const char *line;
    } table[] = {
        /* b took 100 s: 10 s per weight. a needs 200 s and has run for 120 s, c needs 30 s */
        { 2, 1, 120, { 20, 10, 3 }, "weir: 1/3  b  1 min 40 s, 1 min 20 s left\n" },
        /* a took 40 s: 4 s per weight. b needs 40 s and has run for 20 s, c needs 12 s */
        { 2, 0, 40, { 10, 10, 3 }, "weir: 1/3  a  40 s, 20 s left\n" },
        /* b took 100 s: a has run for as long as it needs, and c needs 30 s */
        { 2, 1, 120, { 12, 10, 3 }, "weir: 1/3  b  1 min 40 s, 30 s left\n" },
        /* the most jobs: c has run, too, for longer than it needs */
        { WEIR_JOBS_MAX, 1, 120, { 20, 10, 3 }, "weir: 1/3  b  1 min 40 s, 1 min 20 s left\n" },
    };
    char said[1024];
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        ends_first = table[i].ends_first;
        first_end_ns = table[i].end_s * S;
        sweep(table[i].jobs, table[i].weight, said, sizeof(said));
        if (strncmp(said, table[i].line, strlen(table[i].line)) != 0)
            fail_msg("%s", said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_share_jobs_but_no_run_is_shared),
        cmocka_unit_test(what_is_left_counts_the_runs_of_all_jobs),
    };
    return cmocka_run_group_tests_name("reproduce/sweep", tests, NULL, NULL);
}
