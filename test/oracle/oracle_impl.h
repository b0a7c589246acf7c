/* test/oracle/oracle_impl.h - what the files of the oracle share. */
#ifndef WEIR_TEST_ORACLE_IMPL_H
#define WEIR_TEST_ORACLE_IMPL_H
#include "core/telemetry.h"
#include "model/account.h"
#include "hooks/chain.h"
#include "hooks/features.h"
#include "test/oracle/events.h"
#include "test/oracle/oracle.h"
#include "workload/jobs.h"

struct oracle_pkt { /* one cache line; from a host's NIC to its last arrival it stays where it is and changes queues */
    struct weir_pkt pkt;
    uint64_t tx_ps; /* time on the wire of the link it is for */
    struct oracle_pkt *next;
};
_Static_assert(sizeof(struct oracle_pkt) == 64, "one cache line");

#define ORACLE_NO_LINK UINT32_MAX

struct oracle_ext { /* right behind its packet, where the fabric does more than forward */
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    uint32_t in;       /* link it came to this switch by; ORACLE_NO_LINK = made at this node */
    uint32_t in_class; /* the class in which it came by that link */
    uint32_t links;    /* that it took so far */
};

static inline struct oracle_ext *oracle_ext(struct oracle_pkt *p)
{
    return (struct oracle_ext *)(void *)(p + 1);
}

struct oracle_fifo {
    struct oracle_pkt *head, *tail; /* tail only while head is not NULL */
};

struct oracle_port { /* one link and the port that feeds it; what every packet touches comes first */
    _Alignas(64) struct weir_tx_clock clock;
    uint64_t waiting_ps;                  /* time on the wire of all that waits */
    uint64_t busy_until_ps;               /* end of the transmission that is on */
    uint64_t synced_ps;                   /* the area is integrated up to here */
    uint64_t held_bytes;                  /* from joining to the end of transmission, frames whole */
    struct oracle_fifo flight;            /* started, neither arrived nor lost; arrival_ps says when */
    uint64_t offered, started, arrived;   /* packets, so far */
    uint64_t sending_ps, sending_wire_ps; /* its work, and its time on the wire: longer while the cable is slow */
    uint32_t sending_bytes;               /* of the frame in transmission */
    bool sending, up, of_switch;
    bool discards; /* the cable is down, and what comes is dropped */
    uint32_t link, src;
    struct weir_port_count count; /* area: 2 * integral of b(t) up to synced_ps */
    uint64_t rate_bps, delay_ps;
    uint64_t last_arrival_ps; /* of the frames that started before; 0 = none has */
    uint64_t decide_ps;       /* instant for which a decision is on the heap */
    uint32_t dst;
    struct weir_chain chain;
    struct oracle_fifo queue[WEIR_CLASSES_MAX];
};

struct oracle_queue { /* where packets wait for their turn; there is one only while some do */
    uint64_t number;
    struct oracle_fifo fifo;
    struct oracle_queue *next; /* whose turn follows */
};

struct oracle_control { /* a control frame; its packet says whose it is (msg), class_id and code (flags) */
    struct oracle_fifo waiting, flight;
};

struct oracle_fabric { /* of one link and the port that feeds it, where some feature is coupled */
    struct oracle_control control;
    uint32_t closed;        /* bit: class, which may not start */
    uint32_t sending_in;    /* of the packet in transmission; ORACLE_NO_LINK = none, or made here */
    uint32_t sending_class; /* in which that packet came */
    bool sending_data;
    struct weir_pkt sending;
    struct oracle_queue *queue; /* whose turn it is */
    uint32_t quantum_pkts;      /* that it may still send */
    bool turn_begun;
};

#define ORACLE_ARMED_MAX 8u

struct oracle_host {
    struct weir_host *host;
    struct weir_source source;
    struct oracle_port *nic, *in; /* its cable: to the switch, from it */
    uint64_t
        armed_ps[ORACLE_ARMED_MAX]; /* timers on the heap, latest first: a new one is pushed only if earlier than all */
    uint32_t armed_count;
    uint64_t transmit_ps; /* instant for which ORACLE_TRANSMIT is on the heap */
    struct oracle *o;     /* where a taped host's sink begins */
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
    struct oracle_port *port;     /* link_count */
    struct oracle_host *host;     /* host_count */
    uint64_t *used_bytes;         /* node_count: memory held by each switch */
    uint64_t *waiting_bytes;      /* link_count: of packets that wait at each port */
    struct oracle_pkt *free_pkt;  /* list */
    struct oracle_fabric *fabric; /* link_count; NULL = switches only forward */
    uint32_t ticks;               /* entries on the heap that come again for ever */
    struct oracle_block *blocks;
    struct weir_mem mem;        /* gives out of them */
    struct weir_routes *routes; /* [0]: every cable up; [i]: after event i - 1 */
    uint32_t routes_now, events_done, reroutes_done;
    uint8_t *epoch; /* host_count: restarts so far; NULL = there are none */
    uint32_t restarts_done;
    uint64_t stale; /* packets that hosts refused for their epoch */
    struct weir_account account;
    struct oracle_lost *lost;    /* by cause; a list, lent */
    uint64_t packet_hops, alive; /* alive: packets queued or in flight */
    uint32_t sources_left;       /* hosts that will start a message some day */
    struct oracle_jobs *jobs;    /* NULL = none */
    uint64_t next_policy_ps;     /* tick of the jobs */
    /* looks at the queues */
    bool measuring;
    uint64_t next_snapshot_ps, tor_max_bytes, port_max_bytes, sample_count;
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

/* ports.c */
void oracle_fifo_push(struct oracle_fifo *fifo, struct oracle_pkt *p);
struct oracle_pkt *oracle_fifo_pop(struct oracle_fifo *fifo);
void oracle_ports_init(struct oracle *o);
void oracle_ports_free(struct oracle *o);
void oracle_port_sync(struct oracle_port *port, uint64_t now_ps);
uint64_t oracle_port_queue_bytes(const struct oracle_port *port, uint64_t now_ps);
uint64_t oracle_switch_queue_bytes(const struct oracle *o, uint32_t node);
struct oracle_pkt *oracle_pkt_take(struct oracle *o);
void oracle_pkt_give(struct oracle *o, struct oracle_pkt *p);
/* A packet wants to leave by this port: buffer, marking, joining. @return false if it was dropped */
/* A packet at a link that options have tapped: reported at once. A frame that a cable cuts off later has been reported as sent. */
void oracle_tap(const struct oracle *o, const struct oracle_port *port, const struct weir_pkt *pkt,
                enum weir_tap_event event, bool is_control);
/* Likewise: it is dropped, or lost on the wire. */
void oracle_tap_lost(const struct oracle *o, const struct oracle_port *port, const struct weir_pkt *pkt,
                     enum weir_tap_event event, const struct oracle_why *why);
bool oracle_port_offer(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p);
/* Drops the packet if the port's cable is down by an event that flushes. @return true = it was dropped */
bool oracle_port_discards(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p);
/* The port of a switch by which a packet that came by this link leaves; out: where its route leads */
uint32_t oracle_port_forward(struct oracle *o, const struct oracle_port *in, struct oracle_pkt *p, uint32_t out);
/* Returns how long a frame with this much work, which starts now, is on the wire: longer if the cable is slow. */
uint64_t oracle_port_wire_ps(const struct oracle *o, const struct oracle_port *port, uint64_t work_ps);
void oracle_port_join(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p);
/* class_id: ORACLE_WRR = the packet whose turn it is */
/* @return false = it was dropped instead */
bool oracle_port_start(struct oracle *o, struct oracle_port *port, uint32_t class_id);
/* If the port is free and something waits: start it, or ask for a decision once everything of this instant has joined. */
void oracle_port_kick(struct oracle *o, struct oracle_port *port);
void oracle_port_decide(struct oracle *o, struct oracle_port *port);
void oracle_port_tx_done(struct oracle *o, struct oracle_port *port);
/* The frame that arrives now; NULL = it had been cut off. */
struct oracle_pkt *oracle_port_take_arrival(struct oracle *o, struct oracle_port *port);
/* The port's part of an event of its cable; then, once all events of the instant have taken place, what waits is dropped. */
void oracle_port_event(struct oracle *o, struct oracle_port *port, const struct weir_cable_event *event);
void oracle_port_flush(struct oracle *o, struct oracle_port *port);
const char *oracle_ports_check(const struct oracle *o);

/* ports.c, for fabric.c: the class in which a packet waits at this port, the one in which it came by its link, and the in-port */
uint32_t oracle_port_class(const struct oracle *o, const struct oracle_port *port, const struct oracle_pkt *p);
uint32_t oracle_port_in_class(const struct oracle *o, const struct oracle_port *port, struct oracle_pkt *p);
uint32_t oracle_port_in(const struct oracle *o, struct oracle_pkt *p);

/* causes.c */
bool oracle_is_why(const struct oracle_why *why);
/* Ends the program if a port's chain has a feature that is off at its node, or with another model than the node has. */
void oracle_check_chain(const struct oracle *o, const struct weir_chain *chain, uint32_t node);

/* Why the packet gets no memory. */
struct oracle_why oracle_ask_admit(const struct oracle *o, const struct oracle_port *port,
                                   const struct weir_admit *admit);
/* Likewise, a gate's answer; only of a class that is gated. */
struct oracle_why oracle_ask_gate(const struct oracle *o, const struct oracle_port *port, uint64_t waiting_bytes,
                                  uint32_t bytes);
/* Ask the features; return why a packet that joins is to be marked, and why one that is to leave is dropped. */
struct oracle_why oracle_ask_join(const struct oracle *o, const struct oracle_port *port, const struct weir_join *join);
struct oracle_why oracle_ask_dequeue(const struct oracle *o, const struct oracle_port *port,
                                     struct weir_dequeue *dequeue, struct oracle_why *mark);
/* Marks the packet, if it is for a reason and no feature takes the mark. */
void oracle_mark(struct oracle *o, struct oracle_port *port, struct weir_pkt *pkt, const struct oracle_why *why);
void oracle_count_fate(struct oracle *o, const struct oracle_port *port, const struct oracle_why *why,
                       enum weir_fate fate);
/* All features' answers when a transmission starts, and why the packet is lost. @return enum weir_hook_answer */
uint32_t oracle_ask_start(const struct oracle *o, const struct oracle_port *port, struct weir_start *start,
                          struct oracle_why *why);
void oracle_count_drop(struct oracle *o, struct oracle_port *port, const struct weir_pkt *pkt,
                       const struct oracle_why *why);
void oracle_count_loss(struct oracle *o, struct oracle_port *port, const struct weir_pkt *pkt,
                       const struct oracle_why *why);
uint32_t oracle_number_of(const struct oracle *o, const struct oracle_why *why);
void oracle_causes_result(struct oracle *o, struct weir_result *result);
const char *oracle_causes_check(const struct oracle *o);

/* fabric.c */
void oracle_fabric_init(struct oracle *o);
void oracle_fabric_free(struct oracle *o);
/* The next three: only where o->fabric is not NULL. */
void oracle_fabric_joined(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p);
void oracle_fabric_starts(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p);
void oracle_fabric_left(struct oracle *o, struct oracle_port *port);
/* A packet that waited is gone. */
void oracle_fabric_dropped(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p);
/* @return false = none waits */
bool oracle_fabric_start_control(struct oracle *o, struct oracle_port *port);
void oracle_fabric_control_arrives(struct oracle *o, const struct oracle_port *in);
void oracle_fabric_cable_down(struct oracle *o, struct oracle_port *port);
/* The timer of a feature, by its index in the model. */
void oracle_fabric_tick(struct oracle *o, uint32_t node, uint32_t feature);
void oracle_fabric_result(struct oracle *o, struct weir_result *result);
const char *oracle_fabric_check(const struct oracle *o);

/* queues.c: only where the model has queues in turn */
#define ORACLE_WRR WEIR_CLASSES_MAX
void oracle_queues_push(struct oracle *o, const struct oracle_port *port, struct oracle_pkt *p);
struct oracle_pkt *oracle_queues_pop(struct oracle *o, const struct oracle_port *port);
void oracle_queues_free(struct oracle *o);

/* hosts.c */
void *oracle_lend(void *ctx, size_t size); /* weir_mem.grow; ctx: struct oracle */
void oracle_hosts_init(struct oracle *o);
/* The hosts that restart now do so. */
void oracle_hosts_restart(struct oracle *o);
void oracle_bin(struct oracle *o); /* snapshots.c: one ends now */
void oracle_hosts_free(struct oracle *o);
void oracle_host_arrive(struct oracle *o, uint32_t host, struct oracle_pkt *p);
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
void oracle_note_join(struct oracle *o, const struct oracle_port *port);
void oracle_snapshot(struct oracle *o);
/* A quarter of the measured part begins. */
void oracle_quarter(struct oracle *o);
/* A message is on its way or still to start. */
bool oracle_is_undelivered(const struct oracle *o);
/* Tells options->look how things stand, unless it was told of at_ps already. */
void oracle_tell(struct oracle *o, uint64_t at_ps);
/* The same as a thing that happens at this instant, and what comes next. */
void oracle_tell_on(struct oracle *o);
void oracle_result(struct oracle *o, struct weir_result *result);
#endif
