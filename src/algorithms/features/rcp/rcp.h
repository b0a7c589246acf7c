/* src/algorithms/features/rcp/rcp.h - RCP in the switch: each port computes one rate for all flows that leave by it,
 * and lowers the rate field of DATA to it.
 * Sources: Dukkipati et al., "Processor Sharing Flows in the Internet", IWQoS 2005, equation 1; the authors' public
 * ns-2 module.
 * Departs from them:
 * - All ports of a run take their steps at the same times, multiples of one constant T; in the sources T follows the
 *   moving average d0.
 * - A packet counts as arrived when it joins the port; dropped packets do not count.
 * - Packets carry the sender's round trip to a part in 64 and the rate to a part in 2048: core/rcp_code.h.
 * Equations: rcp_core.h; rules: doc/model.md [rcp]. */
#ifndef WEIR_FEATURES_RCP_RCP_H
#define WEIR_FEATURES_RCP_RCP_H
#include <stdint.h>

struct weir_feature;

enum weir_rcp_mode { WEIR_RCP_AUTO, WEIR_RCP_OFF }; /* AUTO: on if the protocol needs it */

struct weir_rcp_port_config { /* section `fabric.rcp`; the ppm keys: see struct weir_rcp_port_model */
    uint64_t period_ps;       /* T; 0 = the base round trip */
    uint32_t mode;            /* enum weir_rcp_mode */
    uint32_t alpha_ppm, beta_ppm, gamma_ppm, floor_ppm, init_ppm;
};

struct weir_rcp_port_model { /* parameters of all ports */
    uint64_t period_ps;      /* T; 1 .. base_rtt_ps */
    uint64_t base_rtt_ps;    /* initial value of d0 */
    uint64_t unit_ps;        /* unit of the round trips in DATA: weir_rcp_rtt_unit_ps() */
    uint32_t alpha_ppm;      /* gain of unused capacity, millionths; 0 .. 2000000 */
    uint32_t beta_ppm;       /* gain of the queue; 0 .. 2000000 */
    uint32_t gamma_ppm;      /* target utilisation of the link; 1000 .. 1000000 */
    uint32_t floor_ppm;      /* least rate in packets of 1000 B per d0, millionths; 0 .. 100000000 */
    uint32_t init_ppm;       /* initial rate as a share of the link; 1 .. 1000000 */
    uint8_t foreign_laws;    /* bit k: packets of law k have no field for rates */
};

struct weir_rcp_port {             /* state of a port */
    uint64_t rate_bps;             /* R; from the floor to target_bps */
    uint64_t d0_ps;                /* moving average of round trips; at least unit_ps */
    uint64_t bytes;                /* wire bytes of joined packets that count at the next step */
    uint64_t bytes_later;          /* wire bytes of joined packets that count at the step after it */
    uint64_t rtt_bytes;            /* wire bytes of DATA with a round trip that joined since the last step */
    uint64_t rtt_products;         /* sum over that DATA of wire bytes times round trip in units */
    uint64_t line_bps, target_bps; /* C, gamma C */
    uint32_t stamp;                /* weir_rcp_stamp(rate_bps) */
};

extern const struct weir_feature weir_rcp_feature;
#endif
