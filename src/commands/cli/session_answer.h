/* src/commands/cli/session_answer.h - the answers of `weir session`, and the schema of its lines. */
#ifndef WEIR_CLI_SESSION_ANSWER_H
#define WEIR_CLI_SESSION_ANSWER_H
#include "session/play.h"
#include "text/json.h"
#include <stdio.h>

struct weir_answer { /* an answer while it is written: one line of JSON */
    struct weir_json json;
    bool in_events; /* the list of events is open */
};

/* Begins the answer to a line, 0 = to the opening by the command line. */
void weir_answer_begin(struct weir_answer *answer, FILE *out, uint64_t line);
/* Adds events. ctx: a struct weir_answer. For struct weir_session_player.events */
void weir_answer_events(void *ctx, const struct weir_sim_event *event, long count);
/* Ends the answer. row: the call; NULL = it is not known. code: what it returned */
void weir_answer_end(struct weir_answer *answer, const struct weir_session_player *player,
                     const struct weir_session_row *row, int code);

/* Prints the JSON Schema of the lines: calls and answers. */
void weir_session_schema(FILE *out);
#endif
