/* src/commands/watch/state.h - the state of `weir run --live`. For this room. */
#ifndef WEIR_WATCH_STATE_H
#define WEIR_WATCH_STATE_H
#include "text/memory.h"
#include "text/outfile.h"
#include "watch/frame.h"
#include "watch/server.h"
#include "watch/timeline.h"

struct weir_watch {
    struct weir_server *server;
    char *page;           /* HTML */
    struct weir_sim *sim; /* NULL = the run has not begun */
    struct weir_frames frames;
    struct weir_timeline done; /* what the page has changed */
    struct weir_outfile out;   /* for it; file NULL = it is not written */
    bool can_cut, can_weigh;   /* cables and weights may change */
    char *plain;               /* the scenario before anything was announced */
    struct weir_memory about;  /* what the run is, as JSON */
    uint64_t end_ps, step_ps;  /* end of the run, WEIR_NEVER = when all is done; what a step simulates */
    uint64_t next_ns;          /* when the next step is due, if they are paced */
    uint64_t steps;            /* that were asked for while it pauses */
    uint64_t sent, confirmed;  /* frames, by number: the page gets the next one when it has confirmed the last */
    uint64_t digest;           /* of the run, once it is over */
    uint32_t viewer;           /* the page that was greeted last; 0 = none yet */
    bool plays, is_paced;
    bool news;               /* there is something that no frame has shown */
    bool is_over, is_closed; /* nothing more is simulated; there is a result */
    bool is_reported;        /* the page knows of the result */
    int (*rows)(void *ctx, const struct weir_account_row *row, size_t count); /* the caller's; NULL = none */
    void *rows_ctx;
};

/* Executes a command of the page: struct weir_server_calls.command. ctx: the struct weir_watch */
bool weir_watch_command(void *ctx, const char *text, char answer[WEIR_SERVER_ANSWER]);
#endif
