/* src/simulator/session/call.h - the calls of a session as rows of a table, and as lines of JSON: one line a call, as
 * {"call": "inject", "src": 0, "dst": 5, "bytes": 1000}. Saved sessions, the input of `weir session` and its schema are
 * made from these rows. doc/session.md describes the lines. For this room, and for the command. */
#ifndef WEIR_SESSION_CALL_H
#define WEIR_SESSION_CALL_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct weir_tree_arena;
struct weir_session_player;

/* The members that calls may have. The first ones are those of messages: a recorded call has a byte for seven. */
enum weir_session_member_id {
    WEIR_SESSION_SRC,
    WEIR_SESSION_DST,
    WEIR_SESSION_BYTES,
    WEIR_SESSION_START,
    WEIR_SESSION_USER,
    WEIR_SESSION_ITEM,
    WEIR_SESSION_WEIGHT,
    WEIR_SESSION_GROUP,
    WEIR_SESSION_UNTIL,
    WEIR_SESSION_TIMES,
    WEIR_SESSION_MESSAGE,
    WEIR_SESSION_HOST,
    WEIR_SESSION_AT,
    WEIR_SESSION_FORMAT,
    WEIR_SESSION_WEIR,
    WEIR_SESSION_SCENARIO,
    WEIR_SESSION_NAME,
    WEIR_SESSION_SET,
    WEIR_SESSION_EVENTS,
    WEIR_SESSION_REACTION,
    WEIR_SESSION_THREADS,
    WEIR_SESSION_CHECK,
    WEIR_SESSION_RECORD,
    WEIR_SESSION_CALL_BACKS,
    WEIR_SESSION_FILE,
    WEIR_SESSION_DIGEST,
    WEIR_SESSION_PART,
    WEIR_SESSION_MEMBERS
};
#define WEIR_SESSION_BIT(member) (UINT32_C(1) << WEIR_SESSION_##member)

enum weir_session_type {
    WEIR_SESSION_U32,
    WEIR_SESSION_U64,
    WEIR_SESSION_DECIMAL, /* a number with up to nine decimals, as a whole number of 10^-9 */
    WEIR_SESSION_FLAG,
    WEIR_SESSION_TEXT,
    WEIR_SESSION_LIST, /* of texts */
};

enum { WEIR_SESSION_LIST_MAX = 256 };    /* texts of a list */
enum { WEIR_SESSION_FORMAT_NUMBER = 1 }; /* of the lines of saved sessions */

/* The members of one call. */
struct weir_session_args {
    uint32_t given; /* bit i: member i is set */
    uint32_t src, dst, item, group, host, format, threads;
    bool check, record, call_backs;
    uint64_t bytes, start_ps, user, weight_e9, until_ps, times, message, at_ps, reaction_ps;
    const char *weir, *scenario, *name, *file, *digest, *part;
    const char *const *set, *const *events; /* NULL-terminated */
};

struct weir_session_member {
    const char *name;
    enum weir_session_type type;
    uint16_t offset; /* in struct weir_session_args */
    const char *text;
};
extern const struct weir_session_member weir_session_members[WEIR_SESSION_MEMBERS];

/* Members of the answer to a call, besides the number of its line. */
enum weir_session_answer {
    WEIR_SESSION_ANSWERS_NOTHING,
    WEIR_SESSION_ANSWERS_OPENED,  /* hosts, reaction, times */
    WEIR_SESSION_ANSWERS_MESSAGE, /* the number of the message */
    WEIR_SESSION_ANSWERS_EVENTS,
    WEIR_SESSION_ANSWERS_COUNTS,
    WEIR_SESSION_ANSWERS_SNAPSHOT,
    WEIR_SESSION_ANSWERS_RESULT,
};

enum weir_session_call { /* of calls that a saved session has: the index of the row */
                         WEIR_SESSION_INJECT,
                         WEIR_SESSION_CANCEL,
                         WEIR_SESSION_AT_CALL,
                         WEIR_SESSION_HOST_AT,
                         WEIR_SESSION_ADVANCE,
                         WEIR_SESSION_END,
                         WEIR_SESSION_SET_WEIGHT,
                         WEIR_SESSION_CUT,
                         WEIR_SESSION_HOLD,
                         WEIR_SESSION_MEND,
                         WEIR_SESSION_OPEN,
                         WEIR_SESSION_EXPECT,
};

struct weir_session_row { /* one call */
    const char *name, *text;
    uint32_t needs, takes; /* bits of members that must and that may be there */
    enum weir_session_answer answer;
    bool may_open; /* it opens a session: none need be open */
    bool is_apart; /* saved sessions do not have it */
    /* Executes the call. @return 0, or enum weir_sim_code with player->error */
    int (*run)(struct weir_session_player *player, const struct weir_session_args *args);
};
extern const struct weir_session_row weir_session_rows[]; /* the last one has no name */

/* Returns the name of one enum weir_sim_event_kind. */
const char *weir_session_event_name(uint32_t kind);
/* Returns the name of one enum weir_sim_code: "past". */
const char *weir_session_code_name(int code);

/**
 * Reads a line.
 * @param arena  holds what texts and lists of *args point to
 * @param file   for errors, which have the line 1; lent as long as args
 * @return the row of its call; NULL with err
 */
const struct weir_session_row *weir_session_line_read(struct weir_tree_arena *arena, const char *file, const char *text,
                                                      size_t length, struct weir_session_args *args,
                                                      struct weir_err *err);
/* Writes a call as a line. */
void weir_session_line_write(FILE *out, const struct weir_session_row *row, const struct weir_session_args *args);
#endif
