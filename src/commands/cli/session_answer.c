/* src/commands/cli/session_answer.c - see session_answer.h. */
#include "cli/session_answer.h"
#include "core/assert.h"
#include "topology/topology.h" /* WEIR_NODE_NAME */
#include "text/schema.h"
#include <inttypes.h>

/* ---- answers ---- */

void weir_answer_begin(struct weir_answer *answer, FILE *out, uint64_t line)
{
    *answer = (struct weir_answer){ .json = weir_json_line(out) };
    weir_json_open(&answer->json, NULL);
    weir_json_u64(&answer->json, "line", line);
}

static void put_event(struct weir_json *json, const struct weir_sim_event *e)
{
    weir_json_open(json, NULL);
    weir_json_string(json, "kind", weir_session_event_name(e->kind));
    weir_json_u64(json, "at_ps", e->at_ps);
    weir_json_u64(json, "user", e->user);
    if (e->kind != WEIR_SIM_TIMER) {
        weir_json_u64(json, "src", e->src);
        weir_json_u64(json, "dst", e->dst);
        weir_json_u64(json, "bytes", e->bytes);
        weir_json_u64(json, "start_ps", e->start_ps);
    } else if (e->src != UINT32_MAX) {
        weir_json_u64(json, "host", e->src);
    }
    if (e->kind == WEIR_SIM_COMPLETED)
        weir_json_u64(json, "retransmissions", e->retransmissions);
    weir_json_close(json);
}

void weir_answer_events(void *ctx, const struct weir_sim_event *event, long count)
{
    struct weir_answer *answer = ctx;
    if (!answer->in_events)
        weir_json_open_list(&answer->json, "events");
    answer->in_events = true;
    for (long i = 0; i < count; i++)
        put_event(&answer->json, &event[i]);
}

static void put_times(struct weir_json *json, const struct weir_sim *sim)
{
    weir_json_u64(json, "now_ps", weir_sim_now(sim));
    weir_json_u64(json, "floor_ps", weir_sim_floor(sim));
}

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const struct weir_counter_row count_rows[] = {
    WEIR_COUNTED(struct weir_sim_counts, messages_started),   WEIR_COUNTED(struct weir_sim_counts, messages_delivered),
    WEIR_COUNTED(struct weir_sim_counts, messages_completed), WEIR_COUNTED(struct weir_sim_counts, bytes_started),
    WEIR_COUNTED(struct weir_sim_counts, bytes_delivered),    WEIR_COUNTED(struct weir_sim_counts, packet_hops),
    WEIR_COUNTED(struct weir_sim_counts, state_bytes),
};

static void put_counts(struct weir_json *json, const struct weir_sim_counts *c)
{
    char digest[17];
    (void)snprintf(digest, sizeof(digest), "%016" PRIx64, c->digest);
    weir_json_bool(json, "over", c->over != 0);
    weir_json_u64(json, "now_ps", c->now_ps);
    weir_json_counters(json, count_rows, ROWS(count_rows), c);
    weir_json_string(json, "digest", digest);
}

static const struct weir_counter_row link_rows[] = {
    WEIR_COUNTED(struct weir_sim_link, rate_bps),    WEIR_COUNTED(struct weir_sim_link, sent_bps),
    WEIR_COUNTED(struct weir_sim_link, queue_bytes), WEIR_COUNTED(struct weir_sim_link, bytes),
    WEIR_COUNTED(struct weir_sim_link, marks),       WEIR_COUNTED(struct weir_sim_link, drops),
    WEIR_COUNTED(struct weir_sim_link, losses),
};
static const struct weir_counter_row host_rows[] = {
    WEIR_COUNTED(struct weir_sim_host, waiting_messages), WEIR_COUNTED(struct weir_sim_host, waiting_bytes),
    WEIR_COUNTED(struct weir_sim_host, open_messages),    WEIR_COUNTED(struct weir_sim_host, unsent_pkts),
    WEIR_COUNTED(struct weir_sim_host, acked_bytes),      WEIR_COUNTED(struct weir_sim_host, arrived_bytes),
    WEIR_COUNTED(struct weir_sim_host, retransmissions),
};

static void put_node(struct weir_json *json, const char *key, struct weir_sim *sim, uint32_t node)
{
    char name[WEIR_NODE_NAME];
    int code = weir_sim_node_name(sim, node, name, sizeof(name));
    WEIR_ASSERT(code == 0);
    weir_json_string(json, key, name);
}

static void put_snapshot(struct weir_json *json, struct weir_sim *sim, const struct weir_sim_snapshot *s)
{
    weir_json_u64(json, "at_ps", s->at_ps);
    weir_json_u64(json, "since_ps", s->since_ps);
    weir_json_open_list(json, "links");
    for (uint32_t i = 0; i < s->link_count; i++) {
        weir_json_open(json, NULL);
        put_node(json, "src", sim, s->link[i].src);
        put_node(json, "dst", sim, s->link[i].dst);
        weir_json_counters(json, link_rows, ROWS(link_rows), &s->link[i]);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_open_list(json, "host_states");
    for (uint32_t h = 0; h < s->host_count; h++) {
        weir_json_open(json, NULL);
        weir_json_counters(json, host_rows, ROWS(host_rows), &s->host[h]);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

static void put_metrics(struct weir_json *json, const struct weir_sim_metric *m, long count)
{
    weir_json_open(json, "metrics");
    for (long i = 0; i < count; i++) {
        if (m[i].applies == 0)
            weir_json_null(json, m[i].name);
        else
            weir_json_decimal(json, m[i].name, m[i].whole, m[i].digits);
    }
    weir_json_close(json);
}

static void put_error(struct weir_json *json, const struct weir_sim_error *e)
{
    weir_json_open(json, "error");
    weir_json_string(json, "code", weir_session_code_name(e->code));
    if (e->file[0] != '\0')
        weir_json_string(json, "file", e->file);
    if (e->line > 0)
        weir_json_u64(json, "line", e->line);
    if (e->column > 0)
        weir_json_u64(json, "column", e->column);
    weir_json_string(json, "text", e->text);
    if (e->hint[0] != '\0')
        weir_json_string(json, "hint", e->hint);
    weir_json_close(json);
}

static void put_answer(struct weir_json *json, const struct weir_session_player *player, enum weir_session_answer what)
{
    struct weir_sim *sim = *player->sim;
    switch (what) {
    case WEIR_SESSION_ANSWERS_NOTHING:
        return;
    case WEIR_SESSION_ANSWERS_OPENED:
        weir_json_u64(json, "hosts", weir_sim_hosts(sim));
        weir_json_u64(json, "reaction_ps", weir_sim_reaction(sim));
        weir_json_u64(json, "lead_ps", weir_sim_lead(sim));
        put_times(json, sim);
        return;
    case WEIR_SESSION_ANSWERS_MESSAGE:
        weir_json_u64(json, "message", player->message);
        return;
    case WEIR_SESSION_ANSWERS_EVENTS:
        put_times(json, sim);
        return;
    case WEIR_SESSION_ANSWERS_COUNTS:
        put_counts(json, &player->counts);
        return;
    case WEIR_SESSION_ANSWERS_RESULT:
        put_metrics(json, player->metric, player->metrics);
        return;
    case WEIR_SESSION_ANSWERS_SNAPSHOT:
        put_snapshot(json, sim, &player->snapshot);
        return;
    }
}

void weir_answer_end(struct weir_answer *answer, const struct weir_session_player *player,
                     const struct weir_session_row *row, int code)
{
    struct weir_json *json = &answer->json;
    if (code == 0 && row->answer == WEIR_SESSION_ANSWERS_EVENTS)
        weir_answer_events(answer, NULL, 0); /* perhaps none */
    if (answer->in_events)
        weir_json_close_list(json);
    if (code != 0)
        put_error(json, &player->error);
    else
        put_answer(json, player, row->answer);
    weir_json_close(json);
    (void)fputc('\n', json->out);
}

/* ---- the schema ---- */

static const enum weir_schema_type schema_types[] = {
    [WEIR_SESSION_U32] = WEIR_SCHEMA_INTEGER,    [WEIR_SESSION_U64] = WEIR_SCHEMA_INTEGER,
    [WEIR_SESSION_DECIMAL] = WEIR_SCHEMA_NUMBER, [WEIR_SESSION_FLAG] = WEIR_SCHEMA_BOOL,
    [WEIR_SESSION_TEXT] = WEIR_SCHEMA_STRING,    [WEIR_SESSION_LIST] = WEIR_SCHEMA_LIST,
};

#define OPTIONAL(name, of)                                                                                             \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_##of, .optional = true                                                      \
    }
static const struct weir_schema texts = { .key = "text", .type = WEIR_SCHEMA_STRING };
static const struct weir_schema event_fields[] = {
    WEIR_FIELD("kind", STRING),
    WEIR_FIELD("at_ps", INTEGER),
    WEIR_FIELD("user", INTEGER),
    OPTIONAL("src", INTEGER),
    OPTIONAL("dst", INTEGER),
    OPTIONAL("bytes", INTEGER),
    OPTIONAL("host", INTEGER),
    OPTIONAL("start_ps", INTEGER),
    OPTIONAL("retransmissions", INTEGER),
    { .key = NULL },
};
static const struct weir_schema error_fields[] = {
    WEIR_FIELD("code", STRING), OPTIONAL("file", STRING), OPTIONAL("line", INTEGER), OPTIONAL("column", INTEGER),
    WEIR_FIELD("text", STRING), OPTIONAL("hint", STRING), { .key = NULL },
};
static const struct weir_schema metric = { .key = "metric", .type = WEIR_SCHEMA_NUMBER, .or_null = true };
static const struct weir_schema event = { .key = "event", .type = WEIR_SCHEMA_OBJECT, .fields = event_fields };
/* weir_session_schema() adds the counters. */
static struct weir_schema link_fields[2 + ROWS(link_rows) + 1] = { WEIR_FIELD("src", STRING),
                                                                   WEIR_FIELD("dst", STRING) };
static struct weir_schema host_fields[ROWS(host_rows) + 1];
static const struct weir_schema link = { .key = "link", .type = WEIR_SCHEMA_OBJECT, .fields = link_fields };
static const struct weir_schema host = { .key = "host", .type = WEIR_SCHEMA_OBJECT, .fields = host_fields };
static const struct weir_schema answer_fields[] = {
    { .key = "line",
      .type = WEIR_SCHEMA_INTEGER,
      .text = "number of the line that is answered, from 1; 0: the command" },
    { .key = "error",
      .type = WEIR_SCHEMA_OBJECT,
      .text = "the call was refused, and changed nothing",
      .optional = true,
      .fields = error_fields },
    { .key = "events", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &event },
    OPTIONAL("hosts", INTEGER),
    OPTIONAL("reaction_ps", INTEGER),
    OPTIONAL("lead_ps", INTEGER),
    OPTIONAL("message", INTEGER),
    OPTIONAL("now_ps", INTEGER),
    OPTIONAL("floor_ps", INTEGER),
    OPTIONAL("over", BOOL),
    OPTIONAL("messages_started", INTEGER),
    OPTIONAL("messages_delivered", INTEGER),
    OPTIONAL("messages_completed", INTEGER),
    OPTIONAL("bytes_started", INTEGER),
    OPTIONAL("bytes_delivered", INTEGER),
    OPTIONAL("packet_hops", INTEGER),
    OPTIONAL("state_bytes", INTEGER),
    OPTIONAL("digest", STRING),
    OPTIONAL("at_ps", INTEGER),
    OPTIONAL("since_ps", INTEGER),
    { .key = "metrics",
      .type = WEIR_SCHEMA_OBJECT,
      .text = "by the names of weir list metrics; what does not apply is null",
      .optional = true,
      .each = &metric },
    { .key = "links", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &link },
    { .key = "host_states", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &host },
    { .key = NULL },
};

/* Puts the schema of one call: an object whose member call has one value. */
static void put_call(struct weir_json *json, const struct weir_session_row *row)
{
    weir_json_open(json, NULL);
    weir_json_string(json, "description", row->text);
    weir_json_string(json, "type", "object");
    weir_json_open(json, "properties");
    weir_json_open(json, "call");
    weir_json_string(json, "const", row->name);
    weir_json_close(json);
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++) {
        const struct weir_session_member *member = &weir_session_members[i];
        const struct weir_schema field = { .key = member->name,
                                           .text = member->text,
                                           .type = schema_types[member->type],
                                           .each = member->type == WEIR_SESSION_LIST ? &texts : NULL };
        const struct weir_schema rows[] = { field, { .key = NULL } };
        if (((row->needs | row->takes) >> i & 1) != 0)
            weir_schema_properties(json, rows);
    }
    weir_json_close(json);
    weir_json_open_list(json, "required");
    weir_json_string(json, NULL, "call");
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++)
        if ((row->needs >> i & 1) != 0)
            weir_json_string(json, NULL, weir_session_members[i].name);
    weir_json_close_list(json);
    weir_json_bool(json, "additionalProperties", false);
    weir_json_close(json);
}

static void put_reference(struct weir_json *json, const char *to)
{
    weir_json_open(json, NULL);
    weir_json_string(json, "$ref", to);
    weir_json_close(json);
}

void weir_session_schema(FILE *out)
{
    struct weir_json json = { .out = out, .levels = 4 };
    weir_schema_counters(link_fields + 2, link_rows, ROWS(link_rows));
    weir_schema_counters(host_fields, host_rows, ROWS(host_rows));
    weir_json_open(&json, NULL);
    weir_json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    weir_json_string(&json, "title", "a line of weir session");
    weir_json_open_list(&json, "oneOf");
    put_reference(&json, "#/$defs/call");
    put_reference(&json, "#/$defs/answer");
    weir_json_close_list(&json);
    weir_json_open(&json, "$defs");
    weir_json_open(&json, "call");
    weir_json_open_list(&json, "oneOf");
    for (const struct weir_session_row *row = weir_session_rows; row->name != NULL; row++)
        put_call(&json, row);
    weir_json_close_list(&json);
    weir_json_close(&json);
    weir_schema_object(&json, "answer", false);
    weir_schema_properties(&json, answer_fields);
    weir_schema_required(&json);
    weir_schema_keys(&json, answer_fields);
    weir_schema_object_end(&json);
    weir_json_close(&json);
    weir_json_close(&json);
}
