/* src/algorithms/proto/hpcc/hpcc.h - HPCC sender: the window follows the telemetry of the busiest hop.
 * Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1 in its window form. Details
 * that the paper leaves open are taken from the authors' public ns-3 simulator. They are keys, which preset ns3 sets
 * together.
 * Departs from the paper: the smoothed U saturates at WEIR_HPCC_U_MAX_Q30. With exact telemetry, a record older than
 * the last one of its hop (a reordered ACK) is stored but gives no measurement. A window below one packet admits one
 * packet, and the pace alone slows the flow down to that window. Not implemented: separate windows per hop, and sampled
 * feedback (both off in the simulator's scripts). */
#ifndef WEIR_PROTO_HPCC_H
#define WEIR_PROTO_HPCC_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"
#include "core/telemetry.h"

enum weir_hpcc_int { WEIR_HPCC_EXACT, WEIR_HPCC_QUANTISED };

struct weir_hpcc_config {  /* one per run, read-only once weir_hpcc_check() has accepted it */
    uint64_t base_rtt_ps;  /* T; path->base_rtt_ps .. 1 s; 0 = path->base_rtt_ps */
    uint64_t min_rate_bps; /* least pace of a flow; 1 Mb/s .. the link's rate */
    uint32_t eta_ppm;      /* target utilisation, millionths; 500000 .. 1000000 */
    uint32_t max_stage;    /* additive steps before a multiplicative one; 0 .. 255 */
    uint32_t w_ai_bytes;   /* W_AI, additive step of the window; 0 .. 1000000 */
    uint32_t int_format;   /* enum weir_hpcc_int: the format of the switches' records */
    uint32_t int_multi;    /* quantised: the byte units are this many times 128 and 80 B; 0 = by the link's rate */
    uint32_t restart;      /* 1: every message begins as a new flow, at line rate */
    uint32_t pace_only;    /* 1: the window sets the pace W / T, and does not limit bytes in flight */
};

#define WEIR_HPCC_ONE_Q30 (UINT64_C(1) << 30)   /* U = 1: one BDP in flight at the busiest hop */
#define WEIR_HPCC_U_MAX_Q30 (UINT64_C(1) << 44) /* 16384 BDPs; keeps sums and products in 64 bits */

/* Time and sent bytes in exact records are modulo these values. Laws use differences only. */
#define WEIR_HPCC_TS_WRAP_EXACT (UINT64_C(1) << WEIR_TELEMETRY_TS_BITS)
#define WEIR_HPCC_TX_WRAP_EXACT (UINT64_C(1) << WEIR_TELEMETRY_TX_BITS)

struct weir_hpcc_hop { /* L[i] of the paper: the last record of a hop */
    uint64_t ts_ps, tx_bytes;
    uint32_t queue_bytes;
    uint32_t ps_per_byte; /* of the hop's link; 0 = not a whole number */
};

struct weir_hpcc {       /* one per flow: a cache line for every ACK, another line, then the hops of the path */
    struct weir_cc cc;   /* first: the host holds a pointer to it */
    uint64_t u_q30;      /* smoothed inflight bytes of the busiest hop, in BDPs; 0 .. WEIR_HPCC_U_MAX_Q30 */
    uint64_t update_seq; /* W^c holds until a byte beyond this is acked */
    uint64_t base_rtt_ps;
    uint64_t tx_wrap_bytes;   /* modulus of tx_bytes in records; also distinguishes exact from quantised */
    uint32_t wc_bytes;        /* W^c, the reference window; min_bytes .. init_bytes */
    uint16_t path_id;         /* of the records in hop[] */
    uint8_t hop_count, stage; /* hop_count: 0 = no record yet; stage: incStage, 0 .. max_stage */
    uint64_t line_bps;        /* the host's link: the pace at init_bytes */
    uint32_t init_bytes;      /* W_init = line_bps * T: the first and the largest window; .. 2^30 */
    uint32_t min_bytes;       /* least W; 1 .. init_bytes */
    uint32_t cwnd_min_bytes;  /* least cwnd: one packet, or with pace_only WEIR_CWND_MAX_BYTES */
    uint32_t busy_hop : 4;    /* busiest hop at the latest new record .. */
    uint32_t busy_u_q16 : 28; /* .. and u of that hop then; saturates */
    struct weir_hpcc_hop hop[WEIR_TELEMETRY_HOPS_MAX];
};
_Static_assert(offsetof(struct weir_hpcc, cc) == 0, "host/ casts between the two");
_Static_assert(offsetof(struct weir_hpcc, line_bps) == 64, "what every ACK touches is one line");
_Static_assert(sizeof(struct weir_hpcc_hop) == 24, "five hops in two lines");

extern const struct weir_cc_ops weir_hpcc_ops;
extern const struct weir_param weir_hpcc_params[];
extern const struct weir_preset weir_hpcc_presets[]; /* sigcomm2019 (default), ns3 */
extern const char *const weir_hpcc_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_hpcc_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_hpcc_check(const void *config, const struct weir_path *path, struct weir_err *err);

/* Returns the format of the telemetry records that HPCC reads, from its keys int and int_multi. config: a struct
 * weir_hpcc_config, or a struct that begins with one */
struct weir_telemetry_read weir_hpcc_telemetry(const void *config);

/* Initialises the state of a flow on this path: at line rate, without any record. Laws built on HPCC call it, too.
 * config: a struct weir_hpcc_config, or a struct that begins with one */
void weir_hpcc_init(struct weir_cc *cc, const void *config, const struct weir_path *path);
/* Begins a new flow at line rate, without any record, if the key restart is set; else does nothing. Laws built on HPCC
 * call it, too. */
void weir_hpcc_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps);
#endif
