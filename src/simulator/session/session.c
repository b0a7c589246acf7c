/* src/simulator/session/session.c - opens and closes sessions, and counts what happens in them. */
#include "session/session.h"
#include "config/scenario.h"
#include "core/math.h"
#include "observe/observe.h"
#include "port/programs_run.h"
#include "workload/plan.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTS_MOST = 4096 /* bytes */ };

/* ---- errors ---- */

int session_fail(struct weir_sim *sim, int code, const char *hint, const char *format, ...)
{
    va_list args;
    if (session_in_visit(sim) && sim->engine->thread_count > 1)
        return code; /* other threads may be in call-backs, too */
    sim->error = (struct weir_sim_error){ .code = code };
    va_start(args, format);
    (void)vsnprintf(sim->error.text, sizeof(sim->error.text), format, args);
    va_end(args);
    if (hint != NULL)
        (void)snprintf(sim->error.hint, sizeof(sim->error.hint), "%s", hint);
    return code;
}

int session_blame_run(struct weir_sim *sim, int code, const struct weir_err *err)
{
    return session_blame(&sim->error, code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : WEIR_SIM_E_RUN, err);
}

const struct weir_sim_error *weir_sim_error(const struct weir_sim *sim)
{
    return &sim->error;
}

uint32_t weir_sim_abi_version(void)
{
    return WEIR_SIM_ABI_VERSION;
}

/* ---- opening ---- */

bool session_take(void *to, size_t size, const void *from, uint32_t given, size_t least)
{
    const unsigned char *bytes = from;
    if (given < least || given > OPTS_MOST)
        return false;
    for (size_t i = size; i < given; i++)
        if (bytes[i] != 0)
            return false;
    memcpy(to, from, given < size ? given : size);
    return true;
}

static int read_opts(struct weir_sim *sim, const struct weir_sim_opts *opts, struct weir_err *err)
{
    if (opts != NULL && !session_take(&sim->opts, sizeof(sim->opts), opts, opts->size, SESSION_OPTS_LEAST))
        return weir_fail(err, WEIR_E_RANGE, NULL, "set opts.size to sizeof(struct weir_sim_opts)", "opts.size is %u",
                         opts->size);
    if (sim->opts.reaction_ps >= UINT64_C(1) << 62)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "opts.reaction_ps = %llu: times are below 2^62 ps",
                         (unsigned long long)sim->opts.reaction_ps);
    if (sim->opts.reserved != 0)
        return weir_fail(err, WEIR_E_RANGE, NULL, "set fields that are not needed to 0", "opts.reserved is %u",
                         sim->opts.reserved);
    if (sim->opts.threads == 0)
        sim->opts.threads = 1;
    if (sim->opts.events == 0)
        sim->opts.events = WEIR_SIM_DELIVERED | WEIR_SIM_TIMER;
    if ((sim->opts.events & ~(uint32_t)(WEIR_SIM_DELIVERED | WEIR_SIM_COMPLETED | WEIR_SIM_TIMER)) != 0)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "opts.events = %u: bits of enum weir_sim_event_kind, up to 7",
                         sim->opts.events);
    return 0;
}

/* Begins to record calls, if the program wants that. @return 0, or a code with err */
static int begin_record(struct weir_sim *sim, const char *text, size_t length, struct weir_err *err)
{
    if (sim->opts.record == 0)
        return 0;
    if (memchr(text, '\0', length) != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "opts.record needs one in UTF-8",
                         "the scenario has a NUL character, so it cannot be saved");
    sim->record = session_record_new(text, length, &sim->opts);
    return sim->record == NULL ? weir_fail_memory(err) : 0;
}

static int read_scenario(struct weir_sim *sim, const char *text, size_t length, struct weir_err *err)
{
    int code;
    sim->own = calloc(1, sizeof(*sim->own));
    if (sim->own == NULL)
        return weir_fail_memory(err);
    sim->scn = &sim->own->scn;
    sim->setup = &sim->own->setup;
    code = session_parse(sim->scn, sim->opts.name, sim->opts.set, text, length, err);
    if (code != 0)
        return code;
    sim->scn->is_session = true;
    if (sim->scn->run.measure_ps == WEIR_MEASURE_AUTO) {
        code = weir_fail(err, WEIR_E_CONFLICT, &sim->scn->where_run, "for example run.measure: 10 ms, or all",
                         "run.measure: auto is for runs, and a session ends when its program says so");
        weir_scenario_free(sim->scn);
        return code;
    }
    code = weir_setup_init(sim->setup, sim->scn, err);
    sim->own->is_set_up = code == 0;
    if (code != 0)
        weir_scenario_free(sim->scn);
    return code;
}

/* Returns the shortest delay of a cable. */
static uint64_t shortest_delay_ps(const struct weir_topology *topo)
{
    uint64_t least_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < topo->link_count; i++)
        least_ps = weir_min_u64(least_ps, topo->link[i].delay_ps);
    return weir_max_u64(least_ps, 1);
}

/* Gives every host an inbox, and lets hosts make notes. */
static bool join_engine(struct weir_sim *sim)
{
    struct sim_engine *e = sim->engine;
    uint64_t *reaction_ps = &e->lookahead_ps[SIM_GROUP_HOSTS][SIM_GROUP_HOSTS];
    sim->noted = calloc(e->thread_count, sizeof(*sim->noted));
    if (sim->noted == NULL || !weir_sim_inboxes(e))
        return false;
    sim->inbox = e->account.inbox;
    e->account.session = (struct weir_account_inbox){
        .noted = session_noted, .began = session_began, .timer = session_timer_due, .ctx = sim
    };
    e->pause = &sim->pause;
    sim->pause.on_note = true;
    *reaction_ps = weir_min_u64(*reaction_ps, sim->opts.reaction_ps);
    return true;
}

int session_open_engine(struct weir_sim *sim, struct weir_err *err)
{
    int code;
    if (sim->opts.reaction_ps == 0)
        sim->opts.reaction_ps = shortest_delay_ps(&sim->setup->topo);
    sim->lead_ps = session_lead_ps(sim->setup);
    sim->engine = calloc(1, sizeof(*sim->engine));
    if (sim->engine == NULL)
        return weir_fail_memory(err);
    code = weir_sim_engine_init(sim->engine, &sim->setup->model, &sim->run, err);
    if (code == 0 && !join_engine(sim)) {
        weir_sim_engine_free(sim->engine);
        code = weir_fail_memory(err);
    }
    if (code != 0) {
        free(sim->engine);
        sim->engine = NULL;
    }
    return code;
}

/* Finds the items of kind session, and the weights that they announce. */
static void find_items(struct weir_sim *sim)
{
    struct weir_err err;
    WEIR_ASSERT(sim->scn != NULL);
    for (uint32_t i = 0; i < sim->scn->traffic_count; i++) {
        int code;
        if (sim->scn->traffic[i].kind != WEIR_TRAFFIC_SESSION)
            continue;
        code = weir_plan_weights(&sim->scn->traffic[i], &sim->least_q20[i], &sim->most_q20[i], &err);
        WEIR_ASSERT(code == 0); /* the set-up has read them */
        sim->item[sim->items++] = (uint8_t)i;
    }
}

/* Frees the engine. @return the number of its threads */
static uint32_t free_engine(struct weir_sim *sim)
{
    uint32_t threads = sim->engine != NULL ? sim->engine->thread_count : 0;
    if (sim->engine != NULL)
        weir_sim_engine_free(sim->engine);
    free(sim->engine);
    return threads;
}

static void free_own(struct session_own *own)
{
    if (own != NULL && own->is_set_up) {
        weir_setup_free(&own->setup);
        weir_scenario_free(&own->scn);
    }
    free(own);
}

void session_free(struct weir_sim *sim)
{
    uint32_t threads = free_engine(sim);
    for (uint32_t t = 0; sim->noted != NULL && t < threads; t++)
        weir_sim_row_log_free(&sim->noted[t]);
    free_own(sim->own);
    free(sim->noted);
    free(sim->note);
    free(sim->handed);
    free(sim->timers.entry);
    free(sim->timer);
    free(sim->cable);
    free(sim->node);
    free(sim->metric);
    free(sim->metric_name);
    free(sim->link);
    free(sim->host);
    free(sim->left_bytes);
    session_record_free(sim->record);
    weir_result_free(&sim->result);
    free(sim);
}

/* Sets up what read_scenario() has read. @return 0, or a code with err */
static int open_session(struct weir_sim *sim, struct weir_err *err)
{
    find_items(sim);
    sim->run =
        (struct weir_sim_options){ .threads = sim->opts.threads, .check = sim->opts.check != 0, .stop = &sim->stop };
    return session_open_engine(sim, err);
}

struct weir_sim *weir_sim_open(const char *text, size_t length, const struct weir_sim_opts *opts,
                               struct weir_sim_error *error)
{
    struct weir_sim *sim = calloc(1, sizeof(*sim));
    struct weir_err err = { 0 };
    struct weir_sim_error why = { 0 };
    int code = sim == NULL ? weir_fail_memory(&err) : read_opts(sim, opts, &err), answer = WEIR_SIM_E_ARGUMENT;
    if (code == 0) {
        WEIR_ASSERT(sim != NULL);
        answer = WEIR_SIM_E_SCENARIO;
        code = begin_record(sim, text, length, &err);
        if (code == 0)
            code = read_scenario(sim, text, length, &err);
        if (code == 0)
            code = open_session(sim, &err);
    }
    if (code == 0)
        return sim;
    (void)session_blame(&why, code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : answer, &err);
    if (error != NULL)
        *error = why;
    if (sim != NULL)
        session_free(sim);
    return NULL;
}

/* ---- what is there, and what has happened ---- */

uint64_t weir_sim_now(const struct weir_sim *sim)
{
    return sim->now_ps;
}

uint64_t weir_sim_floor(const struct weir_sim *sim)
{
    return session_in_visit(sim) ? session_visit.now_ps : sim->floor_ps;
}

uint64_t weir_sim_reaction(const struct weir_sim *sim)
{
    return sim->opts.reaction_ps;
}

uint64_t weir_sim_lead(const struct weir_sim *sim)
{
    return sim->lead_ps;
}

uint32_t weir_sim_hosts(const struct weir_sim *sim)
{
    return sim->setup->topo.host_count;
}

static struct weir_sim_counts count(const struct weir_sim *sim)
{
    const struct sim_engine *e = sim->engine;
    struct weir_sim_counts c = { .over = e->over, .now_ps = sim->now_ps };
    for (uint32_t t = 0; t < e->thread_count; t++) {
        const struct weir_account_shard *shard = &e->account.shard[t];
        c.messages_started += shard->started;
        c.messages_delivered += shard->delivered;
        c.messages_completed += shard->finished;
        c.bytes_started += shard->started_bytes;
        c.bytes_delivered += shard->delivered_bytes;
        c.digest += shard->digest;
        c.packet_hops += e->thread[t].hops;
        c.state_bytes += e->thread[t].arena.used_bytes;
    }
    c.state_bytes += sim->setup->topo.link_count * sizeof(struct sim_link);
    return c;
}

static void give_counts(struct weir_sim_counts *to, const struct weir_sim_counts *from)
{
    uint32_t size = to->size;
    memcpy(to, from, size < sizeof(*from) ? size : sizeof(*from));
    to->size = size;
}

int weir_sim_counts(struct weir_sim *sim, struct weir_sim_counts *counts)
{
    struct weir_sim_counts now;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot ask for counts: other hosts are at work");
    if (counts->size < sizeof(counts->size))
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, "set counts.size to sizeof(struct weir_sim_counts)",
                            "counts.size is %u", counts->size);
    now = sim->ended ? sim->last : count(sim);
    give_counts(counts, &now);
    return 0;
}

/* ---- closing ---- */

bool session_is_done(const struct weir_sim *sim)
{
    const struct sim_engine *e = sim->engine;
    struct sim_given given = { 0 };
    uint64_t due = 0, ended = 0;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        const struct weir_account_shard *shard = &e->account.shard[t];
        sim_given_add(&given, &e->thread[t].given);
        ended += shard->delivered + shard->lost + shard->unasked;
        for (uint32_t g = 0; g < SIM_GROUPS; g++)
            due += e->thread[t].due_ps[g] != WEIR_NEVER;
    }
    return due == 0 || (e->end_ps == WEIR_NEVER && sim_all_ended(e, &given, ended));
}

/* Ends the run, if it is not over. If messages have not ended, it ends as an interrupted run does; else as `weir run`
 * would, with the timers of hosts that are left. */
static int end_run(struct weir_sim *sim, struct weir_err *err)
{
    struct sim_engine *e = sim->engine;
    int code = 0;
    if (!e->over && !session_is_done(sim)) { /* hosts may have gone on to the floor, one more and one less */
        sim->pause.on_note = false;
        sim->pause.at_ps = sim->floor_ps;
        code = weir_sim_engine_go(e, err);
        sim->stop = 1;
    }
    sim->pause.closing = true;
    sim->pause.at_ps = WEIR_NEVER;
    return code != 0 || e->over ? code : weir_sim_engine_go(e, err);
}

int session_end(struct weir_sim *sim)
{
    struct weir_err err = { 0 };
    int code;
    WEIR_ASSERT(!sim->ended && !sim->failed);
    code = end_run(sim, &err);
    if (code == 0 && !session_collect(sim))
        code = weir_fail_memory(&err);
    if (code == 0) {
        sim->last = count(sim);
        weir_sim_finish(sim->engine, &sim->result);
        code = weir_sim_engine_verdict(sim->engine, &err);
        sim->last.over = 1;
        sim->last.digest = sim->result.digest;
    }
    sim->ended = code == 0;
    sim->failed = code != 0;
    return code == 0 ? 0 : session_blame_run(sim, code, &err);
}

void session_leave(struct sim_engine *e)
{
    struct weir_err err = { 0 };
    if (e->over || e->ids == NULL)
        return;
    e->thread[0].failed = WEIR_E_MEMORY;
    (void)weir_sim_engine_go(e, &err);
    WEIR_ASSERT(e->over);
}

int weir_sim_close(struct weir_sim *sim, struct weir_sim_counts *counts, struct weir_sim_error *error)
{
    int answer = 0;
    if (sim == NULL)
        return 0;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot close its session");
    if (sim->failed) {
        answer = sim->error.code;
        session_leave(sim->engine);
    }
    if (!sim->failed && !sim->ended)
        answer = session_end(sim);
    if (answer == 0 && counts != NULL)
        give_counts(counts, &sim->last);
    if (error != NULL && answer != 0)
        *error = sim->error;
    session_free(sim);
    return answer;
}
