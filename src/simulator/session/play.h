/* src/simulator/session/play.h - executes calls that are lines (session/call.h): of a saved session, and of `weir
 * session`. A line that is refused changes nothing, and the next one may be played. */
#ifndef WEIR_SESSION_PLAY_H
#define WEIR_SESSION_PLAY_H
#include "session/call.h"
#include <weir/sim.h>

struct weir_session_given { /* a message that may not have ended */
    uint64_t id;
    uint32_t number;
};

struct weir_session_player {
    struct weir_sim **sim;       /* where the session is; NULL there = none is open. Call-backs find it there */
    struct weir_sim_opts base;   /* of sessions that are opened: threads, check, record, call-back */
    const char *file;            /* for errors of lines */
    struct weir_sim_error error; /* of the last line that was refused */
    /* Gets the events of an instant; NULL = they are not needed */
    void (*events)(void *ctx, const struct weir_sim_event *event, long count);
    void *ctx;
    struct weir_sim_counts counts; /* of the calls counts and close */
    struct weir_sim_snapshot snapshot;
    const struct weir_sim_metric *metric; /* metrics of them, of the call result */
    long metrics;
    uint32_t message;  /* number of the last message that was given */
    uint32_t messages; /* given so far in this session */
    struct weir_session_given *given;
    size_t givens, given_room;
    bool in_file; /* lines are of a saved session */
};

/* Executes a line. *row: gets its call; NULL = it is not known. @return 0, or enum weir_sim_code with player->error,
 * which has no line, and a column if a place in the line is at fault */
int weir_session_play_line(struct weir_session_player *player, const char *text, size_t length,
                           const struct weir_session_row **row);
/* Executes the calls of a saved session. No session may be open; one that is opened is closed again if the file is
 * refused. @return 0, or enum weir_sim_code with player->error, which has file and line */
int weir_session_play_file(struct weir_session_player *player, const char *file);
/* Frees what a player has; does not close its session. */
void weir_session_player_free(struct weir_session_player *player);
#endif
