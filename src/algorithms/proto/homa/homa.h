/* src/algorithms/proto/homa/homa.h - Homa: receivers grant the shortest messages of a few senders, and choose the
 * priority of every packet.
 * Source: Montazeri, Li, Alizadeh, Ousterhout, "Homa: A Receiver-Driven Low-Latency Transport Protocol Using Network
 * Priorities", SIGCOMM 2018; its public simulator; and that of SIRD's evaluation (NSDI 2025). doc/homa.md describes
 * each key.
 *
 * Departs from them:
 * - All packets have the same most payload, unscheduled ones as well. A message is unscheduled up to whole packets.
 * - Lost packets are granted again when the message is next, as one GRANT for a run of packets (RESEND). The answer
 *   BUSY comes only if none of them was sent yet.
 * - Messages are one-way. No host waits for a message that it does not know of: the sender announces it again.
 * - A receiver's timer of a sender whose messages are all granted ends. */
#ifndef WEIR_PROTO_HOMA_H
#define WEIR_PROTO_HOMA_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"
#include "core/param.h"
#include "core/sizes.h"

#define WEIR_HOMA_LEVELS_MAX 8u /* priorities */
#define WEIR_HOMA_GRANT_PKTS_MAX 64u
#define WEIR_HOMA_NO_RANK 0xffu

enum weir_homa_policy { WEIR_HOMA_SRPT, WEIR_HOMA_ROUND_ROBIN };

struct weir_homa_config {          /* one per run, read-only once weir_homa_check() has accepted it */
    struct weir_size_list cutoffs; /* unsched_levels - 1 of them, increasing; none = weir_homa_fit() sets them */
    struct weir_size unsched;      /* payload of a message that goes without grants */
    struct weir_size window;       /* on the wire: most of a message that is unscheduled or granted, and not here */
    struct weir_size cutoff_cap;   /* the first so many bytes of each message count in the cutoffs */
    struct weir_size boost;        /* the last so many granted bytes have the level of unscheduled ones; 0 = none */
    uint64_t loss_ps;              /* 0 = no recovery */
    uint32_t priorities;           /* levels in all; 0 is the highest. 2 .. WEIR_HOMA_LEVELS_MAX */
    uint32_t unsched_levels;       /* the highest of them; the rest is for scheduled packets */
    uint32_t overcommit;           /* senders that are granted at the same time; at most the scheduled levels */
    uint32_t grant_pkts;           /* of one GRANT; 1 .. WEIR_HOMA_GRANT_PKTS_MAX */
    uint32_t sender_policy;        /* enum weir_homa_policy */
    uint32_t cutoff_grants;        /* GRANTs count in the cutoffs, as level 0 */
};

enum weir_homa_control { WEIR_HOMA_BUSY }; /* its own control packets: the sender has not sent that yet */
enum weir_homa_grant { WEIR_HOMA_GRANT, WEIR_HOMA_RESEND }; /* sequence of a CREDIT */

struct weir_homa_peer;

struct weir_homa_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node node; /* in the host's `ready` or `held` while it has a packet that may go */
    struct weir_homa_peer *peer;
    uint32_t granted;                          /* packets below may go */
    uint16_t level_pkts[WEIR_HOMA_LEVELS_MAX]; /* granted and not sent, by level; unscheduled ones not among them */
    uint8_t again_level;                       /* of what is sent again */
};

struct weir_homa_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node node; /* in its sender's `in` while there is something to grant */
    uint64_t bytes;
    uint32_t out_bytes; /* on the wire: unscheduled or granted, and not here */
    bool lossy;         /* something of it was found lost: out_bytes follows from the host's numbers */
    bool busy;          /* its sender said so since it was last silent */
};

struct weir_homa_peer {            /* another host, as a sender */
    struct weir_pairing in;        /* its messages with something to grant, by (payload not granted, order) */
    struct weir_pairing_node rest; /* in the host's `rest` while it is not among the first */
    uint64_t due_ps;               /* the next grant may go then: 0 = at once, WEIR_NEVER = after another packet */
    uint8_t rank;                  /* among the first; WEIR_HOMA_NO_RANK = not there */
    uint8_t level;                 /* of its last grant */
};

struct weir_homa_host {
    struct weir_credit_host head;
    /* receiver half */
    uint32_t first_count;
    struct weir_homa_peer
        *first[WEIR_HOMA_LEVELS_MAX]; /* senders by their first message, at most overcommit; those are granted */
    struct weir_pairing rest;         /* all others with something to grant */
    uint64_t next_ps;                 /* the least due_ps of the first */
    uint64_t out_bytes;               /* of all inbound messages */
    uint64_t most_bytes;              /* that these messages may have */
    uint32_t packet_bytes;            /* a full one, on the wire */
    /* sender half */
    uint32_t paused;                 /* levels, as bits */
    struct weir_pairing ready, held; /* messages with a packet that may go; held: all paused, or not looked at since */
    uint64_t served;                 /* round robin: packets sent so far, and messages */
    struct weir_homa_tx *busy;       /* of the control packet that waits while head.controls is 1 */
    const struct weir_limits *limits;
};

extern const struct weir_credit_ops weir_homa_ops;   /* all that host/ and the simulator know of Homa */
extern const struct weir_param weir_homa_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_homa_presets[]; /* paper (default), sird, sird-wka */
extern const char *const weir_homa_recommends[];     /* core/recommend.h */

/* Returns the level of an unscheduled packet: by what is left of its message, this packet included. */
static inline uint8_t weir_homa_unsched_level(const struct weir_homa_config *cfg, uint64_t left_bytes)
{
    uint32_t level = 0;
    while (level + 1 < cfg->unsched_levels && left_bytes > cfg->cutoffs.bytes[level])
        level++;
    return (uint8_t)level;
}

/* Returns the level of a grant to the sender of a rank, of count that are granted: few senders use the lowest
 * levels. */
static inline uint8_t weir_homa_grant_level(const struct weir_homa_config *cfg, uint32_t rank, uint32_t count)
{
    return (uint8_t)(cfg->priorities - count + rank);
}

/* Sets the cutoffs, if they are left to the run, so that every unscheduled level carries the same share of bytes. For
 * unknown sizes it takes all messages to be as long as goes unscheduled. */
void weir_homa_fit(void *config, const struct weir_fit *fit);

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_homa_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
