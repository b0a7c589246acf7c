/* src/simulator/session/session.h - the state of a session (include/weir/sim.h): a run of the engine that pauses, is
 * given more messages, and goes on. For this room.
 *
 * Hosts note what happened to messages in their own threads, in a log per thread. When the run pauses, thread 0 takes
 * these notes, sorts them by (time, host) and hands them out instant by instant. An answer to an event at t begins at t
 * + reaction or later, and windows of hosts are no longer than the reaction. So no host has run past the earliest
 * answer when an event is handed out, for any number of threads. */
#ifndef WEIR_SESSION_SESSION_H
#define WEIR_SESSION_SESSION_H
#include "engine/engine.h"
#include "session/given.h"
#include "session/record.h"
#include "setup/setup.h"
#include "state/wake.h"
#include <weir/sim.h>

#define SESSION_NO_HOST UINT32_MAX
#define SESSION_METRIC_NAME 96 /* bytes: features.shared-buffer.NAME_share, laws[3].slowdown.all.count */
#define SESSION_OPTS_LEAST offsetof(struct weir_sim_opts, record) /* bytes that every program's options have */

struct session_note { /* an event, until it is handed out; a row of struct sim_row_log */
    uint64_t at_ps;
    uint64_t order; /* of equal times: the host that made the note, then in the order of its notes */
    struct weir_sim_event event;
};

struct session_timer { /* of the session, not of a host */
    uint64_t user;
    uint32_t next_free; /* of a free entry: the next one, plus 1; 0 = none */
};

struct session_part {  /* a cable or a node, as the program has taken it down */
    uint64_t flush_ps; /* when it last went down so that packets are dropped */
    bool is_down;
};

struct session_own { /* scenario and set-up of a session that a program has opened by a text */
    struct weir_scenario scn;
    struct weir_setup setup;
    bool is_set_up; /* they are to be freed */
};

struct weir_sim {
    struct weir_scenario *scn; /* as setup: of own, or of a driven run (drive.h) and lent */
    struct weir_setup *setup;
    struct session_own *own;   /* NULL = the run is driven */
    struct weir_sim_opts opts; /* as given, defaults filled in */
    struct weir_sim_error error;
    struct weir_sim_options run; /* of the engine */
    struct sim_engine *engine;
    struct sim_pause pause;
    volatile int stop;         /* the run ends early */
    struct weir_inbox *inbox;  /* by host; the engine's */
    struct sim_row_log *noted; /* by thread of the engine: struct session_note */
    struct session_note *note; /* events that have not been handed out: next_note .. notes - 1, sorted */
    size_t next_note, notes, note_room;
    struct weir_sim_event *handed; /* those of the last instant */
    size_t handed_room;
    struct weir_heap timers; /* of the session, by (time, order of calls, index of timer[]) */
    struct session_timer *timer;
    uint32_t timers_made, timer_room, timer_free, timer_calls;
    uint8_t item[WEIR_TRAFFIC_MAX]; /* indices of the items of kind session */
    uint32_t items;
    uint64_t least_q20[WEIR_TRAFFIC_MAX], most_q20[WEIR_TRAFFIC_MAX]; /* weights of items of kind session */
    uint64_t now_ps, floor_ps;
    uint64_t lead_ps;                  /* weir_sim_lead() */
    uint64_t changed_ps;               /* of the last change of the network */
    struct session_part *cable, *node; /* by lower link, by node; NULL = nothing has changed yet */
    uint64_t beyond_ps;                /* no node has gone beyond this, for any number of threads: see advance.c */
    struct weir_sim_link *link;        /* of the last snapshot, as are host and snapshot_ps; NULL = there was none */
    struct weir_sim_host *host;
    uint64_t *left_bytes; /* by link: bytes that had left it then */
    uint64_t snapshot_ps;
    struct session_record *record;  /* NULL = calls are not recorded */
    uint32_t messages;              /* given so far, not in call-backs; wraps around */
    struct weir_result result;      /* of the whole run, once it is ended */
    struct weir_sim_counts last;    /* at its end */
    struct weir_sim_metric *metric; /* of the last weir_sim_result(); metric_room of them, as metric_name */
    char (*metric_name)[SESSION_METRIC_NAME];
    size_t metric_room;
    bool ended;
    bool failed; /* the run failed: nothing but weir_sim_close() is left */
};

/* The call-back that this thread is in; sim NULL = none. */
struct session_visit {
    struct weir_sim *sim;
    uint32_t host;
    uint64_t now_ps;
};
extern _Thread_local struct session_visit session_visit;

/* Writes an error of the session. @return code */
__attribute__((format(printf, 4, 5))) int session_fail(struct weir_sim *sim, int code, const char *hint,
                                                       const char *format, ...);

/* Sets the engine up with sim->run, and lets hosts make notes. @return 0, or a code with err: no engine then */
int session_open_engine(struct weir_sim *sim, struct weir_err *err);
/* Frees a session, its engine if there is one, and its scenario and set-up unless they are lent. */
void session_free(struct weir_sim *sim);

/* Returns how long before its instant a change of the network must be given. */
uint64_t session_lead_ps(const struct weir_setup *setup);

/* Copies an error of the engine. @return the code that the program gets for it */
int session_blame_run(struct weir_sim *sim, int code, const struct weir_err *err);
/* Tests whether a run that has not failed goes on. @return 0, or a code */
int session_check_run(struct weir_sim *sim);
/* Puts a row into a host's inbox, and makes the host due then. id: gets that of the row; NULL = not needed. @return 0,
 * or a code: no memory */
int session_put_row(struct weir_sim *sim, uint32_t host, uint64_t at_ps, const struct weir_inbox_row *row,
                    uint64_t *id);
/* Finds the record of a message of a host that has not ended. @return its handle; UINT32_MAX = there is none */
uint32_t session_find_message(const struct weir_sim *sim, uint32_t host, uint64_t message);
/* Tests a time that a program gives. @return 0, or a code: it is before floor_ps, or too late */
int session_check_time(struct weir_sim *sim, uint64_t at_ps, uint64_t floor_ps);
/* Lets the engine go on to its next pause, and takes the notes that hosts have made. on_note: it also pauses when hosts
 * have made some. @return 0, or a code: the session has failed */
int session_go(struct weir_sim *sim, uint64_t pause_ps, bool on_note);
/* Ends the run, and computes its result. @return 0, or a code: the session has failed */
int session_end(struct weir_sim *sim);
/* Tests whether all messages have ended, those of other traffic, too. */
bool session_is_done(const struct weir_sim *sim);
/* Lets the threads of a run that is not over end, after a failure between windows: they wait for the next one. */
void session_leave(struct sim_engine *e);
/* Tests whether all nodes have stopped at sim->now_ps, for any number of threads. @return 0, or E_CALL */
int session_stands(struct weir_sim *sim);
/* Computes a digest of all that has happened at hosts before the floor. @return 0, or a code */
int session_digest(struct weir_sim *sim, uint64_t *digest);

/* Notes what happened to a message: struct weir_account.noted. ctx: the session */
void session_noted(void *ctx, uint32_t here, uint32_t src, const struct weir_account_msg *m, enum weir_note what,
                   uint64_t now_ps);
/* Keeps the number that a host has for a message which starts: struct weir_account.began. ctx: the session */
void session_began(void *ctx, uint32_t host, uint32_t tag, uint32_t handle);
/* Notes that a timer of a host is due, or changes the weight of a message: struct weir_account.timer. ctx: the
 * session */
void session_timer_due(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps);
/* Takes back the changes of a message that wait: it has ended, or was cancelled. */
void session_drop_changes(struct weir_sim *sim, uint32_t host, struct weir_inbox_row *message);
/* Moves the notes of hosts to sim->note, in order. Between windows only. @return false = no
 * memory */
bool session_collect(struct weir_sim *sim);

/* The id of a message, for the program: never 0. A row is used again, then with the next epoch. */
#define SESSION_ROWS_MAX ((UINT32_C(1) << 22) - 1)
#define SESSION_HOST_OF(id) ((uint32_t)((id) >> 44))
#define SESSION_ROW_OF(id) ((uint32_t)((id)&SESSION_ROWS_MAX) - 1)
static inline uint64_t session_id(uint32_t host, uint32_t row, uint32_t epoch)
{
    return (uint64_t)host << 44 | (uint64_t)(epoch & 0x3fffffu) << 22 | ((uint64_t)row + 1);
}

/* Tests whether this thread is in a call-back of the session. */
static inline bool session_in_visit(const struct weir_sim *sim)
{
    return session_visit.sim == sim;
}

/* Copies a struct of the program that begins with its size, at least `least` bytes, which may be larger than ours.
 * @return false = it is smaller, or has something in a field that is not known here */
bool session_take(void *to, size_t size, const void *from, uint32_t given, size_t least);
#endif
