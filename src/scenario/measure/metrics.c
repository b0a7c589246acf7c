/* src/scenario/measure/metrics.c - see metrics.h. Families of similar metrics, as of queues or of slowdown by size
 * group, are written once, as a macro that makes their rows. */
#include "measure/metrics.h"
#include "core/assert.h"
#include "core/math.h"

#define OFFSET(field) ((uint32_t)offsetof(struct weir_result, field))
#include "measure/metric_rows.h"

const char *const weir_metric_unit_names[WEIR_METRIC_UNITS] = {
    [WEIR_METRIC_COUNT] = "count", [WEIR_METRIC_RATIO] = "ratio",     [WEIR_METRIC_BYTES] = "bytes",
    [WEIR_METRIC_SECONDS] = "s",   [WEIR_METRIC_MICROSECONDS] = "us", [WEIR_METRIC_GBPS] = "Gbps",
    [WEIR_METRIC_FLAG] = "flag",   [WEIR_METRIC_PER_SECOND] = "/s",   [WEIR_METRIC_GBYTES_PER_SECOND] = "GB/s",
};

/* --- conditions of rows, where .needs (a field above 0) does not suffice --- */

static bool offers_rate(const void *of)
{
    return weir_result_offers_rate(of);
}

static bool is_exact(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(!res->sampled || (res->tor_queue.max_bytes == 0 && res->port_queue.max_bytes == 0));
    return !res->sampled;
}

static bool has_sampled(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(!res->sampled || !res->has_sampled); /* means between samples need areas */
    return res->has_sampled;
}

static bool has_credit(const void *of)
{
    return ((const struct weir_result *)of)->has_credit;
}

static bool has_windows(const void *of)
{
    const struct weir_result *res = of;
    return res->calm_windows + res->exact_windows > 0;
}

static bool has_means(const void *of)
{
    return ((const struct weir_result *)of)->intervals.has_means;
}

static bool has_slowdown(const void *of)
{
    return ((const struct weir_result *)of)->intervals.has_slowdown;
}

static bool has_p50(const void *of)
{
    return ((const struct weir_result *)of)->intervals.has_p50;
}

static bool has_p99(const void *of)
{
    return ((const struct weir_result *)of)->intervals.has_p99;
}

/* --- values that are computed from fields; .needs of their rows says that the divisor is above 0 --- */

static uint64_t warmup_ps(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(res->measured_ps <= res->sim_ps);
    return res->sim_ps - res->measured_ps;
}

static uint64_t hops_per_s(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(res->wall_ns > 0);
    return weir_mul_div_u64(res->packet_hops, 1000000000, res->wall_ns);
}

static uint64_t bytes_per_packet(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(res->peak_packets > 0);
    return res->peak_fifo_bytes / res->peak_packets;
}

static uint64_t bytes_per_flow(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(res->connections > 0);
    return res->flow_bytes / res->connections;
}

static uint64_t marked_short_ppb(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(res->short_marked_pkts <= res->short_pkts);
    return weir_mul_div_u64(res->short_marked_pkts, 1000000000, res->short_pkts);
}

static uint64_t receiver_marks_ppb(const void *of)
{
    const struct weir_result *res = of;
    WEIR_ASSERT(res->receiver_marks <= res->marks);
    return weir_mul_div_u64(res->receiver_marks, 1000000000, res->marks);
}

/* --- rows --- */

/* Macros that make a row or set fields of it, besides those of metric_rows.h. MACHINE: the number depends on how the
 * run was computed, not on the network. */
#define FLAG(key, field, what, ...)                                                                                    \
    ROW(key, field, what, .type = WEIR_METRIC_BOOL, .unit = WEIR_METRIC_FLAG, __VA_ARGS__)
#define MACHINE(key, field, what, ...) ROW(key, field, what, .of_machine = true, __VA_ARGS__)
#define SECONDS .digits = 12, .unit = WEIR_METRIC_SECONDS
#define SECONDS_OF_NS .digits = 9, .unit = WEIR_METRIC_SECONDS
#define MEASURED .needs = OFFSET(measured_ps)
/* The rows of a queue: mean, p99 and maximum, and of queues at an instant the largest sample. They grow with the length
 * of a run that is not stable (.of_end). */
#define QUEUE_ROW(key, field, what, head0, head1, ...)                                                                 \
    ROW(key, field, what, HEAD(head0, head1), .unit = WEIR_METRIC_BYTES, LEAST, .of_end = true, __VA_ARGS__)
#define QUEUE(key, field, what, head0, ...)                                                                            \
    QUEUE_ROW(key ".mean", field.mean_millibytes, what ", mean", head0, "mean", .digits = 3, __VA_ARGS__),             \
        QUEUE_ROW(key ".p99", field.p99_bytes, what ", p99", head0, "p99", __VA_ARGS__),                               \
        QUEUE_ROW(key ".max", field.max_bytes, what ", max", head0, "max", __VA_ARGS__)
#define QUEUE_NOW(key, field, what, head0, of, ...)                                                                    \
    QUEUE_ROW(key ".mean", field.mean_millibytes, what ", mean", head0, "mean", .digits = 3, .text = (of),             \
              __VA_ARGS__),                                                                                            \
        QUEUE_ROW(key ".p99", field.p99_bytes, what ", p99", head0, "p99", .text = (of), __VA_ARGS__),                 \
        QUEUE_ROW(key ".max", field.max_bytes, what ", max", head0, "max",                                             \
                  .text = of "; none with statistics: sampled", .applies = is_exact, .of_exact = true, __VA_ARGS__),   \
        QUEUE_ROW(key ".sampled_max", field.sampled_max_bytes, what ", largest sample", head0, "sampled",              \
                  .text = of "; with any statistics", __VA_ARGS__)
#define OF_TOR "bytes that wait at all ports of a first-hop switch together, over those switches"
#define OF_PORT "bytes that wait at a port of a switch, over all ports"

#define RATE(g, index, of_group, head1, key)                                                                           \
    ROW(key "." g, rate_kbps[index], "mean rate of messages" of_group, .text = "size over completion time",            \
        HEAD("Gbps", head1), .needs = OFFSET(completion[index].count), .digits = 6, .unit = WEIR_METRIC_GBPS,          \
        GREATEST, .of_end = true)
#define HALF(key, field, what, known, ...)                                                                             \
    ROW("intervals." key, field, "half the 95 % interval of " what, .text = "by batch means, of this one run",         \
        MODEL("run.batches"), .applies = known, __VA_ARGS__)
#define END(key, field, which, what, known)                                                                            \
    ROW("intervals." key, field, "95 % interval of " what " slowdown, " which " end",                                  \
        .text = "order statistics, ranks by batch means", MODEL("run.batches"), .applies = (known), .digits = 6,       \
        .unit = WEIR_METRIC_RATIO)
#define UNFINISHED(g, index, of_group, head1, key)                                                                     \
    COUNT(key "." g, unfinished.counted[index], "unfinished messages" of_group " that count",                          \
          .text = "of the items that count in slowdown, which lacks them", HEAD("unfinished", head1), LEAST)
#define CREDIT(key, field, what, after)                                                                                \
    ROW("credit_bytes." key, field, "credit " what, .text = "credit, the mean per host over the measured part",        \
        MODEL("run.credit"), .unit = WEIR_METRIC_BYTES, .applies = has_credit, LINE("credit", after))

#define JOBS "jobs, graphs, and steps of collective operations by each group of ranks"
#define OF_ANY_JOB .needs = OFFSET(jobs_all.jobs)
#define JOB_TIME(key, member, label, at)                                                                               \
    ROW("job_completion_us." key, jobs_all.completion.member, label " job completion",                                 \
        .text = "time that a job took from its start to the arrival of its last byte, over those that ended",          \
        .source = "doc/jobs.md", HEAD("job us", label), .needs = OFFSET(jobs_all.completion.count), .digits = (at),    \
        .unit = WEIR_METRIC_MICROSECONDS, LEAST)
#define BANDWIDTH_ROW(key, field, member, what, meaning, head1, at)                                                    \
    ROW(key, jobs_all.field.member, what, .text = (meaning), .source = "doc/collectives.md", HEAD(#field, head1),      \
        .needs = OFFSET(jobs_all.field.count), .digits = (at), .unit = WEIR_METRIC_GBYTES_PER_SECOND, GREATEST)
#define BANDWIDTH(key, field, what, meaning)                                                                           \
    BANDWIDTH_ROW(key ".mean", field, mean_milli, "mean " what, meaning, "GB/s", 12),                                  \
        BANDWIDTH_ROW(key ".min", field, min, "least " what, meaning, "least", 9)

const struct weir_metric weir_result_metrics[] = {
    COUNT("hosts", hosts, "hosts", .type = WEIR_METRIC_U32),
    MACHINE("threads", threads, "threads", .type = WEIR_METRIC_U32),
    MACHINE("ranks", ranks, "processes", .type = WEIR_METRIC_U32),
    ROW("sim_s", sim_ps, "simulated time", SECONDS),
    ROW("warmup_s", sim_ps, "simulated time before the measured part", .value = warmup_ps, SECONDS),
    ROW("measured_s", measured_ps, "measured part of the simulated time", SECONDS),
    MACHINE("wall_s", wall_ns, "real time of the run, without set-up", SECONDS_OF_NS),
    MACHINE("setup_s", setup_ns, "real time before the run: reading, routes, the state of all nodes", SECONDS_OF_NS),
    FLAG("interrupted", interrupted, "ended by a signal", .of_machine = true),
    FLAG("stalled", stalled, "stopped because nothing was delivered", .text = "for run.stall"),
    COUNT("packet_hops", packet_hops, "packet-hops", .text = "packets times the links they crossed"),
    MACHINE("packet_hops_per_s", wall_ns, "speed", .text = "packet-hops per second of real time",
            .needs = OFFSET(wall_ns), .value = hops_per_s, .unit = WEIR_METRIC_PER_SECOND),
    MACHINE("peak_rss_bytes", peak_rss_bytes, "memory", .text = "most that the process held", .unit = WEIR_METRIC_BYTES,
            LINE("memory", "at most")),
    MACHINE("peak_packets_in_flight", peak_packets, "packets in flight", .text = "most at the end of a window",
            LINE("memory", "packets in flight")),
    MACHINE("bytes_per_packet", peak_fifo_bytes, "memory of a packet in flight", .needs = OFFSET(peak_packets),
            .value = bytes_per_packet, .unit = WEIR_METRIC_BYTES),
    MACHINE("calm_windows", calm_windows, "windows in which coupled features had nothing to do",
            .applies = has_windows),
    MACHINE("exact_windows", exact_windows, "windows that were computed instant by instant", .applies = has_windows),
    MACHINE("handovers", handovers, "changes from the first sort of window to the second", .applies = has_windows),
    COUNT("connections", connections, "connections", LINE("memory", "connections")),
    MACHINE("bytes_per_flow", flow_bytes, "memory of a connection", .needs = OFFSET(connections),
            .value = bytes_per_flow, .unit = WEIR_METRIC_BYTES),
    ROW("offered_gbps", offered_bps, "offered per host",
        .text = "payload of the messages that started in the measured part; endless flows offer no rate",
        HEAD("offered", "Gbps"), .applies = offers_rate, GBPS),
    ROW("goodput_gbps", goodput_bps, "goodput per host", .text = "new payload that arrived in the measured part",
        HEAD("goodput", "Gbps"), MEASURED, GBPS, GREATEST),
    ROW("goodput_completed_gbps", completed_bps, "goodput per host, completed messages",
        .text = "payload of the messages that were complete in the measured part", HEAD("completed", "Gbps"), MEASURED,
        GBPS, GREATEST),
    FLAG("stable", stable, "stable", .text = "of bytes alone, whatever is unfinished", MODEL("run.unstable")),
    COUNT("unfinished.messages", unfinished.messages, "unfinished messages",
          .text = "that had started and not ended when the run did", MODEL("run.unfinished"), HEAD("un-", "finished"),
          LEAST),
    ROW("unfinished.bytes", unfinished.bytes, "bytes of unfinished messages", MODEL("run.unfinished"),
        .unit = WEIR_METRIC_BYTES, LEAST),
    GROUPS(UNFINISHED, "unfinished"),
    COUNT("messages_started", messages_started, "messages started", LINE("messages", "started")),
    COUNT("messages_completed", messages_completed, "messages completed", LINE("messages", "completed")),
    COUNT("messages_measured", messages_measured, "messages measured",
          .text = "completed in the measured part, incast messages included", LINE("messages", "of them measured")),
    COUNT("messages_lost_with_host", messages_lost, "messages lost with their host",
          .text = "when their sender or receiver restarted", MODEL("restarts.messages"), .needs = OFFSET(restarts),
          LINE("messages", "lost with their host"), LEAST),
    ROW("bytes_lost_with_host", lost_bytes, "bytes of messages lost with their host", MODEL("restarts.messages"),
        .needs = OFFSET(restarts), .unit = WEIR_METRIC_BYTES, LEAST),
    COUNT("stale_packets", stale_pkts, "packets refused by hosts",
          .text = "because one of their hosts has restarted since", MODEL("restarts.epoch"), .needs = OFFSET(restarts)),
    ROW("recovery_s", recovery_ps, "time to recover",
        .text = "the longest after a failure, until the delivered rate is 90 % of that before", MODEL("run.recovery"),
        .needs = OFFSET(failures), LINE("recovery", "until 90 % of the rate before"), SECONDS, LEAST),
    COUNT("unrecovered", unrecovered, "failures not recovered from", .text = "by the end of the run",
          MODEL("run.recovery"), .needs = OFFSET(failures), LINE("recovery", "failures not recovered from"), LEAST),
    COUNT("marks", marks, "packets marked by switches", LINE("packets", "marked"), HEAD("", "marks")),
    COUNT("drops", drops, "packets dropped by switches", LINE("packets", "dropped"), HEAD("", "drops"), LEAST),
    COUNT("losses", losses, "packets lost on the wire", .text = "injected, or in flight when a cable went down",
          LINE("packets", "lost on the wire"), HEAD("", "losses"), LEAST),
    ROW("receiver_marks_share", receiver_marks, "share of marks at ports to receivers",
        .text = "of the packets marked by switches, those marked at ports that lead to hosts", .needs = OFFSET(marks),
        .value = receiver_marks_ppb, .digits = 9, .unit = WEIR_METRIC_RATIO),
    COUNT("source_marks", source_marks, "packets marked by their senders", .text = "host.mark"),
    ROW("marked_short_share", short_marked_pkts, "marked share of short messages",
        .text = "of the packets of short messages (run.short) completed in the measured part, those that arrived with "
                "CE; incast messages included",
        .needs = OFFSET(short_pkts), .value = marked_short_ppb, .digits = 9, .unit = WEIR_METRIC_RATIO),
    COUNT("retransmissions", retransmissions, "packets sent again", LINE("packets", "sent again"),
          HEAD("sent", "again"), LEAST),
    COUNT("duplicates", duplicates, "packets of data that arrived again",
          .text = "their payload had arrived before, so they were sent again needlessly", MODEL("host.duplicates"),
          LINE("packets", "needlessly"), .line_above_0 = true, HEAD("arrived", "again"), LEAST),
    COUNT("timeouts", timeouts, "timeouts", .text = "timers that ran out", LINE("timeouts", ""), LEAST),
    QUEUE_NOW("tor_queue_bytes", tor_queue, "ToR queue", "ToR", OF_TOR, MODEL("run.queues"), MEASURED),
    QUEUE_NOW("port_queue_bytes", port_queue, "port queue", "port", OF_PORT, MODEL("run.queues"), MEASURED),
    ROW("link_share_max", link_share_ppm, "share of the fullest link",
        .text = "bytes that it was given over what it can carry, of the whole run; `fullest_link` names it",
        .needs = OFFSET(link_share_ppm), .digits = 6, .unit = WEIR_METRIC_RATIO),
    QUEUE("tor_queue_bytes_sampled", tor_queue_sampled, "ToR queue, averaged", "ToR avg",
          .text = OF_TOR "; of averages over each interval", MODEL("run.sample-average"), .applies = has_sampled),
    QUEUE("port_queue_bytes_sampled", port_queue_sampled, "port queue, averaged", "port avg",
          .text = OF_PORT "; of averages over each interval", MODEL("run.sample-average"), .applies = has_sampled),
    CREDIT("at_senders", credit_held_bytes, "at senders", "at senders"),
    CREDIT("in_flight", credit_in_flight_bytes, "in flight", "in flight"),
    CREDIT("at_receivers", credit_free_bytes, "at receivers", "at receivers (mean per host)"),
    GROUPS(DIST, ("slowdown", slowdown[WEIR_SLOWDOWN_IDEAL], "slowdown",
                  "time of a message over the least possible one, with headers, store and forward", WEIR_METRIC_RATIO)),
    GROUPS(DIST, ("slowdown_payload", slowdown[WEIR_SLOWDOWN_PAYLOAD], "payload slowdown",
                  "time of a message over propagation plus its payload at line rate, as SIRD's scripts have it",
                  WEIR_METRIC_RATIO)),
    GROUPS(DIST, ("completion_us", completion, "completion time",
                  "from when a message could start to the arrival of its last byte", WEIR_METRIC_MICROSECONDS)),
    GROUPS(RATE, "rate_gbps"),
    HALF("slowdown_mean", intervals.slowdown_ppb, "mean slowdown", has_slowdown, .digits = 9,
         .unit = WEIR_METRIC_RATIO),
    HALF("goodput_gbps", intervals.goodput_bps, "goodput per host", has_means, GBPS),
    HALF("tor_queue_bytes", intervals.queue_millibytes, "mean ToR queue", has_means, .digits = 3,
         .unit = WEIR_METRIC_BYTES),
    END("slowdown_p50_low", intervals.p50_low_ppm, "lower", "p50", has_p50),
    END("slowdown_p50_high", intervals.p50_high_ppm, "upper", "p50", has_p50),
    END("slowdown_p99_low", intervals.p99_low_ppm, "lower", "p99", has_p99),
    END("slowdown_p99_high", intervals.p99_high_ppm, "upper", "p99", has_p99),
    COUNT("job_completion_us.count", jobs_all.completion.count, "jobs that ended", .text = JOBS, OF_ANY_JOB),
    COUNT("job_completion_us.unfinished", jobs_all.unfinished, "unfinished jobs",
          .text = "their completion times, and bandwidths, are not among the others", HEAD("jobs un-", "finished"),
          LEAST, OF_ANY_JOB),
    JOB_TIME("mean", mean_milli, "mean", 9),
    JOB_TIME("p50", p50, "p50", 6),
    JOB_TIME("p99", p99, "p99", 6),
    JOB_TIME("max", max, "max", 6),
    BANDWIDTH("algbw_gbytes_s", algbw, "algorithm bandwidth",
              "bytes over time of a step of a collective operation by a group of ranks, as nccl-tests define it"),
    BANDWIDTH("busbw_gbytes_s", busbw, "bus bandwidth",
              "algorithm bandwidth times a factor of the operation, which compares with the rate of a link"),
    ROW("jain", jain_ppm, "fairness index",
        .text = "Jain's, over the hosts that offered load, of what was acknowledged in the measured part",
        HEAD("Jain's", "index"), .needs = OFFSET(jain_ppm), .digits = 6, .unit = WEIR_METRIC_RATIO, GREATEST),
    ROW("laws_jain", laws_jain_ppm, "fairness index of laws",
        .text = "Jain's, over the laws of a run with several, of the share of its demand that each got",
        MODEL("laws.fairness"), HEAD("Jain's", "of laws"), .needs = OFFSET(laws_jain_ppm), .digits = 6,
        .unit = WEIR_METRIC_RATIO, GREATEST),
    { .name = NULL },
};
