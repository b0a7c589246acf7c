/* src/simulator/session/play.c - see play.h. The table of calls is here: a new call is a row and a function. */
#include "session/play.h"
#include "config/tree.h"
#include "session/session.h"
#include "workload/text.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NANO = 1000000000 };

static bool has(const struct weir_session_args *args, uint32_t bit)
{
    return (args->given & bit) != 0;
}

__attribute__((format(printf, 4, 5))) static int refuse(struct weir_session_player *p, int code, const char *hint,
                                                        const char *format, ...)
{
    va_list args;
    p->error = (struct weir_sim_error){ .code = code };
    va_start(args, format);
    (void)vsnprintf(p->error.text, sizeof(p->error.text), format, args);
    va_end(args);
    (void)snprintf(p->error.hint, sizeof(p->error.hint), "%s", hint != NULL ? hint : "");
    return code;
}

/* Takes the error of a call of the session. @return code */
static int after(struct weir_session_player *p, long code)
{
    if (code >= 0)
        return 0;
    p->error = *weir_sim_error(*p->sim);
    WEIR_ASSERT(p->error.code == code || code == WEIR_SIM_E_RUN);
    return (int)code;
}

/* ---- opening and closing ---- */

/* Returns the bits of the kinds of events; 0 with an error. */
static uint32_t read_events(struct weir_session_player *p, const char *const *events)
{
    uint32_t bits = 0;
    for (; *events != NULL; events++) {
        uint32_t kind = WEIR_SIM_DELIVERED;
        while (kind <= WEIR_SIM_TIMER && strcmp(weir_session_event_name(kind), *events) != 0)
            kind <<= 1;
        if (kind > WEIR_SIM_TIMER) {
            (void)refuse(p, WEIR_SIM_E_ARGUMENT, NULL, "events: '%.80s' is none of delivered, completed, timer",
                         *events);
            return 0;
        }
        bits |= kind;
    }
    if (bits == 0)
        (void)refuse(p, WEIR_SIM_E_ARGUMENT, NULL, "events: the list is empty");
    return bits;
}

static int run_open(struct weir_session_player *p, const struct weir_session_args *a)
{
    struct weir_sim_opts opts = p->base;
    if (*p->sim != NULL)
        return refuse(p, WEIR_SIM_E_CALL, "close it first", "a session is open already");
    if (has(a, WEIR_SESSION_BIT(FORMAT)) && a->format != WEIR_SESSION_FORMAT_NUMBER)
        return refuse(p, WEIR_SIM_E_FILE, NULL,
                      "format %" PRIu32 ", written by weir %.40s: this version reads format %d", a->format,
                      has(a, WEIR_SESSION_BIT(WEIR)) ? a->weir : "(not said)", WEIR_SESSION_FORMAT_NUMBER);
    if (a->call_backs && p->base.on_event == NULL)
        return refuse(p, WEIR_SIM_E_ARGUMENT, "opts.on_event: it is called again",
                      "the session had a call-back, and there "
                      "is none now");
    if (has(a, WEIR_SESSION_BIT(EVENTS)) && (opts.events = read_events(p, a->events)) == 0)
        return p->error.code;
    opts.size = sizeof(opts);
    opts.threads = opts.threads == 0 ? a->threads : opts.threads;
    opts.name = opts.name == NULL ? a->name : opts.name;
    opts.set = has(a, WEIR_SESSION_BIT(SET)) ? a->set : opts.set;
    opts.reaction_ps = has(a, WEIR_SESSION_BIT(REACTION)) ? a->reaction_ps : opts.reaction_ps;
    opts.check |= a->check;
    opts.record |= a->record;
    *p->sim = weir_sim_open(a->scenario, strlen(a->scenario), &opts, &p->error);
    p->messages = 0;
    p->givens = 0;
    return *p->sim == NULL ? p->error.code : 0;
}

static int run_restore(struct weir_session_player *p, const struct weir_session_args *a)
{
    if (*p->sim != NULL)
        return refuse(p, WEIR_SIM_E_CALL, "close it first", "a session is open already");
    return weir_session_play_file(p, a->file);
}

static int run_save(struct weir_session_player *p, const struct weir_session_args *a)
{
    return after(p, weir_sim_save(*p->sim, a->file));
}

static int run_close(struct weir_session_player *p, const struct weir_session_args *a)
{
    struct weir_sim *sim = *p->sim;
    (void)a;
    p->counts = (struct weir_sim_counts){ .size = sizeof(p->counts) };
    *p->sim = NULL;
    return weir_sim_close(sim, &p->counts, &p->error);
}

/* ---- messages and timers ---- */

/* Tests whether a message has not ended: its row is still its own. */
static bool is_open(const struct weir_sim *sim, uint64_t id)
{
    uint32_t host = SESSION_HOST_OF(id), row = SESSION_ROW_OF(id);
    return session_id(host, row, weir_inbox_row(&sim->inbox[host], row)->epoch) == id;
}

/* Makes room for one more message. Those that have ended are forgotten. @return false = no memory */
static bool given_room(struct weir_session_player *p)
{
    size_t kept = 0, room = p->given_room == 0 ? 64 : 2 * p->given_room;
    struct weir_session_given *larger;
    if (p->givens < p->given_room)
        return true;
    for (size_t i = 0; i < p->givens; i++)
        if (is_open(*p->sim, p->given[i].id))
            p->given[kept++] = p->given[i];
    p->givens = kept;
    if (kept <= p->given_room / 2 && p->given_room > 0)
        return true;
    larger = realloc(p->given, room * sizeof(*larger));
    if (larger == NULL)
        return false;
    p->given = larger;
    p->given_room = room;
    return true;
}

static int run_inject(struct weir_session_player *p, const struct weir_session_args *a)
{
    struct weir_sim_message m = { .size = sizeof(m),
                                  .src = a->src,
                                  .dst = a->dst,
                                  .item = a->item,
                                  .bytes = a->bytes,
                                  .start_ps = a->start_ps,
                                  .user = a->user,
                                  .weight = (double)a->weight_e9 / NANO,
                                  .group = a->group };
    uint64_t id;
    int code;
    if (!has(a, WEIR_SESSION_BIT(START)))
        m.start_ps = weir_sim_floor(*p->sim);
    if (!has(a, WEIR_SESSION_BIT(USER)))
        m.user = p->messages;
    if (has(a, WEIR_SESSION_BIT(WEIGHT)) && a->weight_e9 == 0)
        m.weight = -1; /* 0 stands for 1 in the library alone */
    if (!given_room(p))
        return refuse(p, WEIR_SIM_E_MEMORY, NULL, "not enough memory for one more message");
    code = after(p, weir_sim_inject(*p->sim, &m, &id));
    if (code != 0)
        return code;
    p->message = p->messages++;
    p->given[p->givens++] = (struct weir_session_given){ .id = id, .number = p->message };
    return 0;
}

static int by_number(const void *key, const void *entry)
{
    uint32_t a = *(const uint32_t *)key, b = ((const struct weir_session_given *)entry)->number;
    return a < b ? -1 : a > b;
}

/* Finds a message by its number. *given: NULL = it has ended. @return 0, or a code */
static int find_given(struct weir_session_player *p, uint64_t message, const struct weir_session_given **given)
{
    uint32_t number = (uint32_t)message;
    *given = NULL;
    if (message >= p->messages)
        return refuse(p, WEIR_SIM_E_ARGUMENT, NULL, "message %" PRIu64 ": %" PRIu32 " were given so far", message,
                      p->messages);
    if (p->givens > 0)
        *given = bsearch(&number, p->given, p->givens, sizeof(**given), by_number);
    return 0;
}

static int run_cancel(struct weir_session_player *p, const struct weir_session_args *a)
{
    const struct weir_session_given *given;
    int code = find_given(p, a->message, &given);
    if (code != 0)
        return code;
    if (given == NULL)
        return refuse(p, WEIR_SIM_E_STARTED, NULL, "the message has started, ended or been cancelled");
    return after(p, weir_sim_cancel(*p->sim, given->id));
}

static int run_set_weight(struct weir_session_player *p, const struct weir_session_args *a)
{
    const struct weir_session_given *given;
    uint64_t at_ps = has(a, WEIR_SESSION_BIT(AT)) ? a->at_ps : weir_sim_floor(*p->sim);
    int code = find_given(p, a->message, &given);
    if (code != 0 || given == NULL) /* one that has ended keeps its weight */
        return code;
    return after(p, weir_sim_set_weight(*p->sim, given->id, at_ps, (double)a->weight_e9 / NANO));
}

static uint64_t change_ps(const struct weir_session_player *p, const struct weir_session_args *a)
{
    return has(a, WEIR_SESSION_BIT(AT)) ? a->at_ps : weir_sim_floor(*p->sim) + weir_sim_lead(*p->sim);
}

static int run_cut(struct weir_session_player *p, const struct weir_session_args *a)
{
    return after(p, weir_sim_cut(*p->sim, a->part, change_ps(p, a)));
}

static int run_hold(struct weir_session_player *p, const struct weir_session_args *a)
{
    return after(p, weir_sim_hold(*p->sim, a->part, change_ps(p, a)));
}

static int run_mend(struct weir_session_player *p, const struct weir_session_args *a)
{
    return after(p, weir_sim_mend(*p->sim, a->part, change_ps(p, a)));
}

static int run_at(struct weir_session_player *p, const struct weir_session_args *a)
{
    return after(p, weir_sim_at(*p->sim, a->at_ps, a->user));
}

static int run_host_at(struct weir_session_player *p, const struct weir_session_args *a)
{
    return after(p, weir_sim_host_at(*p->sim, a->host, a->at_ps, a->user));
}

/* ---- time ---- */

static int run_advance(struct weir_session_player *p, const struct weir_session_args *a)
{
    uint64_t until_ps = has(a, WEIR_SESSION_BIT(UNTIL)) ? a->until_ps : WEIR_SIM_NEVER;
    uint64_t times = has(a, WEIR_SESSION_BIT(TIMES)) ? a->times : 1;
    for (uint64_t i = 0; i < times; i++) {
        const struct weir_sim_event *event = NULL;
        long count = weir_sim_advance(*p->sim, until_ps, &event);
        if (count < 0)
            return after(p, count);
        if (count == 0)
            return 0;
        if (p->events != NULL && !p->in_file) /* those of a saved session have been reported before */
            p->events(p->ctx, event, count);
    }
    return 0;
}

static int run_counts(struct weir_session_player *p, const struct weir_session_args *a)
{
    (void)a;
    p->counts = (struct weir_sim_counts){ .size = sizeof(p->counts) };
    return after(p, weir_sim_counts(*p->sim, &p->counts));
}

static int run_snapshot(struct weir_session_player *p, const struct weir_session_args *a)
{
    (void)a;
    p->snapshot = (struct weir_sim_snapshot){ .size = sizeof(p->snapshot) };
    return after(p, weir_sim_snapshot(*p->sim, &p->snapshot));
}

static int run_result(struct weir_session_player *p, const struct weir_session_args *a)
{
    (void)a;
    p->metrics = weir_sim_result(*p->sim, &p->metric);
    return after(p, p->metrics);
}

static int run_end(struct weir_session_player *p, const struct weir_session_args *a)
{
    int code = after(p, weir_sim_end(*p->sim));
    return code != 0 ? code : run_counts(p, a);
}

static int run_expect(struct weir_session_player *p, const struct weir_session_args *a)
{
    uint64_t digest = 0;
    char text[17];
    int code = after(p, session_digest(*p->sim, &digest));
    if (code != 0)
        return code;
    (void)snprintf(text, sizeof(text), "%016" PRIx64, digest);
    if (strcmp(text, a->digest) == 0)
        return 0;
    return refuse(p, WEIR_SIM_E_DIGEST, "another version, or a file that the scenario names has changed",
                  "the same calls have the digest %s here, and had %.32s", text, a->digest);
}

/* ---- the table ---- */

#define BIT(member) WEIR_SESSION_BIT(member)

const struct weir_session_row weir_session_rows[] = {
    [WEIR_SESSION_INJECT] = { .name = "inject",
                              .text = "gives a message to its sender",
                              .needs = BIT(SRC) | BIT(DST) | BIT(BYTES),
                              .takes = BIT(START) | BIT(USER) | BIT(ITEM) | BIT(WEIGHT) | BIT(GROUP),
                              .answer = WEIR_SESSION_ANSWERS_MESSAGE,
                              .run = run_inject },
    [WEIR_SESSION_CANCEL] = { .name = "cancel",
                              .text = "takes a message back that has not started",
                              .needs = BIT(MESSAGE),
                              .run = run_cancel },
    [WEIR_SESSION_AT_CALL] = { .name = "at",
                               .text = "sets a timer, at which advance stops",
                               .needs = BIT(AT),
                               .takes = BIT(USER),
                               .run = run_at },
    [WEIR_SESSION_HOST_AT] = { .name = "host_at",
                               .text = "sets a timer of a host",
                               .needs = BIT(HOST) | BIT(AT),
                               .takes = BIT(USER),
                               .run = run_host_at },
    [WEIR_SESSION_ADVANCE] = { .name = "advance",
                               .text = "advances simulated time to the next instant with events",
                               .takes = BIT(UNTIL) | BIT(TIMES),
                               .answer = WEIR_SESSION_ANSWERS_EVENTS,
                               .run = run_advance },
    [WEIR_SESSION_END] = { .name = "end",
                           .text = "ends the run: nothing more can be given, and the result is final",
                           .answer = WEIR_SESSION_ANSWERS_COUNTS,
                           .run = run_end },
    [WEIR_SESSION_SET_WEIGHT] = { .name = "set_weight",
                                  .text = "changes the weight of a message",
                                  .needs = BIT(MESSAGE) | BIT(WEIGHT),
                                  .takes = BIT(AT),
                                  .run = run_set_weight },
    [WEIR_SESSION_CUT] = { .name = "cut",
                           .text = "takes a cable, a switch or a host down, with what waits there",
                           .needs = BIT(PART),
                           .takes = BIT(AT),
                           .run = run_cut },
    [WEIR_SESSION_HOLD] = { .name = "hold",
                            .text = "takes a cable down so that packets wait",
                            .needs = BIT(PART),
                            .takes = BIT(AT),
                            .run = run_hold },
    [WEIR_SESSION_MEND] = { .name = "mend",
                            .text = "takes up again what is down",
                            .needs = BIT(PART),
                            .takes = BIT(AT),
                            .run = run_mend },
    [WEIR_SESSION_OPEN] = { .name = "open",
                            .text = "opens a session",
                            .needs = BIT(SCENARIO),
                            .takes = BIT(FORMAT) | BIT(WEIR) | BIT(NAME) | BIT(SET) | BIT(EVENTS) | BIT(REACTION) |
                                     BIT(THREADS) | BIT(CHECK) | BIT(RECORD) | BIT(CALL_BACKS),
                            .answer = WEIR_SESSION_ANSWERS_OPENED,
                            .may_open = true,
                            .run = run_open },
    [WEIR_SESSION_EXPECT] = { .name = "expect",
                              .text =
                                  "refuses if what has happened so far has another digest; the end of a saved session",
                              .needs = BIT(DIGEST),
                              .run = run_expect },
    { .name = "counts",
      .text = "says what has happened so far",
      .answer = WEIR_SESSION_ANSWERS_COUNTS,
      .is_apart = true,
      .run = run_counts },
    { .name = "snapshot",
      .text = "describes links and hosts at an instant",
      .answer = WEIR_SESSION_ANSWERS_SNAPSHOT,
      .is_apart = true,
      .run = run_snapshot },
    { .name = "result",
      .text = "computes the numbers of the run so far",
      .answer = WEIR_SESSION_ANSWERS_RESULT,
      .is_apart = true,
      .run = run_result },
    { .name = "save", .text = "writes the session to a file", .needs = BIT(FILE), .is_apart = true, .run = run_save },
    { .name = "restore",
      .text = "opens a saved session, and executes its calls again",
      .needs = BIT(FILE),
      .answer = WEIR_SESSION_ANSWERS_OPENED,
      .may_open = true,
      .is_apart = true,
      .run = run_restore },
    { .name = "close",
      .text = "ends the session",
      .answer = WEIR_SESSION_ANSWERS_COUNTS,
      .is_apart = true,
      .run = run_close },
    { 0 },
};

const char *weir_session_event_name(uint32_t kind)
{
    return kind == WEIR_SIM_DELIVERED ? "delivered" : kind == WEIR_SIM_COMPLETED ? "completed" : "timer";
}

const char *weir_session_code_name(int code)
{
    static const char *const names[] = { "",     "memory", "scenario", "argument", "past",  "started",
                                         "call", "over",   "run",      "file",     "digest" };
    WEIR_ASSERT(code < 0 && -code < (int)(sizeof(names) / sizeof(names[0])));
    return names[-code];
}

/* ---- lines ---- */

static int play(struct weir_session_player *p, struct weir_tree_arena *arena, const char *text, size_t length,
                const struct weir_session_row **row)
{
    struct weir_session_args args;
    struct weir_err err = { 0 };
    *row = weir_session_line_read(arena, p->file, text, length, &args, &err);
    if (*row == NULL) {
        int code =
            refuse(p, err.code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : WEIR_SIM_E_ARGUMENT, err.hint, "%s", err.text);
        p->error.column = err.col;
        return code;
    }
    if (p->in_file && (*row)->is_apart)
        return refuse(p, WEIR_SIM_E_FILE, NULL, "a saved session has no call %s", (*row)->name);
    if (!(*row)->may_open && *p->sim == NULL)
        return refuse(p, WEIR_SIM_E_CALL, "the first call is open or restore", "%s: no session is open", (*row)->name);
    return (*row)->run(p, &args);
}

int weir_session_play_line(struct weir_session_player *p, const char *text, size_t length,
                           const struct weir_session_row **row)
{
    struct weir_tree_arena *arena = weir_tree_arena_new();
    int code;
    *row = NULL;
    if (arena == NULL)
        return refuse(p, WEIR_SIM_E_MEMORY, NULL, "not enough memory for a line");
    code = play(p, arena, text, length, row);
    weir_tree_arena_free(arena);
    return code;
}

/* Adds the place to an error of a saved session; one of a scenario has a place of its own. @return code */
static int locate(struct weir_session_player *p, const char *file, uint32_t line, int code)
{
    if (code == 0 || (code == WEIR_SIM_E_SCENARIO && p->error.line > 0))
        return code;
    (void)snprintf(p->error.file, sizeof(p->error.file), "%s", file);
    p->error.line = line;
    return code;
}

/* Executes all lines of a saved session. @return 0, or a code with p->error */
static int play_text(struct weir_session_player *p, const char *file, const char *text)
{
    const struct weir_session_row *row = NULL;
    uint32_t line = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        int code = locate(p, file, ++line, weir_session_play_line(p, text, length, &row));
        if (code != 0)
            return code;
        text += length + (text[length] == '\n');
    }
    if (row == &weir_session_rows[WEIR_SESSION_EXPECT])
        return 0;
    return locate(p, file, line,
                  refuse(p, WEIR_SIM_E_FILE, "its last line is the call expect", "the saved session is truncated"));
}

int weir_session_play_file(struct weir_session_player *p, const char *file)
{
    struct weir_err err = { 0 };
    char *text = NULL;
    int code;
    WEIR_ASSERT(*p->sim == NULL && !p->in_file);
    if (weir_text_read(file, NULL, &text, &err) != 0)
        return refuse(p, err.code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : WEIR_SIM_E_FILE, NULL, "%s", err.text);
    p->in_file = true;
    code = play_text(p, file, text);
    p->in_file = false;
    free(text);
    if (code != 0) {
        (void)weir_sim_close(*p->sim, NULL, NULL);
        *p->sim = NULL;
    }
    return code;
}

void weir_session_player_free(struct weir_session_player *p)
{
    free(p->given);
    p->given = NULL;
    p->givens = p->given_room = 0;
}
