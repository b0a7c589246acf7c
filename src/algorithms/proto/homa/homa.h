/* src/algorithms/proto/homa/homa.h - Homa: receivers grant the shortest messages of a few senders, and choose the
 * priority of every packet.
 * Sources: Montazeri, Li, Alizadeh, Ousterhout, "Homa: A Receiver-Driven Low-Latency Transport Protocol Using Network
 * Priorities", SIGCOMM 2018; its public simulator; the simulator of SIRD's evaluation (NSDI 2025). doc/homa.md
 * describes each key.
 *
 * Departs from the sources:
 * - The largest payload is the same for all packets, unscheduled ones included. The unscheduled part of a message is in
 *   whole packets.
 * - Lost packets are granted again when the message is the next to be granted. One GRANT (RESEND) is for consecutive
 *   packets. The sender answers BUSY only if it has sent none of these packets yet.
 * - Messages are one-way. No host waits for a message that it does not know of: the sender announces it again.
 * - A receiver runs no grant timer for a sender whose messages are all granted. */
#ifndef WEIR_PROTO_HOMA_H
#define WEIR_PROTO_HOMA_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"
#include "core/param.h"
#include "core/sizes.h"

#define WEIR_HOMA_LEVELS_MAX 8u /* largest number of priorities */
#define WEIR_HOMA_GRANT_PKTS_MAX 64u
#define WEIR_HOMA_NO_RANK 0xffu

enum weir_homa_policy { WEIR_HOMA_SRPT, WEIR_HOMA_ROUND_ROBIN };

struct weir_homa_config {          /* one per run, read-only once weir_homa_check() has accepted it */
    struct weir_size_list cutoffs; /* unsched_levels - 1 sizes, increasing; none = weir_homa_fit() sets them */
    struct weir_size unsched;      /* unscheduled payload of a message */
    struct weir_size window;       /* a message is granted while fewer bytes of it, unscheduled or granted, have not
                                    * arrived; on the wire */
    struct weir_size cutoff_cap;   /* for weir_homa_fit(): bytes of each message that count, from its begin */
    struct weir_size boost;        /* last bytes of a message, granted at levels of unscheduled ones; 0 = none */
    uint64_t loss_ps;              /* silence after which a receiver grants lost packets again; 0 = no recovery */
    uint32_t priorities;           /* levels in all; 0 is the highest. 2 .. WEIR_HOMA_LEVELS_MAX */
    uint32_t unsched_levels;       /* the highest of these levels; the others are for scheduled packets */
    uint32_t overcommit;           /* senders granted at the same time; 1 .. priorities - unsched_levels */
    uint32_t grant_pkts;           /* packets of one GRANT; 1 .. WEIR_HOMA_GRANT_PKTS_MAX */
    uint32_t sender_policy;        /* enum weir_homa_policy */
    uint32_t cutoff_grants;        /* 1: weir_homa_fit() counts GRANTs, as bytes of level 0 */
};

enum weir_homa_control { WEIR_HOMA_BUSY }; /* Homa's own control packet: no packet of a RESEND was sent yet */
enum weir_homa_grant { WEIR_HOMA_GRANT, WEIR_HOMA_RESEND }; /* values of weir_grant.sequence */

struct weir_homa_peer;

struct weir_homa_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node node; /* in the host's `ready` or `held` while a packet may be sent */
    struct weir_homa_peer *peer;
    uint32_t granted;                          /* packets below are unscheduled or granted */
    uint16_t level_pkts[WEIR_HOMA_LEVELS_MAX]; /* packets granted and not sent, by level; without unscheduled ones */
    uint8_t again_level;                       /* level of packets that are sent again */
};

struct weir_homa_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node node; /* in its sender's `in` while something of it can be granted */
    uint64_t bytes;
    uint32_t out_bytes; /* bytes on the wire, unscheduled or granted, that have not arrived */
    bool lossy;         /* packets of it were found lost: out_bytes is computed from msg */
    bool busy;          /* a BUSY came since the message was last silent */
};

struct weir_homa_peer {            /* the state of another host, as a sender */
    struct weir_pairing in;        /* its messages with something to grant, ordered by (payload not granted, order) */
    struct weir_pairing_node rest; /* in the host's `rest` while it has something to grant, but no rank */
    uint64_t due_ps;               /* time of the next grant: 0 = at once, WEIR_NEVER = after another packet arrives */
    uint8_t rank;                  /* index in the host's first[]; WEIR_HOMA_NO_RANK = not in it */
    uint8_t level;                 /* level of its last grant */
};

struct weir_homa_host {
    struct weir_credit_host head;
    /* receiver half */
    uint32_t first_count;
    /* The senders that are granted, by their first message; at most overcommit */
    struct weir_homa_peer *first[WEIR_HOMA_LEVELS_MAX];
    struct weir_pairing rest; /* all other senders with something to grant */
    uint64_t next_ps;         /* least due_ps of the senders in first[] */
    uint64_t out_bytes;       /* sum of out_bytes over all inbound messages */
    uint64_t most_bytes;      /* bound of out_bytes, from the bounds of these messages */
    uint32_t packet_bytes;    /* a full packet on the wire */
    /* sender half */
    uint32_t paused;                 /* bits of paused levels */
    struct weir_pairing ready, held; /* messages with a packet that may be sent; held: of a paused level */
    uint64_t served;                 /* round robin: the last key given to a message that goes to the end */
    struct weir_homa_tx *busy;       /* the message of the BUSY that waits while head.controls is 1 */
    const struct weir_limits *limits;
};

extern const struct weir_credit_ops weir_homa_ops;   /* all that host/ and the simulator know of Homa */
extern const struct weir_param weir_homa_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_homa_presets[]; /* paper (default), sird, sird-wka */
extern const char *const weir_homa_recommends[];     /* core/recommend.h */

/* Returns the level of an unscheduled packet. left_bytes: unsent payload of its message, this packet included */
static inline uint8_t weir_homa_unsched_level(const struct weir_homa_config *cfg, uint64_t left_bytes)
{
    uint32_t level = 0;
    while (level + 1 < cfg->unsched_levels && left_bytes > cfg->cutoffs.bytes[level])
        level++;
    return (uint8_t)level;
}

/* Returns the level of a grant to the sender with this rank, when `count` senders are granted. The `count` levels of
 * lowest priority are used: rank 0 has level priorities - count, the last rank has level priorities - 1. */
static inline uint8_t weir_homa_grant_level(const struct weir_homa_config *cfg, uint32_t rank, uint32_t count)
{
    return (uint8_t)(cfg->priorities - count + rank);
}

/* Sets cfg->cutoffs if the scenario sets none (cutoffs: auto), so that all unscheduled levels carry about the same
 * number of bytes. If fit has no message sizes, assumes messages of cfg->unsched bytes. Sets nothing if cutoff_cap is
 * 8192 packets or more, which weir_homa_check() refuses. config: a struct weir_homa_config */
void weir_homa_fit(void *config, const struct weir_fit *fit);

/**
 * Checks the keys against each other and against the path, after weir_homa_fit().
 * @param config  struct weir_homa_config, with sizes resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_homa_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
