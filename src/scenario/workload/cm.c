/* src/scenario/workload/cm.c - see cm.h. Reads connection matrices line by line. */
#include "workload/cm.h"
#include "workload/flow_list.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODES, CONNECTIONS, TRIGGERS, FAILURES, HEADERS };
static const char *const headers[HEADERS] = { "nodes", "connections", "triggers", "failures" };

enum { ID, START, SIZE, MSG, TRIGGER, SEND_DONE, RECV_DONE, PRIO, KEYS };
static const char *const keys[KEYS] = {
    "id", "start", "size", "msg", "trigger", "send_done_trigger", "recv_done_trigger", "prio"
};
static const char flow_hint[] = "a connection is a line as 3->17 start 0 size 2000000";
static const char trigger_hint[] = "a trigger is a line as trigger id 4 oneshot, or trigger id 5 barrier count 3";

struct reader { /* state while one file is read */
    struct weir_cm *cm;
    struct weir_tokens tokens;
    struct weir_tokens_row row;
    uint64_t said[HEADERS];      /* the number that each line of the header gives; 0 = not given */
    uint32_t said_line[HEADERS]; /* line of the file; 0 = not given */
    uint32_t flow_room, trigger_room, unit, hosts;
    bool strict, ends; /* strict: of the item; ends: the run has an end of its own */
    struct weir_err *err;
};

static struct weir_tok position(const struct reader *r, uint32_t i)
{
    return weir_tokens_row_tok(r->tokens.file, &r->row, i);
}

static int shown(const struct reader *r, uint32_t i)
{
    return weir_token_shown(&r->row.field[i]);
}

/* --- header --- */

static bool has_arrow(const struct weir_field *field)
{
    for (uint32_t i = 0; i + 1 < field->length; i++)
        if (field->text[i] == '-' && field->text[i + 1] == '>')
            return true;
    return false;
}

static bool is_body(const struct weir_field *field)
{
    return has_arrow(field) || weir_token_is(field, "trigger") || weir_token_is(field, "failure");
}

static uint32_t header_of(const struct weir_field *field)
{
    uint32_t i = 0;
    while (i < HEADERS && !weir_token_is_folded(field, headers[i]))
        i++;
    return i;
}

static int read_header_row(struct reader *r)
{
    static const uint64_t most[HEADERS] = { UINT32_MAX, WEIR_LISTED_MAX, WEIR_LISTED_MAX, WEIR_LISTED_MAX };
    static const char hint[] = "the header has the lines Nodes N and Connections N, and perhaps Triggers N";
    uint32_t which = header_of(&r->row.field[0]);
    struct weir_tok tok = position(r, 0), value = position(r, 1);
    if (which == HEADERS)
        return weir_fail(r->err, WEIR_E_UNKNOWN, &tok, hint, "'%.*s' is no line of a connection matrix", shown(r, 0),
                         r->row.field[0].text);
    if (r->row.count != 2)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, hint, "%s: one number must follow", headers[which]);
    if (r->said_line[which] != 0)
        return weir_fail(r->err, WEIR_E_CONFLICT, &tok, NULL, "%s: line %" PRIu32 " has it already", headers[which],
                         r->said_line[which]);
    r->said_line[which] = r->row.line;
    return weir_token_u64(&r->row.field[1], &value, headers[which], most[which], &r->said[which], r->err);
}

static int check_header(const struct reader *r)
{
    struct weir_tok tok = { .file = r->tokens.file, .line = r->said_line[NODES] };
    for (uint32_t i = NODES; i <= CONNECTIONS; i++)
        if (r->said_line[i] == 0)
            return weir_fail(r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = r->tokens.file },
                             "the header has the lines Nodes N and Connections N",
                             "the header does not say how many %s there are", headers[i]);
    if (r->said[NODES] > r->hosts)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, "use the topology that the file was made for",
                         "nodes = %" PRIu64 ": the topology has %" PRIu32 " hosts", r->said[NODES], r->hosts);
    return 0;
}

/* Reads the header, up to the first line of the body, which is then in r->row. *body: gets whether there is such a
 * line */
static int read_header(struct reader *r, bool *body)
{
    int code = 0;
    *body = false;
    while (code == 0 && !*body && weir_tokens_row(&r->tokens, &r->row)) {
        *body = is_body(&r->row.field[0]);
        if (!*body)
            code = read_header_row(r);
    }
    return code != 0 ? code : check_header(r);
}

/* --- connections --- */

static int read_node(const struct reader *r, const struct weir_field *field, uint32_t *node)
{
    struct weir_tok tok = { .file = r->tokens.file, .line = r->row.line, .col = field->col };
    uint64_t value = 0;
    int length = weir_token_shown(field);
    if (weir_text_u64(field, &value) == WEIR_TEXT_BAD)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, flow_hint, "'%.*s' is no number of a node", length, field->text);
    if (weir_text_u64(field, &value) != WEIR_TEXT_OK || value >= r->said[NODES])
        return weir_fail(r->err, WEIR_E_RANGE, &tok, "correct Nodes, or the connection",
                         "node %.*s does not exist: the file has %" PRIu64 " nodes, which count from 0", length,
                         field->text, r->said[NODES]);
    *node = (uint32_t)value;
    return 0;
}

static int read_ends(const struct reader *r, struct weir_cm_flow *flow)
{
    const struct weir_field *both = &r->row.field[0];
    uint32_t arrow = 0;
    while (both->text[arrow] != '-' || both->text[arrow + 1] != '>')
        arrow++;
    struct weir_field from = { both->text, arrow, both->col };
    struct weir_field to = { both->text + arrow + 2, both->length - arrow - 2, both->col + arrow + 2 };
    int code = read_node(r, &from, &flow->src);
    return code != 0 ? code : read_node(r, &to, &flow->dst);
}

static int read_start(const struct reader *r, uint32_t i, struct weir_cm_flow *flow)
{
    static const uint64_t parts[] = {
        [WEIR_START_UNIT_NONE] = 1000000,
        [WEIR_START_UNIT_US] = 1000000,
        [WEIR_START_UNIT_NS] = 1000,
        [WEIR_START_UNIT_PS] = 1,
    };
    struct weir_tok tok = position(r, i);
    enum weir_text_status status = weir_text_scaled(&r->row.field[i], parts[r->unit], &flow->start_ps);
    if (status != WEIR_TEXT_OK)
        return weir_fail(r->err, status == WEIR_TEXT_BAD ? WEIR_E_SYNTAX : WEIR_E_RANGE, &tok, NULL, "start = %.*s: %s",
                         shown(r, i), r->row.field[i].text, weir_text_error(status));
    if (r->unit == WEIR_START_UNIT_NONE && flow->start_ps != 0)
        return weir_fail(
            r->err, WEIR_E_UNIT, &tok,
            "start_unit: us, as htsim's UEC, EQDS (of UET), RoCE and Swift programs take it; or ps, as NDP does",
            "start = %.*s: the file does not say the unit, and programs differ; the scenario has to", shown(r, i),
            r->row.field[i].text);
    return 0;
}

static int read_value(const struct reader *r, uint32_t key, uint32_t i, struct weir_cm_flow *flow)
{
    struct weir_tok tok = position(r, i);
    uint64_t value = 0;
    int code;
    if (key == START)
        return read_start(r, i, flow);
    code = weir_token_u64(&r->row.field[i], &tok, keys[key], key == SIZE ? UINT64_MAX : UINT32_MAX, &value, r->err);
    if (code != 0)
        return code;
    if (value == 0 && (key == TRIGGER || key == SEND_DONE || key == RECV_DONE))
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "%s = 0: triggers count from 1", keys[key]);
    if (key == SIZE)
        flow->bytes = value;
    else if (key == TRIGGER)
        flow->trigger = (uint32_t)value;
    else if (key == SEND_DONE)
        flow->send_done = (uint32_t)value;
    else if (key == RECV_DONE)
        flow->recv_done = (uint32_t)value;
    return 0; /* id, msg and prio are ignored */
}

/* Makes a flow without an end one of the largest size. seen: bits of the keys of its line. @return 0, or a code with
 * r->err where such a flow is refused */
static int make_endless(const struct reader *r, struct weir_cm_flow *flow, uint32_t seen)
{
    struct weir_tok tok = position(r, 0);
    const char *which = (seen & 1u << SIZE) == 0 ? "size is missing" : "size = 0";
    if (r->strict)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, "give it a size, or set strict: false",
                         "%s: in htsim a flow without an end", which);
    if (!r->ends)
        return weir_fail(r->err, WEIR_E_CONFLICT, &tok, "set a time for run.measure",
                         "%s: a flow without an end, and the run is to last until all is delivered", which);
    flow->bytes = WEIR_CDF_SIZE_MAX;
    r->cm->endless_count++;
    return 0;
}

static int check_flow(const struct reader *r, struct weir_cm_flow *flow, uint32_t seen)
{
    struct weir_tok tok = position(r, 0);
    int code = flow->bytes == 0 ? make_endless(r, flow, seen) : 0;
    if (code != 0)
        return code;
    if ((seen & (1u << START | 1u << TRIGGER)) == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, flow_hint, "start or trigger is missing: when does it begin?");
    if ((seen & 1u << START) != 0 && (seen & 1u << TRIGGER) != 0)
        return weir_fail(r->err, WEIR_E_CONFLICT, &tok, NULL, "start and trigger: a flow has one of them");
    return weir_flow_check(flow->src,
                           &(struct weir_listed){ .dst = flow->dst, .bytes = flow->bytes, .start_ps = flow->start_ps },
                           &tok, r->err);
}

static uint32_t key_of(const struct weir_field *field)
{
    uint32_t key = 0;
    while (key < KEYS && !weir_token_is(field, keys[key]))
        key++;
    return key;
}

static bool has_number(const struct reader *r, uint32_t i)
{
    uint64_t value;
    return i < r->row.count && i < WEIR_TOKENS_ROW_MAX && weir_text_u64(&r->row.field[i], &value) == WEIR_TEXT_OK;
}

static int read_keys(const struct reader *r, struct weir_cm_flow *flow)
{
    uint32_t seen = 0;
    int code = 0;
    for (uint32_t i = 1; code == 0 && i < r->row.count; i++) {
        uint32_t key = i < WEIR_TOKENS_ROW_MAX ? key_of(&r->row.field[i]) : KEYS;
        struct weir_tok tok = position(r, i);
        if (key == KEYS || (seen & 1u << key) != 0)
            return weir_fail(r->err, WEIR_E_UNKNOWN, &tok, flow_hint,
                             "word %" PRIu32 " is no key of a connection, or one that was there before", i + 1);
        seen |= 1u << key;
        if (key == MSG && !has_number(r, i + 1))
            continue; /* htsim's reader allows msg without a number */
        if (++i >= r->row.count)
            return weir_fail(r->err, WEIR_E_SYNTAX, &tok, flow_hint, "%s: a number must follow", keys[key]);
        code = read_value(r, key, i, flow);
    }
    return code != 0 ? code : check_flow(r, flow, seen);
}

/* Returns the array with memory for one more entry than count, possibly moved. have: its capacity in entries, which is
 * updated. @return NULL = no memory; then array stays valid */
static void *room(void *array, uint32_t count, uint32_t *have, size_t size)
{
    if (count < *have)
        return array;
    uint32_t want = *have == 0 ? 64 : 2 * *have; /* WEIR_LISTED_MAX is far below 2^31 */
    void *larger = realloc(array, want * size);
    if (larger != NULL)
        *have = want;
    return larger;
}

/* Refuses a connection or trigger beyond the number that the header gives, as soon as its line is read. If the header
 * gives no number, every one is refused. which: CONNECTIONS or TRIGGERS; count: such lines read before. @return 0, or
 * WEIR_E_CONFLICT with err */
static int check_said(const struct reader *r, uint32_t which, uint32_t count)
{
    struct weir_tok tok = position(r, 0);
    if (r->said_line[which] != 0 && count < r->said[which])
        return 0;
    return weir_fail(r->err, WEIR_E_CONFLICT, &tok, "correct the header, or the list",
                     "the header says %s = %" PRIu64 ", and this is one more", headers[which],
                     r->said_line[which] != 0 ? r->said[which] : 0);
}

static int read_connection(struct reader *r)
{
    struct weir_cm_flow flow = { .line = r->row.line }, *array;
    int code = check_said(r, CONNECTIONS, r->cm->flow_count);
    if (code == 0)
        code = read_ends(r, &flow);
    if (code == 0)
        code = read_keys(r, &flow);
    if (code != 0)
        return code;
    array = room(r->cm->flow, r->cm->flow_count, &r->flow_room, sizeof(*array));
    if (array == NULL)
        return weir_fail_memory(r->err);
    r->cm->flow = array;
    array[r->cm->flow_count++] = flow;
    return 0;
}

/* --- triggers --- */

static int read_shot(const struct reader *r, uint32_t i, struct weir_cm_trigger *trigger, bool *has)
{
    static const char *const shots[] = { "oneshot", "multishot", "barrier" };
    struct weir_tok tok = position(r, i);
    for (uint32_t shot = WEIR_CM_ONESHOT; shot <= WEIR_CM_BARRIER; shot++)
        if (!*has && i < WEIR_TOKENS_ROW_MAX && weir_token_is(&r->row.field[i], shots[shot])) {
            trigger->shot = (enum weir_cm_shot)shot;
            *has = true;
            return 0;
        }
    return weir_fail(r->err, WEIR_E_UNKNOWN, &tok, trigger_hint, "word %" PRIu32 " is not known of a trigger", i + 1);
}

static int read_trigger_tokens(const struct reader *r, struct weir_cm_trigger *trigger)
{
    struct weir_tok tok = position(r, 0);
    bool has_shot = false;
    int code = 0;
    for (uint32_t i = 1; code == 0 && i < r->row.count; i++) {
        bool id = i < WEIR_TOKENS_ROW_MAX && weir_token_is(&r->row.field[i], "id");
        bool count = i < WEIR_TOKENS_ROW_MAX && weir_token_is(&r->row.field[i], "count");
        struct weir_tok at = position(r, i + 1);
        uint64_t value = 0;
        if (!id && !count) {
            code = read_shot(r, i, trigger, &has_shot);
            continue;
        }
        if (++i >= r->row.count || i >= WEIR_TOKENS_ROW_MAX)
            return weir_fail(r->err, WEIR_E_SYNTAX, &tok, trigger_hint, "%s: a number must follow",
                             id ? "id" : "count");
        code = weir_token_u64(&r->row.field[i], &at, id ? "id" : "count", UINT32_MAX, &value, r->err);
        if (id)
            trigger->id = (uint32_t)value;
        else
            trigger->count = (uint32_t)value;
    }
    if (code == 0 && (trigger->id == 0 || !has_shot))
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, trigger_hint, "a trigger needs an id above 0 and a kind");
    return code;
}

static int read_trigger(struct reader *r)
{
    struct weir_cm_trigger trigger = { .line = r->row.line }, *array;
    int code = check_said(r, TRIGGERS, r->cm->trigger_count);
    if (code == 0)
        code = read_trigger_tokens(r, &trigger);
    if (code != 0)
        return code;
    array = room(r->cm->trigger, r->cm->trigger_count, &r->trigger_room, sizeof(*array));
    if (array == NULL)
        return weir_fail_memory(r->err);
    r->cm->trigger = array;
    array[r->cm->trigger_count++] = trigger;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct weir_cm_trigger *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int sort_triggers(const struct reader *r)
{
    struct weir_cm *cm = r->cm;
    if (cm->trigger_count > 0)
        qsort(cm->trigger, cm->trigger_count, sizeof(*cm->trigger), by_id);
    for (uint32_t t = 1; t < cm->trigger_count; t++)
        if (cm->trigger[t].id == cm->trigger[t - 1].id)
            return weir_fail(
                r->err, WEIR_E_CONFLICT, &(struct weir_tok){ .file = r->tokens.file, .line = cm->trigger[t].line },
                NULL, "trigger %" PRIu32 " is in line %" PRIu32 " already", cm->trigger[t].id, cm->trigger[t - 1].line);
    return 0;
}

static int id_of(const void *id, const void *trigger)
{
    uint32_t wanted = *(const uint32_t *)id, there = ((const struct weir_cm_trigger *)trigger)->id;
    return (wanted > there) - (wanted < there);
}

const struct weir_cm_trigger *weir_cm_find(const struct weir_cm *cm, uint32_t id)
{
    return cm->trigger_count > 0 ? bsearch(&id, cm->trigger, cm->trigger_count, sizeof(*cm->trigger), id_of) : NULL;
}

/* --- the whole file --- */

static int read_body_row(struct reader *r)
{
    struct weir_tok tok = position(r, 0);
    if (has_arrow(&r->row.field[0]))
        return read_connection(r);
    if (weir_token_is(&r->row.field[0], "trigger"))
        return read_trigger(r);
    if (weir_token_is(&r->row.field[0], "failure"))
        return weir_fail(r->err, WEIR_E_UNKNOWN, &tok, "take it out, and let the cable fail by fabric.events",
                         "failures of links are not read from here");
    return weir_fail(r->err, WEIR_E_UNKNOWN, &tok, flow_hint, "'%.*s' begins neither a connection nor a trigger",
                     shown(r, 0), r->row.field[0].text);
}

/* Compares the numbers of the header with the lines that were read, and refuses a file without flows. The error points
 * to the line of the header. @return 0, or a code with err */
static int check_counts(const struct reader *r)
{
    const uint64_t found[HEADERS] = { r->said[NODES], r->cm->flow_count, r->cm->trigger_count, 0 };
    for (uint32_t i = CONNECTIONS; i < HEADERS; i++)
        if (r->said_line[i] != 0 && r->said[i] != found[i])
            return weir_fail(
                r->err, WEIR_E_CONFLICT, &(struct weir_tok){ .file = r->tokens.file, .line = r->said_line[i] },
                "is the file whole?", "%s = %" PRIu64 ": there are %" PRIu64, headers[i], r->said[i], found[i]);
    if (r->cm->flow_count == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = r->tokens.file }, flow_hint,
                         "there is no flow in it");
    return 0;
}

bool weir_cm_is(const char *text)
{
    struct weir_tokens tokens = weir_tokens_of(NULL, text);
    struct weir_tokens_row row;
    return weir_tokens_row(&tokens, &row) && (is_body(&row.field[0]) || header_of(&row.field[0]) < HEADERS);
}

int weir_cm_read(struct weir_cm *cm, const char *text, const struct weir_traffic_config *item, uint32_t index,
                 const struct weir_workload_limits *limits, struct weir_err *err)
{
    struct reader r = { .cm = cm,
                        .tokens = weir_tokens_of(item->file, text),
                        .unit = item->start_unit,
                        .hosts = limits->hosts,
                        .strict = item->strict != 0,
                        .ends = limits->end_ps != WEIR_NEVER,
                        .err = err };
    bool body;
    int code;
    *cm = (struct weir_cm){ 0 };
    code = read_header(&r, &body);
    cm->nodes = (uint32_t)r.said[NODES];
    while (code == 0 && body) {
        code = read_body_row(&r);
        body = weir_tokens_row(&r.tokens, &r.row);
    }
    if (code == 0)
        code = check_counts(&r);
    if (code == 0)
        code = sort_triggers(&r);
    if (code == 0 && limits->note != NULL)
        limits->note[index].endless = cm->endless_count;
    if (code != 0)
        weir_cm_free(cm);
    return code;
}

void weir_cm_free(struct weir_cm *cm)
{
    free(cm->flow);
    free(cm->trigger);
    *cm = (struct weir_cm){ 0 };
}

int weir_flows_cm(struct weir_flow_list *list, struct weir_err *err)
{
    const char *file = list->item->file;
    struct weir_cm cm;
    int code = weir_cm_read(&cm, list->text, list->item, list->index, list->limits, err);
    for (uint32_t f = 0; code == 0 && f < cm.flow_count; f++) {
        const struct weir_cm_flow *flow = &cm.flow[f];
        struct weir_listed what = {
            .dst = flow->dst, .bytes = flow->bytes, .start_ps = flow->start_ps, .weight_q20 = WEIR_WEIGHT_ONE
        };
        struct weir_tok tok = { .file = file, .line = flow->line };
        if (flow->trigger != 0)
            code = weir_fail(err, WEIR_E_CONFLICT, &tok, "kind: jobs reads the same file",
                             "trigger: flows that wait for others are no list");
        else
            code = weir_flow_take(list, flow->src, &what, &tok, err);
    }
    weir_cm_free(&cm); /* also after an error: if weir_cm_read() failed, cm is empty */
    return code;
}
