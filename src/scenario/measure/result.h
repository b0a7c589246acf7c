/* src/scenario/measure/result.h - what a run found out; everything `weir run` prints comes from here. Integers only:
 * the same bits with every compiler. */
#ifndef WEIR_MEASURE_RESULT_H
#define WEIR_MEASURE_RESULT_H
#include "measure/causes.h"
#include "measure/detail.h"
#include "measure/histogram.h"
#include "measure/samples.h"
#include <stdbool.h>

struct weir_feature_count;

enum { WEIR_GROUP_ALL, WEIR_GROUP_A, WEIR_GROUP_B, WEIR_GROUP_C, WEIR_GROUP_D, WEIR_GROUP_COUNT };

/* Returns WEIR_GROUP_A .. _D. The first edge above decides, so an edge below the one before it leaves its group empty.
 * edge: upper bounds (exclusive) of A, B, C in bytes */
static inline int weir_group_of(const uint64_t edge[3], uint64_t bytes)
{
    int group = 0;
    while (group < 3 && bytes >= edge[group])
        group++;
    return WEIR_GROUP_A + group;
}

struct weir_delivery { /* one message, when its last byte has arrived */
    uint64_t id, bytes, start_ps, end_ps;
    uint64_t ideal_ps;   /* least possible latency, headers and store-and-forward included */
    uint64_t payload_ps; /* propagation plus payload bits at the slower of host and core rate (SIRD's scripts) */
    uint64_t pkts;       /* of it; marks: of those, that arrived with CE */
    uint32_t src, dst, item, marks, retransmissions;
    bool measured; /* counts in slowdown and completion: most often no incast message */
    bool is_reply; /* in no result by message */
};

struct weir_recorder {          /* one per thread; merged when the run is over */
    uint64_t group_edge[3];     /* upper bounds (exclusive) of A, B, C in bytes: MSS, BDP, 8 BDP */
    uint64_t from_ps, until_ps; /* measured part: deliveries with from <= end < until */
    uint64_t short_bytes;       /* messages up to this are short; set after weir_recorder_init(), else none but 0 B */
    uint64_t delivered_measured, delivered_measured_bytes;
    uint64_t short_pkts, short_marked_pkts; /* packets of short messages; those with CE */
    struct weir_samples slowdown[WEIR_SLOWDOWN_COUNT][WEIR_GROUP_COUNT - 1]; /* A..D, millionths; ALL is their union */
    struct weir_samples completion[WEIR_GROUP_COUNT - 1];                    /* likewise, ps */
    uint64_t rate_sum_kbps[WEIR_GROUP_COUNT - 1]; /* of each message its bits over its completion time */
    struct weir_detail *detail; /* slowdowns by size; owned; NULL = not wanted, as after weir_recorder_init() */
};

/* Begins an empty recorder. sample_limit: most values kept per group and denominator, WEIR_SAMPLES_MAX unless a test
 * sets less. */
void weir_recorder_init(struct weir_recorder *rec, const uint64_t group_edge[3], uint64_t from_ps, uint64_t until_ps,
                        uint32_t sample_limit);
/* Asks whether a message delivered at end counts. */
static inline bool weir_recorder_measures(const struct weir_recorder *rec, uint64_t end_ps)
{
    return end_ps >= rec->from_ps && end_ps < rec->until_ps;
}
/* Counts a delivered message if it is one of those. end >= start; both ideals above 0. */
void weir_recorder_delivery(struct weir_recorder *rec, const struct weir_delivery *d);
/* Adds all of from to rec, as if rec had received everything. Both have the same edges, part and limit, and both
 * or neither have a detail. */
void weir_recorder_merge(struct weir_recorder *rec, const struct weir_recorder *from);
void weir_recorder_free(struct weir_recorder *rec);

struct weir_queue_stats {
    uint64_t mean_millibytes, p99_bytes, max_bytes;
};

/* Messages that had started and not ended when the run did: results by message lack them. What a message takes is
 * estimated: its least time times the median slowdown of its group, or of the nearest smaller group that has one. The
 * slowdown is taken to be 1 / (1 - load)^2 at least. That is the mean where the sender's link and the receiver's are
 * each shared evenly by all messages at that load. */
struct weir_unfinished {
    uint64_t messages, bytes;
    uint64_t counted[WEIR_GROUP_COUNT]; /* of items that count in results by message */
    uint64_t late_bytes;                /* of messages that have taken WEIR_UNFINISHED_LATE times that */
    uint64_t beyond; /* messages whose least time is WEIR_UNFINISHED_BEYOND times the run; below: of the others */
    uint64_t longest_bytes; /* the largest; 0 = there is none */
    uint64_t needed_ps;     /* most that one of them takes, or has taken; 0 = there is none */
    uint64_t slowest_ppm;   /* most that one has taken which counts in slowdown, over its least time; in millionths */
};
#define WEIR_UNFINISHED_LATE 2u
#define WEIR_UNFINISHED_BEYOND 10u

struct weir_job_result { /* of a job: flows that wait for others */
    const char *name;    /* lent by the workload */
    uint64_t start_ps;   /* of the earliest flow that waits for none */
    uint64_t end_ps;     /* last byte of its last flow arrived; WEIR_NEVER = not all have */
    uint32_t flows, ended;
};

struct weir_coflow_result { /* of flows of a job that are to end together */
    const char *job, *name; /* lent by the workload */
    uint64_t start_ps;      /* of the first that started; WEIR_NEVER = none has */
    uint64_t first_end_ps;  /* WEIR_NEVER = none has ended */
    uint64_t end_ps;        /* of the last; WEIR_NEVER = not all have ended */
    uint32_t flows, ended;
};

struct weir_job_results { /* in the order of the workload's */
    struct weir_job_result *job;
    struct weir_coflow_result *coflow;
    uint32_t job_count, coflow_count;
};
struct weir_job_results *weir_job_results_new(uint32_t job_count, uint32_t coflow_count); /* zeros; NULL = no memory */
void weir_job_results_free(struct weir_job_results *jobs);                                /* NULL is harmless */

struct weir_port_count; /* model/account.h */

struct weir_result {
    uint64_t digest;              /* of the whole run */
    uint64_t queues_digest;       /* of every port's queue in the measured part, to the bit: for comparing engines */
    uint64_t sim_ps, measured_ps; /* whole run; its measured part */
    uint64_t wall_ns, setup_ns, packet_hops, peak_rss_bytes;
    uint32_t threads, hosts;
    uint64_t host_rate_bps;            /* of the fastest host; 0 = not known */
    uint64_t offered_bps, goodput_bps; /* per host, payload; goodput = new bytes that arrived in the measured part */
    uint64_t completed_bps;            /* per host, bytes of messages completed in the measured part (SIRD's goodput) */
    bool stable;
    const char *unstable_why; /* NULL if stable */
    /* payload, all hosts: of messages that started in the measured part; new in it; how much more waited at its end
     * than at its start */
    uint64_t offered_bytes, arrived_bytes, grown_bytes;
    struct weir_unfinished unfinished;
    uint64_t messages_started, messages_completed, messages_measured;
    uint64_t drops, losses, marks, retransmissions, timeouts; /* losses: on the wire, injected; marks: by ports */
    uint64_t source_marks;                                    /* by senders, host.mark */
    uint64_t short_pkts, short_marked_pkts;   /* of the short messages completed in the measured part; those with CE */
    struct weir_feature_count *feature_count; /* of the whole run, what switch features counted; owned */
    uint32_t feature_counts;
    struct weir_queue_stats tor_queue, port_queue;
    struct weir_queue_stats tor_queue_sampled, port_queue_sampled; /* of averages over each sample interval */
    bool has_sampled;                                              /* the two lines above were requested, and are */
    bool has_credit;                                               /* a receiver-driven protocol: the next three are */
    /* mean per host over the measured part: unused at senders, between hosts, left at receivers */
    uint64_t credit_held_bytes, credit_in_flight_bytes, credit_free_bytes;
    struct weir_dist slowdown[WEIR_SLOWDOWN_COUNT][WEIR_GROUP_COUNT]; /* millionths */
    struct weir_dist completion[WEIR_GROUP_COUNT];                    /* ps */
    uint64_t rate_kbps[WEIR_GROUP_COUNT]; /* mean over messages of bits over completion time; 0 = there are none */
    uint64_t jain_ppm; /* over hosts that offered load, of what was acknowledged in the measured part; 0 = none was */
    uint64_t peak_packets, peak_fifo_bytes, state_bytes,
        flow_bytes; /* memory: in flight at the ends of windows, their FIFOs, all engine state, hosts' */
    uint64_t connections;
    /* With coupled features: windows of switches in which these had nothing to do, and in which they may have had;
     * changes from the first to the second. */
    uint64_t calm_windows, exact_windows, handovers;
    bool interrupted, stalled;
    bool samples_lost;             /* memory ran out for samples: percentiles are of the earlier messages only */
    struct weir_detail *detail;    /* NULL = not requested; owned */
    struct weir_port_count *link;  /* of each link of the topology; NULL = not requested; owned */
    struct weir_causes *causes;    /* why packets were dropped or lost; NULL = not requested; owned */
    struct weir_job_results *jobs; /* NULL = the workload has none; owned */
};

/* Frees what the result owns, which is NULL then; its numbers stay. Harmless on zeros, and after a run that failed. */
void weir_result_free(struct weir_result *result);

/* Fills slowdown[][], completion[], rate_kbps[] and samples_lost from the merged recorder. Uses its samples up (ALL is
 * made in the place of A: no second copy); what is left of it can only be freed. */
void weir_result_slowdown(struct weir_result *result, struct weir_recorder *merged);

/* Computes Jain's fairness index of n values in millionths: (sum x)^2 / (n sum x^2); 0 when n = 0 or all are 0. */
uint64_t weir_jain_ppm(const uint64_t *value, uint32_t n);
#endif
