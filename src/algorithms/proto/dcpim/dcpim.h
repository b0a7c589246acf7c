/* src/algorithms/proto/dcpim/dcpim.h - dcPIM: rounds of a random matching decide which hosts may send to each other in
 * the next data phase. Within a data phase, receivers send a token for each packet.
 * Sources: Cai, Arashloo, Agarwal, "dcPIM: Near-Optimal Proactive Datacenter Transport", SIGCOMM 2022. Rules that it
 * leaves open are taken from the program behind its figures. doc/dcpim.md describes each rule, and names the source of
 * each choice.
 *
 * Departs from both:
 * - A token allows one packet of its message, which the sender chooses: a retransmission, else the first packet never
 *   sent. So if a token expires or is lost, only a token is missing, and no particular packet.
 * - A sender orders tokens of one level by the payload that it has left to send. The sources use the payload that
 *   was missing at the receiver when it sent the token.
 * - A token loop without a packet to request sleeps, and is woken when there is one.
 *
 * Time. Epoch e begins at e * epoch_ps on all hosts. Its round j begins j * round_ps later: then receivers send
 * requests, and half a round later senders send grants. Data phase n lasts from (n - 1) * epoch_ps + match_ps to n *
 * epoch_ps + match_ps. Its channels are those matched in epoch n - 1. The number of a round is e * rounds + j, modulo
 * 2^32. */
#ifndef WEIR_PROTO_DCPIM_H
#define WEIR_PROTO_DCPIM_H
#include "core/credit.h"
#include "core/err.h"
#include "core/pairing.h"
#include "core/param.h"
#include "core/rng.h"
#include "proto/dcpim/dcpim_offer.h"

#define WEIR_DCPIM_CHANNELS_MAX 16u
#define WEIR_DCPIM_ROUNDS_MAX 16u
#define WEIR_DCPIM_GROUPS 4u /* token groups of a message: two data phases, matched and prompt channels each */

enum weir_dcpim_levels { WEIR_DCPIM_BY_ROLE, WEIR_DCPIM_BY_SIZE };

struct weir_dcpim_config {      /* one per run, read-only once weir_dcpim_check() has accepted it */
    struct weir_size short_max; /* a message of up to these wire bytes is sent without matching and tokens */
    struct weir_size window;    /* tokens of a message that may be outstanding, over all channels, in wire bytes */
    struct weir_size window_timeout, resend_timeout; /* times, as the bytes that the link carries in them */
    uint64_t control_rtt_ps;                         /* cRTT; 0 = path->control_rtt_ps */
    uint64_t loss_ps;                                /* a message is announced again after twice this time; 0 = never */
    uint32_t rounds, channels;                       /* r, 1 .. WEIR_DCPIM_ROUNDS_MAX; k, 1 .. .._CHANNELS_MAX */
    uint32_t beta_ppm, alpha_ppm;                    /* round in cRTT; data phase in matching phases; 10^6 .. 10^8 */
    uint32_t size_rounds;                            /* first rounds of an epoch, ordered by size; others random */
    uint32_t prompt, hold;                           /* flags: prompt channels; leave out tokens for short messages */
    uint32_t levels;                                 /* enum weir_dcpim_levels */
    uint32_t level_factor;                           /* for WEIR_DCPIM_BY_SIZE: 2 .. 100 */
};

struct weir_dcpim_times { /* the times of a run, the same on all hosts */
    uint64_t round_ps, match_ps, epoch_ps;
    uint64_t packet_ps;    /* transmission time of a full packet on the host's link */
    uint64_t slack_ps;     /* a token expires this long after the end of its data phase */
    uint32_t channel_pkts; /* packets that a channel carries in a data phase */
};

struct weir_dcpim_tokens { /* tokens of one message, level and data phase; count 0 = none */
    uint64_t expire_ps;
    uint32_t count, last; /* last: number of the token that arrived last */
    uint8_t level;
};

struct weir_dcpim_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node ready;    /* in the host's `ready` while a packet of it may be sent */
    struct weir_dcpim_tx *next, *prev; /* the host's list of messages with tokens or self_pkts */
    void *peer;
    uint32_t self_pkts; /* of a short message: packets that may be sent without a token, and were not sent yet */
    uint32_t held;      /* sum of tokens in group[] */
    struct weir_dcpim_tokens group[WEIR_DCPIM_GROUPS];
};

enum weir_dcpim_queue { WEIR_DCPIM_NOWHERE, WEIR_DCPIM_OPEN, WEIR_DCPIM_WAITS };

struct weir_dcpim_peer;

struct weir_dcpim_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node node; /* in its peer's `open`, or in the host's `waiting` */
    struct weir_dcpim_peer *peer;
    uint64_t token_ps;     /* latest token or timeout; first of a short message: when its packets must be here */
    uint32_t issued, seen; /* last token sent; last one that was used or lost; from 0, modulo 2^24 on the wire */
    uint8_t queue;         /* enum weir_dcpim_queue */
};

struct weir_dcpim_peer { /* the state of another host */
    /* receiver half */
    struct weir_pairing open;                    /* its messages that may get tokens, by (payload not here, order) */
    struct weir_dcpim_peer *ask_next, *ask_prev; /* ring of peers that have such messages */
    struct weir_pairing_node grant_node;         /* in the host's `grants` */
    struct weir_dcpim_offer grant;               /* its latest GRANT */
    uint32_t matched, fresh;                     /* channels to it: of this data phase; for the next one so far */
    bool asks, has_grant, asleep;                /* asks: in the ring; asleep: a token loop may sleep */
    /* sender half */
    bool has_request;
    struct weir_pairing_node request_node; /* in the host's `requests` */
    struct weir_dcpim_offer request;       /* its latest REQUEST */
    /* control packets that wait to leave */
    uint32_t send_mask; /* waiting kinds, as bits 1 << enum weir_dcpim_control */
    struct weir_dcpim_offer send[WEIR_DCPIM_CONTROLS];
    struct weir_dcpim_peer *send_next;
};

struct weir_dcpim_match { /* the channels of a receiver to one sender, and their token loop */
    struct weir_dcpim_peer *peer;
    uint64_t next_ps;  /* time of the loop's next token; WEIR_NEVER = it sleeps */
    uint64_t ready_ps; /* no token of the loop before this time */
    uint32_t channels;
    uint32_t active; /* channels in use: in the data phase all, before it the prompt ones; 0 = no loop */
    uint8_t level;   /* level of its tokens */
};

struct weir_dcpim_matches { /* the channels of a receiver in one data phase */
    uint32_t count, channels;
    struct weir_dcpim_match match[WEIR_DCPIM_CHANNELS_MAX];
};

struct weir_dcpim_given { /* the channels of a sender that receivers accepted, in one epoch */
    uint64_t epoch;
    uint32_t channels, prompt;
};

struct weir_dcpim_host {
    struct weir_credit_host head;
    struct weir_dcpim_times times;
    struct weir_dcpim_peer *send_first, *send_last; /* list of peers for which control packets wait */
    struct weir_rng rng;
    uint32_t mss_bytes, wire_bytes; /* a full packet: payload, wire bytes */
    uint32_t short_pkts, window_pkts;
    uint64_t window_timeout_ps, resend_ps;
    /* receiver half */
    struct weir_dcpim_peer *ask; /* any member of the ring; NULL = the ring is empty */
    struct weir_pairing waiting; /* messages that wait for a timeout, by time */
    struct weir_pairing grants;  /* peers whose GRANT in the current round arrived */
    struct weir_dcpim_matches matched, fresh;
    uint64_t round_at_ps, round_done_ps; /* next begin of a round; begin that was executed last */
    uint64_t grants_until_ps;            /* grants of the latest round count up to this time; 0 = none do */
    uint64_t loop_ps;                    /* earliest next_ps of all token loops */
    uint64_t now_ps;                     /* time of the latest event of this half */
    uint32_t round;                      /* number of the latest round in which requests are sent */
    uint32_t fresh_round;                /* number of the first round of the epoch in which `fresh` is matched */
    uint32_t prompt;                     /* channels of `fresh` that are in use already */
    uint32_t hold_pkts;                  /* tokens to leave out for the packets of a short message */
    uint32_t phase;                      /* number of this data phase, modulo 2^32; tokens carry its low 8 bits */
    uint64_t out_tokens;                 /* outstanding: issued, and no packet came for them or a later one */
    /* sender half */
    struct weir_pairing requests; /* peers whose REQUEST in the current round arrived */
    struct weir_pairing ready;    /* messages by (level, payload left, order) */
    struct weir_dcpim_tx *holders;
    struct weir_dcpim_given given[2]; /* by epoch modulo 2 */
    uint64_t half_ps;                 /* when grants for `requests` are sent; WEIR_NEVER = there are no requests */
    uint64_t expire_ps;               /* no token expires earlier */
    uint64_t held_tokens;
    uint32_t paused; /* bits of paused classes */
};

extern const struct weir_credit_ops weir_dcpim_ops;   /* all that host/ and the simulator know of dcPIM */
extern const struct weir_param weir_dcpim_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_dcpim_presets[]; /* paper (default), published, sird */
extern const char *const weir_dcpim_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_dcpim_config, with sizes resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_dcpim_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
