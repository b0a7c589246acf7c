/* src/scenario/model/model.h - struct weir_model, all that a run simulates, and the options of a run: what it reports
 * while it goes on. Engine and oracle take the same structs. */
#ifndef WEIR_MODEL_MODEL_H
#define WEIR_MODEL_MODEL_H
#include "core/cable.h"
#include "core/err.h"
#include "core/feature_set.h"
#include "core/ranks.h"
#include "core/rng.h"
#include "host/host.h"
#include "measure/result.h"
#include "topology/route.h"
#include "topology/topology.h"
#include "workload/workload.h"
#include <stdio.h>

struct weir_programs; /* program/program.h */

#define WEIR_THREADS_MAX 64u  /* of one process */
#define WEIR_WORKERS_MAX 512u /* threads of all processes of a run */

struct weir_progress {       /* reported from time to time, between windows */
    uint64_t now_ps, end_ps; /* end_ps: WEIR_NEVER if the run ends with its last message */
    uint64_t packet_hops, messages_started, messages_completed;
    uint64_t messages_lost; /* with their hosts, which restarted; not among the completed */
};

struct weir_model_deploy { /* a law that a part of the messages of a traffic item has: of each the draw decides */
    uint32_t share_ppm;    /* 0 = no message has it */
    uint8_t law;
};

struct weir_model { /* all that a run simulates. Engine and oracle only read it */
    const struct weir_topology *topo;
    enum weir_routing routing;
    enum weir_route_metric metric;         /* metric by which paths are shortest */
    const struct weir_routes *routes;      /* with every cable up, of seed 0 */
    const struct weir_nics *nics;          /* of hosts with several NICs (nics.h); NULL = each has one */
    struct weir_host_config host;          /* host.params.nic_queue: how hosts feed their link */
    uint8_t law_of_item[WEIR_TRAFFIC_MAX]; /* law of host.law, by traffic item; 0 with one law */
    /* [item * host_count + host]: the law of messages of an item that a host sends; NULL = law_of_item says it */
    const uint8_t *law_of_sender;
    struct weir_model_deploy deploy[WEIR_TRAFFIC_MAX]; /* this comes before the two above */
    const struct weir_workload *workload;
    const struct weir_programs *programs; /* of collectives and traces; NULL = there are none */
    struct weir_features features;        /* of switches and NICs, in the order in which their hooks are called */
    uint64_t memory_bytes; /* of each switch, for packets that wait or are in transmission; UINT64_MAX = unlimited */
    const uint64_t *memory_of; /* by node: of switches whose memories differ; NULL = all have memory_bytes */
    uint32_t classes;          /* per port, 1 .. WEIR_CLASSES_MAX; 1 = FIFO ports */
    uint32_t aged_classes; /* number of virtual lanes, the last classes; of all lanes the oldest packet leaves first */
    bool escapes;          /* two virtual lanes: a packet of the upper one leaves in the lower if its own is closed */
    const struct weir_cable_event *event; /* sorted by time; event_count */
    uint32_t event_count;
    uint32_t cuttable; /* enum weir_cuttable: cables of which more events may come; then event_count is 0 */
    const struct weir_rate_step *rate; /* sorted by time; rate_count */
    uint32_t rate_count;
    const struct weir_restart *restart; /* sorted by time; restart_count */
    uint32_t restart_count;
    uint64_t reroute_delay_ps;      /* from a cable event until routes are changed */
    uint64_t late_ps;               /* the most by which a frame may be late on a cable */
    uint64_t warmup_ps, measure_ps; /* measured part: [warmup, warmup + measure) */
    uint64_t batch_ps; /* length of the batches into which the measured part is divided; 0 = there are none */
    uint32_t batch_count;
    bool batch_slowdowns; /* batches have histograms of slowdown */
    bool until_done;      /* measure_ps is ignored: the measured part lasts until the last message is delivered */
    uint64_t stall_ps;    /* the run ends when nothing new was delivered for so long while messages wait */
    uint64_t seed;
    uint64_t sample_ps;      /* interval between samples of queues */
    bool sample_average;     /* each sample also has the mean queues since the sample before: result.has_sampled */
    bool sampled;            /* statistics: sampled: queues are known by their samples alone */
    uint64_t group_edge[3];  /* upper bounds of message size groups, see struct weir_recorder */
    uint64_t short_bytes;    /* messages of at most so many bytes are short: result.short_pkts */
    uint32_t measured_items; /* bit i: messages of traffic item i count in results by message */
    uint32_t sample_limit;   /* most samples kept per set; WEIR_SAMPLES_MAX except in tests */
    bool skip;               /* run.skip: exact: steady states are skipped (doc/skip.md) */
    bool ends_at_sender;     /* in results by message, a message ends when its sender knows; else with its last byte */
};

/* Returns the configuration of law number `law`. */
static inline const struct weir_host_config *weir_model_law(const struct weir_model *m, uint32_t law)
{
    return weir_host_config_of(&m->host, law);
}

/* Tests whether a message has the law that is deployed for a part of its item [laws.deploy]. number: as in struct
 * weir_message */
static inline bool weir_model_deploys(const struct weir_model *m, uint32_t item, uint32_t src, uint64_t number)
{
    return m->deploy[item].share_ppm > 0 &&
           weir_rng_below(weir_rng_at(weir_rng_key(m->seed, src, WEIR_RNG_DEPLOY, item), number), 1000000) <
               m->deploy[item].share_ppm;
}

/* Returns the law of messages of an item from host src that do not have the deployed one. */
static inline uint8_t weir_model_law_of(const struct weir_model *m, uint32_t item, uint32_t src)
{
    return m->law_of_sender != NULL ? m->law_of_sender[item * m->topo->host_count + src] : m->law_of_item[item];
}

/* Tests whether events of the cable of a link may come while the run goes on. */
static inline bool weir_model_is_cuttable(const struct weir_model *m, uint32_t link)
{
    const struct weir_link *l = &m->topo->link[link];
    bool of_host = l->src < m->topo->host_count || l->dst < m->topo->host_count;
    return (m->cuttable & (of_host ? WEIR_CUTTABLE_HOSTS : WEIR_CUTTABLE_CORE)) != 0;
}

/* Returns the rate at which a link is fed: that of its NIC if a host feeds it. */
static inline uint64_t weir_model_link_bps(const struct weir_model *m, uint32_t link)
{
    const struct weir_link *l = &m->topo->link[link];
    return l->src < m->topo->host_count ? weir_host_nic_bps(&m->host.params, l->rate_bps) : l->rate_bps;
}

/* Returns the memory of a switch, by its node number. */
static inline uint64_t weir_model_memory_bytes(const struct weir_model *m, uint32_t node)
{
    return m->memory_of != NULL ? m->memory_of[node] : m->memory_bytes;
}

#define WEIR_SNAPSHOT_HOSTS 16u /* with more hosts a snapshot has no values per host and port */

/* Values of one host in a snapshot: payload that has arrived, and credit that it holds as a sender. */
struct weir_snapshot_host {
    uint64_t arrived_bytes, credit_held_bytes;
};

struct weir_snapshot_flow {    /* progress of a message with a tag, in a snapshot */
    struct weir_host_flow now; /* zeros before it starts; acked_bytes = all when it has ended */
    uint8_t state;             /* 0 not started, 1 in progress, 2 ended: known to its sender */
};

/* A snapshot: the whole network at one instant, between windows, before any event at that instant. */
struct weir_snapshot {
    uint64_t at_ps;
    /* since the run began */
    uint64_t arrived_bytes;                 /* payload that has arrived for the first time */
    uint64_t marks, drops, retransmissions; /* drops: with losses on the wire */
    /* at this instant */
    uint64_t unfinished_bytes; /* of messages started and not delivered */
    uint64_t tor_queue_sum_bytes, tor_queue_max_bytes, port_queue_max_bytes;
    bool has_credit; /* receiver-driven protocol: sums over hosts follow, see struct weir_credit_sums */
    uint64_t credit_held_bytes, credit_in_flight_bytes,
        credit_free_bytes;                 /* in flight: outstanding less held, with DATA */
    const struct weir_snapshot_host *host; /* one per host; NULL = too many hosts */
    const uint64_t *port_queue_bytes;      /* one per link of the topology; NULL = too many hosts, unless requested */
    const uint64_t *lost_by_cause; /* packets dropped or lost so far, by number of the cause; NULL = not known */
    const struct weir_snapshot_flow *flow; /* one per tag, from tag 1 on; NULL = not requested */
};

struct weir_account_row;

struct weir_control_row { /* a control frame that has arrived, such as a pause of PFC */
    uint64_t at_ps;
    uint32_t link; /* link of the port that the frame is for: the other direction of the cable by which it came */
    uint8_t class_id, code; /* PFC: 1 pause, 0 resume */
};

/* Ends of a link that are tapped; bits of weir_sim_options.tap[]. */
enum weir_tap {
    WEIR_TAP_SENT = 1u << 0,    /* at the port that feeds the link: packets when their transmission starts, and drops */
    WEIR_TAP_ARRIVED = 1u << 1, /* at the other end of the link: packets when their last bit arrives */
};

enum weir_tap_event {                       /* in the order of rows of a link with equal times */
                      WEIR_PACKET_DROPPED,  /* WEIR_TAP_SENT: the port refuses the packet, or drops it on leaving */
                      WEIR_PACKET_SENT,     /* WEIR_TAP_SENT: its first bit leaves */
                      WEIR_PACKET_LOST,     /* WEIR_TAP_SENT: its first bit leaves, and it is lost on the wire */
                      WEIR_PACKET_RECEIVED, /* WEIR_TAP_ARRIVED: its last bit arrives */
                      WEIR_PACKET_REFUSED,  /* WEIR_TAP_ARRIVED: it has no route, and is dropped; follows RECEIVED */
};

struct weir_packet_row { /* a packet at a tapped link */
    uint64_t at_ps;
    uint64_t waited_ps; /* of SENT and LOST: time in the queue; else 0 */
    /* As it is on the link, with marks. arrival_ps is 0, and so is msg for laws with WEIR_NEED_NO_ACKS. */
    struct weir_pkt pkt;
    uint32_t link;
    uint32_t order;  /* order of rows of one link with equal times and events */
    uint32_t cause;  /* of DROPPED, LOST, REFUSED: the number of the cause, see weir_cause_of(); else WEIR_CAUSE_NONE */
    uint8_t event;   /* enum weir_tap_event */
    bool is_control; /* it is a control frame: of pkt only class_id, flags (its code) and wire_bytes are set */
};

/* Options of a run: how it is computed, and what it reports while it goes on. Callbacks are called by one thread,
 * between windows. */
struct weir_profile;
struct weir_sim_options {
    uint32_t threads; /* 1 .. WEIR_THREADS_MAX; at most the number of nodes */
    bool check;       /* verify invariants while running */
    bool general;     /* every port is served by the general instance of the port body; results are the same */
    /* One of several processes that simulate together (simulator/ranks), each with so many threads; NULL = there is
     * one. The processes get most other options from that of rank 0, and its result alone is whole. Not owned */
    struct weir_carrier *carrier;
    uint64_t cut_seed; /* for tests: 0 = neighbours stay together, else nodes are spread over threads at random */
    /* Called with rows of delivered messages, in batches, about one per simulated millisecond. Rows are sorted by (time
     * when the sender knew, id) and lent for the call. @return 0, or a code that ends the run. NULL = not needed */
    int (*rows)(void *ctx, const struct weir_account_row *row, size_t count);
    void *rows_ctx;
    /* Called with rows of all control frames, sorted by (time, link); else as `rows`. NULL = not needed */
    int (*control)(void *ctx, const struct weir_control_row *row, size_t count);
    void *control_ctx;
    /* Called with rows of packets at tapped links, sorted by (time, link, event); else as `rows`. NULL = not needed */
    int (*packets)(void *ctx, const struct weir_packet_row *row, size_t count);
    void *packets_ctx;
    /* Of each link: bits of enum weir_tap; read only if packets is set. A tapped port is slower, with the same
     * results. */
    const uint8_t *tap;
    uint64_t snapshot_ps; /* interval between snapshots: at snapshot_ps, 2 snapshot_ps, ..; 0 = none */
    /* Called with each snapshot, which is lent for the call. The last one is at the end of the run. In a run until all
     * is delivered, that is the time of the last delivery, but the snapshot shows the network once nothing is pending
     * any more. @return 0, or a code that ends the run. NULL = not needed */
    int (*snapshot)(void *ctx, const struct weir_snapshot *snapshot);
    void *snapshot_ctx;
    /* The interval from the present snapshot on, a multiple of snapshot_ps that `snapshot` may enlarge: the next
     * snapshot is at a multiple of it. NULL = snapshot_ps */
    const uint64_t *snapshot_every_ps;
    bool snapshot_ports; /* snapshots have the queue of each port, however many hosts there are */
    bool snapshot_flows; /* snapshots have each flow; model->host.track must be set too */
    bool detail;         /* result->detail is requested; the caller frees it, also after a run that failed */
    bool links;          /* result->link is requested, as detail */
    bool causes;         /* result->causes is requested, as detail; if links is true, also by link */
    /* Called when a batch is over: b->done counts it. @return 0, or a code that ends the run. NULL = not needed */
    int (*batch)(void *ctx, const struct weir_batches *b);
    void *batch_ctx;
    void (*began)(void *ctx); /* called once, when all is set up and the run begins; NULL = not needed */
    void *began_ctx;
    void (*progress)(void *ctx, const struct weir_progress *p); /* NULL = none */
    void *progress_ctx;
    const volatile int *stop;     /* not 0 = the run ends early, with the results so far; NULL = never */
    FILE *diagnosis;              /* where a stall is explained; NULL = not at all */
    uint64_t skip_leaves_out;     /* for tests: not 0 = times of the state are not compared */
    struct weir_profile *profile; /* filled in with the work of each thread, see model/profile.h; NULL = not needed */
};
#endif
