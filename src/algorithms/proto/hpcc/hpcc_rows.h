/* src/algorithms/proto/hpcc/hpcc_rows.h - the keys of HPCC, as rows for HPCC's table and for laws whose config begins
 * with a struct weir_hpcc_config. A file with such a table includes proto/hpcc/hpcc.h, too. */
#ifndef WEIR_PROTO_HPCC_ROWS_H
#define WEIR_PROTO_HPCC_ROWS_H
#include "core/param.h"
#include "core/units.h"

static const struct weir_keyword weir_hpcc_auto = { "auto", 0 };
static const char *const weir_hpcc_formats[] = { "exact", "quantised", NULL };

/* clang-format off */
#define WEIR_HPCC_ROWS \
    WEIR_PARAM_NAMED("eta", struct weir_hpcc_config, eta_ppm, WEIR_KIND_PPM, 500000, 1000000, 950000, \
                     "utilisation the busiest hop is brought to; 0.95 in SIGCOMM 2019"), \
    WEIR_PARAM_NAMED("max_stage", struct weir_hpcc_config, max_stage, WEIR_KIND_U32, 0, 255, 5, \
                     "additive steps before a multiplicative one; 5 in SIGCOMM 2019, 0 (always multiplicative) in " \
                     "the ns-3 script"), \
    WEIR_PARAM_NAMED("w_ai", struct weir_hpcc_config, w_ai_bytes, WEIR_KIND_SIZE32, 0, 1000000, 80, \
                     "additive step of the window per round trip; 80 B in SIGCOMM 2019, at most W_init (1 - eta) / N " \
                     "for N flows"), \
    WEIR_PARAM_KEYWORD("base_rtt", struct weir_hpcc_config, base_rtt_ps, WEIR_KIND_TIME, 1, WEIR_PS_PER_S, 0, \
                    &weir_hpcc_auto, "T, the same for all flows; auto = the base round trip of the longest path"), \
    WEIR_PARAM_NAMED("min_rate", struct weir_hpcc_config, min_rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, \
                     WEIR_RATE_MAX_BPS, 100000000, \
                     "no flow is slowed below this; 100 Mb/s is the ns-3 simulator's default, 1 Gb/s its script's"), \
    WEIR_PARAM_CHOICE("int", struct weir_hpcc_config, int_format, weir_hpcc_formats, WEIR_HPCC_EXACT, \
                      "what the records hold: exact counts, or 24 bits of 1 ns and 20 bits of 128 B that begin " \
                      "again"), \
    WEIR_PARAM_KEYWORD("int_multi", struct weir_hpcc_config, int_multi, WEIR_KIND_U32, 0, 64, 0, &weir_hpcc_auto, \
                    "quantised: the byte units of a record are this many times 128 and 80 B; auto = the host link's " \
                    "rate in 25 Gb/s"), \
    WEIR_PARAM_NAMED("restart", struct weir_hpcc_config, restart, WEIR_KIND_FLAG, 0, 1, 1, \
                     "every message begins as a new flow at line rate: a queue pair per message, as in the papers' " \
                     "runs"), \
    WEIR_PARAM_NAMED("pace_only", struct weir_hpcc_config, pace_only, WEIR_KIND_FLAG, 0, 1, 0, \
                     "bytes in flight are not limited, only the pace W / T is; SIGCOMM 2019 has both limits")
/* clang-format on */
#endif
