/* src/commands/watch/command.c - commands of the page of `weir run --live`: a name, and what it is about. */
#include "core/assert.h"
#include "core/math.h"
#include "param/number.h"
#include "session/drive.h"
#include "watch/state.h"
#include "workload/message_id.h"
#include "workload/tokens.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 640 };

struct command { /* one that is executed */
    struct weir_watch *watch;
    const char *rest; /* behind the name and a blank; "" = nothing */
    char *answer;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(c->answer, WEIR_SERVER_ANSWER, format, args);
    va_end(args);
    return false;
}

/* Reads whole numbers, separated by blanks. @return false = there are not exactly `count` */
static bool read_numbers(const char *text, uint32_t count, uint64_t *value)
{
    struct weir_tokens tokens = weir_tokens_of("", text);
    struct weir_tokens_row row;
    if (!weir_tokens_row(&tokens, &row) || row.count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (weir_text_u64(&row.field[i], &value[i]) != WEIR_TEXT_OK)
            return false;
    return true;
}

static bool do_play(const struct command *c)
{
    c->watch->plays = true;
    return true;
}

static bool do_pause(const struct command *c)
{
    c->watch->plays = false;
    c->watch->news = true;
    return true;
}

static bool do_step(const struct command *c)
{
    c->watch->plays = false;
    c->watch->steps = 1;
    return true;
}

static bool do_speed(const struct command *c)
{
    uint64_t step_ps;
    if (!read_numbers(c->rest, 1, &step_ps) || step_ps == 0 || step_ps >= UINT64_C(1) << 50)
        return refuse(c, "A step is a whole number of picoseconds, 1 to 2^50 - 1.");
    c->watch->step_ps = step_ps;
    return true;
}

static bool do_pace(const struct command *c)
{
    uint64_t is_paced;
    if (!read_numbers(c->rest, 1, &is_paced) || is_paced > 1)
        return refuse(c, "pace 1: 25 steps a second at most; pace 0: as many as the machine can.");
    c->watch->is_paced = is_paced == 1;
    return true;
}

static bool do_confirmed(const struct command *c)
{
    uint64_t number;
    if (!read_numbers(c->rest, 1, &number) || number >= c->watch->sent)
        return refuse(c, "No such frame was sent.");
    c->watch->confirmed = weir_max_u64(c->watch->confirmed, number + 1);
    return true;
}

/* Chooses the message whose law is shown. */
static bool do_watch(const struct command *c)
{
    uint64_t id[2];
    if (!read_numbers(c->rest, 2, id) || id[0] >= c->watch->frames.setup->topo.host_count ||
        id[1] >= WEIR_MESSAGE_NUMBERS)
        return refuse(c, "A message is the number of its host, and its own.");
    c->watch->frames.message = weir_message_id(id[0], id[1]);
    c->watch->news = true;
    return true;
}

/* ---- changes ---- */

/* Keeps a change in the order of time: one of a cable comes a little later than it is given. @return false = no memory
 */
static bool note(struct weir_timeline *done, const struct weir_action *action)
{
    struct weir_err err;
    uint32_t at = done->count;
    if (weir_timeline_add(done, action, &err) != 0)
        return false;
    for (; at > 0 && done->action[at - 1].at_ps > action->at_ps; at--)
        done->action[at] = done->action[at - 1];
    done->action[at] = *action;
    return true;
}

/* Executes an action, at the earliest instant that there is. @return 0, or a code with err */
static int execute(struct weir_watch *w, struct weir_timeline *one, struct weir_err *err)
{
    struct weir_action *a = &one->action[0];
    int code;
    a->at_ps = weir_sim_now(w->sim) + (weir_timeline_is_early(a) ? weir_sim_lead(w->sim) : 0);
    code = weir_timeline_check(one, w->frames.setup, err);
    if (code == 0)
        code = weir_timeline_execute(one, a, w->sim, err);
    return code != 0 || note(&w->done, a) ? code : weir_fail_memory(err);
}

/* Executes a line of a timeline without its time. name: of its action */
static bool change(const struct command *c, const char *name)
{
    struct weir_watch *w = c->watch;
    struct weir_timeline one = { 0 };
    struct weir_err err = { 0 };
    char line[LINE], at[64] = "";
    int code;
    if (w->is_over)
        return refuse(c, "The run is over.");
    (void)snprintf(line, sizeof(line), "0 ps %s %s\n", name, c->rest);
    code = weir_timeline_parse(&one, "", line, &err);
    if (code == 0 && !(weir_timeline_is_early(&one.action[0]) ? w->can_cut : w->can_weigh))
        code = weir_fail(&err, WEIR_E_CONFLICT, NULL, NULL,
                         weir_timeline_is_early(&one.action[0]) ? "the scenario takes cables down itself"
                                                                : "the protocol does not know weights");
    if (code == 0)
        code = execute(w, &one, &err);
    if (code == 0)
        weir_number_print_unit(at, sizeof(at), one.action[0].at_ps, WEIR_UNIT_TIME);
    weir_timeline_free(&one);
    w->news = true;
    if (code != 0)
        return refuse(c, "%s.", err.text);
    (void)snprintf(c->answer, WEIR_SERVER_ANSWER, "%s %s %s", at, name, c->rest);
    return true;
}

static bool do_cut(const struct command *c)
{
    return change(c, "cut");
}

static bool do_hold(const struct command *c)
{
    return change(c, "hold");
}

static bool do_mend(const struct command *c)
{
    return change(c, "mend");
}

static bool do_weight(const struct command *c)
{
    return change(c, "weight");
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool (*run)(const struct command *c);
} rows[] = {
    { "play", do_play }, { "pause", do_pause },         { "step", do_step },     { "speed", do_speed },
    { "pace", do_pace }, { "confirmed", do_confirmed }, { "watch", do_watch },   { "cut", do_cut },
    { "hold", do_hold }, { "mend", do_mend },           { "weight", do_weight },
};

bool weir_watch_command(void *ctx, const char *text, char answer[WEIR_SERVER_ANSWER])
{
    struct command c = { .watch = ctx, .answer = answer };
    size_t length = strcspn(text, " ");
    answer[0] = '\0';
    if (c.watch->sim == NULL)
        return refuse(&c, "The run has not begun.");
    if (text[strcspn(text, "\r\n")] != '\0')
        return refuse(&c, "A command is one line.");
    c.rest = text + length + strspn(text + length, " ");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, text, length) == 0)
            return rows[i].run(&c);
    return refuse(&c, "There is no command '%.*s'.", (int)(length < 40 ? length : 40), text);
}
