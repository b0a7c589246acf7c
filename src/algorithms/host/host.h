/* src/algorithms/host/host.h - the end host, written once: messages to packets and back, acknowledgements, loss,
 * timeouts, pacing. Every world (simulator, sockets) drives it by weir_host_rx(), weir_host_tx() and
 * weir_host_next_ps(), starts messages with weir_host_send(), and is notified through struct weir_host_sink. It reads
 * no clock and does no I/O; its tables grow through struct weir_mem. */
#ifndef WEIR_HOST_HOST_H
#define WEIR_HOST_HOST_H
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
struct weir_telemetry;
struct weir_telemetry_rates;

/* Ways to make the path entropy of a packet; follows fabric.routing. */
enum weir_host_hash {
    WEIR_HASH_FLOW,      /* of (src, dst, connection): a path per connection and direction */
    WEIR_HASH_SYMMETRIC, /* of the unordered pair and connection: both directions the same */
    WEIR_HASH_PACKET,    /* drawn per packet */
};

struct weir_host_hops {      /* how many switches a packet passes from one host to another; lent */
    const uint16_t *edge_of; /* by host: its first-hop switch */
    const uint8_t *switches; /* by first-hop switch of the sender, then of the receiver; NULL = unknown */
    uint32_t edges;
};

struct weir_host_config {           /* one per run, read-only; shared by every host */
    struct weir_host_params params; /* reorder_pkts resolved: 1 .. window_pkts - 1 */
    struct weir_framing framing;
    struct weir_path path;
    const struct weir_cc_ops *cc;         /* sender-driven; or .. */
    const struct weir_credit_ops *credit; /* .. receiver-driven; the other is NULL */
    const void *cc_config;                /* of either */
    enum weir_host_hash hash;
    uint64_t seed;
    const struct weir_telemetry_rates
        *rates; /* of the records packets carry; NULL = they carry none, or are not read */
    bool track; /* weir_host_flow() and weir_host_weight() will be called: handles are small numbers */
    bool wrr;   /* DATA carries its flow's weight, rounded, 1 .. 255: struct weir_pkt.weight; 1 without track */
    /* DATA of messages of up to token_bytes has so many: struct weir_pkt.tokens; none if it was sent before */
    uint32_t tokens;
    uint64_t token_bytes;
    uint32_t lanes; /* DATA is in class params.data_class + min(its tokens, lanes - 1); 0 = always in data_class */
    uint64_t qdelay_unit_ps;    /* of struct weir_pkt.qdelay; 0 = packets have none */
    uint64_t rtt_unit_ps;       /* of struct weir_pkt.rtt, in DATA with qdelay; 0 = packets have none */
    struct weir_host_hops hops; /* for a law with WEIR_NEED_HOPS */
};

/* Returns what the protocol needs: enum weir_need. */
uint32_t weir_host_needs(const struct weir_host_config *cfg);

/* Tests whether switches may mark its DATA. needs: of the protocol */
static inline bool weir_host_ect(const struct weir_host_params *params, uint32_t needs)
{
    return params->ecn != WEIR_ECN_OFF && (needs & (WEIR_NEED_ECN | WEIR_MAY_ECN)) != 0;
}

/* Reports of the host to its world. Called from inside rx, tx, send and cancel; must not call back into the host. */
struct weir_host_sink {
    /* receiver: the last missing byte of (src, msg) arrived; marks = its packets that carried CE */
    void (*delivered)(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks);
    /* sender: everything of msg is acknowledged (and replied to, where replies are on; receiver-driven: DONE came); its
     * handle is free again. Never called for a law with WEIR_NEED_NO_ACKS: there a message ends by delivered(), or by
     * loss, of which nobody is notified */
    void (*finished)(void *ctx, uint32_t msg, uint64_t now_ps);
    /* sender: a packet of msg was sent again */
    void (*retransmitted)(void *ctx, uint32_t msg);
    void *ctx;
    /* receiver: the sender of a message that was under way cancelled it. conn: its number among those from it to us,
     * sender-driven: its connection; may be NULL */
    void (*dropped)(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps);
    /* receiver: what the head of (src, msg) has for our law, asked when the message begins; may be NULL: heads have
     * nothing. The list of a group is in the payload: who starts the message counts its bytes */
    struct weir_head (*head)(void *ctx, uint32_t src, uint32_t msg);
};

struct weir_host_stats { /* monotone counters, for tests, checks and reports */
    uint64_t tx_data_pkts, tx_ack_pkts, rx_data_pkts, rx_ack_pkts;
    uint64_t rx_new_bytes; /* payload that arrived for the first time */
    uint64_t
        tx_acked_bytes; /* payload of ours acknowledged for the first time; receiver-driven: sent for the first time */
    uint64_t tx_done_bytes; /* payload of messages finished and not cancelled */
    uint64_t retransmissions, duplicates;
    uint64_t timeouts;     /* of senders; receiver-driven: a receiver found packets of a silent message missing */
    uint64_t refused_pkts; /* not for us, of no known connection, beyond the window: dropped and counted */
    uint64_t marked_pkts;
    uint64_t dropped_pkts; /* go-back-N: arrived while one before was missing */
    uint64_t tx_nack_pkts; /* of tx_ack_pkts: asked for them again */
    uint64_t tx_notice_pkts, rx_notice_pkts;
    uint64_t source_marked_pkts; /* of tx_data_pkts, that left with CE */
    uint32_t connections;        /* sending connections that exist; high-water mark, they are kept */
    uint32_t rx_connections;
    uint64_t grown_bytes; /* taken from struct weir_mem */
};

struct weir_host; /* opaque; weir_host_bytes() of it */

/* Returns how many bytes weir_host_init() is to be given. */
size_t weir_host_bytes(const struct weir_host_config *cfg);

/* Makes a host. memory: weir_host_bytes() bytes aligned to 64; self: this host's number */
struct weir_host *weir_host_init(void *memory, const struct weir_host_config *cfg, uint32_t self,
                                 const struct weir_mem *mem, const struct weir_host_sink *sink);

/**
 * Starts a message; it leaves through weir_host_tx().
 * @param msg    the world's handle, free for reuse once finished() named it
 * @param dst    below WEIR_PKT_HOSTS_MAX, the numbers a packet can hold
 * @param bytes  1 .. (2^32 - 1) packets; with WEIR_NEED_NO_ACKS one packet
 * @return 0; WEIR_E_RANGE for too many packets or a dst out of range; WEIR_E_MEMORY: nothing was started
 */
int weir_host_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);

/* Takes packets that arrived; time never runs backwards over all calls. */
void weir_host_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count);

/**
 * Takes a packet as weir_host_rx(.., 1) does, where the wire is free: an answer that would be what weir_host_tx() gives
 * next may be written at once.
 * @param answer  NULL = the wire is not free
 * @return true if it was written: it has left, and weir_host_tx() does not give it again
 */
bool weir_host_rx_free(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);

/* Prefetch what the next calls will need; nothing but the time they take depends on these. _rx_: the packet will
 * be given to weir_host_rx() next. _message_: it is the first or the last of its message, or a control packet about
 * that. _send_: a message to dst starts before long. _connection_: likewise, some while after _send_, whose records
 * name what is fetched now. _timers_: timers run until end_ps. */
void weir_host_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void weir_host_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void weir_host_send_prefetch(const struct weir_host *h, uint32_t dst);
void weir_host_timers_prefetch(const struct weir_host *h, uint64_t end_ps);
void weir_host_connection_prefetch(const struct weir_host *h, uint32_t dst);

/**
 * Runs the timers due by now_ps, then writes up to max packets that may leave now. max = 0 runs the timers only.
 * arrival_ps is left 0 for the world to fill in; sent_ps of DATA is now_ps.
 * @return how many were written
 */
uint32_t weir_host_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max);

/**
 * Takes a packet that came with telemetry.
 * @param hop     pkt->hops records, at most WEIR_TELEMETRY_HOPS_MAX; lent for this call; NULL = none
 * @param answer  as weir_host_rx_free(), if the NIC is free; NULL = it is not
 * @return true if the answer was written there: its .hops records, if it has any, are those of the packet
 */
bool weir_host_rx_hops(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt,
                       const struct weir_telemetry *hop, struct weir_pkt *answer);

/* Returns the records of the packet that weir_host_tx(.., 1) wrote last, if it has any: its .hops of them, good until
 * the next call. DATA leaves without; an ACK has those of the DATA it answers if the law needs WEIR_NEED_INT, in the
 * order they were written. */
const struct weir_telemetry *weir_host_tx_hops(const struct weir_host *h);

/* Pauses classes: tx gives no packet whose class_id is a bit of class_mask, and ready knows it. Timers run all the
 * same. A world with fewer classes than packets have class_ids sets the bits of all that fall to its lowest class. A
 * class is let go by a call without its bit: ready then knows what waited. Control packets are one queue: where the
 * first is held, those of other classes behind it wait too, while DATA goes on. */
void weir_host_pause(struct weir_host *h, uint32_t class_mask);

/* Returns when tx has something to do if nothing arrives: a timer or a paced packet; WEIR_NEVER = nothing. Packets
 * that could leave at once are reported by weir_host_ready(), not here. */
uint64_t weir_host_next_ps(const struct weir_host *h);

/* Tests whether tx would give a packet now, without running timers. */
bool weir_host_ready(const struct weir_host *h);
const struct weir_host_stats *weir_host_stats(const struct weir_host *h);

/* Sums up where credit is; zeros for a sender-driven protocol. */
void weir_host_credit(const struct weir_host *h, struct weir_credit_sums *out);

/* Checks the invariants of credit. @return the one that does not hold, as a sentence; NULL = all hold */
const char *weir_host_check(const struct weir_host *h);

/* The next three are for worlds whose applications cancel messages and whose hosts die. */

/**
 * Cancels an outbound message: nothing more of its payload leaves. ABORT is sent until DONE confirms it; then
 * finished() is called, as it is if all had arrived before, and the handle is free. To cancel again does nothing.
 *
 * With a receiver-driven protocol a lost ABORT is repeated only if there is recovery (credit_ops.loss_ps). Credit that
 * came for the message is good for other messages to that host, and is returned when the receiver asks for its state.
 *
 * A sender-driven host calls finished() from inside this call if nothing of the message had left. Its law is not
 * notified of what was in flight. Without acknowledgements finished() is never called.
 * @return 0; WEIR_E_UNKNOWN: no such message
 */
int weir_host_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);

/* Ends all messages to and from another host, without a packet on the wire and without a call of the sink. Outbound
 * handles are free at once, credit granted to it comes back, credit held from it is gone, and packets to it that wait
 * to leave do not leave. Messages, connections and laws begin anew, as with a host never met. The world sees to two
 * things: the other host forgets this one too before a packet from the new beginning reaches it, and no packet from
 * before arrives any more. */
void weir_host_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer);

/* State of the message that a packet is of: DATA, or any packet of a receiver-driven protocol about a message. */
enum weir_host_inbound {
    WEIR_INBOUND_NEW,    /* unknown; it would be taken */
    WEIR_INBOUND_OPEN,   /* under way */
    WEIR_INBOUND_DONE,   /* all here, or cancelled */
    WEIR_INBOUND_BEYOND, /* too far beyond: it would be refused */
};

/* Returns the state of a packet's message. src: the host it is from, whatever the packet says. Without acknowledgements
 * every message is new. */
enum weir_host_inbound weir_host_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);

/* Sets the weight of an outbound message from now on, Q20, above 0. A law with WEIR_NEED_WEIGHTS gets a notice of kind
 * WEIR_NOTICE_WEIGHT, which may change next_ps and ready. With cfg->wrr it is written into DATA. A message that waits
 * for a connection keeps it; one that is never given any has 1.0, also on a connection that carried another before.
 * Without cfg->track, for receiver-driven protocols and with WEIR_NEED_NO_ACKS nothing happens. @return 0;
 * WEIR_E_UNKNOWN: no such message */
int weir_host_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);

/* Sets the rate an outbound message begins with: reported by a notice of kind WEIR_NOTICE_RATE to a law with
 * WEIR_NEED_WEIGHTS, right after weir_host_send(). A message that waits for a connection begins as its law decides;
 * otherwise as weir_host_weight(). */
int weir_host_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);

struct weir_host_flow {   /* an outbound message of a sender-driven protocol, as its law has it */
    uint64_t sent_bytes;  /* payload sent at least once */
    uint64_t acked_bytes; /* of that, known to have arrived without a gap before it */
    uint64_t rate_bps;    /* the law's; WEIR_RATE_OPEN = the window alone limits */
    uint32_t cwnd_bytes;
};

/* Describes an outbound message, for probes of a run. Needs cfg->track. @return false: no such message under way, or it
 * waits for a connection (then zeros) */
bool weir_host_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);

struct weir_host_pending {            /* an unfinished message */
    uint32_t dst, msg, conn;          /* conn UINT32_MAX = still waits for a connection */
    uint64_t unacked_pkts, left_pkts; /* in flight or lost; not yet sent once */
    uint32_t timeouts;                /* in a row */
    uint64_t deadline_ps;             /* of the retransmission timer */
    uint32_t hash;                    /* path entropy of its next packet (WEIR_HASH_PACKET: of one) */
};

/* Describes the first unfinished message at or after *cursor (start at 0), for diagnosis of a stall. @return false = no
 * more */
bool weir_host_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out);
#endif
