/* weir/sim.h - the simulator of datacenter networks, driven by another program: a session.
 *
 * A program opens a session with the text of a scenario, gives messages to hosts, lets simulated time advance, and is
 * told what ended and when. Nothing is estimated: each message takes its packets through the same engine as
 * `weir run`, and the same calls give the same events and the same digest, for any number of threads. doc/session.md.
 *
 * Time is in picoseconds from the beginning of the run, and never runs back.
 *
 * Results. A function that returns an int or a long returns 0 or more, or a negative enum weir_sim_code;
 * weir_sim_error() then has the sentence, but for a call in a call-back of a session with several threads: there the
 * code says it. A call with a wrong argument changes nothing.
 *
 * Threads. A session belongs to one thread at a time. Its own threads (opts.threads) wait between calls. A process may
 * have several sessions. After fork() a session with one thread goes on in both processes; with more it must not be
 * used in the child.
 *
 * An invariant of the simulator that does not hold is a bug, and ends the process.
 *
 * Shares. weir_sim_shares_open() and what goes with it compute weighted max-min fair rates of flows instead of
 * simulating them, and follow each change of a flow (doc/allocate.md). They need no session.
 *
 * struct weir_sim_opts, weir_sim_message, weir_sim_counts, weir_sim_snapshot, weir_sim_shares_opts, weir_sim_change and weir_sim_changed
 * begin with their size: set it to sizeof, and fields that are not needed to 0. New fields are only ever added at the end. */
#ifndef WEIR_SIM_H
#define WEIR_SIM_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_SIM_ABI_VERSION 0u /* of this header; weir_sim_abi_version() returns the library's */
#define WEIR_SIM_NEVER UINT64_MAX

struct weir_sim; /* a session */

enum weir_sim_code { /* what a function returns when it did not do its work */
                     WEIR_SIM_E_MEMORY = -1,
                     WEIR_SIM_E_SCENARIO = -2, /* the scenario is refused: the error says file, line and column */
                     WEIR_SIM_E_ARGUMENT = -3, /* an argument is wrong */
                     WEIR_SIM_E_PAST = -4,     /* a time before which the simulation can no longer be changed */
                     WEIR_SIM_E_STARTED = -5,  /* the message has started, or ended */
                     WEIR_SIM_E_CALL = -6,     /* the call is not allowed here, as in a call-back */
                     WEIR_SIM_E_OVER = -7,     /* the run is over: it has an end (run.measure), or it stalled */
                     WEIR_SIM_E_RUN = -8,      /* the run failed; nothing more can be done but to close the session */
                     WEIR_SIM_E_FILE = -9,     /* a file cannot be read or written, or is no saved session */
                     WEIR_SIM_E_DIGEST = -10,  /* the calls of a saved session have another digest here */
};

struct weir_sim_error {    /* of weir_sim_open() and weir_sim_error() */
    int code;              /* enum weir_sim_code; 0 = no error yet */
    uint32_t line, column; /* from 1; 0 = the error has no position */
    char file[256];        /* as opts.name, or "" */
    char text[512];        /* a sentence */
    char hint[512];        /* what to do; perhaps "" */
};

enum weir_sim_event_kind {
    WEIR_SIM_DELIVERED = 1, /* the last byte of a message has arrived at its receiver */
    WEIR_SIM_COMPLETED = 2, /* its sender knows that */
    WEIR_SIM_TIMER = 4,     /* a timer of weir_sim_at() or weir_sim_host_at() */
};

struct weir_sim_event {
    uint64_t at_ps;
    uint64_t user;     /* as the program gave it */
    uint64_t id;       /* of the message, as weir_sim_inject() gave it; of a timer 0. Which id it is says nothing */
    uint64_t start_ps; /* of the message */
    uint64_t bytes;
    uint32_t kind;            /* enum weir_sim_event_kind */
    uint32_t src, dst;        /* hosts of the message; of a timer of a host both are this host, else UINT32_MAX */
    uint32_t retransmissions; /* of COMPLETED: packets of the message that were sent again; else 0 */
};

/* Is called in the visit of a host, at the instant of the event, by the thread of that host: of the receiver if a
 * message is delivered, of the sender if it completes, of the host of a timer. It may call weir_sim_inject(),
 * weir_sim_cancel(), weir_sim_set_weight() and weir_sim_host_at() for host `here` alone, from event->at_ps on, and no other function of the
 * session. With several threads it runs in several threads at once, never twice at once for one host. */
typedef void (*weir_sim_event_fn)(void *ctx, const struct weir_sim_event *event, uint32_t here);

struct weir_sim_opts {
    uint32_t size;
    uint32_t threads; /* 0 = 1; more help in large networks that are busy */
    /* Name of the scenario's file, for errors; relative file names in the scenario begin at its folder. NULL =
     * "scenario" */
    const char *name;
    const char *const *set; /* "path.to.key=value", each as `weir run --set`; NULL-terminated. NULL = none */
    /* An event at t can be answered at any host from t + this on; 0 = the shortest delay of a cable. Below 2^62
     * ps. Longer is a little faster: windows of the simulation may be as long */
    uint64_t reaction_ps;
    uint32_t events; /* which events weir_sim_advance() returns: enum weir_sim_event_kind; 0 = DELIVERED and TIMER */
    uint32_t check;  /* not 0 = verify invariants while running, as `weir run --check` */
    weir_sim_event_fn on_event; /* NULL = none */
    void *ctx;                  /* of on_event */
    uint32_t record;   /* not 0 = keep all calls in memory, for weir_sim_save(): some 15 bytes a message or timer */
    uint32_t reserved; /* 0 */
};

struct weir_sim_message {
    uint32_t size;
    uint32_t src, dst; /* two hosts, 0 .. weir_sim_hosts() - 1 */
    uint32_t item;     /* number among the items of kind session in the scenario's `traffic`: with class, law or tenant
                          of its own */
    uint64_t bytes;    /* 1 .. 2^40 */
    uint64_t start_ps; /* not before weir_sim_floor(); in a call-back not before its event */
    uint64_t user;     /* for the program: events have it */
    double weight;     /* 0 = 1; in the range that `weights` of the item says, where none is said 1 */
    uint32_t group;    /* 1 = the first one of the item's `groups`: src is of its senders, dst is not; 0 = none */
};

struct weir_sim_counts {
    uint32_t size;
    uint32_t over; /* not 0 = the run is over */
    uint64_t now_ps;
    uint64_t messages_started, messages_delivered, messages_completed;
    uint64_t bytes_started, bytes_delivered; /* payload of these messages */
    uint64_t packet_hops;                    /* packets that arrived at a node, so far */
    uint64_t digest;      /* of the messages that have ended, and when. At the end: that of `weir run` */
    uint64_t state_bytes; /* memory of the simulation */
};

struct weir_sim_link {    /* one direction of a cable, at an instant */
    uint32_t src, dst;    /* nodes: hosts first, then switches; weir_sim_node_name() */
    uint64_t rate_bps;    /* of the cable */
    uint64_t sent_bps;    /* mean rate since the last snapshot; at the first one since the run began */
    uint64_t queue_bytes; /* on the wire, that wait at its port: with the rest of the frame that is being sent */
    uint64_t bytes;       /* on the wire, of packets that joined its port so far, less those that a cut dropped there */
    uint64_t marks, drops, losses; /* packets so far. drops: at its port, or as no route led on from its end; losses: on
                                      the wire */
};

struct weir_sim_host {                        /* a host, at an instant; its messages of other traffic count, too */
    uint64_t waiting_messages, waiting_bytes; /* given by the program, start at this instant or later */
    uint64_t open_messages;                   /* have started, and the host does not know of their end */
    uint64_t unsent_pkts;                     /* of these, never sent */
    uint64_t acked_bytes;   /* payload so far, that is acknowledged to it; of receiver-driven protocols: that it sent */
    uint64_t arrived_bytes; /* payload so far, that has arrived at it */
    uint64_t retransmissions;
};

struct weir_sim_snapshot {
    uint32_t size;
    uint32_t link_count, host_count;
    uint32_t reserved;                /* 0 */
    uint64_t at_ps;                   /* all before this instant has happened, and nothing of it */
    uint64_t since_ps;                /* of the last snapshot; 0 = the beginning */
    const struct weir_sim_link *link; /* lent until the next snapshot, or until the session is closed */
    const struct weir_sim_host *host;
};

struct weir_sim_metric { /* a number that a run gives, by its name in `weir run --json`: "slowdown.all.p99" */
    const char *name, *unit;
    double value;    /* NaN = it does not apply */
    uint64_t whole;  /* the same, exact: whole / 10^digits; 0 where it does not apply */
    uint32_t digits; /* of unit "flag" 0: true is 1 */
    uint32_t applies;
};

/* Opens a session. text, length: a scenario, with traffic of kind session. opts: NULL = all defaults.
 * @return the session, to be closed by weir_sim_close(); NULL = refused, and *error says why (error may be NULL) */
struct weir_sim *weir_sim_open(const char *text, size_t length, const struct weir_sim_opts *opts,
                               struct weir_sim_error *error);

/* Gives a message to its sender. Of one sender and one start, messages start in the order of calls, those of
 * call-backs last. id: gets the message's id; NULL = not needed. @return 0, or E_ARGUMENT, E_PAST, E_OVER, E_CALL (for
 * another host than that of the call-back), E_MEMORY */
int weir_sim_inject(struct weir_sim *sim, const struct weir_sim_message *message, uint64_t *id);

/* Takes a message back that has not started, and starts at weir_sim_floor() or later. @return 0, or E_STARTED, E_PAST,
 * E_ARGUMENT (no such id), E_CALL, E_OVER */
int weir_sim_cancel(struct weir_sim *sim, uint64_t id);

/* Sets the weight of a message from at_ps on, as jobs do: protocols that know weights share by it. One that has ended by
 * then keeps its weight. weight: in the range that `weights` of an item says. @return 0, or as weir_sim_inject() */
int weir_sim_set_weight(struct weir_sim *sim, uint64_t id, uint64_t at_ps, double weight);

/* Takes a cable, a switch or a host down at an instant, and with it what waits there: as an item of fabric.events does
 * (doc/model.md [cables]). The scenario says in fabric.cuttable which cables may go down, and has no events of its own.
 * Routes follow after fabric.reroute_delay. Changes are given in the order of time, each weir_sim_lead() before its
 * instant at least. A cable is up while it is, and both its ends are. Not in a call-back.
 * @param name   "leaf 0 - spine 1", "spine 1", "host 3"
 * @param at_ps  not before weir_sim_floor() + weir_sim_lead()
 * @return 0, or E_ARGUMENT, E_PAST, E_OVER, E_CALL, E_MEMORY, E_RUN */
int weir_sim_cut(struct weir_sim *sim, const char *name, uint64_t at_ps);
/* Takes a cable down so that packets wait for it; else as weir_sim_cut(). */
int weir_sim_hold(struct weir_sim *sim, const char *cable, uint64_t at_ps);
/* Takes up again what is down, or does nothing if it is up; else as weir_sim_cut(). */
int weir_sim_mend(struct weir_sim *sim, const char *name, uint64_t at_ps);

/* Sets a timer: advance() stops there, before all that happens at that instant. @return 0, E_PAST, E_ARGUMENT, E_OVER,
 * E_CALL or E_MEMORY */
int weir_sim_at(struct weir_sim *sim, uint64_t at_ps, uint64_t user);

/* Sets a timer of a host, which calls on_event in its visit. @return as weir_sim_inject() */
int weir_sim_host_at(struct weir_sim *sim, uint32_t host, uint64_t at_ps, uint64_t user);

/**
 * Advances simulated time to the next instant with events, but no further than until_ps: all that happens before
 * until_ps is done then. All events of one instant come together, in the order of hosts.
 * @param until_ps  not before weir_sim_now(); WEIR_SIM_NEVER = until nothing happens any more
 * @param events    gets the events, lent until the next call; NULL = not needed
 * @return the number of events; 0 = until_ps is reached, nothing is left to happen, or the run is over; or E_PAST,
 *         E_CALL, E_RUN
 */
long weir_sim_advance(struct weir_sim *sim, uint64_t until_ps, const struct weir_sim_event **events);

/* Returns the time of the last events, or the last until_ps that was reached. */
uint64_t weir_sim_now(const struct weir_sim *sim);

/* Returns the earliest start of a message that may be given now. */
uint64_t weir_sim_floor(const struct weir_sim *sim);

/* Returns the reaction: opts.reaction_ps, or what stood for 0. */
uint64_t weir_sim_reaction(const struct weir_sim *sim);

/* Returns how long before its instant a change of the network must be given: so long may a frame be on its way. */
uint64_t weir_sim_lead(const struct weir_sim *sim);

/* Returns the number of hosts of the topology. */
uint32_t weir_sim_hosts(const struct weir_sim *sim);

/* Writes what has happened so far; counts->size must be set. The counts are the same for any number of threads when
 * weir_sim_advance() has returned 0; after events hosts may have gone on, to weir_sim_floor() at most. @return 0, or
 * E_ARGUMENT, E_CALL */
int weir_sim_counts(struct weir_sim *sim, struct weir_sim_counts *counts);

/* Describes the network at weir_sim_now(); snapshot->size must be set. It is the same for any number of threads: so all
 * nodes must have stopped at that instant. They have where weir_sim_advance() returned timers of the session, or 0 for
 * an until_ps. If an event was less than 17 us before, until_ps or the timer must have been given before that event:
 * else some nodes may have gone on. @return 0, or E_CALL (they may have, or a call-back), E_ARGUMENT, E_MEMORY, E_RUN */
int weir_sim_snapshot(struct weir_sim *sim, struct weir_sim_snapshot *snapshot);

/**
 * Computes the numbers of the run so far, as if it ended now, and goes on; after weir_sim_end() those of `weir run` with
 * the same messages. Numbers about the machine are left out. While the run goes on, all nodes must have stopped, as for
 * weir_sim_snapshot(), and a pause of PFC that lasts is not counted.
 * @param metric  gets the numbers, lent with their names until the next call of this function, or
 *                until the session is closed
 * @return how many; or E_CALL, E_MEMORY, E_RUN
 */
long weir_sim_result(struct weir_sim *sim, const struct weir_sim_metric **metric);

/* Ends the run as weir_sim_close() does, and keeps the session: its result is that of `weir run` then, and so is the
 * digest of weir_sim_counts(). Nothing more can be given. Events that are left are still returned by
 * weir_sim_advance(). @return 0, also if it has ended already; E_CALL, or what the run met: E_MEMORY, E_RUN */
int weir_sim_end(struct weir_sim *sim);

/* Writes the name of a node, as "host 3" or "leaf 0", of at most size - 1 bytes. @return 0, or E_ARGUMENT */
int weir_sim_node_name(struct weir_sim *sim, uint32_t node, char *name, size_t size);

/* Writes a session to a file: its scenario, all calls so far but those of call-backs, and a digest of all that has
 * happened at hosts before weir_sim_floor(). There is no image of the state. The file has a line of JSON for each call,
 * as `weir session` reads them (doc/session.md). It appears when it is complete. Hosts go on to weir_sim_floor(), which
 * changes nothing. @return 0, or E_FILE; E_CALL (opts.record was not set, a call-back, or a message of a call-back was
 * cancelled from outside), E_RUN, E_MEMORY */
int weir_sim_save(struct weir_sim *sim, const char *file);

/**
 * Opens a saved session, and executes its calls again, which takes as long as they took. Times, events that are due and
 * the digest are then as they were. Messages may have other ids.
 * @param opts   threads, check, record, and a call-back, which is called again: a session that had one needs it. name
 *               replaces the name of the scenario's file. NULL = all defaults. set, events and reaction_ps are in the
 *               file, and must be 0 here
 * @param sim    gets the session before its calls are executed, so that a call-back finds it; NULL = refused
 * @param error  gets the file and the line at fault; NULL = not needed
 * @return 0, or E_FILE, E_DIGEST (another version of the library, or a file that the scenario names has changed),
 *         E_SCENARIO, E_ARGUMENT, E_MEMORY, and what the calls return
 */
int weir_sim_restore(const char *file, const struct weir_sim_opts *opts, struct weir_sim **sim,
                     struct weir_sim_error *error);

/* Ends a session and frees it. If messages are on their way, hosts go on to weir_sim_floor() first, perhaps with
 * call-backs. counts: gets the final counts; NULL = not needed. error: says why, if the result is not 0; NULL = not
 * needed. @return 0, or what the run met: E_MEMORY, E_RUN. The session is freed, except with E_CALL: a call-back cannot
 * close its session */
int weir_sim_close(struct weir_sim *sim, struct weir_sim_counts *counts, struct weir_sim_error *error);

/* Returns the last error of a session. */
const struct weir_sim_error *weir_sim_error(const struct weir_sim *sim);

struct weir_sim_shares; /* a network, and the weighted max-min fair rates of its flows */

struct weir_sim_shares_opts {
    uint32_t size;
    uint32_t wire;    /* not 0 = links share all their bits, and rates are on the wire; 0 = payload */
    const char *name; /* as in struct weir_sim_opts, as is set */
    const char *const *set;
    double within; /* what moves a rate by less than this part of it is kept at its link; 0 = 1e-4. 1e-9 to 0.01 */
};

enum weir_sim_change_kind {
    WEIR_SIM_ADD = 1,    /* a flow comes */
    WEIR_SIM_REMOVE = 2, /* a flow goes */
    WEIR_SIM_WEIGHT = 3, /* a flow gets another weight */
};

struct weir_sim_change { /* of one flow */
    uint32_t size;
    uint32_t kind;     /* enum weir_sim_change_kind */
    uint32_t flow;     /* number of the flow; of ADD 0 */
    uint32_t src, dst; /* of ADD: two hosts; else 0 */
    uint32_t reserved; /* 0 */
    double weight;     /* 0.001 to 1000000; of REMOVE 0 */
};

struct weir_sim_share { /* a flow that a change has moved */
    uint32_t flow;
    uint32_t reserved; /* 0 */
    double rate_bps, before_bps;
};

struct weir_sim_changed { /* what a change has done */
    uint32_t size;
    uint32_t flow;                      /* number of the flow; of ADD the one it got */
    uint32_t share_count;               /* flows with another rate, with the one that was named */
    uint32_t reserved;                  /* 0 */
    double largest;                     /* largest relative change of a rate, but for the named flow */
    const struct weir_sim_share *share; /* these flows; lent until the next change, or until the shares are closed */
};

/* Lists the flows of a scenario, and solves for their shares. Its traffic is as of `weir allocate`; an item of kind
 * session stands for none. Flows have the numbers of `weir allocate --csv`. opts: NULL = all defaults. @return the
 * shares, to be closed by weir_sim_shares_close(); NULL = refused, and *error says why (error may be NULL) */
struct weir_sim_shares *weir_sim_shares_open(const char *text, size_t length, const struct weir_sim_shares_opts *opts,
                                             struct weir_sim_error *error);

/* Changes one flow, and computes the shares after it; changed->size must be set. A flow that is added gets the number
 * after the last. @return 0, or E_ARGUMENT (a host, a flow or a weight that cannot be; nothing has changed); E_MEMORY,
 * and the shares can only be closed */
int weir_sim_shares_change(struct weir_sim_shares *shares, const struct weir_sim_change *change,
                           struct weir_sim_changed *changed);

/* Writes the share of a flow, in bit/s. @return 0, or E_ARGUMENT (there is no such flow, or no longer) */
int weir_sim_shares_rate(struct weir_sim_shares *shares, uint32_t flow, double *rate_bps);

/* Solves anew, and writes the largest distance of a share from that, as a part of the latter. The shares stay. @return
 * 0, or E_MEMORY */
int weir_sim_shares_compare(struct weir_sim_shares *shares, double *largest);

/* Returns the last error of shares. */
const struct weir_sim_error *weir_sim_shares_error(const struct weir_sim_shares *shares);

/* Frees shares; NULL does nothing. */
void weir_sim_shares_close(struct weir_sim_shares *shares);

/* Returns the WEIR_SIM_ABI_VERSION of the library. */
uint32_t weir_sim_abi_version(void);

#ifdef __cplusplus
}
#endif
#endif
