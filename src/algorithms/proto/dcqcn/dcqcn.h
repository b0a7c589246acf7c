/* src/algorithms/proto/dcqcn/dcqcn.h - DCQCN: marked packets cut the rate of a flow, timers and a byte counter raise it
 * again.
 * Sources:
 * - Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015 (variant paper);
 * - the DCQCN of the public ns-3 simulator of HPCC's authors (variant vendor). Simulators derived from that one call it
 *   DCQCN, too.
 *
 * Departs from both sources, without a change of the rates: alpha's timer does not run. Its expiries are computed when
 * alpha is read next. The increase timer is stopped while the flow is at line rate, where it would change nothing. Of
 * simultaneous events, arrivals come before any timer, and a cut before an increase.
 * Departs with a change of the rates: when switches mark, and the effect of a CNP of a message that has ended
 * (doc/dcqcn.md, Departures). */
#ifndef WEIR_PROTO_DCQCN_H
#define WEIR_PROTO_DCQCN_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

enum weir_dcqcn_variant {
    WEIR_DCQCN_PAPER, /* the receiver sends CNPs, one per interval; timer and byte counter raise the rate */
    WEIR_DCQCN_VENDOR /* ACKs echo marks, the sender cuts once per interval; a timer alone raises the rate */
};

enum weir_dcqcn_notice { WEIR_DCQCN_CNP = 1 }; /* values of weir_notice.kind */

struct weir_dcqcn_config {       /* one per run, read-only once weir_dcqcn_check() has accepted it */
    uint64_t cnp_interval_ps;    /* paper: N, between CNPs; vendor: T_dec, between cuts; 1 us .. 100 ms */
    uint64_t alpha_timer_ps;     /* K: alpha decays once per such interval without a mark; 1 us .. 100 ms */
    uint64_t increase_timer_ps;  /* T_inc: time between two increases of the rate; 1 us .. 100 ms */
    uint64_t byte_counter_bytes; /* B: bytes sent between two increases (paper); UINT64_MAX = none */
    uint64_t r_ai_bps;           /* additive step; 0 = scaled with the link's rate */
    uint64_t r_hai_bps;          /* hyper step; 0 = scaled with the link's rate */
    uint64_t min_rate_bps;       /* least rate of a flow; 1 Mb/s .. the link's rate */
    uint64_t link_rate_bps;      /* host link for which the marking thresholds are meant; 0 = any */
    uint32_t g_ppb;              /* weight of an interval in alpha, billionths; 100000 .. 10^9 */
    uint32_t fast_stages;        /* F: stages of fast recovery; 1 .. 1000 */
    uint32_t variant;            /* enum weir_dcqcn_variant */
    uint32_t clamp_target;       /* vendor, 1: every cut lowers the target; 0: only the first since an increase */
    uint32_t window;             /* 1: cwnd is the current rate times the base RTT; 0: no limit */
    uint32_t restart;            /* 1: every message begins as a new flow, at line rate */
};

#define WEIR_DCQCN_ONE_Q30 (1u << 30)   /* alpha = 1 */
#define WEIR_DCQCN_STAGE_MAX (1u << 20) /* stages saturate: a step times the stage fits 64 bits */
#define WEIR_DCQCN_AGES_MAX (1u << 20) /* rounds of alpha's timer until alpha is 0: at most 130,000, with g = 1/10000 */
#define WEIR_DCQCN_LAG_PS WEIR_PS_PER_NS /* vendor: a cut follows the update of alpha by this time */

struct weir_dcqcn {          /* one per flow; a packet sent and an unmarked ACK touch the first line alone */
    struct weir_cc cc;       /* rate_bps: R_C. Paced at line rate, too: so the first cut delays the waiting packet */
    uint64_t rc_bps, rt_bps; /* current and target rate; min_rate_bps .. line_bps */
    uint64_t sent_bytes;     /* payload sent since the byte counter's last stage */
    uint64_t inc_ps;         /* when the increase timer expires; WEIR_NEVER = not running */
    uint32_t t_stage, b_stage;
    uint64_t dec_ps;                /* vendor: no cut before this time */
    uint64_t alpha_ps;              /* next expiry of alpha's timer; WEIR_NEVER = no mark yet */
    uint32_t alpha_q30;             /* 0 .. WEIR_DCQCN_ONE_Q30 */
    bool marked_alpha, marked_rate; /* vendor: a mark came since alpha's timer expired last; since the last cut */
    uint64_t line_bps, base_rtt_ps, r_ai_bps, r_hai_bps;
    uint32_t mss_bytes;
};
_Static_assert(offsetof(struct weir_dcqcn, cc) == 0, "host/ casts between the two");
_Static_assert(offsetof(struct weir_dcqcn, dec_ps) == 64, "the first line");

struct weir_dcqcn_rx {        /* paper: one per receiving connection; zeroed at first */
    uint64_t interval_end_ps; /* no CNP is sent before this time */
    bool marked;              /* a CE packet came for which no CNP was sent yet */
};

extern const struct weir_keyword weir_dcqcn_none,
    weir_dcqcn_scaled; /* keywords: "none" of byte_counter, "auto" of r_ai and r_hai */

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
/* Rows of the keys that DCQCN shares with laws that fall back on DCQCN, as Dart. type: the struct of the law's config.
 * in: the path within `type` to a struct weir_dcqcn_config, with a dot at its end (`dcqcn.`); empty if `type` is that
 * struct itself. */
#define WEIR_DCQCN_ROWS(type, in)                                                                                      \
    WEIR_PARAM_NAMED(                                                                                                  \
        "cnp_interval", type, in cnp_interval_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, 100 * WEIR_PS_PER_MS,                \
        50 * WEIR_PS_PER_US,                                                                                           \
        "least time between two CNPs of a flow, or two cuts without CNPs; 50 us in SIGCOMM 2015, 4 us in HPCC's ns-3 " \
        "simulator"),                                                                                                  \
        WEIR_PARAM_NAMED("alpha_timer", type, in alpha_timer_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, 100 * WEIR_PS_PER_MS, \
                         55 * WEIR_PS_PER_US,                                                                          \
                         "K: alpha decays once per such interval without a mark; 55 us in SIGCOMM 2015, 1 us in "      \
                         "HPCC's ns-3 simulator"),                                                                     \
        WEIR_PARAM_NAMED(                                                                                              \
            "increase_timer", type, in increase_timer_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, 100 * WEIR_PS_PER_MS,        \
            55 * WEIR_PS_PER_US,                                                                                       \
            "time between two increases of the rate; 55 us in SIGCOMM 2015, 300 us in HPCC's ns-3 simulator"),         \
        WEIR_PARAM_KEYWORD("byte_counter", type, in byte_counter_bytes, WEIR_KIND_SIZE, 10000, 1000000000000,          \
                           10000000, &weir_dcqcn_none,                                                                 \
                           "with CNPs: an increase after this much was sent, too; 10 MB in SIGCOMM 2015"),             \
        WEIR_PARAM_NAMED("g", type, in g_ppb, WEIR_KIND_PPB, 100000, 1000000000, 3906250,                              \
                         "weight of an interval in alpha; 1/256 = 0.00390625 in SIGCOMM 2015"),                        \
        WEIR_PARAM_NAMED("F", type, in fast_stages, WEIR_KIND_U32, 1, 1000, 5,                                         \
                         "stages of fast recovery; 5 in SIGCOMM 2015, 1 in the ns-3 script"),                          \
        WEIR_PARAM_KEYWORD(                                                                                            \
            "r_ai", type, in r_ai_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0, &weir_dcqcn_scaled,                    \
            "additive step of the target rate; auto = 40 Mb/s at 40 Gb/s (with CNPs), 5 Mb/s at 25 Gb/s "              \
            "(without), scaled with the host link"),                                                                   \
        WEIR_PARAM_KEYWORD(                                                                                            \
            "r_hai", type, in r_hai_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0, &weir_dcqcn_scaled,                  \
            "hyper step; auto = 200 Mb/s at 40 Gb/s (with CNPs: the authors' model), 50 Mb/s at 25 Gb/s "              \
            "(without), scaled with the host link"),                                                                   \
        WEIR_PARAM_NAMED(                                                                                              \
            "min_rate", type, in min_rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 100000000,        \
            "DCQCN slows no flow below this; 100 Mb/s is the ns-3 simulator's default, 1 Gb/s its script's")
/* NOLINTEND(bugprone-macro-parentheses) */

extern const struct weir_cc_ops weir_dcqcn_ops;
extern const struct weir_param weir_dcqcn_params[];
extern const char *const weir_dcqcn_recommends[]; /* core/recommend.h */
extern const struct weir_preset
    weir_dcqcn_presets[]; /* paper-100g (default), -25g, -40g, -200g, -400g; vendor-..; dart, priq */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_dcqcn_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_dcqcn_check(const void *config, const struct weir_path *path, struct weir_err *err);

/* Initialises the state of a sender on this path, at line rate. To be called by weir_cc_ops.init. */
void weir_dcqcn_init(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, const struct weir_path *path);
/* Begins a new flow at line rate, with alpha 1 and all timers stopped. To be called by weir_cc_ops.on_start. */
void weir_dcqcn_begin(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg);
#endif
