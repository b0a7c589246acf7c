/* src/algorithms/proto/dcpim/dcpim_core.h - the arithmetic of rounds, channels and tokens of dcPIM. */
#ifndef WEIR_PROTO_DCPIM_CORE_H
#define WEIR_PROTO_DCPIM_CORE_H
#include "core/math.h"
#include "core/units.h"
#include "proto/dcpim/dcpim.h"

#define WEIR_DCPIM_NUMBER_BITS 24u /* bits of a token's number in weir_grant.sequence; the others are its data phase */
#define WEIR_DCPIM_NUMBER_MASK ((1u << WEIR_DCPIM_NUMBER_BITS) - 1)
#define WEIR_DCPIM_LEFT_BITS 48u /* bits of weir_dcpim_offer.left_bytes in weir_own_pkt.value */

enum {                               /* levels of tokens at a sender, 0 .. 7 */
       WEIR_DCPIM_LEVEL_SHORT = 1,   /* packets of a short message, which need no token */
       WEIR_DCPIM_LEVEL_MATCHED = 2, /* plus 1 per channel of the matches ordered before */
       WEIR_DCPIM_LEVEL_LAST = 6,
       WEIR_DCPIM_LEVEL_PROMPT = 7,
};

/* Returns the times of a run. The cRTT and packet_ps must be above 0. Rates are at least 1 Mb/s, so packet_ps is below
 * 2^37. With a cRTT of at most 1 s, beta and alpha of at most 100 and 16 rounds, an epoch is below 2^58 ps. */
static inline struct weir_dcpim_times weir_dcpim_times(const struct weir_dcpim_config *cfg, uint64_t control_rtt_ps,
                                                       uint64_t packet_ps)
{
    uint64_t rtt_ps = cfg->control_rtt_ps != 0 ? cfg->control_rtt_ps : control_rtt_ps;
    uint64_t round_ps = (weir_mul_div_u64(rtt_ps, cfg->beta_ppm, 1000000) + 1) & ~UINT64_C(1); /* even */
    uint64_t match_ps = cfg->rounds * round_ps, epoch_ps = weir_mul_div_u64(match_ps, cfg->alpha_ppm, 1000000);
    return (struct weir_dcpim_times){
        .round_ps = round_ps,
        .match_ps = match_ps,
        .epoch_ps = epoch_ps,
        .packet_ps = packet_ps,
        .slack_ps = rtt_ps / 2 + cfg->channels * packet_ps,
        .channel_pkts = weir_clamp_u32(epoch_ps / (packet_ps * cfg->channels), 0, 1u << 30),
    };
}

/* Returns the first begin of a round at from_ps or later. If an epoch lasts longer than its rounds, the end of its last
 * round counts as a begin, too. */
static inline uint64_t weir_dcpim_round_at(const struct weir_dcpim_times *t, uint64_t from_ps)
{
    uint64_t epoch_ps = from_ps / t->epoch_ps * t->epoch_ps,
             rounds = (from_ps - epoch_ps + t->round_ps - 1) / t->round_ps;
    uint64_t last_ps = weir_min_u64(t->match_ps, t->epoch_ps);
    return epoch_ps + (rounds * t->round_ps <= last_ps ? rounds * t->round_ps : t->epoch_ps);
}

/* Returns the number of the present round. After the last round of an epoch, returns the number of that last round. */
static inline uint32_t weir_dcpim_round(const struct weir_dcpim_config *cfg, const struct weir_dcpim_times *t,
                                        uint64_t now_ps)
{
    uint64_t epoch = now_ps / t->epoch_ps, round = (now_ps - epoch * t->epoch_ps) / t->round_ps;
    return (uint32_t)(epoch * cfg->rounds + weir_min_u64(round, cfg->rounds - 1));
}

/* Returns the time at which senders grant requests of the present round; WEIR_NEVER = that time is over, or there is no
 * round now. */
static inline uint64_t weir_dcpim_half_at(const struct weir_dcpim_config *cfg, const struct weir_dcpim_times *t,
                                          uint64_t now_ps)
{
    uint64_t epoch_ps = now_ps / t->epoch_ps * t->epoch_ps, round = (now_ps - epoch_ps) / t->round_ps;
    uint64_t half_ps = epoch_ps + round * t->round_ps + t->round_ps / 2;
    return round < cfg->rounds && now_ps <= half_ps ? half_ps : WEIR_NEVER;
}

/* Returns the number of the present data phase; 0 = before the first one. */
static inline uint64_t weir_dcpim_phase(const struct weir_dcpim_times *t, uint64_t now_ps)
{
    return (now_ps + t->epoch_ps - t->match_ps) / t->epoch_ps;
}

static inline uint64_t weir_dcpim_phase_end_ps(const struct weir_dcpim_times *t, uint64_t phase)
{
    return phase * t->epoch_ps + t->match_ps;
}

/* Tests whether requests and grants of a round are ordered by size. round: number of the round */
static inline bool weir_dcpim_by_size(const struct weir_dcpim_config *cfg, uint32_t round)
{
    return round % cfg->rounds < cfg->size_rounds;
}

/* Returns the number of channels to request for a message: as many as carry left_pkts in one data phase, less the
 * `have` channels of its sender. At most `free` are requested. */
static inline uint32_t weir_dcpim_want(uint32_t left_pkts, uint32_t channel_pkts, uint32_t have, uint32_t free)
{
    uint32_t all = left_pkts / channel_pkts + (left_pkts % channel_pkts != 0);
    return all <= have ? 0 : all - have < free ? all - have : free;
}

/* Tests whether one more token of a message may be sent while `out` are outstanding: out must not exceed the window. So
 * one token beyond the window may be sent. The window is window_pkts * channels / cfg->channels. */
static inline bool weir_dcpim_within(const struct weir_dcpim_config *cfg, uint32_t out, uint32_t window_pkts,
                                     uint32_t channels)
{
    return (uint64_t)out * cfg->channels <= (uint64_t)window_pkts * channels;
}

static inline uint64_t weir_dcpim_pack(const struct weir_dcpim_offer *o)
{
    return o->left_bytes | (uint64_t)o->channels << WEIR_DCPIM_LEFT_BITS | (uint64_t)o->prompt << 56;
}

static inline struct weir_dcpim_offer weir_dcpim_unpack(uint64_t value, uint32_t round)
{
    return (struct weir_dcpim_offer){ .left_bytes = value & ((UINT64_C(1) << WEIR_DCPIM_LEFT_BITS) - 1),
                                      .round = round,
                                      .channels = (uint8_t)(value >> WEIR_DCPIM_LEFT_BITS),
                                      .prompt = (uint8_t)(value >> 56) };
}

/* Returns the priority class of a message's DATA by its size, 1 .. 6. Class 1 is for up to `factor` packets, each
 * further class for up to `factor` times as many as the class before. Class 6 has no upper bound. */
static inline uint8_t weir_dcpim_size_level(uint32_t pkts, uint32_t factor)
{
    uint64_t most = factor;
    uint8_t level = 1;
    while (pkts > most && level < 6) {
        most *= factor; /* factor < 2^7, six factors: 2^42 fits */
        level++;
    }
    return level;
}

/* Returns the first message in p->open: of the messages of sender p that may get tokens, the one with the least
 * left_bytes. NULL = no message may get tokens. */
static inline struct weir_dcpim_rx *weir_dcpim_first(const struct weir_dcpim_peer *p)
{
    return p->open.root != NULL ? WEIR_PAIRING_OF(p->open.root, struct weir_dcpim_rx, node) : NULL;
}
#endif
