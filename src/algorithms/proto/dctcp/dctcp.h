/* src/algorithms/proto/dctcp/dctcp.h - DCTCP sender: cuts the window in proportion to the share of marked bytes.
 * Source: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, equations 1 and 2; RFC 8257; RFC 5681 for losses.
 * Departs from the paper: it counts bytes, not packets (as the RFC does), so a short last packet counts with its size.
 * host/ echoes CE per packet unless acknowledgements are delayed. SIRD's evaluation (NSDI 2025) compares with DCTCP in
 * ns-2: each difference of those runs has a key, and preset ns2 sets these keys together. */
#ifndef WEIR_PROTO_DCTCP_H
#define WEIR_PROTO_DCTCP_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

struct weir_dctcp_config {      /* one per run, read-only once weir_dctcp_check() has accepted it */
    struct weir_size init_cwnd; /* window of a new flow; 1 MSS .. WEIR_CWND_MAX_BYTES */
    struct weir_size max_cwnd;  /* largest window; init_cwnd .. WEIR_CWND_MAX_BYTES */
    struct weir_size ssthresh;  /* of a new flow; 64 .. WEIR_CWND_MAX_BYTES */
    uint32_t g_ppm;             /* weight of the latest window in alpha, millionths; 1 .. 1000000 */
    uint32_t init_alpha_ppm;    /* alpha of a new flow, millionths; 0 .. 1000000 */
    uint32_t min_cwnd_pkts;     /* least window after a cut, packets; 1 .. 64 */
    uint32_t restart;           /* 1: every message begins with init_cwnd; 0: the window is kept */
    uint32_t grow_always;       /* 1: grows with every ACK that does not cut; 0: not while a cut window drains or the
                                   application is the limit */
};

#define WEIR_DCTCP_ONE_Q20 (1u << 20) /* alpha = 1: every byte was marked */

struct weir_dctcp {                       /* one per flow; on_ack() touches this cache line, the config and the event */
    struct weir_cc cc;                    /* first: the host holds a pointer to it */
    uint64_t window_end_seq;              /* the observation window closes when this offset is acked */
    uint64_t cwr_end_seq;                 /* no second cut for marks before this offset is acked */
    uint32_t acked_bytes, marked_bytes;   /* in this observation window: delivered, and of those CE-marked; saturate */
    uint32_t alpha_q20;                   /* averaged marked share, 0 .. WEIR_DCTCP_ONE_Q20 */
    uint32_t ssthresh_bytes, grown_bytes; /* grown: delivered after slow start since the last + 1 MSS */
    uint16_t mss_bytes;
    bool cut_for_loss; /* the latest cut was for a loss, not for marks */
};
_Static_assert(offsetof(struct weir_dctcp, cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_dctcp) <= 64, "one cache line; TCP's BPF hook would allow 104");

extern const struct weir_cc_ops weir_dctcp_ops;       /* all that host/ and the simulator know of DCTCP */
extern const struct weir_param weir_dctcp_params[];   /* keys, ranges, defaults, sources */
extern const struct weir_preset weir_dctcp_presets[]; /* rfc8257 (default), sigcomm2010, ns2, dart */
extern const char *const weir_dctcp_recommends[];     /* core/recommend.h */

/**
 * Checks the window sizes against each other and against the path.
 * @param config  struct weir_dctcp_config, with sizes resolved to bytes
 * @param path    mss_bytes 64..9216
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_dctcp_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
