/* src/algorithms/host/common/params.c - the keys of scenario section `host`. */
#include "core/host_params.h"
#include "core/math.h"
#include "core/units.h"

#define US WEIR_PS_PER_US

/* Timeouts that a scenario does not set. Without PFC: 1 ms after Vasudevan et al., SIGCOMM 2009. PFC drops nothing, and
 * holds packets for longer than that. The timer is then for cables that fail, as in RDMA NICs: a usual ACK timeout of
 * InfiniBand, 4.096 us * 2^14, is 67 ms at least. */
#define RTO_MIN_PS WEIR_PS_PER_MS
#define RTO_INIT_PS (5 * WEIR_PS_PER_MS)
#define RTO_LOSSLESS_PS (100 * WEIR_PS_PER_MS)

static const char *const nic_queues[] = { "pull", "unlimited", NULL };
static const char *const nic_choices[] = { [WEIR_NICS_FLOW_HASH] = "flow-hash",
                                           [WEIR_NICS_RAIL] = "rail",
                                           [WEIR_NICS_SPRAY] = "spray",
                                           [WEIR_NICS_LEAST_QUEUED] = "least-queued",
                                           NULL };
static const char *const nic_schedules[] = {
    [WEIR_NIC_ROUND_ROBIN] = "round-robin", [WEIR_NIC_WEIGHTED] = "weighted", NULL
};
static const char *const reliabilities[] = { "selective", "go-back-n", "newreno", NULL };
static const char *const ecns[] = { "rfc8257", "rfc3168", "off", NULL };
static const struct weir_keyword by_itself = { "auto", 0 };
static const struct weir_keyword off = { "off", 0 };

const struct weir_param weir_host_param_rows[] = {
    WEIR_PARAM_U32(struct weir_host_params, connections, 1, 65535, 40,
                   "connections per pair of hosts; a message beyond them waits. 40 in SIRD's evaluation (NSDI 2025)"),
    WEIR_PARAM_NAMED(
        "window", struct weir_host_params, window_pkts, WEIR_KIND_U32, WEIR_HOST_WINDOW_PKTS_MIN,
        WEIR_HOST_WINDOW_PKTS_MAX, WEIR_HOST_WINDOW_PKTS,
        "most packets of a connection in flight, from the first unacknowledged one on, whatever the protocol's "
        "window. 8192 is 12 MB, more than a data center's paths hold; 10 Gbps over 220 ms need 188000. "
        "Sender-driven protocols only"),
    WEIR_PARAM_U32(struct weir_host_params, reply_bytes, 0, 1000, 0,
                   "bytes the receiver answers a whole message with, like an ACK; its connection is busy until then. "
                   "0 = no answer; 4 in the ns-2 runs of SIRD's evaluation. A reply that is a message: traffic.reply"),
    WEIR_PARAM_U32(struct weir_host_params, ack_every, 1, 64, 1,
                   "acknowledge every n-th packet, the others after ack_delay. 1 = each; 2 is RFC 5681 and RFC 8257"),
    WEIR_PARAM_NAMED(
        "ack_delay", struct weir_host_params, ack_delay_ps, WEIR_KIND_TIME, 0, 500000 * US, 6 * US,
        "how long an acknowledgement may wait when ack_every is above 1. 6 us as in SIRD's ns-2 runs; RFC 5681 "
        "allows 500 ms"),
    { .key = "reorder",
      .kind = WEIR_KIND_U32,
      .offset = (uint32_t)offsetof(struct weir_host_params, reorder_pkts),
      .min = 0,
      .max = WEIR_HOST_WINDOW_PKTS_MAX / 2,
      .fallback = 0,
      .keyword = &by_itself,
      .hint = "a packet is lost when one sent this many packets later arrived; below window. 0 = auto: 3 (RFC 5681), a "
              "BDP of packets when routing sprays, at most a quarter of window" },
    WEIR_PARAM_KEYWORD(
        "rto_min", struct weir_host_params, rto_min_ps, WEIR_KIND_TIME, 1 * US, 60000000 * US, 0, &by_itself,
        "least retransmission timeout; auto = 1 ms (Vasudevan et al., SIGCOMM 2009), with fabric.pfc 100 ms, at most "
        "rto_init. RFC 6298 says 1 s, SIGCOMM 2010 used 10 ms, SIRD's runs 200 us"),
    WEIR_PARAM_KEYWORD("rto_init", struct weir_host_params, rto_init_ps, WEIR_KIND_TIME, 1 * US, 60000000 * US, 0,
                       &by_itself,
                       "timeout of a connection without a round-trip sample; auto = 5 ms, with fabric.pfc 100 ms, at "
                       "least rto_min and at most rto_max. RFC 6298 says 1 s"),
    WEIR_PARAM_NAMED(
        "rto_max", struct weir_host_params, rto_max_ps, WEIR_KIND_TIME, 1 * US, 60000000 * US, 1000000 * US,
        "largest timeout after doubling; at least rto_init. RFC 6298 wants 60 s or more, which outlasts a run"),
    WEIR_PARAM_CHOICE(
        "nic_queue", struct weir_host_params, nic_queue, nic_queues, WEIR_NIC_PULL,
        "pull: the NIC takes a packet when it is free; unlimited: packets queue at the NIC, which marks them"),
    WEIR_PARAM_CHOICE("nics", struct weir_host_params, nics, nic_choices, WEIR_NICS_FLOW_HASH,
                      "of hosts with several cables: flow-hash: all between two hosts by one NIC; rail: a message by "
                      "one, round robin; spray: packets round robin; least-queued: packets where least waits "
                      "(doc/clusters.md)"),
    WEIR_PARAM_CHOICE(
        "nic_schedule", struct weir_host_params, nic_schedule, nic_schedules, WEIR_NIC_ROUND_ROBIN,
        "which connection's packet a NIC takes: round-robin: of each by turns; weighted: in proportion to the weights "
        "of their messages (start-time fair queueing). NICs that pull, sender-driven protocols"),
    WEIR_PARAM_NAMED("nic_rate", struct weir_host_params, nic_rate_ppm, WEIR_KIND_PPM, 10000, 1000000, 1000000,
                     "rate of each NIC as a part of its line's; below 1 no switch has a queue of one host's packets "
                     "alone. NICs that pull, sender-driven protocols"),
    WEIR_PARAM_U32(
        struct weir_host_params, data_class, 0, 7, 1,
        "priority class of DATA, 0 the highest; with fewer classes in fabric.priorities the lowest there is"),
    WEIR_PARAM_U32(struct weir_host_params, ack_class, 0, 7, 0,
                   "priority class of acknowledgements and replies, 0 the highest"),
    WEIR_PARAM_KEYWORD(
        "short", struct weir_host_params, short_bytes, WEIR_KIND_SIZE, 1, UINT64_C(1000000000000), 0, &off,
        "messages of up to so many bytes go before longer ones, which are in the class below data_class: needs "
        "fabric.priorities for both, and a sender-driven protocol. 16 KB makes the Pri-Q of Dart's evaluation (ToN "
        "2020)"),
    WEIR_PARAM_CHOICE(
        "reliability", struct weir_host_params, reliability, reliabilities, WEIR_SELECTIVE,
        "selective: what is lost is sent again; go-back-n: everything from the first missing packet on, as RDMA NICs "
        "did; receivers drop what is out of order; newreno: TCP without SACK (RFC 6582), one lost packet per round "
        "trip"),
    WEIR_PARAM_NAMED("nack_interval", struct weir_host_params, nack_interval_ps, WEIR_KIND_TIME, 0, 500000 * US,
                     500 * US,
                     "go-back-n: a missing packet is asked for again after this at the earliest. 500 us in the public "
                     "simulator of HPCC (SIGCOMM 2019)"),
    WEIR_PARAM_CHOICE(
        "ecn", struct weir_host_params, ecn, ecns, WEIR_ECN_RFC8257,
        "rfc8257: an ACK reports marks of the packets it acknowledges; rfc3168: after a mark all ACKs have ECE until "
        "the sender's CWR comes, and retransmissions have no ECT; off: packets cannot be marked"),
    WEIR_PARAM_NAMED("handshake", struct weir_host_params, handshake, WEIR_KIND_FLAG, 0, 1, 0,
                     "a new connection sends SYN and waits for SYN-ACK before its first message; both negotiate ECN"),
    WEIR_PARAM_NAMED(
        "overhead", struct weir_host_params, overhead_ps, WEIR_KIND_TIME, 0, 500000 * US, 0,
        "software takes so long for a message before its first packet leaves. Messages of a connection, or to a "
        "destination where a protocol sends them in turn, do not overlap: it begins when the message before has left. "
        "Sender-driven protocols only"),
    WEIR_PARAM_KEYWORD(
        "mark", struct weir_host_params, mark_bytes, WEIR_KIND_SIZE, 1, UINT64_C(1000000000), 0, &off,
        "a sender marks its own packets when more than this waits for its NIC: of each connection, or destination "
        "where a protocol paces those, the packet that could leave now. For NICs that pull and sender-driven "
        "protocols; "
        "an unlimited NIC is marked by fabric.ecn. Dart (ToN 2020) has 22.5 KB"),
    { .key = NULL },
};

void weir_host_settle_timers(struct weir_host_params *p, bool lossless)
{
    WEIR_ASSERT(p->rto_max_ps > 0);
    uint64_t init_ps = lossless ? RTO_LOSSLESS_PS : RTO_INIT_PS, min_ps = lossless ? RTO_LOSSLESS_PS : RTO_MIN_PS;
    if (p->rto_init_ps == 0)
        p->rto_init_ps = weir_min_u64(weir_max_u64(init_ps, p->rto_min_ps), p->rto_max_ps);
    if (p->rto_min_ps == 0)
        p->rto_min_ps = weir_min_u64(min_ps, p->rto_init_ps);
}
