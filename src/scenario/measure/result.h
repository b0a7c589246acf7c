/* src/scenario/measure/result.h - the result of a run, from which all its numbers are printed and stored, and the
 * recorder of delivered messages. Integers only: the same bits with every compiler. */
#ifndef WEIR_MEASURE_RESULT_H
#define WEIR_MEASURE_RESULT_H
#include "measure/batches.h"
#include "measure/causes.h"
#include "measure/detail.h"
#include "measure/histogram.h"
#include "measure/samples.h"
#include "measure/skipped.h"
#include <stdbool.h>

struct weir_feature_count;

/* Groups of messages by size: A is the shortest, D the longest, ALL is all of them. */
enum { WEIR_GROUP_ALL, WEIR_GROUP_A, WEIR_GROUP_B, WEIR_GROUP_C, WEIR_GROUP_D, WEIR_GROUP_COUNT };

/* Returns the size group of a message, WEIR_GROUP_A .. WEIR_GROUP_D. edge: upper bounds of A, B and C in bytes,
 * exclusive. The first edge above bytes decides, so a group is empty if its edge is not above the edge before. */
static inline int weir_group_of(const uint64_t edge[3], uint64_t bytes)
{
    int group = 0;
    while (group < 3 && bytes >= edge[group])
        group++;
    return WEIR_GROUP_A + group;
}

struct weir_delivery { /* one message that has ended */
    uint64_t id, bytes, start_ps, end_ps;
    uint64_t ideal_ps;   /* least possible latency, headers and store-and-forward included */
    uint64_t payload_ps; /* propagation plus the payload at the rate of the path's slowest link, as in SIRD's scripts */
    uint64_t pkts;       /* packets of the message, without retransmissions */
    uint64_t call;       /* of a reply: id of the message that it answers; else 0 */
    uint32_t src, dst, item, marks, retransmissions; /* marks: packets that arrived with CE */
    bool measured; /* it counts in slowdown, completion and rate; messages of incasts mostly do not */
    bool is_reply; /* it is a reply, which counts in no result by message */
    uint8_t law;   /* number of its law */
};

struct weir_recorder {          /* counts of delivered messages: one per thread, merged when the run is over */
    uint64_t group_edge[3];     /* upper bounds of A, B, C in bytes, exclusive: MSS, BDP, 8 BDP */
    uint64_t from_ps, until_ps; /* measured part: deliveries with from_ps <= end_ps < until_ps */
    uint64_t short_bytes;       /* messages of at most this size are short; the caller sets it after init */
    uint64_t delivered_measured, delivered_measured_bytes;
    uint64_t short_pkts, short_marked_pkts; /* packets of short messages, and those of them with CE */
    struct weir_samples slowdown[WEIR_SLOWDOWN_COUNT][WEIR_GROUP_COUNT - 1]; /* of groups A to D, in millionths */
    struct weir_samples completion[WEIR_GROUP_COUNT - 1];                    /* of groups A to D, in ps */
    uint64_t rate_sum_kbps[WEIR_GROUP_COUNT - 1]; /* sum over messages of bits over completion time */
    struct weir_detail *detail; /* slowdowns by size, owned; NULL = not requested, as after weir_recorder_init() */
    /* of batches (batches.h): messages that count, and the sum of their slowdowns in millionths, so far; slowdowns of
     * the present batch, owned, NULL = not kept */
    uint64_t counted, slowdown_sum_ppm;
    struct weir_histogram *slowdown_now;
};

/* Sets up an empty recorder for the measured part [from_ps, until_ps), with short_bytes 0 and no detail. sample_limit:
 * most values kept per group and denominator; WEIR_SAMPLES_MAX except in tests */
void weir_recorder_init(struct weir_recorder *rec, const uint64_t group_edge[3], uint64_t from_ps, uint64_t until_ps,
                        uint32_t sample_limit);
/* Tests whether a message that ended at end_ps is in the measured part. */
static inline bool weir_recorder_measures(const struct weir_recorder *rec, uint64_t end_ps)
{
    return end_ps >= rec->from_ps && end_ps < rec->until_ps;
}
/* Counts a delivered message if it ended in the measured part. d->end_ps must be d->start_ps or later; ideal_ps and
 * payload_ps must be above 0 if d->measured. */
void weir_recorder_delivery(struct weir_recorder *rec, const struct weir_delivery *d);
/* Adds all counts and samples of `from` to rec, as if rec had counted all messages. Both must have the same edges,
 * measured part, short_bytes and limit, and either both have a detail or neither. */
void weir_recorder_merge(struct weir_recorder *rec, const struct weir_recorder *from);
/* Frees the samples and the detail. To free twice is harmless. */
void weir_recorder_free(struct weir_recorder *rec);

/* Statistics of a queue over the measured part: its mean in thousandths of a byte, p99 and maximum. sampled_max_bytes:
 * the largest sample, of queues at an instant. max_bytes: the largest ever; 0 with statistics: sampled */
struct weir_queue_stats {
    uint64_t mean_millibytes, p99_bytes, max_bytes, sampled_max_bytes;
};

/* Unfinished messages [run.unfinished]: they had started and not ended at the end of the run, so results by message
 * lack them. A usual time is estimated for each: its least time (ideal latency) times a typical slowdown. The typical
 * slowdown is the median of the message's size group, or of the nearest smaller group that has one, and at least
 * 1/(1-load)^2. The latter is the mean if all messages share the links of sender and receiver equally at that load,
 * which counts as 90 % at most. A message is beyond the run if its least time exceeds WEIR_UNFINISHED_BEYOND times the
 * run. late_bytes and the fields after beyond leave out such messages. */
struct weir_unfinished {
    uint64_t messages, bytes;
    uint64_t counted[WEIR_GROUP_COUNT]; /* by size group: those that count in results by message */
    uint64_t late_bytes; /* of messages that have already taken more than WEIR_UNFINISHED_LATE times the usual time */
    uint64_t beyond;     /* number of messages beyond the run */
    uint64_t longest_bytes; /* size of the largest message; 0 = there is none */
    uint64_t needed_ps;     /* longest usual time of a message, or the time since its start if longer; 0 = none */
    uint64_t slowest_ppm;   /* greatest ratio of time since the start to least time, of counted messages; millionths */
};
/* A queue that grew in every quarter of the measured part [run.growing]. */
#define WEIR_QUARTERS 4u
struct weir_growth {
    bool grows;                         /* false = no queue did, or this is not known; the other fields are 0 then */
    uint32_t link;                      /* the port is that of this link */
    uint64_t mean_bytes[WEIR_QUARTERS]; /* its mean queue in each quarter */
};

#define WEIR_UNFINISHED_LATE 2u
#define WEIR_UNFINISHED_BEYOND 10u

struct weir_job_result { /* result of a job, or of a step of a collective operation by a group of ranks */
    const char *name;    /* lent by the workload */
    uint64_t start_ps;   /* earliest start of its flows without dependencies; collective: when its first rank began */
    uint64_t end_ps;     /* when the last byte of its last flow arrived; WEIR_NEVER = not all flows have ended */
    uint32_t flows, ended;
    /* collective: bytes as nccl-tests count them, 0 = a job; the bus bandwidth is bytes / t * bus_parts / bus_ranks */
    uint64_t bytes;
    uint32_t bus_parts, bus_ranks;
};

struct weir_coflow_result { /* result of a coflow: flows of a job that are to end together */
    const char *job, *name; /* lent by the workload */
    uint64_t start_ps;      /* when the first of its flows started; WEIR_NEVER = none has started */
    uint64_t first_end_ps;  /* when the first of its flows ended; WEIR_NEVER = none has ended */
    uint64_t end_ps;        /* when the last of its flows ended; WEIR_NEVER = not all have ended */
    uint32_t flows, ended;
};

struct weir_job_results { /* results of all jobs and coflows, in the order of the workload */
    struct weir_job_result *job;
    struct weir_coflow_result *coflow;
    uint32_t job_count, coflow_count;
};
/* Allocates results of jobs and coflows, all zeros, to be freed by weir_job_results_free(). @return NULL = no memory */
struct weir_job_results *weir_job_results_new(uint32_t job_count, uint32_t coflow_count);
void weir_job_results_free(struct weir_job_results *jobs); /* jobs: may be NULL */
struct weir_jobs_summary { /* over all jobs, graphs, and steps of collective operations; all zeros = there is none */
    uint64_t jobs, unfinished;
    struct weir_dist completion;   /* of those that ended, ps */
    struct weir_dist algbw, busbw; /* of steps of collective operations that ended, bytes per second */
};
/* Computes the summary of jobs. @return false = memory ran out, and the summary is zeros */
bool weir_jobs_summarise(const struct weir_job_results *jobs, struct weir_jobs_summary *summary);

/* Returns the algorithm bandwidth of a collective operation in bytes per second, as nccl-tests define it: bytes / t. 0
 * if it has not ended, took no time, or the result is of a job. */
uint64_t weir_job_algbw(const struct weir_job_result *job);
/* Returns its bus bandwidth, likewise: that times 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather,
 * reduce-scatter and all-to-all, 1 for broadcast. */
uint64_t weir_job_busbw(const struct weir_job_result *job);

/* Result of a part of the traffic: of one law of several, or of the laws with DATA in one class. Counts are of the
 * whole run, unless said otherwise. */
struct weir_part_result {
    uint32_t class_id; /* of the DATA of its laws */
    uint32_t laws;     /* bit k: it has law k */
    uint64_t messages_started, messages_completed;
    uint64_t senders;                 /* hosts that started a message of it */
    uint64_t arrived_bytes;           /* payload that arrived in the measured part */
    uint64_t demand_bytes;            /* what could have arrived then [laws.fairness] */
    uint64_t goodput_bps, demand_bps; /* the same per host */
    uint64_t marks;                   /* DATA packets that arrived with CE */
    uint64_t drops, data_drops;       /* packets that were dropped or lost on the wire: all; DATA alone */
    uint64_t retransmissions, timeouts;
    struct weir_dist slowdown[WEIR_GROUP_COUNT]; /* in millionths, over the least possible latency */
};

/* 95 % intervals of a run's numbers from the batches of its measured part [run.batches]: half widths of means, and ends
 * of intervals of percentiles of the slowdown of all messages. */
struct weir_intervals {
    /* has_means: of goodput and queue. false: the run is not stable, has no batches or did not come to its planned end,
     * or nothing arrived. The others are false, too, if too few messages ended */
    bool has_means, has_slowdown, has_p50, has_p99;
    uint64_t slowdown_ppb, goodput_bps, queue_millibytes;
    uint64_t p50_low_ppm, p50_high_ppm, p99_low_ppm, p99_high_ppm;
};

struct weir_port_count; /* model/account.h */

/* The result of a run. Rates in bit/s; counts over the whole run, unless said otherwise. */
struct weir_result {
    uint64_t digest;              /* [counting.digest]; of the whole run */
    uint64_t queues_digest;       /* of the queues of all ports in the measured part: for comparing engines */
    uint64_t sim_ps, measured_ps; /* simulated time of the whole run, and of its measured part */
    uint64_t wall_ns, setup_ns, packet_hops, peak_rss_bytes;
    uint32_t threads, ranks, hosts;    /* threads: of each rank; ranks: processes, 1 = one */
    uint64_t host_rate_bps;            /* most that a host can send by all its NICs; 0 = not known */
    uint64_t offered_bps, goodput_bps; /* payload per host in the measured part: started; newly arrived */
    uint64_t completed_bps;            /* per host, of payload of messages completed in the measured part */
    bool stable;
    const char *unstable_why; /* NULL if stable */
    /* Payload of all hosts in the measured part: of messages that started; newly arrived; and by how much the
     * unfinished payload was larger at the end than at the start. */
    uint64_t offered_bytes, arrived_bytes, grown_bytes;
    struct weir_unfinished unfinished;
    struct weir_growth growth;
    uint64_t messages_started, messages_completed, messages_measured;
    /* failures [run.recovery]: how many instants, how many of them the rate did not come back from; the longest time to
     * recover of the others */
    uint64_t failures, unrecovered, recovery_ps;
    uint64_t restarts; /* of hosts */
    /* messages that were lost with their host, their payload, and packets that hosts refused because they were sent
     * before a restart */
    uint64_t messages_lost, lost_bytes, stale_pkts;
    uint64_t drops, losses, marks, retransmissions, timeouts; /* drops and marks: by ports; losses: on the wire */
    uint64_t duplicates;                      /* DATA that arrived although its payload had arrived before */
    uint64_t receiver_marks;                  /* of the marks by ports, those by ports that lead to hosts */
    uint64_t source_marks;                    /* marks by senders: host.mark */
    uint64_t short_pkts, short_marked_pkts;   /* packets of short messages completed in the measured part; with CE */
    struct weir_feature_count *feature_count; /* counters of switch features, feature_counts of them; owned */
    uint32_t feature_counts;
    bool sampled; /* statistics: sampled: means of the next two are of samples, max_bytes and areas are not known */
    struct weir_queue_stats tor_queue, port_queue;
    uint64_t fullest_port; /* the link whose port had port_queue.max_bytes, if that is above 0 */
    /* the link that was given the greatest share of what it can carry in the whole run, if that is above 0; of several
     * the first; the share in millionths */
    uint64_t fullest_link;
    uint64_t link_share_ppm;
    struct weir_queue_stats tor_queue_sampled, port_queue_sampled; /* over averages of each sample interval */
    bool has_sampled; /* the two fields above are set: they were requested, and a sample was taken */
    bool has_credit;  /* the next three are set: the protocol is receiver-driven, and a sample was taken */
    /* credit, mean per host over the measured part: unused at senders, in flight, free at receivers */
    uint64_t credit_held_bytes, credit_in_flight_bytes, credit_free_bytes;
    struct weir_dist slowdown[WEIR_SLOWDOWN_COUNT][WEIR_GROUP_COUNT]; /* in millionths */
    struct weir_dist completion[WEIR_GROUP_COUNT];                    /* ps */
    struct weir_intervals intervals;
    uint64_t rate_kbps[WEIR_GROUP_COUNT]; /* mean over messages of bits over completion time; 0 = no message */
    uint64_t jain_ppm; /* of bytes acknowledged in the measured part, over hosts that offered load; 0 = no byte was */
    uint64_t peak_packets, peak_fifo_bytes, state_bytes,
        flow_bytes; /* most packets in flight at ends of windows; bytes of FIFOs, engine, connections */
    uint64_t connections;
    /* With coupled features: visits of switches that went with deferred hooks, visits that went step by step, and
     * switch-overs from the first to the second. */
    uint64_t calm_windows, exact_windows, handovers;
    bool interrupted, stalled;
    bool samples_lost;             /* memory for samples ran out: percentiles are of earlier messages only */
    struct weir_detail *detail;    /* NULL = not requested; owned */
    struct weir_batches *batches;  /* NULL = the run did not come to its planned end, or it has none; owned */
    struct weir_port_count *link;  /* counts of each link of the topology; NULL = not requested; owned */
    struct weir_causes *causes;    /* fates of packets by cause; NULL = not requested; owned */
    struct weir_job_results *jobs; /* NULL = the workload has none; owned */
    struct weir_jobs_summary jobs_all;
    struct weir_part_result *law; /* law_count results; NULL = the run has one law; owned */
    struct weir_part_result
        *of_class; /* class_count results, of classes in rising order; NULL = all laws have DATA in one
                                      class; owned */
    uint32_t law_count, class_count;
    uint64_t laws_jain_ppm;      /* fairness across laws [laws.fairness]; 0 = not known */
    struct weir_skipped skipped; /* run.skip: exact; what was computed instead of simulated, which all counts include */
};

/* Frees the memory that the result owns. Sets its pointers to NULL and feature_counts to 0; other numbers stay.
 * Harmless on a result of zeros, and after a run that failed. */
void weir_result_free(struct weir_result *result);

/* Computes the distribution of each group, then that of all messages. Uses up the samples: those of all groups are
 * merged into those of group A, and the others are freed. @return false = memory for samples ran out */
bool weir_group_dists(struct weir_samples group[WEIR_GROUP_COUNT - 1], struct weir_dist dist[WEIR_GROUP_COUNT]);

/* Returns the share of a part's demand that arrived, in billionths. Its demand must be above 0. */
uint64_t weir_part_met_ppb(const struct weir_part_result *part);

/* Fills slowdown[][], completion[], rate_kbps[] and samples_lost from the merged recorder. Uses up its samples, since
 * the samples of all groups are merged into those of group A. The recorder can then only be freed. */
void weir_result_slowdown(struct weir_result *result, struct weir_recorder *merged);

/* Returns Jain's fairness index of n values in millionths: (sum x)^2 / (n sum x^2); 0 if n is 0 or all values are 0. */
uint64_t weir_jain_ppm(const uint64_t *value, uint32_t n);
#endif
