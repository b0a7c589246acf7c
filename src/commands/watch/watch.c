/* src/commands/watch/watch.c - see watch.h. One thread: between two steps of the run the server is polled. */
#include "watch/watch.h"
#include "core/assert.h"
#include "config/dump.h"
#include "core/math.h"
#include "output/network_json.h"
#include "param/number.h"
#include "session/drive.h"
#include "text/clock.h"
#include "text/memory.h"
#include "text/version.h"
#include "watch/frame.h"
#include "watch/state.h"
#include "watch/server.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, WAIT_MS = 200 };
#define TICK_NS UINT64_C(40000000)       /* between steps that are paced */
#define STEP_PS (10 * UINT64_C(1000000)) /* of a run whose length is not known */

/* ---- opening ---- */

int weir_watch_open(struct weir_watch **watch, const struct weir_watch_options *options, struct weir_err *err)
{
    struct weir_watch *w = calloc(1, sizeof(*w));
    struct weir_server_calls calls = { .page_length = options->page_length, .command = weir_watch_command, .ctx = w };
    int code;
    *watch = NULL;
    if (w == NULL)
        return weir_fail_memory(err);
    calls.page = w->page = malloc(options->page_length);
    if (w->page == NULL) {
        free(w);
        return weir_fail_memory(err);
    }
    memcpy(w->page, options->page, options->page_length);
    code = weir_server_open(&w->server, options->port, &calls, err);
    if (code == 0 && options->timeline != NULL)
        code = weir_outfile_open(&w->out, options->timeline, options->keep, err);
    if (code == 0)
        *watch = w;
    else
        weir_watch_close(w);
    return code;
}

void weir_watch_close(struct weir_watch *w)
{
    if (w == NULL)
        return;
    weir_server_close(w->server);
    weir_outfile_abandon(&w->out);
    weir_timeline_free(&w->done);
    free(w->about.bytes);
    free(w->plain);
    free(w->page);
    free(w);
}

/* Tests whether a cable, a switch or a host was taken down or up. */
static bool was_cut(const struct weir_timeline *done)
{
    for (uint32_t i = 0; i < done->count; i++)
        if (done->action[i].kind != WEIR_ACTION_WEIGHT)
            return true;
    return false;
}

const char *weir_watch_scenario(const struct weir_watch *w)
{
    return was_cut(&w->done) ? NULL : w->plain;
}

const struct weir_timeline *weir_watch_done(const struct weir_watch *w)
{
    return &w->done;
}

static void print_scenario(FILE *out, const void *scn)
{
    weir_scenario_dump(out, scn);
}

int weir_watch_announce(struct weir_watch *w, struct weir_scenario *scn, struct weir_setup *setup, const char *file,
                        const struct weir_override *set, uint32_t count, struct weir_err *err)
{
    /* what a timeline would announce that has each kind of change once */
    struct weir_action action[2];
    struct weir_timeline all = { .action = action };
    int code;
    w->plain = weir_memory_text(print_scenario, scn);
    if (w->plain == NULL)
        return weir_fail_memory(err);
    w->can_cut = setup->model.event_count == 0;
    w->can_weigh = weir_setup_knows_weights(setup);
    if (w->can_cut)
        action[all.count++] = (struct weir_action){ .kind = WEIR_ACTION_CUT };
    if (w->can_weigh)
        action[all.count++] = (struct weir_action){ .kind = WEIR_ACTION_WEIGHT, .weight_q20 = WEIR_WEIGHT_ONE };
    weir_setup_free(setup);
    weir_scenario_free(scn);
    *setup = (struct weir_setup){ .scn = scn }; /* for the caller to free, whatever follows */
    code = weir_timeline_load(&all, scn, file, set, count, err);
    if (code != 0) {
        memset(scn, 0, sizeof(*scn));
        return code;
    }
    code = weir_setup_init(setup, scn, err);
    if (code == 0)
        weir_setup_track(setup);
    else
        *setup = (struct weir_setup){ .scn = scn };
    return code;
}

/* ---- what the page gets ---- */

/* Describes the run, once. @return false = no memory */
static bool describe(struct weir_watch *w)
{
    const struct weir_setup *s = w->frames.setup;
    const struct weir_jobs *jobs = s->workload.jobs;
    struct weir_json json = weir_json_line(weir_memory_open(&w->about));
    if (json.out == NULL)
        return false;
    weir_json_open(&json, NULL);
    weir_json_string(&json, "name", s->scn->name);
    weir_json_string(&json, "protocol", s->scn->protocol->name);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_u64(&json, "hosts", s->topo.host_count);
    weir_json_u64(&json, "warmup_ps", s->model.warmup_ps);
    if (w->end_ps == WEIR_NEVER)
        weir_json_null(&json, "end_ps");
    else
        weir_json_u64(&json, "end_ps", w->end_ps);
    weir_json_u64(&json, "step_ps", w->step_ps);
    weir_json_bool(&json, "can_cut", w->can_cut);
    weir_json_bool(&json, "can_weigh", w->can_weigh);
    weir_json_open_list(&json, "jobs");
    for (uint32_t j = 0; j < weir_frames_jobs(jobs); j++) {
        weir_json_open(&json, NULL);
        weir_json_string(&json, "name", jobs->job[j].name);
        weir_json_u64(&json, "flows", jobs->job[j].count);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_network_json(&json, &s->topo);
    weir_json_close(&json);
    return weir_memory_close(&w->about);
}

static const char *state_of(const struct weir_watch *w)
{
    if (w->is_over)
        return "over";
    return w->plays ? "running" : "paused";
}

/* Sends what a page that has just opened needs to know first: what the run is. */
static bool greet(struct weir_watch *w, uint32_t viewer)
{
    if (!weir_server_send(w->server, "about", w->about.bytes, w->about.length))
        return false;
    w->viewer = viewer;
    w->confirmed = w->sent = w->frames.number;
    w->is_reported = false;
    w->news = true;
    if (!w->is_over)
        weir_frames_restart(&w->frames);
    return true;
}

/* Sends how the run has ended, and what was done. @return false = no memory */
static bool report_end(struct weir_watch *w)
{
    struct weir_memory text;
    char *lines = weir_timeline_text(&w->done), digest[17];
    if (weir_memory_open(&text) != NULL) {
        struct weir_json json = weir_json_line(text.file);
        (void)snprintf(digest, sizeof(digest), "%016" PRIx64, w->digest);
        weir_json_open(&json, NULL);
        weir_json_string(&json, "digest", digest);
        weir_json_string(&json, "timeline", lines);
        weir_json_close(&json);
    }
    w->is_reported =
        weir_memory_close(&text) && lines != NULL && weir_server_send(w->server, "end", text.bytes, text.length);
    free(text.bytes);
    free(lines);
    return w->is_reported;
}

/* Sends the next of what the page lacks, if it has confirmed what came before. @return false = no memory */
static bool show(struct weir_watch *w)
{
    uint32_t viewer = weir_server_viewer(w->server);
    if (viewer == 0 || !weir_server_is_idle(w->server))
        return true;
    if (viewer != w->viewer)
        return greet(w, viewer);
    if (w->confirmed < w->sent)
        return true;
    if (w->news) {
        w->news = false;
        if (!w->is_closed)
            weir_frames_make(&w->frames, state_of(w));
        w->sent = w->frames.number;
        return weir_server_send(w->server, "frame", w->frames.text, w->frames.length);
    }
    return w->is_closed && !w->is_reported ? report_end(w) : true;
}

/* ---- the run ---- */

/* Keeps messages for frames, and passes them on to files of the run. */
static int take_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    struct weir_watch *w = ctx;
    weir_frames_rows(&w->frames, row, count);
    return w->rows != NULL ? w->rows(w->rows_ctx, row, count) : 0;
}

/* Returns for how long nothing is to be simulated. */
static uint32_t pause_ms(const struct weir_watch *w)
{
    uint64_t now_ns = weir_wall_ns();
    if (w->steps > 0)
        return 0;
    if (!w->plays || w->viewer == 0)
        return WAIT_MS;
    return w->is_paced && w->next_ns > now_ns ? (uint32_t)((w->next_ns - now_ns) / 1000000) + 1 : 0;
}

/* Simulates a step. @return 0, or a code with err */
static int step(struct weir_watch *w, struct weir_err *err)
{
    uint64_t until_ps = weir_min_u64(weir_sim_now(w->sim) + w->step_ps, w->end_ps);
    int code = weir_drive_until(w->sim, until_ps, err);
    w->steps -= w->steps > 0;
    w->next_ns = weir_wall_ns() + TICK_NS;
    w->news = true;
    return code;
}

static bool is_at_end(const struct weir_watch *w)
{
    return weir_drive_is_over(w->sim) || weir_drive_is_done(w->sim);
}

/* Simulates as the page wants, to the end of the run. @return 0, or a code with err */
static int play(struct weir_watch *w, const volatile int *stop, struct weir_err *err)
{
    int code = 0;
    while (code == 0 && *stop == 0 && !is_at_end(w)) {
        uint32_t wait_ms = pause_ms(w);
        weir_server_poll(w->server, wait_ms);
        if (!show(w))
            return weir_fail_memory(err);
        if (pause_ms(w) == 0)
            code = step(w, err);
    }
    return code;
}

/* Shows the end of the run until a signal comes. @return 0, or a code with err */
static int stay(struct weir_watch *w, const volatile int *stop, struct weir_err *err)
{
    while (*stop == 0) {
        if (!show(w))
            return weir_fail_memory(err);
        weir_server_poll(w->server, WAIT_MS);
    }
    return 0;
}

static int run(struct weir_watch *w, const volatile int *stop, struct weir_result *result, struct weir_err *err)
{
    int code = play(w, stop, err);
    if (code != 0)
        return code;
    w->is_over = true;
    weir_frames_make(&w->frames, state_of(w)); /* the last one: frames read the state of the run, which ends */
    w->news = true;
    code = weir_drive_finish(w->sim, result, err);
    w->is_closed = true;
    w->digest = result->digest;
    return code != 0 ? code : stay(w, stop, err);
}

/* Writes what was done into its file. @return 0, or a code with err */
static int write_timeline(struct weir_watch *w, struct weir_err *err)
{
    if (w->out.file == NULL)
        return 0;
    weir_timeline_write(w->out.file, &w->done);
    return weir_outfile_commit(&w->out, err);
}

int weir_watch_run(struct weir_watch *w, struct weir_setup *setup, const struct weir_sim_options *options,
                   struct weir_result *result, struct weir_err *err)
{
    struct weir_sim_options own = *options;
    int code = weir_frames_init(&w->frames, setup, err);
    *result = (struct weir_result){ .threads = options->threads, .ranks = 1 };
    if (code != 0)
        return code;
    WEIR_ASSERT(options->stop != NULL);
    w->rows = options->rows;
    w->rows_ctx = options->rows_ctx;
    own.rows = take_rows;
    own.rows_ctx = w;
    w->end_ps = setup->model.until_done ? WEIR_NEVER : setup->model.warmup_ps + setup->model.measure_ps;
    w->step_ps = w->end_ps == WEIR_NEVER ? STEP_PS : weir_max_u64(w->end_ps / STEPS, 1);
    w->is_paced = true;
    w->sim = weir_drive_open(setup, &own, err);
    w->frames.sim = w->sim;
    code = w->sim == NULL ? (int)err->code : describe(w) ? 0 : weir_fail_memory(err);
    if (code == 0) {
        if (options->began != NULL)
            options->began(options->began_ctx);
        (void)fprintf(stderr, "weir: the run begins when a browser shows %s; Ctrl-C ends it\n",
                      weir_server_address(w->server));
        code = run(w, options->stop, result, err);
    }
    if (code == 0)
        code = write_timeline(w, err);
    weir_drive_close(w->sim);
    weir_frames_free(&w->frames);
    return code;
}
