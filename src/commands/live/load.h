/* src/commands/live/load.h - `weir load`: sends traffic of the simulator's kinds to real hosts. load_args.c parses the
 * command line, load_traffic.c decides which message is due when, load.c sends and counts, load_print.c prints.
 * Internal to these four files. */
#ifndef WEIR_LIVE_LOAD_H
#define WEIR_LIVE_LOAD_H
#include "live/latency.h"
#include "live/live.h"
#include "measure/result.h"
#include "workload/workload.h"

#define WEIR_LOAD_PEERS_MAX 1024u

struct weir_load_args {
    struct weir_live_args live;
    const char *sizes; /* distribution of sizes, as traffic.sizes of a scenario, or "fixed:10MB" */
    const char *peer[WEIR_LOAD_PEERS_MAX];
    uint64_t load_bps;  /* open loop: payload in bit/s; 0 = load_ppm is used, or another mode */
    uint64_t period_ps; /* incast: time between two bursts; 0 = another mode */
    uint64_t duration_ps, warmup_ps, seed;
    uint64_t count;      /* most messages to start; WEIR_NEVER = no limit but the duration */
    uint64_t join_ps;    /* closed loop: messages to peer k start at k times this */
    uint32_t weight_ppm; /* of messages; 0 = not given: 1 */
    uint32_t priority;   /* of messages; 0 = the most urgent, or not given */
    uint32_t load_ppm;   /* open loop: fraction of the link's rate, in millionths; 0 = unused */
    /* Closed loop: messages under way to each peer; 0 = another mode. Becomes 1 if no mode is given */
    uint32_t outstanding;
    uint32_t peer_count;
};

/* Parses and checks the command line. @return 0, or a code with err */
int weir_load_args_parse(struct weir_load_args *args, int argc, char **argv, struct weir_err *err);

enum weir_load_mode { WEIR_LOAD_POISSON, WEIR_LOAD_CLOSED, WEIR_LOAD_INCAST };

struct weir_load_traffic { /* state of the traffic; times in ps since the start */
    const struct weir_load_args *args;
    enum weir_load_mode mode;
    struct weir_traffic_config item;
    struct weir_workload workload; /* source refers to it */
    struct weir_source source;     /* poisson */
    uint64_t drawn;                /* closed loop and incast: number of messages drawn */
    uint64_t burst_ps;             /* incast: time of the next burst, or of the present one while it is incomplete */
    uint32_t burst_next;           /* incast: peer of the next message of the burst; peer_count = the burst is
                                      complete */
    uint32_t next_peer;            /* closed loop: the peer to try first */
    uint32_t under_way[WEIR_LOAD_PEERS_MAX];
};

/**
 * Initialises the traffic.
 * @param rate_bps  rate of this host's link
 * @param phase_ps  incast: time since the last multiple of the period by the clock of the day; so bursts of several
 * hosts start together
 * @return 0, or a code with err
 */
int weir_load_traffic_init(struct weir_load_traffic *t, const struct weir_load_args *args, uint64_t rate_bps,
                           uint64_t phase_ps, struct weir_err *err);
void weir_load_traffic_free(struct weir_load_traffic *t);
/* Returns the largest size that a message can have. */
uint64_t weir_load_traffic_max(const struct weir_load_traffic *t);
/* Draws the next message that is due at now_ps, and counts it in under_way. out->dst: index of the peer. @return false
 * = no message is due */
bool weir_load_traffic_take(struct weir_load_traffic *t, uint64_t now_ps, struct weir_message *out);
/* Returns the time at which the next message is due if no message ends before; WEIR_NEVER = none is. To be called after
 * weir_load_traffic_take() returned false. */
uint64_t weir_load_traffic_next_ps(const struct weir_load_traffic *t);

struct weir_load_slot { /* a message under way; the index of its slot is the operation's user_data */
    struct weir_message message;
    uint32_t next_free;
};

struct weir_load { /* large: on the heap */
    struct weir_load_args args;
    struct weir_live live;
    struct weir_load_traffic traffic;
    struct weir_limits_info limits;
    struct weir_recorder recorder;
    struct weir_result result;
    struct weir_latency latency[WEIR_GROUP_COUNT]; /* WEIR_GROUP_ALL is computed at the end */
    uint64_t group_edge[3];
    struct weir_load_slot *slot; /* WEIR_LIVE_OPS_MAX */
    unsigned char *payload;      /* zeros: the payload of every message is a prefix of them */
    void *peer[WEIR_LOAD_PEERS_MAX];
    struct sockaddr_storage addr[WEIR_LOAD_PEERS_MAX];
    socklen_t addr_len[WEIR_LOAD_PEERS_MAX];
    struct weir_message held; /* with has_held: a message that is due and was refused with -EAGAIN */
    uint64_t started, completed, failed, unfinished;
    uint64_t offered_bytes; /* bytes of the messages whose start is in the measured part */
    /* origin: real time of the start. ended: time at which the last message completed, or at which the run stopped
     * starting messages, whichever is later. measured: length of the measured time */
    uint64_t origin_ns, ended_ps, measured_ps;
    uint32_t free_slot, used_slots; /* free_slot: first free slot + 1, 0 = none; used_slots: slots that were ever
                                       used */
    uint32_t failed_peer;
    int failure;                    /* result of the first message that failed; 0 = none failed */
    bool has_held, blocked, broken; /* blocked: wait for WEIR_EV_WRITABLE; broken: end the run early */
};

void weir_load_json(const struct weir_load *l, bool interrupted);
void weir_load_table(const struct weir_load *l);
#endif
