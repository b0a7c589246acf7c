/* src/algorithms/proto/dcpim/dcpim.h - dcPIM: rounds of a random matching decide who may send, one epoch ahead; tokens
 * ask for each packet.
 * Source: Cai, Arashloo, Agarwal, "dcPIM: Near-Optimal Proactive Datacenter Transport", SIGCOMM 2022, and the program
 * behind its figures, where the text leaves a rule open. doc/dcpim.md describes each rule, and names the source of each
 * choice.
 *
 * Departs from both:
 * - A token is a budget of one packet of its message, which its sender chooses: what is sent again, else the first one
 *   never sent. So a token that expired or was lost costs a token, and no packet is missing because of it.
 * - A sender orders tokens of one level by what it has left to send, not by what the receiver had left when it sent
 *   them.
 * - A token loop without anything to ask for sleeps, and begins again when there is something.
 *
 * Time. Epoch e begins at e * epoch_ps on all hosts. Round j of it begins j * round_ps later: there receivers request,
 * and half a round later senders grant. Data phase n lasts from (n - 1) * epoch_ps + match_ps to n * epoch_ps +
 * match_ps: its channels are those matched in epoch n - 1. A round is named by e * rounds + j, modulo 2^32. */
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
#define WEIR_DCPIM_GROUPS 4u /* of tokens: two data phases, in each of them matched and prompt channels */

enum weir_dcpim_levels { WEIR_DCPIM_BY_ROLE, WEIR_DCPIM_BY_SIZE };

struct weir_dcpim_config {      /* one per run, read-only once weir_dcpim_check() has accepted it */
    struct weir_size short_max; /* a message of so many packets' bytes goes without a matching */
    struct weir_size window;    /* tokens of a receiver that may be out, over all its channels */
    struct weir_size window_timeout, resend_timeout; /* as what the link carries in that time */
    uint64_t control_rtt_ps;                         /* cRTT; 0 = the path's own */
    uint64_t loss_ps;                                /* 0 = requests are not repeated */
    uint32_t rounds, channels;                       /* r, k; 1 .. the most above */
    uint32_t beta_ppm, alpha_ppm;                    /* 1000000 .. */
    uint32_t size_rounds;                            /* so many rounds are ordered by size, the later ones at random */
    uint32_t prompt, hold;                           /* flags */
    uint32_t levels;                                 /* enum weir_dcpim_levels */
    uint32_t level_factor;                           /* by size: 2 .. */
};

struct weir_dcpim_times { /* the same on all hosts */
    uint64_t round_ps, match_ps, epoch_ps;
    uint64_t packet_ps;    /* that a full packet takes of the host's link */
    uint64_t slack_ps;     /* a token expires so long after its data phase */
    uint32_t channel_pkts; /* packets that a channel carries in a data phase */
};

struct weir_dcpim_tokens { /* of a message, of one level and data phase; count 0 = free */
    uint64_t expire_ps;
    uint32_t count, last; /* last: number of the latest that arrived */
    uint8_t level;
};

struct weir_dcpim_tx { /* an outbound message */
    struct weir_tx_msg msg;
    struct weir_pairing_node ready;    /* in the host's `ready` while a packet of it may go */
    struct weir_dcpim_tx *next, *prev; /* list of those that hold tokens */
    void *peer;
    uint32_t self_pkts; /* of a short message: may go without a token, and have not gone yet */
    uint32_t held;      /* tokens in `group` */
    struct weir_dcpim_tokens group[WEIR_DCPIM_GROUPS];
};

enum weir_dcpim_queue { WEIR_DCPIM_NOWHERE, WEIR_DCPIM_OPEN, WEIR_DCPIM_WAITS };

struct weir_dcpim_peer;

struct weir_dcpim_rx { /* an inbound message */
    struct weir_rx_msg msg;
    struct weir_pairing_node node; /* in its peer's `open`, or in the host's `waiting` */
    struct weir_dcpim_peer *peer;
    uint64_t token_ps;     /* when the latest token for it went, or its timeout was set */
    uint32_t issued, seen; /* tokens; the latest of them that a packet came for. Both from 0, modulo 2^24 on the wire */
    uint8_t queue;         /* enum weir_dcpim_queue */
};

struct weir_dcpim_peer { /* another host */
    /* receiver half */
    struct weir_pairing open;                    /* its messages that tokens may go for, by (payload not here, order) */
    struct weir_dcpim_peer *ask_next, *ask_prev; /* ring of those that have such messages */
    struct weir_pairing_node grant_node;         /* in `grants` of the host */
    struct weir_dcpim_offer grant;               /* its latest */
    uint32_t matched, fresh;                     /* channels: of this data phase, of the next one so far */
    bool asks, has_grant, asleep;                /* asleep: a token loop of it may sleep */
    /* sender half */
    bool has_request;
    struct weir_pairing_node request_node; /* in `requests` of the host */
    struct weir_dcpim_offer request;       /* its latest */
    /* control packets that wait to leave */
    uint32_t send_mask; /* bits of enum weir_dcpim_control */
    struct weir_dcpim_offer send[WEIR_DCPIM_CONTROLS];
    struct weir_dcpim_peer *send_next;
};

struct weir_dcpim_match { /* channels that a receiver has to one sender, and their token loop */
    struct weir_dcpim_peer *peer;
    uint64_t next_ps;  /* the loop fires; WEIR_NEVER = it sleeps */
    uint64_t ready_ps; /* not before */
    uint32_t channels;
    uint32_t
        active;    /* channels that the loop serves: all in the data phase, before only prompt ones; 0 = no loop yet */
    uint8_t level; /* of its tokens */
};

struct weir_dcpim_matches { /* the channels of a receiver in one data phase */
    uint32_t count, channels;
    struct weir_dcpim_match match[WEIR_DCPIM_CHANNELS_MAX];
};

struct weir_dcpim_given { /* channels that a sender has given, of one epoch */
    uint64_t epoch;
    uint32_t channels, prompt;
};

struct weir_dcpim_host {
    struct weir_credit_host head;
    struct weir_dcpim_times times;
    struct weir_dcpim_peer *send_first, *send_last; /* whose control packets wait */
    struct weir_rng rng;
    uint32_t mss_bytes, wire_bytes; /* of a full packet */
    uint32_t short_pkts, window_pkts;
    uint64_t window_timeout_ps, resend_ps;
    /* receiver half */
    struct weir_dcpim_peer *ask; /* one of the ring; NULL = it is empty */
    struct weir_pairing waiting; /* messages with a timeout, by time */
    struct weir_pairing grants;  /* peers whose GRANT of the current round came */
    struct weir_dcpim_matches matched, fresh;
    uint64_t round_at_ps, round_done_ps; /* next beginning of a round; the one that was last executed */
    uint64_t grants_until_ps;            /* of the latest round; 0 = none are due */
    uint64_t loop_ps;                    /* the earliest token loop */
    uint64_t now_ps;                     /* the latest event of this half */
    uint32_t round;                      /* name of the latest round with requests */
    uint32_t fresh_round;                /* name of the first round of the epoch that `fresh` is matched in */
    uint32_t prompt;                     /* channels of `fresh` in use already */
    uint32_t hold_pkts;                  /* tokens left out for a short message */
    uint32_t phase;                      /* number of this data phase, modulo 2^8 */
    uint64_t out_tokens;                 /* issued, and no packet came for them or a later one */
    /* sender half */
    struct weir_pairing requests; /* peers whose REQUEST of the current round came */
    struct weir_pairing ready;    /* messages by (level, payload left, order) */
    struct weir_dcpim_tx *holders;
    struct weir_dcpim_given given[2]; /* by epoch modulo 2 */
    uint64_t half_ps;                 /* when requests are granted; WEIR_NEVER = there are none */
    uint64_t expire_ps;               /* the earliest token */
    uint64_t held_tokens;
    uint32_t paused; /* classes, as bits */
};

extern const struct weir_credit_ops weir_dcpim_ops;   /* all that host/ and the simulator know of dcPIM */
extern const struct weir_param weir_dcpim_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_dcpim_presets[]; /* paper (default), sird-eval, published */
extern const char *const weir_dcpim_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_dcpim_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
