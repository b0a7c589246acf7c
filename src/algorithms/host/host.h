/* src/algorithms/host/host.h - the end host, written once for every world: messages to packets and back,
 * acknowledgements, loss, timeouts, pacing. A world (simulator, oracle, sockets) drives a host by weir_host_rx(),
 * weir_host_tx() and weir_host_next_ps(). The world starts messages with weir_host_send(), and the host reports to it
 * through struct weir_host_sink. The host reads no clock and does no I/O; its tables grow through struct weir_mem. */
#ifndef WEIR_HOST_HOST_H
#define WEIR_HOST_HOST_H
#include "core/credit.h"
#include "core/host_params.h"
#include "core/mem.h"
#include "core/need.h"
#include "core/path.h"
#include "core/pkt.h"

struct weir_allotment;
struct weir_cc_ops;
struct weir_credit_ops;
struct weir_credit_sums;
struct weir_head;
struct weir_state;
struct weir_telemetry;
struct weir_telemetry_rates;

/* Ways to compute the path entropy of a packet; the key fabric.routing decides which. */
enum weir_host_hash {
    WEIR_HASH_FLOW,      /* hash of (src, dst, connection): one path per connection and direction */
    WEIR_HASH_SYMMETRIC, /* hash of the unordered pair of hosts and the connection: both directions have the same */
    WEIR_HASH_PACKET,    /* drawn at random for each packet */
};

struct weir_host_hops {      /* number of switches between any two hosts; the arrays are lent by the world */
    const uint16_t *edge_of; /* by host: number of its first-hop switch */
    const uint8_t *switches; /* [sender's first-hop switch * edges + receiver's]; NULL = unknown */
    uint32_t edges;          /* number of first-hop switches */
};

struct weir_host_link { /* rates of a host's cable, to the network and from it */
    uint64_t up_bps, down_bps;
};

struct weir_host_config {           /* configuration of a host: one per run, read-only, shared by every host */
    struct weir_host_params params; /* reorder_pkts is resolved: 1 .. window_pkts - 1 */
    struct weir_framing framing;
    struct weir_path path;                /* of the fastest host */
    const struct weir_host_link *links;   /* by host; NULL = all have path.rate_bps. Lent by the world */
    const struct weir_cc_ops *cc;         /* sender-driven protocol; NULL = the run has a receiver-driven one */
    const struct weir_credit_ops *credit; /* receiver-driven protocol; NULL = the run has a sender-driven one */
    const void *cc_config;                /* the protocol's own configuration, of cc or of credit */
    enum weir_host_hash hash;
    uint64_t seed;
    /* Link rates of the telemetry records in packets; NULL = packets carry none, or nobody reads them */
    const struct weir_telemetry_rates *rates;
    bool track; /* weir_host_flow() and weir_host_weight() will be called: handles must be small numbers */
    bool wrr;   /* DATA carries its message's weight in struct weir_pkt.weight, rounded, 1 .. 255; 1 without track */
    /* Tokens in first transmissions of DATA (struct weir_pkt.tokens), for messages of at most token_bytes; else 0. */
    uint32_t tokens;
    uint64_t token_bytes;
    /* Receiver-driven: round trips to each peer are measured, and the time after which packets count as lost follows
     * them, from weir_credit_ops.loss_ps() upwards. Else that time is constant. */
    bool measured;
    /* With measured: the BDP is measured, too, and the protocol's credit follows it (weir_credit_ops.adapt()), if the
     * protocol can. path.bdp_bytes is where it begins, and the least; bdp_most_bytes: the most. */
    bool adaptive;
    uint64_t bdp_most_bytes;
    uint32_t lanes; /* virtual lanes: DATA has class params.data_class + min(tokens, lanes - 1); 0 = no virtual lanes */
    /* Sender-driven: least rate of a connection that is paced, whatever its law says; 0 = no limit. On a real network a
     * round trip may take seconds by accident, and a window below a packet would then be sent in hours. */
    uint64_t least_rate_bps;
    /* Sender-driven: most receiving connections from one host, further ones are refused; 0 = no limit of its own. No
     * host may have more sending ones to this host (params.connections). */
    uint32_t rx_connections_most;
    /* Sender-driven with host.reliability: selective: ACKs come by weir_host_rx_ack(), with ranges. So after a timeout
     * one packet leaves alone, and of the others only those follow that its ACK does not report. */
    bool ack_ranges;
    uint64_t qdelay_unit_ps;    /* unit of struct weir_pkt.qdelay; 0 = packets have no such field */
    uint64_t rtt_unit_ps;       /* unit of struct weir_pkt.rtt, in DATA with qdelay; 0 = packets have no such field */
    struct weir_host_hops hops; /* set for a law with WEIR_NEED_HOPS */
    /* Several laws in one host: law_count configurations, each of one law; of this one only params.nic_queue,
     * params.mark_bytes, seed and rates count besides. NULL = one law, which is the law law_number of its run. */
    const struct weir_host_config *law;
    uint32_t law_count, law_number;
    const struct weir_host_nics *nics; /* of hosts with several NICs; NULL = one NIC each */
};

/* Hosts with several NICs. A host has `count` transports, each of one NIC or of some that lead to the same hosts. Each
 * has its own connections, windows and credit. Both ends of a pair of hosts must say the same pair of transports at all
 * times. */
struct weir_host_nics {
    const struct weir_host_config *transport; /* count configurations, of one NIC and one law */
    uint32_t count;                           /* 2 .. 16; hosts with fewer transports have idle ones */
    /* Returns the transport of host `self` for all that passes between it and a peer. NULL = messages take the
     * transports round robin, and what arrives by NIC i is for transport i. */
    uint32_t (*of_pair)(const void *ctx, uint32_t self, uint32_t peer);
    uint32_t (*count_of)(const void *ctx, uint32_t self); /* how many transports a host has; with of_pair NULL */
    const void *ctx;
};

/* Returns cfg->path as a flow from one host to another sees it: at the lesser rate of both ends, with a BDP in
 * proportion. from == to: as the receiver half of this host sees it, at the rate of its link from the network. */
struct weir_path weir_host_path(const struct weir_host_config *cfg, uint32_t from, uint32_t to);

/* Returns the configuration of a law of the run; with one law that is cfg itself. */
static inline const struct weir_host_config *weir_host_config_of(const struct weir_host_config *cfg, uint32_t law)
{
    return cfg->law != NULL ? &cfg->law[law] : cfg;
}

/* Returns the class of DATA of a configuration with one law; receiver-driven: of DATA that was sent with credit. */
uint32_t weir_host_data_class(const struct weir_host_config *cfg);

/* Tests whether the protocol is receiver-driven, or one of several is. */
bool weir_host_has_credit(const struct weir_host_config *cfg);

/* Returns the needs of the configured protocol, or of all protocols if there are several: bits of enum weir_need. */
uint32_t weir_host_needs(const struct weir_host_config *cfg);

/* Tests whether the host sends DATA with ECT. needs: bits of enum weir_need of the protocol */
static inline bool weir_host_ect(const struct weir_host_params *params, uint32_t needs)
{
    return params->ecn != WEIR_ECN_OFF && (needs & (WEIR_NEED_ECN | WEIR_MAY_ECN)) != 0;
}

/* Callbacks by which a host reports to its world. The host calls them from within weir_host_rx(), weir_host_rx_free(),
 * weir_host_rx_hops(), weir_host_tx() and weir_host_cancel(). They must not call the host. */
struct weir_host_sink {
    /* Receiver: the last missing byte of message msg from host src has arrived. marks: number of packets of the message
     * that arrived with CE */
    void (*delivered)(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks);
    /* Sender: message msg has ended, and its handle is free again. Sender-driven: all of msg is acknowledged and, with
     * host.reply_bytes, replied to. Receiver-driven: DONE has arrived. Also called for a cancelled message, see
     * weir_host_cancel(). Never called for a law with WEIR_NEED_NO_ACKS: its messages end with delivered() at the
     * receiver, or are lost without any report. */
    void (*finished)(void *ctx, uint32_t msg, uint64_t now_ps);
    /* Sender: a packet of msg was retransmitted. */
    void (*retransmitted)(void *ctx, uint32_t msg);
    void *ctx;
    /* Receiver: host src has cancelled a message that was arriving. conn: number of its connection (sender-driven) or
     * of the message (receiver-driven), among those from src to this host. dropped may be NULL. */
    void (*dropped)(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps);
    /* Returns the head of message msg from host src, for the law. Called at the receiver when the message begins, if
     * the law reads heads. Also called at the sender, which is src, from within weir_host_send(), if the protocol is
     * receiver-driven and distinguishes replies. NULL = heads are empty. The list of a group (struct
     * weir_sender_group) is part of the payload: the world that starts the message includes it in the bytes. */
    struct weir_head (*head)(void *ctx, uint32_t src, uint32_t msg);
    /* Bounds of messages whose receiver takes them in parts, in packets from the first one on. Receiver-driven,
     * one law; both NULL = no message has one. They are read again wherever they matter. One that becomes less
     * needs weir_host_rx_bound() at once.
     * rx_bound: no packet from the bound on is credited. Asked when a message begins; UINT32_MAX = it has none, and is
     * not asked for again. tx_bound: no packet from the bound on leaves. Asked from weir_host_tx_bound() on. */
    uint32_t (*rx_bound)(void *ctx, uint32_t src, uint32_t conn);
    uint32_t (*tx_bound)(void *ctx, uint32_t msg);
};

struct weir_host_stats { /* monotone counters, for tests, checks and reports */
    uint64_t tx_data_pkts, tx_ack_pkts, rx_data_pkts, rx_ack_pkts;
    uint64_t rx_new_bytes;   /* payload that arrived for the first time, without duplicates */
    uint64_t tx_acked_bytes; /* own payload acknowledged for the first time; receiver-driven: sent for the first time */
    uint64_t tx_done_bytes;  /* payload of outbound messages that finished and were not cancelled */
    uint64_t retransmissions, duplicates;
    uint64_t rx_again_pkts; /* part of rx_data_pkts, and of duplicates: the payload had arrived before */
    /* measured: DATA that this host, as the receiver, had asked for again, although it had arrived or was under way */
    uint64_t spurious_pkts;
    uint64_t timeouts; /* RTOs of senders; receiver-driven: times a receiver recorded packets of a message as lost */
    uint64_t refused_pkts; /* dropped: not for this host, of no known connection, beyond the window, no room */
    uint64_t marked_pkts;  /* DATA that arrived with CE */
    uint64_t dropped_pkts; /* go-back-N: packets dropped because an earlier one was missing */
    uint64_t tx_nack_pkts; /* part of tx_ack_pkts: requests for a missing packet */
    uint64_t tx_notice_pkts, rx_notice_pkts;
    uint64_t source_marked_pkts; /* part of tx_data_pkts: packets that left with CE */
    /* Sending connections made (receiver-driven: records of outbound messages). Never decreases: they are reused. */
    uint32_t connections;
    uint32_t rx_connections; /* the same for receiving connections or inbound messages */
    uint64_t grown_bytes;    /* bytes taken from struct weir_mem */
};

struct weir_host; /* opaque; weir_host_bytes() returns its size */

/* Returns the size of the memory that weir_host_init() needs. */
size_t weir_host_bytes(const struct weir_host_config *cfg);

/* Initialises a host in memory, which the caller owns, and returns it. memory: weir_host_bytes() bytes, aligned to 64;
 * self: this host's number, below WEIR_PKT_HOSTS_MAX; cfg: must outlive the host; mem, sink: copied */
struct weir_host *weir_host_init(void *memory, const struct weir_host_config *cfg, uint32_t self,
                                 const struct weir_mem *mem, const struct weir_host_sink *sink);

/**
 * Starts a message; weir_host_tx() sends its packets.
 * @param msg    handle chosen by the world; receiver-driven: below 2^30. The world may use it again after finished()
 *               was called for it
 * @param dst    destination, below WEIR_PKT_HOSTS_MAX
 * @param bytes  payload, 1 .. (2^32 - 1) packets; with WEIR_NEED_NO_ACKS at most one packet
 * @return 0; WEIR_E_RANGE: too many bytes, or dst out of range (receiver-driven: also this host itself);
 *         WEIR_E_MEMORY: no memory. If not 0, nothing was started
 */
int weir_host_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);

/* Does the same by one law of several; weir_host_send() takes law 0. law: below cfg->law_count, or 0 */
int weir_host_send_by(struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);

/* Processes `count` packets that arrived at now_ps. now_ps must never be less than in an earlier call of any function
 * of this host. */
void weir_host_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count);

/**
 * Processes one packet as weir_host_rx() does, at a time when the NIC is free. If weir_host_tx() would return the
 * packet's ACK next, the host may write that ACK to *answer, and it counts as sent.
 * @param answer  receives the ACK; NULL = the NIC is not free
 * @return true if *answer was written: weir_host_tx() will not return that ACK again
 */
bool weir_host_rx_free(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);

/* Prefetch the records that a later call will need. They change nothing but the time which that call takes.
 * _rx_: pkt will be passed to weir_host_rx() next.
 * _message_: as _rx_, for the first or last packet of a message, or a control packet about a message.
 * _send_: a message to dst will start soon; prefetches the record of dst.
 * _connection_: as _send_, called some time later; prefetches the connection that the record of dst names.
 * _timers_: timers will run up to end_ps. */
void weir_host_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void weir_host_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void weir_host_send_prefetch(const struct weir_host *h, uint32_t dst);
void weir_host_timers_prefetch(const struct weir_host *h, uint64_t end_ps);
void weir_host_connection_prefetch(const struct weir_host *h, uint32_t dst);

/**
 * Runs the timers due by now_ps, then writes up to max packets that may leave now. max = 0 runs the timers only.
 * The host leaves arrival_ps 0, for the world to set. Sender-driven: sent_ps of DATA is now_ps; in a packet with
 * qdelay, sent48_ps is now_ps modulo 2^48.
 * @return the number of packets written
 */
uint32_t weir_host_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max);

/**
 * Processes one packet that carries telemetry records.
 * @param hop     pkt->hops records, at most WEIR_TELEMETRY_HOPS_MAX; read during this call only; NULL = none
 * @param answer  as in weir_host_rx_free(): receives the ACK if the NIC is free; NULL = the NIC is not free
 * @return true if *answer was written; its telemetry records, if answer->hops > 0, are those in hop
 */
bool weir_host_rx_hops(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt,
                       const struct weir_telemetry *hop, struct weir_pkt *answer);

struct weir_ack_range { /* packets of a connection that have arrived: pkts of them, from number first on */
    uint32_t first, pkts;
};

/* Writes which packets above the first missing one have arrived on the connection of an ACK that leaves this host now:
 * up to max ranges, the highest first. Sender-driven, one law. @return the number of ranges */
uint32_t weir_host_ranges(const struct weir_host *h, const struct weir_pkt *ack, struct weir_ack_range *out,
                          uint32_t max);

/**
 * Processes an ACK that reports ranges of packets above the first missing one, as weir_host_ranges() wrote them. The
 * sender counts these packets as acknowledged by this ACK. Packets that were never sent are ignored. So are all ranges
 * with several laws, or another host.reliability than selective.
 * @param hop    as in weir_host_rx_hops()
 * @param range  count ranges, read during this call only
 */
void weir_host_rx_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *ack,
                      const struct weir_telemetry *hop, const struct weir_ack_range *range, uint32_t count);

/* Returns the telemetry records of the packet that weir_host_tx(.., 1) wrote last. Their number is that packet's field
 * hops. Valid until the next call of the host. DATA leaves with 0 records. An ACK carries those of the DATA it
 * acknowledges, in the order written, if the law has WEIR_NEED_INT. */
const struct weir_telemetry *weir_host_tx_hops(const struct weir_host *h);

/* Notifies the host that every packet which arrived by heard_ps was passed to weir_host_rx(). Silence counts up to
 * then. A check for lost packets that is due later waits, and weir_host_next_ps() may be in the past until then. For
 * worlds in which packets queue before the host, as in a socket of a process that was not scheduled. Without any
 * call packets are taken to be received when they arrive. heard_ps: 0 = as in the last call. late_ps: time in which
 * the world did not run the host although it was due, in all; no silence of others counts it */
void weir_host_heard(struct weir_host *h, uint64_t heard_ps, uint64_t late_ps);

struct weir_host_measured { /* what a host with weir_host_config.adaptive has found out as a receiver */
    uint64_t rtt_ps;        /* smoothed round trip of the peer that was measured last; 0 = none was */
    uint64_t bdp_bytes;     /* now in use */
};

/* Writes what the host has measured. @return true; false, with *out zeroed: the host is not adaptive */
bool weir_host_measured(const struct weir_host *h, struct weir_host_measured *out);

/* Sets which classes are paused: weir_host_tx() writes no packet whose class_id is a bit of class_mask, and
 * weir_host_ready() ignores such packets. A class whose bit is 0 is not paused any more. Timers run on. If the fabric
 * has fewer classes than packets, the world also sets the bits of all class_ids that its lowest class serves. ACKs and
 * other control packets, except NOTICE, form one queue. While the first packet of this queue is paused, all packets
 * behind it wait, whatever their class. NOTICEs form another such queue. DATA does not wait for paused DATA of another
 * class. */
void weir_host_pause(struct weir_host *h, uint32_t class_mask);

/* Returns the earliest time at which weir_host_tx() has work if nothing arrives: a timer, a paced packet or
 * (receiver-driven) the next credit; WEIR_NEVER = none. Packets that may leave at once are reported by
 * weir_host_ready(), not here. */
uint64_t weir_host_next_ps(const struct weir_host *h);

/* Tests whether weir_host_tx() would write a packet now if no timer were due. */
bool weir_host_ready(const struct weir_host *h);
/* Returns the counters; with several laws their sum, as it is now. */
const struct weir_host_stats *weir_host_stats(const struct weir_host *h);
/* Adds the counters of another host, or of another law. */
void weir_host_stats_add(struct weir_host_stats *sum, const struct weir_host_stats *more);
/* Returns the host of one law of several, for its counters and credit; h itself if there is one law. Only
 * weir_host_send_by() and its like may change it. */
const struct weir_host *weir_host_of_law(const struct weir_host *h, uint32_t law);

/* Writes the sums of the credit that this host gave, holds and may give to *out. If the protocol is sender-driven or
 * counts no credit, all fields are 0, except that most_bytes is INT64_MAX. */
void weir_host_credit(const struct weir_host *h, struct weir_credit_sums *out);

/* Checks the invariants of credit. @return a sentence that names the violated one; NULL = all hold */
const char *weir_host_check(const struct weir_host *h);

/* weir_host_cancel(), weir_host_forget() and weir_host_inbound() are for worlds whose applications cancel messages and
 * whose hosts fail. */

/**
 * Cancels an outbound message: no more of its payload is sent. The host sends ABORT until DONE confirms it, and then
 * calls finished(), just as for a message that was delivered; the handle is then free. A second call does nothing.
 *
 * Receiver-driven: a lost ABORT is repeated only if the protocol has recovery (weir_credit_ops.loss_ps() > 0). The
 * protocol decides what becomes of credit that came for the message. SIRD may spend it on other messages to that host,
 * and returns the rest when the receiver asks for the sender's state.
 *
 * Sender-driven: if no packet of the message was sent, finished() is called from within this call. The law is not
 * notified of packets in flight. With WEIR_NEED_NO_ACKS finished() is never called.
 * @return 0; WEIR_E_UNKNOWN: there is no such message, or with WEIR_NEED_NO_ACKS it was sent
 */
int weir_host_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);

/* Holds an outbound message, because its receiver has no memory for it and has dropped all its packets. A cancelled
 * message is not held. Needs one law in the host.
 *
 * Receiver-driven: nothing of it is sent or asked for until weir_host_resume(), or until a CREDIT for it arrives: then
 * it begins anew. Credit that came for it returns as if it had ended.
 *
 * Sender-driven: nothing of it is sent until weir_host_resume() or weir_host_probe(), and no timer runs. The law is not
 * notified of the packets that were dropped: they are no sign of congestion. Needs cfg->track.
 * @return 0; WEIR_E_UNKNOWN: there is no such message, or of a sender-driven one some has arrived, or no packet has
 * left; WEIR_E_MEMORY: sender-driven, the message is not held */
int weir_host_hold(struct weir_host *h, uint64_t now_ps, uint32_t msg);

/* Begins a held message anew, from its first packet on; does nothing to another. Sender-driven: as weir_host_probe().
 * @return 0; WEIR_E_UNKNOWN: there is no such message, or the host has several laws */
int weir_host_resume(struct weir_host *h, uint64_t now_ps, uint32_t msg);

/* Asks the receiver of an outbound message for memory, also while the message is held. Receiver-driven: sends its
 * REQUEST once more, or the ABORT of a cancelled message. Sender-driven: lets one of its packets leave, and the others
 * once that has arrived. Does nothing if some of the message has arrived. It may be called before the first packet
 * leaves. @return as weir_host_resume() */
int weir_host_probe(struct weir_host *h, uint64_t now_ps, uint32_t msg);

/* Tests whether a receiver-driven host takes a CREDIT, for no more packets than the window has. Any other is refused,
 * and changes nothing. */
static inline bool weir_host_takes_credit(const struct weir_pkt *credit)
{
    return (uint32_t)credit->value < WEIR_CREDIT_WINDOW_PKTS;
}

/* Tests whether some of an outbound message has arrived, as far as ACKs report. Only with a sender-driven protocol and
 * one law. @return false also if there is no such message, or it waits for a connection */
bool weir_host_begun(const struct weir_host *h, uint32_t msg);

/* Ends all messages to and from host `peer`, without sending a packet and without a call of the sink. Handles of
 * outbound messages are free at once. Credit granted to the peer comes back, credit received from the peer is lost, and
 * queued packets to the peer are dropped. Later messages, connections and laws start as with a host never met before.
 * The world must ensure that the peer forgets this host before it receives a packet sent after this call. It must also
 * ensure that no packet which the peer sent before arrives here any more. */
void weir_host_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer);

/* State of the message that a packet belongs to. The packet is DATA, or any packet of a receiver-driven protocol about
 * a message. */
enum weir_host_inbound {
    WEIR_INBOUND_NEW,    /* the message is unknown; the host would begin it */
    WEIR_INBOUND_OPEN,   /* the message is arriving */
    WEIR_INBOUND_DONE,   /* the message was delivered or cancelled */
    WEIR_INBOUND_BEYOND, /* beyond the window, or an earlier message of the connection is unfinished: refused */
};

/* Credits an inbound message whose bound has grown (weir_host_sink.rx_bound). Does nothing if there is no such message,
 * or it has no bound. */
void weir_host_rx_bound(struct weir_host *h, uint64_t now_ps, uint32_t src, uint32_t conn);

/* Notes that an outbound message has a bound (weir_host_sink.tx_bound), or that it has grown. Packets beyond it that
 * have left count as not sent: the receiver has dropped them. Does nothing if there is no such message, or it is held
 * or was cancelled. */
void weir_host_tx_bound(struct weir_host *h, uint32_t msg);

/* Returns how many packets of an inbound message have arrived without a gap, from the first one on. Receiver-driven,
 * one law, and only while weir_host_inbound() is WEIR_INBOUND_OPEN. */
uint32_t weir_host_edge(const struct weir_host *h, uint32_t src, uint32_t conn);

/* Returns the state of the message that pkt belongs to, without changing anything. src: the host that sent pkt;
 * pkt->src is ignored. With WEIR_NEED_NO_ACKS the result is always WEIR_INBOUND_NEW. */
enum weir_host_inbound weir_host_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);

/* Tests whether DATA of messages from host `src` may come without further credit: some was credited, or may come
 * unscheduled, and is not here. @return false with a sender-driven protocol, or several laws */
bool weir_host_owed(const struct weir_host *h, uint32_t src);

/* Sets the weight of an outbound message from now on. weight_q20: above 0. Every message starts with weight 1.0. A law
 * with WEIR_NEED_WEIGHTS gets a notice of kind WEIR_NOTICE_WEIGHT, which may change the results of weir_host_next_ps()
 * and weir_host_ready(). With cfg->wrr DATA carries the weight. If the message still waits for a connection, the weight
 * is stored and takes effect when the message begins. The call has no effect without cfg->track, with a receiver-driven
 * protocol, and with WEIR_NEED_NO_ACKS.
 * @return 0, also where the call has no effect; WEIR_E_UNKNOWN: no such message */
int weir_host_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);

/* Sets how urgent an outbound message to dst is: 0 .. 7, 0 is the most urgent, and what every message begins with. Of
 * the messages to one destination that may send, only the most urgent ones do. Sender-driven: the most urgent one that
 * waits for a connection gets the next. A message that has a connection keeps it. From 1 on the priority also is the
 * class of the message's packets. The call has no effect without cfg->track, and with WEIR_NEED_NO_ACKS.
 * Receiver-driven: the call has an effect if the protocol lets its sender choose (weir_credit_ops.tx_priority).
 * @return as weir_host_weight() */
int weir_host_priority(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority);

/* Sets the initial rate of an outbound message; called right after weir_host_send(). A law with WEIR_NEED_WEIGHTS gets
 * a notice of kind WEIR_NOTICE_RATE with *allotment, which is read during this call only. The call has no effect if the
 * message waits for a connection, and in the cases where weir_host_weight() has none. @return as weir_host_weight() */
int weir_host_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);

/* Returns why the host gives no state (core/state.h), as the end of a sentence; NULL = it gives one. It depends on the
 * host's configuration alone. */
const char *weir_host_state_why(const struct weir_host *h);
/* Gives the host's state. s->una must be set. */
void weir_host_state(struct weir_host *h, struct weir_state *s);
/* Gives a packet that is in flight, or waits: all its fields. */
void weir_host_state_pkt(struct weir_state *s, struct weir_pkt *pkt);
/* Begins to note the calls of the law, or ends it. @return false = no memory */
bool weir_host_note(struct weir_host *h, bool on);
/* Makes the noted calls of the law again, as they come in periods first .. last after that in which they were noted.
 * for_good: else they go to a copy of the law's state, and nothing changes. @return the last period up to which all
 * answers are those that were noted, at most `last`; for good they must be */
uint64_t weir_host_replay(struct weir_host *h, uint64_t first, uint64_t last, uint64_t period_ps, bool for_good);
/* Returns the first unacknowledged packet of a sending connection; 0 = there is no such connection. */
uint32_t weir_host_una(const struct weir_host *h, uint32_t conn);

struct weir_host_flow {   /* progress of an outbound message; of a receiver-driven protocol all but sent_bytes are 0 */
    uint64_t sent_bytes;  /* payload sent at least once */
    uint64_t acked_bytes; /* payload acknowledged without a gap before it; <= sent_bytes */
    uint64_t rate_bps;    /* set by the law; WEIR_RATE_OPEN = the window alone limits */
    uint32_t cwnd_bytes;  /* set by the law */
};

/* Writes the progress of outbound message msg to *out, for probes of a run. Needs cfg->track. @return true; false, with
 * *out zeroed: there is no such message, it waits for a connection, or (receiver-driven) it was cancelled */
bool weir_host_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);

struct weir_host_pending {   /* an unfinished outbound message */
    uint32_t dst, msg, conn; /* conn: connection, UINT32_MAX = waits for one; receiver-driven: message number */
    uint64_t unacked_pkts, left_pkts; /* unacked: in flight or lost (receiver-driven: sent so far); left: never sent */
    uint32_t timeouts;                /* consecutive timeouts; receiver-driven: requests repeated in a row */
    uint64_t deadline_ps;             /* when its retransmission timer expires; WEIR_NEVER = it has none */
    uint32_t hash;                    /* path entropy of its next packet; meaningless with WEIR_HASH_PACKET */
    uint32_t cwnd_bytes;              /* set by the law, as is rate_bps; both are 0 where no connection has a law */
    uint64_t rate_bps;
};

/* Describes the first unfinished outbound message at or after *cursor, and advances *cursor beyond it; start with 0.
 * For diagnosis of a stall, and digests. @return true; false = there are no more, and *out is unchanged */
bool weir_host_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out);

/* Tests as weir_host_ready() whether one transport can send. This and the next two are for worlds whose hosts have
 * several NICs. With cfg->nics, weir_host_tx() of the host itself runs timers alone; without it the host is its one
 * transport. */
bool weir_host_nics_ready(const struct weir_host *h, uint32_t transport);
/* Writes the next packet of one transport. @return 1; 0 = it has none */
uint32_t weir_host_nics_tx(struct weir_host *h, uint32_t transport, uint64_t now_ps, struct weir_pkt *out);
/* Pauses classes of one transport, as weir_host_pause(). */
void weir_host_nics_pause(struct weir_host *h, uint32_t transport, uint32_t class_mask);
/* Says by which NIC the next packet arrives that weir_host_rx() or a function like it gets. */
void weir_host_nics_arrive(struct weir_host *h, uint32_t nic);
#endif
