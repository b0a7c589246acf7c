/* src/results/reproduce/sweep.c - see sweep.h. The sweep has one thread, which takes blocked signals by sigtimedwait():
 * no code runs in a signal handler. */
#include "reproduce/sweep.h"
#include "reproduce/sweep_child.h"
#include "text/clock.h"
#include "text/commit.h"
#include "text/format.h"
#include "text/print.h"
#include "text/progress.h"
#include "text/version.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 512, REASON = 2048 };
#define NS_PER_S UINT64_C(1000000000)
#define REDRAW_NS UINT64_C(500000000) /* between two updates of the line on a terminal */

struct sweep {
    struct weir_plan *plan;
    const struct weir_sweep_options *options;
    struct weir_sweep_outcome *outcome;
    struct weir_child child[WEIR_JOBS_MAX];
    struct weir_progress_line line;
    uint32_t running, total, finished;
    uint64_t weight_done, busy_ns; /* sums over the points that are done: weights, and real time of their children */
    struct weir_err *err;
};

/* --- progress --- */

void weir_left_add(struct weir_left *left, double run_ns)
{
    left->runs++;
    left->all_ns += run_ns;
    left->longest_ns = run_ns > left->longest_ns ? run_ns : left->longest_ns;
}

double weir_left_ns(const struct weir_left *left, uint32_t jobs)
{
    uint32_t at_once = left->runs < jobs ? left->runs : jobs;
    double shared_ns = at_once > 0 ? left->all_ns / at_once : 0;
    return shared_ns > left->longest_ns ? shared_ns : left->longest_ns;
}

/* Returns the estimated seconds until all points have ended, from the real time of the done points; UINT64_MAX = no
 * point is done yet. */
static uint64_t seconds_left(const struct sweep *s)
{
    struct weir_left left = { 0 };
    double ns_per_weight;
    if (s->weight_done == 0)
        return UINT64_MAX;
    ns_per_weight = (double)s->busy_ns / (double)s->weight_done;
    for (uint32_t i = 0; i < s->plan->point_count; i++)
        if (s->plan->point[i].wanted && s->plan->point[i].state == WEIR_POINT_PENDING)
            weir_left_add(&left, ns_per_weight * (double)s->plan->point[i].weight);
    for (uint32_t i = 0; i < s->options->jobs; i++) {
        double all_ns, spent_ns;
        if (s->child[i].pid == 0)
            continue;
        all_ns = ns_per_weight * (double)s->child[i].point->weight;
        spent_ns = (double)(weir_wall_ns() - s->child[i].start_ns);
        weir_left_add(&left, spent_ns < all_ns ? all_ns - spent_ns : 0);
    }
    return (uint64_t)(weir_left_ns(&left, s->options->jobs) / (double)NS_PER_S);
}

/* Draws the progress line if it is due: how many points have ended, the time left, and which points run. */
static void draw(struct sweep *s)
{
    char text[LINE], left[64] = "";
    size_t at;
    if (!weir_progress_due(&s->line, weir_wall_ns()))
        return;
    if (seconds_left(s) != UINT64_MAX)
        (void)snprintf(left, sizeof(left), "  %s left", weir_format_left(seconds_left(s)).text);
    at = (size_t)snprintf(text, sizeof(text), "%s%u/%u%s ", s->line.redraw ? "" : "weir: ", (unsigned)s->finished,
                          (unsigned)s->total, left);
    for (uint32_t i = 0; i < s->options->jobs; i++)
        if (s->child[i].pid != 0 && at < sizeof(text))
            at += (size_t)snprintf(text + at, sizeof(text) - at, " %s", s->child[i].point->name);
    weir_progress_draw(&s->line, text);
}

/* Prints the figure and the name of a point, "fig6/wka-50"; for an experiment without figures only the name. */
static void name_point(const struct sweep *s, const struct weir_point *point)
{
    if (s->plan->finds_lengths)
        (void)fputs("length of ", stderr);
    else if (!s->plan->exp->implied)
        (void)fprintf(stderr, "%s/", point->figure->name);
    (void)fputs(point->name, stderr);
}

static void report_done(const struct sweep *s, const struct weir_child *child)
{
    uint64_t seconds = (weir_wall_ns() - child->start_ns) / NS_PER_S, left = seconds_left(s);
    if (s->line.redraw)
        return;
    (void)fprintf(stderr, "weir: %u/%u  ", (unsigned)s->finished, (unsigned)s->total);
    name_point(s, child->point);
    (void)fprintf(stderr, "  %s", weir_format_left(seconds).text);
    if (left != UINT64_MAX && s->finished < s->total)
        (void)fprintf(stderr, ", %s left", weir_format_left(left).text);
    (void)fputc('\n', stderr);
}

static void report_failed(struct sweep *s, const struct weir_child *child, int status)
{
    weir_progress_clear(&s->line);
    (void)fputs("weir: ", stderr);
    name_point(s, child->point);
    (void)fputs(" failed: ", stderr);
    if (WIFSIGNALED(status))
        (void)fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    else
        (void)fprintf(stderr, "exit status %d\n", WEXITSTATUS(status));
    weir_child_show(child);
}

/* --- rows of runs that are not done --- */

/* Adds a row with status `running` to the result file, so that other programs see the run, and sets child->run. The row
 * is replaced when the result is merged. */
static int note_running(const struct sweep *s, struct weir_child *child)
{
    char started[WEIR_UTC_TEXT];
    const struct weir_point *point = child->point;
    const struct weir_store_run row = { .name = point->name,
                                        .label = point->name,
                                        .started_utc = started,
                                        .weir_version = WEIR_VERSION,
                                        .commit_id = WEIR_COMMIT,
                                        .scenario = point->resolved,
                                        .experiment = s->plan->exp->origin.id,
                                        .figure = point->figure->name,
                                        .point = point->name,
                                        .threads = 1 };
    weir_utc_now(started);
    return weir_store_run_begin(s->options->store, &row, &child->run, s->err);
}

static int note_failed(const struct sweep *s, const struct weir_child *child, int status)
{
    const struct weir_store_end end = { .status = "failed" };
    char reason[REASON];
    int code;
    weir_child_said(child, reason, sizeof(reason));
    if (WIFSIGNALED(status))
        (void)snprintf(reason, sizeof(reason), "ended by signal %d", WTERMSIG(status));
    else if (reason[0] == '\0')
        (void)snprintf(reason, sizeof(reason), "exit status %d", WEXITSTATUS(status));
    code = weir_store_begin(s->options->store, s->err);
    if (code == 0)
        code = weir_store_run_end(s->options->store, child->run, &end, s->err);
    if (code == 0)
        code = weir_store_failure(s->options->store, child->run, reason, s->err);
    if (code == 0)
        code = weir_store_commit(s->options->store, s->err);
    weir_store_rollback(s->options->store);
    return code;
}

/* --- children --- */

static int start_next(struct sweep *s)
{
    struct weir_point *point = weir_plan_next(s->plan);
    uint32_t slot = 0;
    int code;
    while (s->child[slot].pid != 0)
        slot++;
    code = weir_child_start(&s->child[slot], s->plan, point, s->options->dir, slot, s->err);
    if (code != 0)
        return code;
    point->state = WEIR_POINT_RUNNING;
    s->running++;
    return note_running(s, &s->child[slot]);
}

static int start_all(struct sweep *s)
{
    int code = 0;
    while (code == 0 && s->outcome->signal == 0 && s->running < s->options->jobs && weir_plan_next(s->plan) != NULL)
        code = start_next(s);
    return code;
}

/* Tests by the wait status whether a child was killed from outside: because the system lacked memory or time, or by a
 * user. The run of such a child may be tried again. */
static bool was_ended(int status)
{
    int number = WIFSIGNALED(status)                      ? WTERMSIG(status)
                 : WEXITSTATUS(status) > WEIR_EXIT_SIGNAL ? WEXITSTATUS(status) - WEIR_EXIT_SIGNAL
                                                          : 0;
    return number == SIGKILL || number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGXCPU;
}

static int take_done(struct sweep *s, struct weir_child *child)
{
    struct weir_point *point = child->point;
    int code = weir_store_merge(s->options->store, child->part, &point->run, s->err);
    point->store = s->options->store;
    point->state = code == 0 ? WEIR_POINT_DONE : WEIR_POINT_FAILED;
    s->busy_ns += weir_wall_ns() - child->start_ns;
    s->weight_done += point->weight;
    s->outcome->done += code == 0;
    s->finished++;
    if (code == 0)
        report_done(s, child);
    return code;
}

/* Processes the end of a child. Merges the result of a child that succeeded. Otherwise the point has failed; or the
 * point is pending again, if a signal ended the sweep and so the child. */
static int take_ended(struct sweep *s, struct weir_child *child, int status)
{
    bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == WEIR_EXIT_DONE;
    int code;
    s->running--;
    child->pid = 0;
    if (ended_well) {
        code = take_done(s, child);
    } else if (s->outcome->signal != 0) {
        child->point->state = WEIR_POINT_PENDING;
        code = weir_store_run_remove(s->options->store, child->run, s->err);
    } else {
        child->point->state = WEIR_POINT_FAILED;
        s->outcome->failed++;
        s->outcome->ended += was_ended(status);
        s->finished++;
        report_failed(s, child, status);
        code = note_failed(s, child, status);
    }
    weir_child_clean(child);
    return code;
}

static int reap(struct sweep *s)
{
    int code = 0;
    for (uint32_t i = 0; i < s->options->jobs && code == 0; i++) {
        int status;
        if (s->child[i].pid != 0 && waitpid(s->child[i].pid, &status, WNOHANG) == s->child[i].pid)
            code = take_ended(s, &s->child[i], status);
    }
    return code;
}

static void signal_children(const struct sweep *s, int number)
{
    for (uint32_t i = 0; i < s->options->jobs; i++)
        if (s->child[i].pid > 0)
            (void)kill(s->child[i].pid, number);
}

/* Waits until a child ends, a signal arrives, or the progress line is due. Passes a signal on to the children: as
 * SIGTERM the first time, then as SIGKILL. */
static void wait_for_news(struct sweep *s)
{
    uint64_t now_ns = weir_wall_ns(), wait_ns = s->line.due_ns > now_ns ? s->line.due_ns - now_ns : 0;
    struct timespec until_due = { .tv_sec = (time_t)(wait_ns / NS_PER_S), .tv_nsec = (long)(wait_ns % NS_PER_S) };
    int number = sigtimedwait(&s->options->dir->awaited, NULL, &until_due);
    if (number <= 0 || number == SIGCHLD)
        return;
    signal_children(s, s->outcome->signal == 0 ? SIGTERM : SIGKILL);
    s->outcome->signal = number;
}

static int run_children(struct sweep *s)
{
    int code = start_all(s);
    while (s->running > 0 && code == 0) {
        draw(s);
        wait_for_news(s);
        code = reap(s);
        if (code == 0)
            code = start_all(s);
    }
    weir_progress_end(&s->line);
    if (code != 0) { /* results can no longer be written */
        signal_children(s, SIGKILL);
        for (uint32_t i = 0; i < s->options->jobs; i++) {
            if (s->child[i].pid == 0)
                continue;
            (void)waitpid(s->child[i].pid, NULL, 0);
            weir_child_clean(&s->child[i]);
        }
    }
    return code;
}

int weir_sweep_run(struct weir_plan *plan, const struct weir_sweep_options *options, struct weir_sweep_outcome *outcome,
                   struct weir_err *err)
{
    struct sweep *s = calloc(1, sizeof(*s));
    int code;
    *outcome = (struct weir_sweep_outcome){ 0 };
    if (s == NULL)
        return weir_fail_memory(err);
    s->plan = plan;
    s->options = options;
    s->outcome = outcome;
    s->err = err;
    weir_progress_begin(&s->line, stderr, WEIR_PROGRESS_AUTO, REDRAW_NS, weir_wall_ns());
    for (uint32_t i = 0; i < plan->point_count; i++)
        s->total += plan->point[i].wanted && plan->point[i].state == WEIR_POINT_PENDING;
    code = run_children(s);
    free(s);
    return code;
}
