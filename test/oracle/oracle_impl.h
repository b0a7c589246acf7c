/* test/oracle/oracle_impl.h - what the files of the oracle share. */
#ifndef WEIR_TEST_ORACLE_IMPL_H
#define WEIR_TEST_ORACLE_IMPL_H
#include "core/telemetry.h"
#include "model/account.h"
#include "program/run.h"
#include "hooks/chain.h"
#include "hooks/features.h"
#include "test/oracle/events.h"
#include "switch/switch.h"
#include "test/oracle/oracle.h"
#include "workload/jobs.h"

/* What is on the wire of a link. The port that feeds it is its node's, a plain switch (src/simulator/switch). */
struct oracle_link {
    struct weir_switch_fifo flight;  /* packets that started, neither arrived nor lost; arrival_ps says when */
    struct weir_switch_fifo control; /* likewise, control frames */
    struct weir_switch *sw;          /* its source */
    uint32_t port;                   /* of the source */
    uint32_t link, src, dst;
    uint64_t delay_ps, arrived;
    uint64_t last_arrival_ps; /* of the packets that started before; 0 = none has */
    uint64_t given_ps;        /* of a host with several NICs: when it got the last packet; 0 = none yet */
    bool of_switch, up;
};

struct oracle_node {
    struct oracle *o;
    struct weir_switch *sw; /* of a host: its NIC */
    uint64_t armed_ps;      /* earliest time for which ORACLE_NODE is on the heap; WEIR_NEVER = none */
    uint64_t tick_ps;       /* time of its ORACLE_TICK; WEIR_NEVER = it has no timers */
    uint32_t node;
    struct weir_switch_sink sink;
};

#define ORACLE_NO_NODE UINT32_MAX
#define ORACLE_KINDS 16u /* of packets: weir_pkt.kind has 4 bits */

#define ORACLE_ARMED_MAX 8u

struct oracle_host {
    struct weir_host *host;
    struct weir_source source;
    uint64_t start_armed_ps;      /* time of its ORACLE_START on the heap; WEIR_NEVER = there is none */
    struct oracle_link *nic, *in; /* its cable: to the switch, from it */
    uint64_t
        armed_ps[ORACLE_ARMED_MAX]; /* timers on the heap, latest first: a new one is pushed only if earlier than all */
    uint32_t armed_count;
    uint64_t transmit_ps;               /* instant for which ORACLE_TRANSMIT is on the heap */
    struct oracle *o;                   /* where a taped host's sink begins */
    uint32_t first;                     /* the one that is served first */
    struct oracle_transport *transport; /* nics.c; of a host with several NICs */
    struct weir_host_sink sink;
};

struct oracle_why { /* a rule by which a packet was dropped or lost, by names; zeros = it was not */
    const char *feature, *rule;
};

struct weir_cable_event;
struct oracle_lost;   /* causes.c */
struct oracle_block { /* memory lent to hosts; a list, freed with the run */
    struct oracle_block *next;
    void *memory;
};

struct oracle_counts { /* values at the start of the measured part */
    struct weir_port_count *port;
    uint64_t *acked, *arrived; /* per host: payload acknowledged to it, and new at it */
    uint64_t unfinished_bytes;
    struct weir_account_law_totals law[WEIR_LAWS_MAX]; /* base_new_bytes then; the rest is of the whole run */
};

struct oracle {
    const struct weir_model *model;
    const struct weir_sim_options *options;
    const struct weir_topology *topo;
    struct oracle_heap heap;
    uint64_t now_ps, end_ps;
    uint64_t world_ps;            /* of the next cable event, look or other thing outside the heap */
    struct oracle_link *link;     /* link_count */
    struct oracle_node *node;     /* node_count */
    struct oracle_host *host;     /* host_count */
    struct weir_switch_pool pool; /* of all packets */
    bool coupled;                 /* else switches only forward, and packets have no struct weir_switch_more */
    uint32_t open;                /* node whose instant is on; ORACLE_NO_NODE = none */
    uint32_t ticks;               /* entries on the heap that come again for ever */
    struct oracle_block *blocks;
    struct weir_mem mem;        /* gives out of them */
    struct weir_routes *routes; /* [0]: every cable up; [i]: after event i - 1 */
    uint32_t events_done, reroutes_done;
    uint8_t *epoch; /* host_count: restarts so far; NULL = there are none */
    uint32_t restarts_done;
    uint64_t stale; /* packets that hosts refused for their epoch */
    struct weir_account account;
    struct oracle_lost *lost; /* by cause; a list, lent */
    uint32_t writable_parts[WEIR_LAWS_MAX][ORACLE_KINDS];
    uint64_t packet_hops, alive;       /* alive: packets queued or in flight */
    uint64_t hops_checked;             /* packet_hops at the last check */
    uint32_t sources_left;             /* hosts with a message that is known to start some day */
    struct weir_programs_run programs; /* zeros = there are none */
    struct weir_inbox *inbox;          /* by host; NULL = there are no programs */
    struct oracle_jobs *jobs;          /* NULL = none */
    uint64_t next_policy_ps;           /* tick of the jobs */
    /* looks at the queues */
    bool measuring;
    uint64_t next_snapshot_ps, tor_max_bytes, port_max_bytes, port_max_link, sample_count;
    struct weir_account_samples *samples;
    struct weir_port_count *at_sample;    /* at the last one, of every port */
    uint64_t next_tell_ps, notified_ps;   /* options->look: the next one, the last one */
    struct weir_snapshot_host *tell_host; /* what is lent to it, of few hosts; else NULL */
    uint64_t *tell_port_bytes;
    struct weir_snapshot_flow *tell_flow; /* NULL = not asked for */
    struct oracle_counts at_warmup;
    struct weir_port_count *quarter; /* of every port at the start of each quarter; NULL = not kept */
    uint32_t quarters;
    uint64_t next_quarter_ps;
    struct weir_port_count *at_batch; /* of every port when the last batch ended */
    uint64_t next_batch_ps;
    uint64_t *bin; /* payload that had arrived at the end of each; NULL = not kept */
    uint64_t next_bin_ps;
    uint32_t bins;
    /* stall */
    uint64_t stall_check_ps, stall_bytes;
    bool stalled, interrupted;
    int error;
    const char *broken;                  /* the invariant that failed; NULL = none */
    const struct weir_oracle_tape *tape; /* NULL = none */
};

/* calloc that ends the program when there is no memory: the oracle is a test. */
void *oracle_alloc(size_t count, size_t size);

static inline void oracle_push(struct oracle *o, uint64_t at_ps, uint32_t node, enum oracle_kind kind, uint32_t index)
{
    uint64_t id = (uint64_t)node << ORACLE_NODE_SHIFT | (uint64_t)kind << ORACLE_KIND_SHIFT | index;
    oracle_heap_push(&o->heap, (oracle_event)at_ps << 64 | id);
}

/* network.c: nodes as plain switches, and links between them */
void oracle_network_init(struct oracle *o);
struct weir_switch_pkt *oracle_pkt_take(struct oracle *o);
/* Puts a node on the heap that has something to do, unless its instant is on. */
void oracle_arm(struct oracle *o, uint32_t node);
/* Nothing more comes to the node whose instant is on: its ports decide. */
void oracle_node_finish(struct oracle *o);
/* A packet of a link arrives, and a control frame. */
void oracle_link_arrives(struct oracle *o, struct oracle_link *in);
void oracle_link_control(struct oracle *o, struct oracle_link *in);
/* The part of one direction of a cable in an event of it. */
void oracle_link_event(struct oracle *o, struct oracle_link *link, const struct weir_cable_event *event);
/* A packet at a link that options have tapped: reported at once. A frame that a cable cuts off later has been reported as sent. */
void oracle_tap(const struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                enum weir_tap_event event, bool is_control);
/* Likewise: it is dropped, or lost on the wire. */
void oracle_tap_lost(const struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                     enum weir_tap_event event, const struct oracle_why *why);
const struct weir_port_count *oracle_count(const struct oracle *o, uint32_t link);
uint64_t oracle_queue_bytes(const struct oracle *o, uint32_t link);

/* check.c: invariants */
void oracle_check_init(struct oracle *o);
const char *oracle_check(const struct oracle *o);
/* What hooks have made of a packet. */
void oracle_check_written(struct oracle *o, enum weir_switch_hook hook, const struct weir_pkt *before,
                          const struct weir_pkt *after);

/* switches.c */
/* Ends the program if a port's chain has a feature that is off at its node, or with another model than the node has. */
void oracle_check_chain(const struct oracle *o, const struct weir_chain *chain, uint32_t node);

/* causes.c */
/* Why a switch did what it did, in names: what it says by a number, read anew from the page. */
struct oracle_why oracle_why_of(const struct oracle *o, const struct oracle_link *link, uint32_t cause, uint32_t bytes);
/* Counts a packet that is dropped or lost; the link has counted it. */
void oracle_count_gone(struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                       const struct oracle_why *why, enum weir_fate fate);
/* Counts a mark, a deflection, a pause. */
void oracle_count_fate(struct oracle *o, const struct oracle_link *link, const struct oracle_why *why,
                       enum weir_fate fate);
uint32_t oracle_number_of(const struct oracle *o, const struct oracle_why *why);
/* May a feature write its field into packets of this law? */
bool oracle_owns_field(const struct oracle *o, const struct weir_feature *row, uint32_t law);
void oracle_causes_result(struct oracle *o, struct weir_result *result);
const char *oracle_causes_check(const struct oracle *o);

/* hosts.c */
/* The number of a packet on the way, with the epoch of its ends. */
void oracle_write_epoch(const struct oracle *o, struct weir_pkt *pkt);
/* Do packets have telemetry records? Else they have something else in the place of their number. */
bool oracle_has_records(const struct oracle *o);
void *oracle_lend(void *ctx, size_t size); /* weir_mem.grow; ctx: struct oracle */
void oracle_hosts_init(struct oracle *o);
/* The hosts that restart now do so. */
void oracle_hosts_restart(struct oracle *o);
void oracle_bin(struct oracle *o); /* snapshots.c: one ends now */
void oracle_hosts_free(struct oracle *o);
void oracle_host_arrive(struct oracle *o, uint32_t host, uint32_t nic, struct weir_switch_pkt *p);
void oracle_host_timer(struct oracle *o, uint32_t host);
/* The host's entries up to at_ps are off the heap: puts one there for its next timer. */
void oracle_host_disarm(struct oracle *o, uint32_t host, uint64_t at_ps);
void oracle_host_start(struct oracle *o, uint32_t host);
void oracle_host_reply(struct oracle *o, uint32_t host, uint32_t index);
void oracle_host_transmit(struct oracle *o, uint32_t host);
/* Asks for ORACLE_TRANSMIT at this instant if the host could send now. */
void oracle_host_wake(struct oracle *o, uint32_t host);

/* A message of a job starts now; the weight of one under way changes. */
void oracle_host_send(struct oracle *o, const struct weir_message *m);
void oracle_host_weigh(struct oracle *o, uint32_t host, uint32_t msg, uint64_t weight_q20);

/* nics.c: hosts with several NICs */
void oracle_nics_init(struct oracle *o, uint32_t host);
/* May a NIC take a packet now? */
bool oracle_nics_free(const struct oracle *o, uint32_t host);
/* Has any transport something to give? */
bool oracle_nics_wait(const struct oracle *o, uint32_t host);
void oracle_nics_transmit(struct oracle *o, uint32_t host);
/* Passes pauses of NICs on to transports. */
void oracle_nics_pause(const struct oracle *o, uint32_t host);

/* jobs.c */
void oracle_jobs_init(struct oracle *o);
void oracle_jobs_free(struct oracle *o);
/* Some flow has not started. */
bool oracle_jobs_wait(const struct oracle *o);
/* The three events of a flow. */
void oracle_jobs_start(struct oracle *o, uint32_t flow);
void oracle_jobs_change(struct oracle *o, uint32_t flow);
void oracle_jobs_told(struct oracle *o, uint32_t flow);
void oracle_jobs_tick(struct oracle *o);

/* programs.c */
/* Gives hosts their inboxes, with the first timers of ranks. */
void oracle_programs_init(struct oracle *o);
void oracle_programs_free(struct oracle *o);
/* Some message of a program has not arrived. */
bool oracle_programs_wait(const struct oracle *o);
void oracle_programs_timer(struct oracle *o, const struct weir_message *m);
/* Puts the next start of a host on the heap, if it comes before what is there. */
void oracle_host_arm_start(struct oracle *o, uint32_t host);

/* edge.c: the calls of host.h, and the tape's notes of them */
/* What a host is given as its sink instead of oh->sink. */
struct weir_host_sink oracle_edge_sink(struct oracle *o, struct oracle_host *oh);
int oracle_edge_send(struct oracle *o, struct oracle_host *oh, uint32_t law, uint32_t dst, uint32_t msg,
                     uint64_t bytes);
/* hop: the packet's records; NULL = none */
void oracle_edge_rx(struct oracle *o, struct oracle_host *oh, const struct weir_pkt *pkt,
                    const struct weir_telemetry *hop);
/* max: 0 or 1 */
uint32_t oracle_edge_tx(struct oracle *o, struct oracle_host *oh, struct weir_pkt *out, uint32_t max);

/* snapshots.c: what is counted, and when */
void oracle_snapshots_init(struct oracle *o);
void oracle_snapshots_free(struct oracle *o);
void oracle_note_join(struct oracle *o, const struct oracle_link *link);
void oracle_snapshot(struct oracle *o);
/* A quarter of the measured part begins. */
void oracle_quarter(struct oracle *o);
void oracle_batch(struct oracle *o);
/* A message is on its way or still to start. */
bool oracle_is_undelivered(const struct oracle *o);
/* Tells options->look how things stand, unless it was told of at_ps already. */
void oracle_tell(struct oracle *o, uint64_t at_ps);
/* The same as a thing that happens at this instant, and what comes next. */
void oracle_tell_on(struct oracle *o);
void oracle_result(struct oracle *o, struct weir_result *result);
#endif
