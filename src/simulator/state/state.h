/* src/simulator/state/state.h - the state of a run: threads, nodes, links, ports. How it works and why it is exact:
 * doc/engine.md. Who writes what: a link's writer part belongs to the thread of its source node, its reader part to
 * that of its destination. A node and all it holds belong to one thread. Threads meet at one barrier per window. */
#ifndef WEIR_STATE_STATE_H
#define WEIR_STATE_STATE_H
#include "core/math.h"
#include "model/account.h"
#include "state/arena.h"
#include "state/control.h"
#include "state/records.h"
#include "state/row_log.h"
#include "hooks/chain.h"
#include "hooks/features.h"

__extension__ typedef unsigned __int128 sim_area; /* sums of ps^2: 64 bits overflow after a second of queue */

/* Attribute of functions that are specialised for each constant argument. Without it gcc finds them too large to have
 * more than one copy. */
#define SIM_COPIED __attribute__((always_inline))

enum { SIM_BUCKET_BITS_MIN = 2, SIM_BUCKET_BITS_MAX = 12 };
enum { SIM_WINDOW_MAX_PS = (1 << 24) - 1 }; /* an arrival's time in a window has 24 bits of a sort key */

/* Groups of nodes, each with a clock of its own: hosts, and switches of two colours, so that few links join nodes of
 * one group. */
enum { SIM_GROUP_HOSTS, SIM_GROUP_SWITCHES, SIM_GROUPS = 3 };

/* The ways in which a port serves packets that wait. */
enum sim_serve {
    SIM_SERVE_FIFO,  /* one queue: when a packet departs is known when it joins */
    SIM_SERVE_LANES, /* two classes: the lower one waits in a FIFO of its own, see lanes.h */
    SIM_SERVE_QUEUE, /* class FIFOs: decided on when all that came before a decision is known */
    SIM_SERVE_PULL,  /* a NIC that takes a packet when it is free: nothing waits */
    SIM_SERVE_STEPS, /* at a coupled switch that goes from instant to instant: see coupled.h */
};

/* The kind of a port. It is a constant in each instance of the port body (port_body.h), and is found once, when the
 * engine is set up. */
struct sim_port_kind {
    uint8_t serve; /* enum sim_serve */
    bool start;    /* hooks are called when a transmission starts */
    bool join;     /* hooks are called when a packet joins, from mark_ps on; without them that is a threshold */
    bool memory;   /* limited; coupled switches keep it themselves */
    bool fraction; /* picoseconds per byte are not whole */
    bool dequeue;  /* hooks may mark or drop the packet that is to leave next */
    bool gate;     /* packets of some classes are held back */
    bool cable;    /* goes down at some time: unsent work stands still then */
    bool tap;      /* its packets are noted, see tap.c */
};

/* Tests whether two kinds are the same. */
static inline bool sim_kind_is(struct sim_port_kind a, struct sim_port_kind b)
{
    return a.serve == b.serve && a.start == b.start && a.join == b.join && a.memory == b.memory &&
           a.fraction == b.fraction && a.dequeue == b.dequeue && a.gate == b.gate && a.cable == b.cable &&
           a.tap == b.tap;
}

/* Tests whether a port does nothing but serve packets and mark them by a threshold. */
static inline bool sim_kind_is_plain(struct sim_port_kind k)
{
    return !(k.start || k.join || k.memory || k.fraction || k.dequeue || k.gate || k.cable || k.tap);
}

/* Tests whether a port's unsent work may stand still, or shrink at once by a drop. Such a port is counted: its area is
 * summed up decision by decision. */
static inline bool sim_kind_is_counted(struct sim_port_kind k)
{
    return k.serve == SIM_SERVE_STEPS || (k.serve == SIM_SERVE_QUEUE && (k.dequeue || k.gate || k.cable));
}

/* Tests whether the queue of a port in bytes is its unsent work as a time, divided by a whole number of picoseconds per
 * byte. */
static inline bool sim_kind_is_time(struct sim_port_kind k)
{
    return !k.fraction && !sim_kind_is_counted(k);
}

/* FIFOs of a link: of what departs as soon as the wire is free; with SIM_SERVE_LANES also of the lower class. */
enum sim_lane { SIM_LANE_FIRST, SIM_LANE_LOW, SIM_LANES };

/* Returns how many priorities a port distinguishes where no class is closed: its virtual lanes are then one FIFO. */
static inline uint32_t sim_priorities(const struct weir_model *m)
{
    WEIR_ASSERT(m->aged_classes <= m->classes);
    return m->classes - m->aged_classes + (m->aged_classes > 0);
}

/* Bit of weir_pkt.arrival_ps: this packet of the lower lane is not decided on yet. The other bits are when it joined; a
 * reader sees a time beyond any window (2^63 ps are 106 days: no run gets there). */
#define SIM_UNDECIDED (UINT64_C(1) << 63)

struct sim_queued {      /* a packet that waits in a class FIFO */
    struct weir_pkt pkt; /* arrival_ps: when it joined */
    uint64_t tx_ps;
};

#define SIM_NO_IN UINT32_MAX /* of a packet that the switch has made itself */

struct sim_stepped {     /* a packet that waits at a port that goes step by step */
    struct weir_pkt pkt; /* arrival_ps: when it joined */
    uint64_t tx_ps;
    uint32_t in; /* index of the in-link it came by, and of the port that leads back; SIM_NO_IN = the switch's own */
    uint16_t class_id; /* in which it waits */
    uint16_t in_class; /* in which it came; another one if it changed its virtual lane here */
};
_Static_assert(sizeof(struct sim_stepped) == 64, "one line");
_Static_assert(offsetof(struct sim_stepped, tx_ps) == offsetof(struct sim_queued, tx_ps), "ports read both alike");

struct sim_ring { /* growable ring of fixed-size entries in the arena; capacity is a power of two */
    void *entry;
    uint32_t first, count, capacity;
};

struct sim_held { /* memory of a limited buffer: a frame holds it until its transmission ends */
    uint64_t end_ps;
    uint32_t bytes;
};

struct weir_wrr;
struct sim_port {            /* state of a port that is no plain FIFO */
    uint64_t offered, begun; /* packets: counters of the random draws; with what hooks need first, one line */
    struct weir_chain chain; /* its features */
    struct sim_ring waiting[WEIR_CLASSES_MAX]; /* of struct sim_queued */
    struct sim_ring held;                      /* of struct sim_held, in order of end */
    uint64_t held_bytes;                       /* upper bound: frames that ended are taken off when it matters */
    uint64_t waiting_ps;                       /* transmission time of all that waits; QUEUE and STEPS */
    sim_area area;                             /* where ports are counted, and STEPS: of the transmissions that began */
    struct weir_tx_clock clock;
    uint64_t waiting_bytes[WEIR_CLASSES_MAX]; /* of what waits, on the wire, by class; QUEUE and STEPS */
    uint64_t gate_next_ps;                    /* gate, while packets wait: the next decision .. */
    uint32_t gate_next_class;                 /* .. and what it is for */
    struct weir_wrr *wrr;                     /* STEPS: where DATA waits for service; NULL = in waiting[] */
    uint64_t hook_marks;                      /* of sim_link.marks those that hooks made */
    const struct weir_cable_event *event;     /* of this cable only, by time; event_count */
    uint32_t event_count;
};
_Static_assert(offsetof(struct sim_port, chain.admit) == 64, "hooks of every packet are found in one line");

struct sim_link {
    /* writer's lines: all that a packet touches on a plain port, or one with lanes */
    _Alignas(64) uint64_t free_at_ps;  /* when everything queued will have been sent */
    struct weir_pkt *write[SIM_LANES]; /* next slot */
    sim_area area;                     /* sum of tx * (2 * backlog + tx) */
    uint64_t mark_ps; /* mark, or ask the hooks of kind.join, from this much unsent work on; WEIR_NEVER = never */
    uint64_t delay_ps;
    uint64_t backlog_max_ps;
    uint32_t ps_per_byte;
    uint32_t row; /* weir_sim_port_rows[]: the instance of the port body */
    uint64_t bytes;
    uint64_t busy_until_ps;     /* LANES, QUEUE, STEPS: end of the transmission in progress */
    struct weir_pkt *undecided; /* LANES: the oldest packet of the lower lane that waits */
    uint64_t marks;
    /* read once per visit or less */
    struct weir_pkt *notified[SIM_LANES]; /* the destination knows of every packet before this slot */
    uint64_t *wake;                       /* [2]: this thread's entries for the destination; see doc/engine.md */
    uint32_t dst_group;
    uint32_t mark_cause; /* of marks that hooks do not make; WEIR_CAUSE_NONE = there are none */
    struct sim_port_kind kind;
    uint64_t drops, losses;
    struct sim_port *port;       /* NULL at plain FIFO and PULL ports, but for NICs that take control frames */
    uint32_t waiting_pkts;       /* QUEUE, STEPS: in its class FIFOs */
    uint32_t waiting_classes;    /* bit c: class c is not empty */
    struct sim_control *control; /* NULL without control frames; its own two halves */
    /* reader's line */
    _Alignas(
        64) struct weir_pkt *read[SIM_LANES]; /* oldest packet not read yet; without the lane one that never arrives */
    uint32_t src, dst;
    uint64_t unrouted; /* dropped on arrival here, for want of a route */
    uint64_t rate_bps;
    uint64_t losses_later; /* the writer's, rare: losses of transmissions that would begin after the end of the run */
};
_Static_assert(offsetof(struct sim_link, notified) == 112, "a packet touches two lines");

struct sim_switch {
    uint64_t used_bytes;     /* upper bound of buffer memory held */
    uint64_t sum_bound;      /* upper bound of the queue over all ports, bytes */
    uint64_t sum_max;        /* largest exact sum seen in the measured part; first-hop switches only */
    const uint32_t *in_link; /* in_count */
    uint32_t node, first_out, out_count, in_count;
    uint32_t span_bits, bucket_bits, bucket_shift; /* sorting: of a window; of the number of buckets; key -> bucket */
    uint32_t row;                                  /* of all its ports; the last row if their rows differ */
    bool by_time;       /* now: the queue of each of its ports is its unsent work, over a whole number of ps per byte */
    bool track_sum;     /* in the measured part */
    uint64_t sample_ps; /* next; WEIR_NEVER = where all groups meet, see snapshot.c */
    uint64_t *waiting_bytes;     /* coupled: by port, see struct weir_here */
    struct sim_coupled *coupled; /* NULL = its ports are independent, see visit_switch.c */
};

struct sim_host {
    struct weir_host *h;
    struct weir_source source;
    struct weir_account_host *account;
    struct sim_host_jobs *jobs; /* NULL = the workload has none */
    struct sim_link *nic, *in;  /* its only out-link and in-link */
    uint64_t timer_ps;          /* weir_host_next_ps() after the last call */
    uint64_t nic_ps;            /* when a pulling NIC is next served; WEIR_NEVER = nothing to send */
    bool pull;
    bool quick;           /* writes_through, and no jobs; visited as such while no control frame concerns it */
    bool has_control;     /* control frames may come */
    bool closed;          /* some classes of the NIC are: by such frames */
    bool writes_through;  /* NIC and first-hop switch belong to one thread, and the NIC's port is plain */
    uint32_t events_done; /* with control frames: of its cable */
    /* at the start of the measured part */
    uint64_t base_new_bytes, base_acked_bytes;
};

struct sim_published {                        /* what a thread publishes at a barrier */
    _Alignas(64) uint64_t due_ps[SIM_GROUPS]; /* earliest instant at which one of its nodes has something to do */
    int64_t in_flight;                        /* packets given to the network minus taken from it, by this thread */
    int64_t unfinished_bytes;                 /* started minus delivered, by this thread */
    uint64_t hops, started, delivered;
    int stop, failed;
};

struct sim_engine;
struct sim_thread {
    struct sim_engine *engine;
    uint32_t index;
    uint32_t *node; /* nodes it owns, by group, then ascending; node_count */
    uint32_t node_count, group_end[SIM_GROUPS];
    struct weir_arena arena;
    struct sim_pool pool, records; /* of chunks; of blocks of records */
    const struct weir_routes *routes;
    uint64_t hops;
    uint64_t injected, absorbed; /* packets that hosts gave to the network and took from it */
    uint64_t ended;              /* packets that the network dropped or lost */
    uint64_t due_ps[SIM_GROUPS]; /* earliest of its own nodes after their window, and of what it wrote since */
    uint32_t parity[SIM_GROUPS]; /* of the group's windows: which half of the wake tables is written */
    bool measuring;
    bool all_delivered; /* a run until all is delivered: nothing is left to sample */
    /* sorting */
    uint64_t *key, *sorted;
    struct weir_pkt **arrived;
    uint16_t *arrived_in;                      /* at a coupled switch: by which in-link */
    uint32_t capacity;                         /* of the four above */
    uint32_t bucket[1 << SIM_BUCKET_BITS_MAX]; /* all 0 between visits */
    struct weir_account_samples samples;
    uint64_t next_sample_ps, next_snapshot_ps, sample_count; /* samples for which all groups meet */
    uint64_t next_policy_ps;                                 /* of jobs */
    uint64_t next_route;
    jmp_buf out_of_memory;
    int failed;         /* enum weir_err_code */
    uint64_t new_bytes; /* at ticks: payload that arrived at its hosts for the first time */
    struct sim_row_log control, tap;
    uint32_t tap_rows;                                   /* ever noted; wraps around */
    uint64_t (*lost)[WEIR_LOST_KINDS][WEIR_CLASSES_MAX]; /* of each cause: packets dropped or lost, see fate.c */
    uint64_t *decided;                                   /* of each cause: how often it applied otherwise */
    struct sim_published pub[2];
};

struct sim_reroute {
    uint64_t at_ps;
    struct weir_routes routes;
};

struct sim_barrier;
struct sim_engine {
    const struct weir_model *model;
    const struct weir_sim_options *options;
    struct weir_account account;
    struct sim_link *link;
    struct sim_switch *sw; /* switch_count */
    struct sim_host *host; /* host_count */
    uint64_t *due_ps;      /* node_count; each written by the node's owner */
    uint64_t *wake;        /* [thread][node][parity]: earliest arrival a thread wrote towards a node */
    uint32_t *owner;       /* node -> thread */
    uint32_t *group;       /* node -> group */
    /* [from][to]: what a node does at t is felt in the other group at t + this or later; at most SIM_WINDOW_MAX_PS */
    uint64_t lookahead_ps[SIM_GROUPS][SIM_GROUPS];
    struct sim_thread *thread;
    uint32_t thread_count;
    struct sim_reroute *reroute; /* [0] = before any event */
    uint32_t reroute_count;
    uint64_t end_ps, tick_ps;
    bool samples_apart;                       /* each switch takes its own during its visit, see snapshot.c */
    sim_area *base_area;                      /* per link: A at the start of the measured part */
    sim_area *sample_area;                    /* and at the last sample, where averages are requested */
    struct weir_snapshot_host *snapshot_host; /* the buffer that a snapshot lends, of few hosts; else NULL */
    uint64_t *snapshot_port_bytes;
    struct weir_snapshot_flow *snapshot_flow; /* NULL = not requested */
    uint64_t *snapshot_lost;                  /* likewise, by cause */
    uint32_t cause_count, cut_cause;          /* causes of this run; that of frames which a cable cuts off */
    uint64_t *fates_at;                       /* [link * cause_count + cause]; NULL = not requested */
    struct sim_jobs *jobs;                    /* jobs_run.h; NULL = the workload has none */
    struct weir_pkt never;                    /* what readers find in a lane that a link does not have */
    struct sim_control_count *control_count;  /* by node */
    struct sim_depot *depot, *records_depot;
    struct sim_barrier *barrier;
    /* written by thread 0 between barriers */
    uint64_t peak_in_flight;
    uint64_t unfinished_start_bytes;
    uint64_t progress_hops;
    uint64_t last_new_bytes, last_new_ps;
    uint64_t stopped_ps; /* where the run really ended */
    uint64_t last_snapshot_ps;
    bool policy_changed; /* the last step of the jobs' policies gave hosts something to do */
    bool stalled, interrupted;
    int callback_code;  /* the return value of rows or snapshot; not 0 = the run ends */
    const char *broken; /* --check: which invariant */
};

/* Tests whether a control frame to this node is in flight. */
static inline bool sim_control_comes(const struct sim_engine *e, uint32_t node)
{
    const struct sim_control_count *count = &e->control_count[node];
    return __atomic_load_n(&count->sent, __ATOMIC_RELAXED) != count->received;
}

/* Tests whether packets may have telemetry records; else weir_pkt.hops may be something else. */
static inline bool sim_has_records(const struct weir_model *m)
{
    return m->features.records_max > 0;
}

/* Tests whether the switches of a run are coupled. */
static inline bool sim_is_coupled(const struct weir_model *m)
{
    return weir_features_are_coupled(&m->features);
}

/* Converts a port's unsent work into the bytes of its queue, rounded down. */
static inline uint64_t sim_queue_bytes(const struct sim_link *link, uint64_t backlog_ps)
{
    if (WEIR_UNLIKELY(link->kind.fraction))
        return weir_mul_div_u64(backlog_ps, link->rate_bps, 8 * WEIR_PS_PER_S);
    return backlog_ps / link->ps_per_byte;
}

/* Returns b(now) of a port that is not counted. */
static inline uint64_t sim_fifo_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    return weir_max_u64(link->free_at_ps, now_ps) - now_ps; /* as a maximum: a branch would be mispredicted */
}

/* Returns b(now) of a port that is counted. It stands still while the port is paused, held back by its gate, or its
 * cable is down. */
static inline uint64_t sim_counted_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    return link->port->waiting_ps + (link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0);
}

/* Publishes the packet in the slot at link->write[SIM_LANE_FIRST], whose arrival at the other end is known now: the
 * last step of every port but those with lanes. */
static inline void sim_emit(struct sim_thread *th, struct sim_link *link, uint64_t arrival_ps)
{
    link->write[SIM_LANE_FIRST] = sim_fifo_publish(&th->pool, link->write[SIM_LANE_FIRST], arrival_ps);
}

/* Makes the node of these wake entries, which is of that group, due at `at`. */
static inline void sim_wake_at(struct sim_thread *th, uint64_t *wake, uint32_t group, uint64_t at_ps)
{
    wake += th->parity[group];
    *wake = at_ps < *wake ? at_ps : *wake;
    th->due_ps[group] = at_ps < th->due_ps[group] ? at_ps : th->due_ps[group];
}

/* Notifies the destination of the first arrival in a lane since the last visit; known: the slot up to which it then
 * knows all packets. */
static inline void sim_wake_lane(struct sim_thread *th, struct sim_link *link, enum sim_lane lane,
                                 struct weir_pkt *known)
{
    uint64_t first_ps;
    if (link->notified[lane] == known)
        return;
    first_ps = link->notified[lane]->arrival_ps;
    link->notified[lane] = known;
    sim_wake_at(th, link->wake, link->dst_group, first_ps);
}

/* Notifies the other end of the first arrival among the packets that the link was given since the last visit. Called at
 * the end of each visit. */
static inline void sim_wake(struct sim_thread *th, struct sim_link *link)
{
    sim_wake_lane(th, link, SIM_LANE_FIRST, link->write[SIM_LANE_FIRST]);
    sim_wake_lane(th, link, SIM_LANE_LOW, link->undecided);
}
#endif
