/* src/commands/watch/timeline.c - see timeline.h. Reads and writes timelines. */
#include "watch/timeline.h"
#include "core/math.h"
#include "param/number.h"
#include "param/suggest.h"
#include "text/memory.h"
#include "workload/jobs.h"
#include "workload/message_id.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_TEXT = 64, HINT = 256 };

static const char weight_hint[] = "for example 1.2 ms weight 4 host 3 message 12, or with JOB/FLOW of a job";

struct reader { /* state while a timeline is read */
    struct weir_timeline *timeline;
    struct weir_tokens tokens;
    struct weir_tokens_row row;
    uint32_t next; /* token of the row that is read next */
    struct weir_err *err;
};

static struct weir_tok position(const struct reader *r, uint32_t i)
{
    return weir_tokens_row_tok(r->tokens.file, &r->row, i < r->row.count ? i : 0);
}

/* ---- reading ---- */

/* Copies one or two tokens as one text; too long a text is cut, and is then no number with a unit. */
static void join(const struct reader *r, uint32_t count, char out[TIME_TEXT])
{
    const struct weir_field *a = &r->row.field[r->next], *b = a + 1;
    if (count == 1)
        (void)snprintf(out, TIME_TEXT, "%.*s", (int)a->length, a->text);
    else
        (void)snprintf(out, TIME_TEXT, "%.*s %.*s", (int)a->length, a->text, (int)b->length, b->text);
}

/* Reads "500 us" or "500us". @return 0, or a code with err */
static int read_time(struct reader *r, uint64_t *at_ps)
{
    struct weir_tok at = position(r, 0);
    struct weir_number n;
    const struct weir_unit *unit = NULL;
    char text[TIME_TEXT];
    uint32_t used = 1;
    join(r, 1, text);
    if (weir_number_read(&n, text) == WEIR_NUMBER_OK && n.unit[0] == '\0' && r->row.count > 1) {
        used = 2;
        join(r, 2, text);
    }
    if (weir_number_read(&n, text) == WEIR_NUMBER_OK)
        unit = weir_unit_find(n.unit);
    if (unit == NULL || unit->kind != WEIR_UNIT_TIME || weir_number_scale(&n, unit->scale, at_ps) != WEIR_NUMBER_OK ||
        *at_ps >= UINT64_C(1) << 62)
        return weir_fail(r->err, WEIR_E_SYNTAX, &at, weir_unit_kind_example(WEIR_UNIT_TIME),
                         "'%s': a line begins with a time", text);
    r->next += used;
    return 0;
}

/* Reads the name of the action. @return 0, or a code with err */
static int read_kind(struct reader *r, enum weir_action_kind *kind)
{
    struct weir_tok at = position(r, r->next);
    struct weir_suggest near;
    char name[TIME_TEXT], hint[HINT];
    if (r->next >= r->row.count)
        return weir_fail(r->err, WEIR_E_SYNTAX, &at, "for example 500 us cut leaf 0 - spine 1",
                         "no action follows the time");
    join(r, 1, name);
    weir_suggest_init(&near, name);
    for (uint32_t k = 0; k < WEIR_ACTIONS; k++) {
        weir_suggest_add(&near, weir_actions[k].name);
        if (strcmp(name, weir_actions[k].name) == 0) {
            *kind = (enum weir_action_kind)k;
            r->next++;
            return 0;
        }
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(r->err, WEIR_E_UNKNOWN, &at, hint, "no action is named '%s'", name);
}

/* Reads the rest of the line as a name: '#' may be part of that of a cable. @return 0, or a code with err */
static int read_name(struct reader *r, struct weir_action *action, const char *hint)
{
    const char *text = r->next < r->row.count ? r->row.field[r->next].text : "";
    struct weir_tok at = position(r, r->next);
    size_t length = strcspn(text, "\r\n");
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (length == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, &at, hint, "%s: what?", weir_actions[action->kind].name);
    if (length >= WEIR_ACTION_NAME)
        return weir_fail(r->err, WEIR_E_RANGE, &at, hint, "a name of more than %d bytes", WEIR_ACTION_NAME - 1);
    memcpy(action->name, text, length);
    action->name[length] = '\0';
    return 0;
}

/* Reads "host 3 message 12" if that is what follows. *found: whether it does. @return 0, or a code with err */
static int read_message(struct reader *r, struct weir_action *action, bool *found)
{
    const struct weir_field *f = &r->row.field[r->next];
    struct weir_tok host_at = position(r, r->next + 1), number_at = position(r, r->next + 3);
    uint64_t host = 0, number = 0;
    int code;
    *found = r->row.count == r->next + 4 && weir_token_is(&f[0], "host") && weir_token_is(&f[2], "message");
    if (!*found)
        return 0;
    code = weir_token_u64(&f[1], &host_at, "host", WEIR_MESSAGE_HOSTS - 1, &host, r->err);
    if (code == 0)
        code = weir_token_u64(&f[3], &number_at, "message", WEIR_MESSAGE_NUMBERS - 1, &number, r->err);
    action->message = weir_message_id(host, number);
    return code;
}

static int read_weight(struct reader *r, struct weir_action *action)
{
    struct weir_tok at = position(r, r->next);
    bool is_message = false;
    int code;
    if (r->next >= r->row.count)
        return weir_fail(r->err, WEIR_E_SYNTAX, &at, weight_hint, "weight: what?");
    if (weir_text_q20(&r->row.field[r->next], &action->weight_q20) != WEIR_TEXT_OK ||
        action->weight_q20 < WEIR_WEIGHT_MIN || action->weight_q20 > WEIR_WEIGHT_MAX)
        return weir_fail(r->err, WEIR_E_RANGE, &at, weight_hint, "weight %.*s: must be from 0.001 to 1000000",
                         weir_token_shown(&r->row.field[r->next]), r->row.field[r->next].text);
    r->next++;
    action->column = position(r, r->next).col;
    action->message = WEIR_NEVER;
    code = r->next < r->row.count ? read_message(r, action, &is_message) : 0;
    return code != 0 || is_message ? code : read_name(r, action, weight_hint);
}

static int read_line(struct reader *r)
{
    struct weir_action action = { .line = r->row.line };
    const struct weir_timeline *t = r->timeline;
    struct weir_tok at = position(r, 0);
    int code;
    r->next = 0;
    code = read_time(r, &action.at_ps);
    if (code == 0 && t->count > 0 && action.at_ps < t->action[t->count - 1].at_ps)
        code = weir_fail(r->err, WEIR_E_RANGE, &at, "sort the lines by time", "times must not go back");
    if (code == 0)
        code = read_kind(r, &action.kind);
    if (code != 0)
        return code;
    action.column = position(r, r->next).col;
    code = action.kind == WEIR_ACTION_WEIGHT ? read_weight(r, &action)
                                             : read_name(r, &action, "for example 500 us cut leaf 0 - spine 1");
    return code != 0 ? code : weir_timeline_add(r->timeline, &action, r->err);
}

int weir_timeline_add(struct weir_timeline *timeline, const struct weir_action *action, struct weir_err *err)
{
    if (timeline->count == timeline->room) {
        uint32_t room = timeline->room == 0 ? 16 : 2 * timeline->room;
        struct weir_action *larger = realloc(timeline->action, room * sizeof(*larger));
        if (larger == NULL)
            return weir_fail_memory(err);
        timeline->action = larger;
        timeline->room = room;
    }
    timeline->action[timeline->count++] = *action;
    return 0;
}

int weir_timeline_parse(struct weir_timeline *timeline, const char *file, const char *text, struct weir_err *err)
{
    struct reader r = { .timeline = timeline, .tokens = weir_tokens_of(file, text), .err = err };
    int code = 0;
    *timeline = (struct weir_timeline){ .file = file };
    while (code == 0 && weir_tokens_row(&r.tokens, &r.row))
        code = read_line(&r);
    if (code != 0)
        weir_timeline_free(timeline);
    return code;
}

int weir_timeline_read(struct weir_timeline *timeline, const char *file, struct weir_err *err)
{
    char *text = NULL;
    int code = weir_text_read(file, NULL, &text, err);
    *timeline = (struct weir_timeline){ 0 };
    if (code != 0)
        err->hint[0] = '\0'; /* that of a file which a scenario names */
    else
        code = weir_timeline_parse(timeline, file, text, err);
    free(text);
    return code;
}

void weir_timeline_free(struct weir_timeline *timeline)
{
    free(timeline->action);
    *timeline = (struct weir_timeline){ 0 };
}

/* ---- writing ---- */

void weir_timeline_write(FILE *out, const struct weir_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->count; i++) {
        const struct weir_action *a = &timeline->action[i];
        char at[TIME_TEXT], weight[TIME_TEXT];
        weir_number_print_unit(at, sizeof(at), a->at_ps, WEIR_UNIT_TIME);
        (void)fprintf(out, "%s %s ", at, weir_actions[a->kind].name);
        if (a->kind == WEIR_ACTION_WEIGHT) { /* 10^-9 is finer than the 2^-20 that it is read to */
            weir_number_print(weight, sizeof(weight), weir_mul_div_u64(a->weight_q20, 1000000000, WEIR_WEIGHT_ONE),
                              1000000000, "");
            (void)fprintf(out, "%s ", weight);
        }
        if (a->kind == WEIR_ACTION_WEIGHT && a->message != WEIR_NEVER)
            (void)fprintf(out, "host %" PRIu64 " message %" PRIu64 "\n", weir_message_host(a->message),
                          weir_message_number(a->message));
        else
            (void)fprintf(out, "%s\n", a->name);
    }
}

static void print_lines(FILE *out, const void *timeline)
{
    weir_timeline_write(out, timeline);
}

char *weir_timeline_text(const struct weir_timeline *timeline)
{
    return weir_memory_text(print_lines, timeline);
}
