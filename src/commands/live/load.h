/* src/commands/live/load.h - `weir load`: the simulator's traffic against real hosts. load_args.c reads the command
 * line, load_traffic.c says which message is due when, load.c sends and counts, load_print.c prints. Internal to these
 * four. */
#ifndef WEIR_LIVE_LOAD_H
#define WEIR_LIVE_LOAD_H
#include "live/latency.h"
#include "live/live.h"
#include "measure/result.h"
#include "workload/workload.h"

#define WEIR_LOAD_PEERS_MAX 1024u

struct weir_load_args {
    struct weir_live_args live;
    const char *sizes; /* as traffic.sizes of a scenario, or "fixed:10MB" */
    const char *peer[WEIR_LOAD_PEERS_MAX];
    uint64_t load_bps;  /* open loop: payload per second; 0 = load_ppm says it, or another mode */
    uint64_t period_ps; /* incast: from burst to burst; 0 = another mode */
    uint64_t duration_ps, warmup_ps, seed;
    uint64_t count;       /* most messages; WEIR_NEVER = the duration alone decides */
    uint64_t join_ps;     /* closed loop: peer k takes part from k times this on */
    uint32_t load_ppm;    /* of the link's rate */
    uint32_t outstanding; /* closed loop: messages under way to each peer; 0 = not given: 1, if no other mode is */
    uint32_t peer_count;
};

/* Reads the command line. Returns 0, or a code with err. */
int weir_load_args_parse(struct weir_load_args *args, int argc, char **argv, struct weir_err *err);

enum weir_load_mode { WEIR_LOAD_POISSON, WEIR_LOAD_CLOSED, WEIR_LOAD_INCAST };

struct weir_load_traffic { /* times in picoseconds since the start */
    const struct weir_load_args *args;
    enum weir_load_mode mode;
    struct weir_traffic_config item;
    struct weir_workload workload; /* lent by source */
    struct weir_source source;     /* poisson */
    uint64_t drawn;                /* messages, of closed loop and incast */
    uint64_t burst_ps;             /* incast: the next one */
    uint32_t burst_next;           /* peer of the burst that is next; peer_count = the burst is complete */
    uint32_t next_peer;            /* closed loop: the peer to try first */
    uint32_t under_way[WEIR_LOAD_PEERS_MAX];
};

/**
 * Prepares the traffic.
 * @param rate_bps  of this host's link
 * @param phase_ps  since the last burst by the clock of the day: bursts of several hosts fall together
 * @return 0, or a code with err
 */
int weir_load_traffic_init(struct weir_load_traffic *t, const struct weir_load_args *args, uint64_t rate_bps,
                           uint64_t phase_ps, struct weir_err *err);
void weir_load_traffic_free(struct weir_load_traffic *t);
/* Returns the size of the largest message there can be. */
uint64_t weir_load_traffic_max(const struct weir_load_traffic *t);
/* Takes a message that is due. dst: index of the peer. @return false = none is */
bool weir_load_traffic_take(struct weir_load_traffic *t, uint64_t now_ps, struct weir_message *out);
/* Returns when the next one is due, if nothing ends before; WEIR_NEVER = none. */
uint64_t weir_load_traffic_next_ps(const struct weir_load_traffic *t);

struct weir_load_slot { /* a message under way; its index is the operation's user_data */
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
    struct weir_latency latency[WEIR_GROUP_COUNT]; /* ALL is made when all is over */
    uint64_t group_edge[3];
    struct weir_load_slot *slot; /* WEIR_LIVE_OPS_MAX */
    unsigned char *payload;      /* what every message is the beginning of */
    void *peer[WEIR_LOAD_PEERS_MAX];
    struct sockaddr_storage addr[WEIR_LOAD_PEERS_MAX];
    socklen_t addr_len[WEIR_LOAD_PEERS_MAX];
    struct weir_message held; /* due, and refused with -EAGAIN */
    uint64_t started, completed, failed, unfinished;
    uint64_t offered_bytes;                    /* of messages that were to start in the measured part */
    uint64_t origin_ns, ended_ps, measured_ps; /* real time of the start; when the last message was started or
                                                   ended */
    uint32_t free_slot, used_slots;            /* first free one + 1; ever used */
    uint32_t failed_peer;
    int failure;                    /* of the first that failed; 0 = none */
    bool has_held, blocked, broken; /* broken: it makes no sense to go on */
};

void weir_load_json(const struct weir_load *l, bool interrupted);
void weir_load_table(const struct weir_load *l);
#endif
