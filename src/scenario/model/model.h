/* src/scenario/model/model.h - what is simulated, and what a run may report while it goes on: engine and oracle take
 * the same. */
#ifndef WEIR_MODEL_MODEL_H
#define WEIR_MODEL_MODEL_H
#include "core/err.h"
#include "core/feature_set.h"
#include "host/host.h"
#include "measure/result.h"
#include "topology/route.h"
#include "topology/topology.h"
#include "workload/workload.h"
#include <stdio.h>

struct weir_cable_event;

#define WEIR_THREADS_MAX 64u

struct weir_progress {       /* reported now and then, between windows */
    uint64_t now_ps, end_ps; /* end: WEIR_NEVER when the run ends with its last message */
    uint64_t packet_hops, messages_started, messages_completed;
};

struct weir_model { /* what is simulated; engine and oracle take the same. Read-only while they run. */
    const struct weir_topology *topo;
    enum weir_routing routing;
    enum weir_route_metric metric; /* which paths are shortest */
    struct weir_host_config host;  /* host.params.nic_queue decides how hosts feed their link */
    const struct weir_workload *workload;
    struct weir_features features; /* of switches and NICs, in the order in which their hooks are called */
    uint64_t memory_bytes;         /* of each switch, for packets that wait or are sent; UINT64_MAX = unlimited */
    uint32_t classes;              /* per port, 1 .. WEIR_CLASSES_MAX; 1 = FIFO ports */
    uint32_t
        aged_classes; /* of these the last so many are served oldest head first; all others are strict priorities */
    const struct weir_cable_event *event; /* sorted by time; event_count */
    uint32_t event_count;
    uint64_t reroute_delay_ps;      /* from an event until routes follow it */
    uint64_t warmup_ps, measure_ps; /* measured part: [warmup, warmup + measure) */
    bool until_done;                /* ignore measure_ps: measure until the last message is delivered */
    uint64_t stall_ps;              /* abort when nothing new was delivered for so long while messages wait */
    uint64_t seed;
    uint64_t sample_ps;      /* queue percentiles are over samples this far apart */
    bool sample_average;     /* each sample also has the mean queue since the one before: result.has_sampled */
    uint64_t group_edge[3];  /* slowdown groups, see struct weir_recorder */
    uint64_t short_bytes;    /* messages up to this are short: result.short_pkts */
    uint32_t measured_items; /* bit i: messages of traffic item i count in results by message */
    uint32_t sample_limit;   /* WEIR_SAMPLES_MAX */
    bool ends_at_sender; /* a message ends when its sender knows, in all results by message; else with its last byte */
};

#define WEIR_SNAPSHOT_HOSTS 16u /* with more hosts a snapshot has no values per host and port */

struct weir_snapshot_host {
    uint64_t arrived_bytes, credit_held_bytes;
};

struct weir_snapshot_flow {    /* a message with a tag */
    struct weir_host_flow now; /* zeros before it starts; acked_bytes = all when it has ended */
    uint8_t state;             /* 0 not begun, 1 in progress, 2 ended (known to its sender) */
};

/* The whole network at one instant, between windows, before anything at that instant. */
struct weir_snapshot {
    uint64_t at_ps;
    /* since the run began */
    uint64_t arrived_bytes;                 /* payload, for the first time */
    uint64_t marks, drops, retransmissions; /* drops: losses on the wire too */
    /* at this instant */
    uint64_t unfinished_bytes; /* of messages started and not delivered */
    uint64_t tor_queue_sum_bytes, tor_queue_max_bytes, port_queue_max_bytes;
    bool has_credit; /* a receiver-driven protocol; sums over hosts, see struct weir_credit_sums */
    uint64_t credit_held_bytes, credit_in_flight_bytes,
        credit_free_bytes;                 /* in flight: outstanding less held, DATA in flight included */
    const struct weir_snapshot_host *host; /* one per host; NULL = too many hosts */
    const uint64_t *port_queue_bytes;      /* one per link of the topology; NULL = too many hosts, unless requested */
    const uint64_t
        *lost_by_cause; /* packets dropped or lost since the run began, by number of the cause; NULL = unknown */
    const struct weir_snapshot_flow *flow; /* one per tag, from tag 1 on; NULL = not requested */
};

struct weir_account_row;

struct weir_control_row { /* a control frame that arrived, as PFC's */
    uint64_t at_ps;
    uint32_t link;          /* of the port it is for: the reverse of the one it came by */
    uint8_t class_id, code; /* PFC: 1 pause, 0 resume */
};

/* Ends of a link that are tapped; bits of weir_sim_options.tap[]. */
enum weir_tap {
    WEIR_TAP_SENT = 1u << 0,    /* at the port that feeds it: packets as their transmission starts, and drops */
    WEIR_TAP_ARRIVED = 1u << 1, /* at its other end: packets as their last bit arrives */
};

enum weir_tap_event {                       /* in the order of simultaneous rows of a link */
                      WEIR_PACKET_DROPPED,  /* SENT: refused by the port, or dropped on leaving */
                      WEIR_PACKET_SENT,     /* SENT: its first bit leaves */
                      WEIR_PACKET_LOST,     /* SENT: likewise, and it is lost on the wire */
                      WEIR_PACKET_RECEIVED, /* ARRIVED */
                      WEIR_PACKET_REFUSED,  /* ARRIVED: behind its RECEIVED: no way leads on, and it is dropped */
};

struct weir_packet_row { /* a packet at a tapped link */
    uint64_t at_ps;
    uint64_t waited_ps; /* SENT, LOST: in the queue; else 0 */
    struct weir_pkt
        pkt; /* as it is on the link: marks included; arrival_ps is 0, and msg for laws with WEIR_NEED_NO_ACKS */
    uint32_t link;
    uint32_t order;  /* within the link, of rows with equal times and events */
    uint32_t cause;  /* DROPPED, LOST, REFUSED: its number, see weir_cause_of(); else WEIR_CAUSE_NONE */
    uint8_t event;   /* enum weir_tap_event */
    bool is_control; /* a control frame: of pkt only class_id and flags (its code) are of use, and wire_bytes */
};

struct weir_sim_options {
    uint32_t threads; /* 1 .. WEIR_THREADS_MAX; not more than nodes */
    bool check;       /* verify invariants while running */
    bool general;     /* every port is served by the general instance of the port body; results are the same */
    /* Delivered messages, sorted by (when its sender knew, id), in batches, about one per simulated millisecond;
     * lent for the call. @return 0, or a code that ends the run. NULL = not needed */
    int (*rows)(void *ctx, const struct weir_account_row *row, size_t count);
    void *rows_ctx;
    /* Every control frame, sorted by (time, link), in batches; else as rows. NULL = not needed */
    int (*control)(void *ctx, const struct weir_control_row *row, size_t count);
    void *control_ctx;
    /* Packets at tapped links, sorted by (time, link, event), in batches; else as rows. NULL = not needed */
    int (*packets)(void *ctx, const struct weir_packet_row *row, size_t count);
    void *packets_ctx;
    const uint8_t
        *tap; /* of each link: enum weir_tap; read only with packets. A tapped port is slower; results are the same */
    uint64_t snapshot_ps; /* between snapshots: at snapshot_ps, 2 snapshot_ps, ..; 0 = none */
    /* The last snapshot is at the end of the run. (A run until all is delivered ends with its last delivery: that
     * snapshot has what is left when nothing is pending any more.) Lent for the call. @return 0, or a code that
     * ends the run. NULL = not needed */
    int (*snapshot)(void *ctx, const struct weir_snapshot *snapshot);
    void *snapshot_ctx;
    bool snapshot_ports; /* snapshots have the queue of each port, however many hosts there are */
    bool snapshot_flows; /* snapshots have each flow; model->host.track must be set too */
    bool detail;         /* result->detail is wanted, and will be freed by the caller, whatever comes of the run */
    bool links;          /* result->link, likewise */
    bool causes;         /* result->causes, likewise; with links also by link */
    void (*progress)(void *ctx, const struct weir_progress *p); /* NULL = none */
    void *progress_ctx;
    const volatile int *stop; /* not 0 = end early, with what was done; NULL = never */
    FILE *diagnosis;          /* where a stall is explained; NULL = nowhere */
};
#endif
