/* src/simulator/state/state.h - the state of a run: threads, nodes, links, ports. How the engine works and why it is
 * exact: doc/engine.md. A node and all it holds belong to one thread. The writer's part of a link belongs to the
 * thread of its source node, the reader's part to the thread of its destination. All threads meet at a barrier after
 * each window. */
#ifndef WEIR_STATE_STATE_H
#define WEIR_STATE_STATE_H
#include "core/math.h"
#include "model/account.h"
#include "state/arena.h"
#include "state/control.h"
#include "state/given.h"
#include "state/records.h"
#include "state/row_log.h"
#include "hooks/chain.h"
#include "hooks/features.h"

__extension__ typedef unsigned __int128 sim_area; /* ps^2: a backlog of 10 us during 1 s already exceeds 64 bits */

/* Attribute of functions that the compiler must copy into each caller, to specialise them for constant arguments.
 * Without the attribute gcc finds them too large to copy. A build without optimisation would only compile longer. */
#ifdef __OPTIMIZE__
#define SIM_COPIED __attribute__((always_inline))
#else
#define SIM_COPIED
#endif

enum { SIM_BLOCK = 32 }; /* nodes in a block, see struct sim_engine */
enum { SIM_BUCKET_BITS_MIN = 2, SIM_BUCKET_BITS_MAX = 12 };
enum { SIM_WINDOW_MAX_PS = (1 << 24) - 1 }; /* the time of an arrival within its window has 24 bits of a sort key */

/* Groups of nodes; each has a clock of its own. Group 0 has the hosts. Groups 1 and 2 have the switches of two
 * colours, chosen so that few links join nodes of one group. In some topologies all nodes are in group 0 if there
 * are several threads: see engine_groups(). */
enum { SIM_GROUP_HOSTS, SIM_GROUP_SWITCHES, SIM_GROUPS = 3 };

/* Ways in which a port serves the packets that wait at it. */
enum sim_serve {
    SIM_SERVE_FIFO,  /* one queue: the departure of a packet is known when it joins */
    SIM_SERVE_LANES, /* two classes: packets of the lower class wait in a FIFO of their own, see lanes.h */
    SIM_SERVE_QUEUE, /* class FIFOs: a decision is made late, when all arrivals before it are known */
    SIM_SERVE_PULL,  /* a NIC that takes a packet from its host when it is free: no packet waits */
    SIM_SERVE_STEPS, /* a port of a coupled switch while it goes step by step: see coupled/internal.h */
};

/* The kind of a port: how it serves packets, and which rarer steps it needs. It is found when the engine is set up.
 * Later only a coupled switch changes .serve of its ports, when it switches over. In each instance of the port body
 * (port/port_body.h) the kind is a constant. */
struct sim_port_kind {
    uint8_t serve; /* enum sim_serve */
    bool start;    /* on_start hooks are called */
    bool join;     /* on_join hooks are called from mark_ps on; false = mark_ps is a marking threshold */
    bool memory;   /* memory is limited, or admit hooks are called; false at coupled switches */
    bool fraction; /* picoseconds per byte are not a whole number */
    bool dequeue;  /* on_dequeue hooks are called; they may mark or drop the packet that is to leave next */
    bool gate;     /* a gate may hold packets of some classes back */
    bool cable;    /* the cable goes down, or has a lower rate, at some time of the run */
    bool tap;      /* packets at this port are logged, see tap.c */
};

/* Tests whether two kinds are equal. */
static inline bool sim_kind_is(struct sim_port_kind a, struct sim_port_kind b)
{
    return a.serve == b.serve && a.start == b.start && a.join == b.join && a.memory == b.memory &&
           a.fraction == b.fraction && a.dequeue == b.dequeue && a.gate == b.gate && a.cable == b.cable &&
           a.tap == b.tap;
}

/* Tests whether ports of kind k only serve packets and mark them by a threshold. k.serve is not tested. */
static inline bool sim_kind_is_plain(struct sim_port_kind k)
{
    return !(k.start || k.join || k.memory || k.fraction || k.dequeue || k.gate || k.cable || k.tap);
}

/* Tests whether ports of kind k are counted: their unsent work may stop decreasing, or decrease at once by a drop. The
 * area of such a port is summed up when transmissions start, not when packets join. */
static inline bool sim_kind_is_counted(struct sim_port_kind k)
{
    return k.serve == SIM_SERVE_STEPS || (k.serve == SIM_SERVE_QUEUE && (k.dequeue || k.gate || k.cable));
}

/* Tests whether the queue of a port of kind k in bytes is its backlog divided by a whole number of picoseconds per
 * byte. */
static inline bool sim_kind_is_time(struct sim_port_kind k)
{
    return !k.fraction && !sim_kind_is_counted(k);
}

/* The FIFOs of packets of a link. FIRST: packets whose departure is known. LOW: packets of the lower class where a port
 * has lanes; they may be undecided. */
enum sim_lane { SIM_LANE_FIRST, SIM_LANE_LOW, SIM_LANES };

/* Returns how many priorities a port distinguishes while no class is closed: all virtual lanes count as one priority
 * then. */
static inline uint32_t sim_priorities(const struct weir_model *m)
{
    WEIR_ASSERT(m->aged_classes <= m->classes);
    return m->classes - m->aged_classes + (m->aged_classes > 0);
}

/* Bit of weir_pkt.arrival_ps of a packet of the lower lane: its start is not decided yet. The other bits are then the
 * time when it joined. A reader sees a time beyond any window: 2^63 ps are 106 days, and no run lasts that long. */
#define SIM_UNDECIDED (UINT64_C(1) << 63)

struct sim_queued {      /* entry of a class FIFO of a port with SIM_SERVE_QUEUE */
    struct weir_pkt pkt; /* arrival_ps: when it joined the port */
    uint64_t tx_ps;
};

#define SIM_NO_IN UINT32_MAX /* in-link of a packet that the switch itself has made */

struct sim_stepped {     /* entry of a class FIFO of a port with SIM_SERVE_STEPS */
    struct weir_pkt pkt; /* arrival_ps: when it joined the port */
    uint64_t tx_ps;
    uint32_t in; /* index of the in-link by which it came; the port of that index leads back. SIM_NO_IN = made here */
    uint16_t class_id; /* class in which it waits */
    uint16_t in_class; /* class in which it came; differs from class_id if it changed its virtual lane here */
};
_Static_assert(sizeof(struct sim_stepped) == 64, "one line");
_Static_assert(offsetof(struct sim_stepped, tx_ps) == offsetof(struct sim_queued, tx_ps), "ports read both alike");

struct sim_ring { /* growable ring of entries of one size, in an arena; capacity is a power of two, or 0. See ring.h */
    void *entry;
    uint32_t first, count, capacity;
};

struct sim_held { /* memory that a packet holds until its transmission ends, or until it is dropped */
    uint64_t end_ps;
    uint32_t bytes;
};

struct weir_wrr;
struct sim_port {            /* state of a port that is not a plain FIFO port */
    uint64_t offered, begun; /* packets offered, and started: they number random draws; hooks are in this line */
    struct weir_chain chain; /* the hooks of its features */
    /* what packets that wait need, of the first classes in two lines */
    _Alignas(64) uint64_t waiting_ps; /* sum of the transmission times of all waiting packets; QUEUE and STEPS */
    uint64_t gate_next_ps;            /* kind.gate, while packets wait: time of the next decision */
    sim_area area; /* of counted ports: sum over the transmissions that began and the packets dropped on leaving */
    uint32_t gate_next_class, last_class; /* class that starts at that decision; the lowest class of the run's ports */
    uint64_t waiting_bytes[WEIR_CLASSES_MAX];  /* wire bytes of the waiting packets, by class; QUEUE and STEPS */
    struct sim_ring waiting[WEIR_CLASSES_MAX]; /* class FIFOs, of struct sim_queued; STEPS: of struct sim_stepped */
    struct sim_ring held;                      /* of struct sim_held, in order of end_ps */
    uint64_t held_bytes;                       /* upper bound: memory of ended frames is subtracted only when needed */
    struct weir_tx_clock clock;
    struct weir_wrr *wrr; /* STEPS: where DATA waits for weighted round robin; NULL = DATA waits in waiting[] */
    uint64_t hook_marks;  /* how many of sim_link.marks hooks made */
    struct weir_cable_event *event; /* events of this cable only, in order of time; event_count of them */
    uint32_t event_count, event_room;
    const struct weir_rate_step *rate; /* changes of the rate of this cable, in order of time; rate_count of them */
    uint32_t rate_count;
    uint64_t frame_ps, frame_wire_ps; /* kind.cable: work of the last frame that started, and its time on the wire */
    uint32_t events_done; /* QUEUE: how many of the events have been executed, see weir_sim_port_pass_events() */
};
WEIR_LAYOUT_ASSERT(offsetof(struct sim_port, chain.admit) == 64, "hooks of every packet are found in one line");
WEIR_LAYOUT_ASSERT(offsetof(struct sim_port, chain.gate) % 64 == 0 && sizeof(struct weir_gate_hook) <= 64,
                   "the gate too");

struct sim_link {
    /* written by the source's thread. Packets need the first line, and the second for statistics, lanes or a port */
    _Alignas(64) uint64_t free_at_ps;  /* when all packets queued now will have been sent, if nothing else joins */
    struct weir_pkt *write[SIM_LANES]; /* next slot to be written, by lane */
    struct weir_pkt *notified;         /* the destination was notified of all packets before this slot */
    uint64_t mark_ps; /* backlog from which packets are marked, or kind.join hooks called; or WEIR_NEVER */
    uint64_t delay_ps;
    uint64_t bytes;
    uint32_t ps_per_byte;
    uint32_t row;  /* index in weir_sim_port_rows[]: the instance of the port body */
    sim_area area; /* sum of tx * (2 * backlog + tx) over packets that joined; not of counted ports */
    uint64_t backlog_max_ps, marks;
    uint64_t busy_until_ps;                 /* LANES, QUEUE, STEPS: end of the last transmission that was decided */
    struct weir_pkt *undecided;             /* LANES: oldest undecided packet of the lower lane, or its next slot */
    uint32_t waiting_pkts, waiting_classes; /* QUEUE, STEPS: packets in its class FIFOs; bit c: that of c has some */
    struct sim_port *port;                  /* NULL at plain FIFO and PULL ports, unless control frames concern them */
    /* of plain ports read at most once per visit */
    uint64_t *wake;       /* [2]: wake entries of the source's thread for the destination; see sim_wake_at() */
    uint64_t *block_wake; /* [2]: the same for the block of the destination */
    uint32_t dst_group;
    uint32_t mark_cause; /* cause of the marks that the threshold makes; WEIR_CAUSE_NONE = the port has no threshold */
    struct weir_pkt *notified_low; /* as notified, of the lower lane */
    struct sim_port_kind kind;
    uint64_t drops, losses;
    /* written by the destination's thread; read[SIM_LANE_FIRST] once by the source's (first_chunk.c) */
    _Alignas(64) struct weir_pkt *read[SIM_LANES]; /* by lane: next slot to be read; no FIFO: &e->never */
    uint32_t src, dst;
    uint64_t unrouted; /* packets that arrived by this link and were dropped since they have no route */
    uint64_t rate_bps;
    struct sim_control *control; /* side channel, see control.h; NULL = no feature of the run handles control frames */
};
WEIR_LAYOUT_ASSERT(offsetof(struct sim_link, area) == 64 && offsetof(struct sim_link, wake) == 128,
                   "the first two lines");
_Static_assert(sizeof(struct sim_link) == 256, "four lines");

struct sim_switch {
    uint64_t used_bytes;     /* upper bound of the memory that its packets hold */
    uint64_t memory_bytes;   /* weir_model_memory_bytes() */
    uint64_t sum_bound;      /* upper bound of the sum of the queues of its ports, bytes */
    uint64_t sum_max;        /* largest sum of its queues in the measured part, bytes; first-hop switches only */
    const uint32_t *in_link; /* links that end here, in the order of the model; in_count of them */
    uint32_t node, first_out, out_count, in_count;
    /* span_bits: bits of the longest window in ps. There are 2^bucket_bits buckets; key >> bucket_shift: the bucket */
    uint32_t span_bits, bucket_bits, bucket_shift;
    uint32_t row;                 /* the row of all its ports, or the general row if their rows differ */
    bool by_time;                 /* sim_kind_is_time() of all its ports */
    bool waits;                   /* some port has class FIFOs or lanes, so that decisions are made late */
    uint8_t lanes;                /* most FIFOs of packets in flight that its links may have */
    bool counted, cables;         /* all ports have class FIFOs and are counted; some of these ports' cables go down */
    bool track_sum;               /* sum_max is kept: a first-hop switch, in the measured part */
    bool quiet;                   /* no port had a queue at its last sample, and it has not been visited since */
    struct sim_switch *next_loud; /* of a switch that is not quiet: the next one of its thread */
    uint64_t sample_ps;           /* when it takes its next sample itself; WEIR_NEVER = all groups meet for samples */
    uint64_t *waiting_bytes;      /* coupled: wire bytes of waiting packets by port, see struct weir_here */
    struct sim_coupled *coupled;  /* NULL = its ports are independent: it is visited by visit_switch.c */
};

struct sim_nics; /* state/nics.h */

struct sim_host {
    struct weir_host *h;
    struct weir_source source;
    struct weir_account_host *account;
    struct sim_host_jobs *jobs; /* NULL = the workload has neither jobs nor replies */
    struct sim_link *nic, *in;  /* its only out-link and in-link; of several the first ones */
    struct sim_nics *nics;      /* NULL = it has one */
    uint64_t timer_ps;    /* next timer; WEIR_NEVER = none, or the timer is past and its packet waits for the NIC */
    uint64_t nic_ps;      /* when a pulling NIC is served next; WEIR_NEVER = there is nothing to send */
    const uint8_t *epoch; /* sim_engine.epoch; NULL = no host restarts */
    bool pull;
    bool quick;           /* writes_through and no jobs; visited with HOST_QUICK while no control frame is in effect */
    bool has_control;     /* the NIC's features handle control frames */
    bool closed;          /* control frames have closed some classes of the NIC */
    bool writes_through;  /* its packets are written in place: plain NIC, first-hop switch of this thread */
    uint32_t events_done; /* with control frames: how many events of its cable were handled */
    /* counters of the host at the start of the measured part */
    uint64_t base_new_bytes, base_acked_bytes;
};

struct sim_published {                        /* values that a thread publishes at a barrier */
    _Alignas(64) uint64_t due_ps[SIM_GROUPS]; /* by group: a copy of sim_thread.due_ps */
    int64_t in_flight;                        /* packets that its hosts sent, less those that ended at its nodes */
    int64_t unfinished_bytes; /* payload started at its hosts, less payload delivered at its hosts or lost */
    uint64_t hops, started, delivered, lost; /* lost: messages of its hosts that were lost with a host */
    uint64_t unasked;                        /* replies to these, which never start */
    uint64_t noted;
    struct sim_given given;
    int stop, failed;
};

struct sim_window {                /* the state of the run on which all threads agree; each computes its own copy */
    uint64_t clock_ps[SIM_GROUPS]; /* all events of the group before this instant are done */
    uint64_t group_due_ps[SIM_GROUPS];
    uint64_t due_ps; /* the earliest of group_due_ps: the next event of the network */
    uint64_t next_tick_ps;
    uint32_t idle_policies; /* steps of the jobs' policies since the last window */
    uint64_t passed_ps;     /* the last boundary: what is due there has been done; 0 = none yet */
    /* end of an interrupted run: the latest of all clocks and of passed_ps then; WEIR_NEVER = not interrupted */
    uint64_t stop_ps;
    uint64_t hops, started, delivered, lost, unasked, noted;
    struct sim_given given;
    int64_t unfinished_bytes, in_flight;
    uint32_t copy; /* the copy of sim_published that is written next, 0 or 1 */
    int stop, failed;
    bool more; /* boundaries before due_ps are left for the next round */
};

struct sim_engine;
struct sim_thread {
    struct sim_engine *engine;
    uint32_t index;
    uint32_t *node; /* the nodes that it owns, by group, then in ascending order; node_count of them */
    uint32_t node_count, group_end[SIM_GROUPS];
    uint32_t block_first[SIM_GROUPS]; /* by group: the first block of its nodes */
    struct weir_arena arena;
    struct sim_pool pool, records; /* of FIFO chunks; of blocks of telemetry records */
    struct weir_pkt *scratch;      /* where packets of links without a FIFO are written: sim_fifo_scratch() */
    const struct weir_routes *routes;
    uint64_t hops;
    uint64_t stale;              /* packets received that are of an earlier epoch of their hosts */
    uint64_t injected, absorbed; /* packets that its hosts gave to the network, and received from it */
    uint64_t ended;              /* packets that were dropped or lost at its nodes */
    uint64_t due_ps[SIM_GROUPS]; /* by group: when the first of its nodes, and of nodes that it woke, is due */
    uint32_t parity[SIM_GROUPS]; /* by group: the copy of the wake table that is written */
    bool measuring;
    bool counting;      /* it measures, and its ports keep area and longest queue: not with statistics: sampled */
    bool all_delivered; /* in a run until all is delivered: the last delivery was made; no more samples */
    bool is_idle;       /* in a session without end: all messages that were given so far have arrived */
    /* sorting of arrivals */
    uint64_t *key, *sorted;
    struct weir_pkt **arrived;
    uint16_t *arrived_in;                      /* of each arrival, the index of its in-link; used at coupled switches */
    uint32_t capacity;                         /* entries of each of the four arrays above */
    uint32_t bucket[1 << SIM_BUCKET_BITS_MAX]; /* all 0 between visits */
    struct weir_account_samples samples;
    struct sim_switch *loud;          /* its switches that are not quiet */
    uint64_t quiet_ports, quiet_tors; /* ports of the others, and how many of these are first-hop switches */
    /* Of a session without end: samples since the last delivery, when it had idle_delivered of them. They count if
     * another delivery follows. NULL = none yet. into: where samples go, idle or &samples */
    struct weir_account_samples *idle, *into;
    uint64_t idle_delivered;
    uint64_t next_sample_ps, next_snapshot_ps, sample_count; /* samples and snapshots for which all groups meet */
    uint64_t next_policy_ps;                                 /* next step of the jobs' policies */
    uint32_t quarters;    /* how many quarters of the measured part have begun; WEIR_QUARTERS if they are not kept */
    uint64_t next_bin_ps; /* when the next bin ends; WEIR_NEVER = bins are not kept, or all are full */
    uint32_t bins;        /* bins that have ended, and that of time 0 */
    uint64_t next_route;
    uint32_t next_restart;
    jmp_buf out_of_memory;
    int failed;         /* enum weir_err_code */
    uint64_t new_bytes; /* set at each tick: payload that has arrived at its hosts for the first time */
    struct sim_row_log control, tap;
    uint32_t tap_rows;                                   /* rows ever appended to tap; wraps around */
    uint64_t (*lost)[WEIR_LOST_KINDS][WEIR_CLASSES_MAX]; /* by cause: packets dropped or lost, see fate.c */
    uint64_t *decided;                                   /* by cause: how often it applied with another fate */
    struct weir_account_law_totals law[WEIR_LAWS_MAX];   /* of its hosts and nodes; in runs with several laws only */
    uint64_t noted;                                      /* of a session: notes of its hosts, a count */
    uint64_t noted_ps;                                   /* of a session: when its last message or timer ended */
    struct sim_given given;
    struct sim_window window;
    bool paused; /* of thread 0: it has returned, and the others wait at the barrier */
    struct sim_published pub[2];
};

struct sim_reroute {
    uint64_t at_ps;
    struct weir_routes routes;
};

struct sim_barrier;
struct sim_ranks;
struct sim_skip;
struct sim_engine {
    const struct weir_model *model;
    const struct weir_sim_options *options;
    struct weir_account account;
    struct sim_link *link;
    void *link_memory, *thread_memory; /* in which link[] and thread[] lie */
    struct sim_switch *sw;             /* one per switch of the topology */
    struct sim_host *host;             /* one per host */
    uint64_t *due_ps;                  /* by node: when it is due, without arrivals in `wake`; written by its owner */
    uint64_t *wake; /* [own thread][node][parity]: earliest arrival at the node that the thread has written */
    /* Nodes of a thread and group are in blocks of SIM_BLOCK, so that a window passes blocks with nothing to do. */
    uint32_t *block; /* node -> block; nodes of other processes share the last one, which nobody visits */
    uint32_t block_count;
    uint64_t *block_due_ps; /* by block: the earliest due_ps of its nodes */
    uint64_t *block_wake;   /* [own thread][block][parity]: the earliest of the wake entries of its nodes */
    uint32_t *owner;        /* node -> thread */
    uint32_t *group;        /* node -> group */
    /* [from][to]: what a node of group `from` does at t affects group `to` at t plus this or later; at most
     * SIM_WINDOW_MAX_PS */
    uint64_t lookahead_ps[SIM_GROUPS][SIM_GROUPS];
    /* Threads of all processes of the simulation, thread_count of them. Those of this process are `own` from `first`
     * on; of the others only pub[] is known. There is one process, unless ranks is set: first is 0 and own
     * thread_count */
    struct sim_thread *thread;
    uint32_t thread_count, first, own;
    struct sim_ranks *ranks;     /* ranks/ranks.h; NULL = there is one process */
    uint64_t *arrived;           /* [thread * bins + bin]: payload that had arrived at its hosts; NULL = not kept */
    uint8_t *epoch;              /* by host: how often it has restarted; NULL = no host restarts */
    struct sim_reroute *reroute; /* routes by time; [0] = those before any cable event */
    uint32_t reroute_count;
    struct weir_link *changed; /* all links after the last change of the network by a program; NULL = there was none */
    uint64_t end_ps, tick_ps;
    bool samples_apart; /* each switch samples its queues during its own visits, see observe/snapshot.c */
    /* [q * link_count + link]: counters at the start of quarter q, see weir_account_totals; NULL = not kept */
    struct weir_port_count *quarter;
    sim_area *base_area;   /* per link: weir_sim_port_area() at the start of the measured part */
    sim_area *sample_area; /* the same at the last sample, where averages between samples are requested */
    sim_area *batch_area;  /* the same when the last batch ended; NULL = there are no batches */
    struct weir_snapshot_host *snapshot_host; /* buffers of snapshots; NULL = not requested, or too many hosts */
    uint64_t *snapshot_port_bytes;
    struct weir_snapshot_flow *snapshot_flow; /* of flows */
    uint64_t *snapshot_lost;                  /* packets dropped or lost, by cause */
    uint32_t cause_count;                     /* number of causes */
    /* causes of fates that a failing cable decides: see enum weir_cut_rule */
    uint32_t cut_cause, flush_cause, discard_cause;
    uint64_t *fates_at;      /* [link * cause_count + cause]: fates by link; NULL = not requested */
    struct sim_pause *pause; /* of a session; NULL = the run does not pause. Not owned */
    struct sim_jobs *jobs;   /* port/jobs_run.h; NULL = the workload has neither jobs nor replies */
    /* Called at the rank of the sender of a flow of jobs: a flow for which it waits has ended at a host of another
     * rank */
    void (*unblocked)(struct sim_engine *e, uint32_t flow, uint64_t ready_ps);
    struct weir_pkt never; /* a packet that never arrives: what readers find where a lane has no FIFO */
    struct sim_control_count *control_count; /* by node */
    struct sim_depot *depot, *records_depot;
    struct sim_barrier *barrier;
    struct sim_skip *skip; /* state/skip.h; NULL = nothing is skipped */
    /* written by thread 0 between barriers */
    uint64_t peak_in_flight;
    uint64_t unfinished_start_bytes;
    uint64_t progress_hops, progress_rounds; /* rounds of the main loop since the last report of progress */
    uint64_t last_new_bytes, last_new_ps;
    uint64_t stopped_ps; /* when the run really ended */
    uint64_t last_snapshot_ps;
    bool policy_changed;             /* the last step of the jobs' policies changed weights */
    bool stalled, interrupted, over; /* over: the threads have ended */
    void *ids;                       /* of the threads that were made: pthread_t[thread_count]; NULL = none yet */
    int callback_code;               /* return value of a callback of options; not 0 = the run ends */
    const char *broken;              /* --check: the invariant that does not hold, as a sentence; NULL = all hold */
};

/* Tests whether a node belongs to a thread of this process. */
static inline bool sim_is_mine(const struct sim_engine *e, uint32_t node)
{
    return e->owner[node] - e->first < e->own;
}

/* Returns the thread of this process that does what concerns all: it is the caller's, and the others wait for it. */
static inline struct sim_thread *sim_lead(const struct sim_engine *e)
{
    return &e->thread[e->first];
}

/* Tests whether a thread is sim_lead() of its process. */
static inline bool sim_leads(const struct sim_thread *th)
{
    return th->index == th->engine->first;
}

/* Tests whether all messages and timers of a session have ended, and all other messages have arrived or are lost. What
 * is still due then are timers of hosts that change nothing, or packets that nobody waits for. given: of all threads.
 * ended: messages delivered, lost, and replies to these, of all threads */
static inline bool sim_all_ended(const struct sim_engine *e, const struct sim_given *given, uint64_t ended)
{
    const struct weir_workload *wl = e->model->workload;
    WEIR_ASSERT(given->done <= given->given && given->delivered <= ended);
    return given->given == given->done && !wl->endless && ended - given->delivered == wl->finite_messages;
}

/* Tests whether a control frame to this node is in flight. */
static inline bool sim_control_comes(const struct sim_engine *e, uint32_t node)
{
    const struct sim_control_count *count = &e->control_count[node];
    return __atomic_load_n(&count->sent, __ATOMIC_RELAXED) != count->received;
}

/* Tests whether packets of a run may have telemetry records. If not, weir_pkt.hops may have another meaning. */
static inline bool sim_has_records(const struct weir_model *m)
{
    return m->features.records_max > 0;
}

/* Tests whether a node is a coupled switch. */
static inline bool sim_is_coupled(const struct weir_model *m, uint32_t node)
{
    return node >= m->topo->host_count && weir_features_are_coupled_at(&m->features, node);
}

/* Converts the backlog of a link's port into the bytes of its queue, rounded down. */
static inline uint64_t sim_queue_bytes(const struct sim_link *link, uint64_t backlog_ps)
{
    if (WEIR_UNLIKELY(link->kind.fraction))
        return weir_mul_div_u64(backlog_ps, link->rate_bps, 8 * WEIR_PS_PER_S);
    return backlog_ps / link->ps_per_byte;
}

/* Returns the backlog b(now) of a port that is not counted. */
static inline uint64_t sim_fifo_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    return weir_max_u64(link->free_at_ps, now_ps) - now_ps; /* as a maximum: a branch would be mispredicted */
}

/* Returns how much work is left of the frame in transmission of a port that is not plain, left_ps before it ends. While
 * the cable is slow this is less than left_ps. */
static inline uint64_t sim_port_rest_ps(const struct sim_port *port, uint64_t left_ps)
{
    if (WEIR_UNLIKELY(port->frame_wire_ps != port->frame_ps))
        return weir_mul_div_u64(left_ps, port->frame_ps, port->frame_wire_ps);
    return left_ps;
}

/* Returns the backlog b(now) of a counted port: the waiting packets, and the rest of the frame in transmission. The
 * part of the waiting packets does not decrease while the port is paused or held back by its gate, or its cable is
 * down. */
static inline uint64_t sim_counted_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    return (link->waiting_pkts > 0 ? link->port->waiting_ps : 0) + /* a queue that is empty does not touch the port */
           (link->busy_until_ps > now_ps ? sim_port_rest_ps(link->port, link->busy_until_ps - now_ps) : 0);
}
#endif
