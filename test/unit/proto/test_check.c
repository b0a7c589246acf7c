/* test/unit/proto/test_check.c - what the check of each law accepts at a limit, one below it and one above it. A row is a field of
 * the config or of the path, its limit, and which of the three are refused; the sentence begins with, or has, the word `key`. */
#include "test/unit/proto/law_bench.h"
#include "proto/aimd/aimd.h"
#include "proto/cubic/cubic.h"
#include "proto/dart/dart.h"
#include "proto/dcpim/dcpim.h"
#include "proto/dctcp/dctcp.h"
#include "proto/expresspass/expresspass.h"
#include "proto/homa/homa.h"
#include "proto/hpcc/hpcc.h"
#include "proto/ndp/ndp.h"
#include "proto/newreno/newreno.h"
#include "proto/rocc/rocc.h"
#include "proto/sird/sird.h"
#include "proto/soze/soze.h"
#include "proto/swift/swift.h"
#include "proto/timely/timely.h"
#include "registry.h"
#include <stdlib.h>

#define MSS UINT64_C(1000)
enum { WIRE = 1080 };
enum refused { BELOW, UP_TO, FROM, ABOVE }; /* the limit: less, less and it, it and more, more */
#define US UINT64_C(1000000)
#define RATE_BPS UINT64_C(100000000000)
#define GIB (UINT64_C(1) << 30)
#define WINDOW_BYTES (8192 * MSS) /* WEIR_CREDIT_WINDOW_PKTS packets */

static struct weir_path path;
static union {
    struct weir_dcpim_config dcpim;
    struct weir_dctcp_config dctcp;
    struct weir_expresspass_config expresspass;
    struct weir_homa_config homa;
    struct weir_hpcc_config hpcc;
    struct weir_sird_config sird;
    struct weir_soze_config soze;
    struct weir_swift_config swift;
    uint64_t room[256]; /* of any law */
} cfg;

/* Epoch = round = cRTT; half of it, and one packet of 86400 ps, are what tokens may be late. */
static void dcpim_of_one_round(void)
{
    path.control_rtt_ps = 100000;
    cfg.dcpim.rounds = cfg.dcpim.channels = cfg.dcpim.size_rounds = 1;
    cfg.dcpim.beta_ppm = cfg.dcpim.alpha_ppm = 1000000;
}

static void dctcp_of_20_pkts(void)
{
    cfg.dctcp.min_cwnd_pkts = 20;
}

static void expresspass_begins_at_most(void)
{
    cfg.expresspass.w_init_ppm = cfg.expresspass.w_max_ppm = 500000;
}

static void expresspass_between(void)
{
    cfg.expresspass.w_min_ppm = 100000;
    cfg.expresspass.w_max_ppm = 500000;
}

static void expresspass_of_credits(void)
{
    cfg.expresspass.credit_max_bytes = 92;
}

static void homa_of_levels(uint32_t levels)
{
    cfg.homa.priorities = 8;
    cfg.homa.overcommit = 1;
    cfg.homa.unsched_levels = levels;
    cfg.homa.cutoffs.count = levels - 1;
    for (uint32_t i = 0; i < levels - 1; i++)
        cfg.homa.cutoffs.bytes[i] = 1000 + i;
}

static void homa_of_1_level(void)
{
    homa_of_levels(1);
}

static void homa_of_3_levels(void)
{
    homa_of_levels(3);
}

static void homa_of_7_levels(void)
{
    homa_of_levels(7);
}

static void slow_link(void) /* so that a second is less than 1 GiB */
{
    path.rate_bps = 1000000000;
}

static void hpcc_of_a_second(void)
{
    cfg.hpcc.base_rtt_ps = WEIR_PS_PER_S;
}

static void sird_without_floors(void)
{
    cfg.sird.floor[WEIR_SIRD_SENDER].bytes = cfg.sird.floor[WEIR_SIRD_NET].bytes = 1;
}

static void sird_of_16_mb(void)
{
    cfg.sird.bucket.bytes = 16000000;
}

static void sird_without_requests(void)
{
    cfg.sird.unscht.bytes = UINT64_MAX;
}

static void sird_within_prefix(void)
{
    cfg.sird.prefix.bytes = UINT64_MAX;
}

static void one_mbps(void) /* microseconds are bits then */
{
    path.rate_bps = 1000000;
}

static void soze_of_alpha(void)
{
    cfg.soze.alpha_bps = 1000;
}

static void soze_of_beta(void)
{
    cfg.soze.beta_bps = 1000000;
}

static void soze_of_no_delay(void)
{
    path.base_rtt_ps = 1;
}

static void soze_of_phantoms(void)
{
    cfg.soze.signal = WEIR_SOZE_SIGNAL_PHANTOM;
    path.qdelay_is_phantom = true;
}

static void swift_of_most_pkts(void)
{
    cfg.swift.max_cwnd_pkts = WEIR_SWIFT_PKTS_MAX;
    path.mss_bytes = 9000;
}

static void swift_of_100_pkts(void)
{
    cfg.swift.max_cwnd_pkts = 100;
}

static void swift_of_root_1(void) /* 1 / sqrt(0.25) - 1 / sqrt(1) = 1: the paper's alpha is fs_range */
{
    cfg.swift.fs_min_ppm = 250000;
    cfg.swift.fs_max_ppm = 1000000;
}

static void swift_without_range(void)
{
    cfg.swift.fs_range_ps = 1;
}

static void swift_without_hops(void)
{
    cfg.swift.hop_ps = 0;
}

#define KEY(law, member)                                                                                               \
    offsetof(struct weir_##law##_config, member), sizeof(((struct weir_##law##_config *)0)->member), false
#define PATH(member) offsetof(struct weir_path, member), sizeof(((struct weir_path *)0)->member), true

static const struct row {
    const char *law, *key;
    size_t offset, bytes;
    bool is_path;
    uint64_t limit;
    enum refused refused;
    uint32_t step;        /* the neighbours of the limit are so far away; 0 = 1 */
    void (*before)(void); /* NULL = all else is as it is without keys */
} rows[] = {
    { "aimd", "threshold", PATH(qdelay_most_ps), 20 * US, UP_TO, 0, NULL },
    { "aimd", "init_cwnd", KEY(aimd, init_cwnd.bytes), MSS, BELOW, 0, NULL },
    { "cubic", "init_cwnd", KEY(cubic, init_cwnd.bytes), MSS, BELOW, 0, NULL },
    { "cubic", "init_cwnd", KEY(cubic, init_cwnd.bytes), GIB, ABOVE, 0, NULL },
    { "cubic", "ssthresh", KEY(cubic, ssthresh.bytes), GIB, ABOVE, 0, NULL },
    { "dart", "min_rate", KEY(dart, dcqcn.min_rate_bps), RATE_BPS, ABOVE, 0, NULL },
    { "dart", "byte_counter", KEY(dart, dcqcn.byte_counter_bytes), MSS, BELOW, 0, NULL },
    { "dart", "t_soft", KEY(dart, t_soft_ps), 12 * US, UP_TO, 0, NULL },
    { "dcpim", "control_rtt", KEY(dcpim, control_rtt_ps), 10 * US, BELOW, 0, NULL },
    { "dcpim", "rounds", KEY(dcpim, control_rtt_ps), 172800, UP_TO, 2, dcpim_of_one_round },
    { "dcpim", "size_rounds", KEY(dcpim, size_rounds), 4, ABOVE, 0, NULL },
    { "dcpim", "short", KEY(dcpim, short_max.bytes), UINT64_C(8192) * WIRE, ABOVE, WIRE, NULL },
    { "dcpim", "short", KEY(dcpim, short_max.bytes), UINT64_C(8192) * WIRE, ABOVE, 0, NULL },
    { "dcpim", "window", KEY(dcpim, window.bytes), UINT64_C(8192) * WIRE, ABOVE, WIRE, NULL },
    { "dcpim", "loss_timeout", KEY(dcpim, loss_ps), 24 * US, BELOW, 0, NULL },
    { "dcqcn", "min_rate", KEY(dcqcn, min_rate_bps), RATE_BPS, ABOVE, 0, NULL },
    { "dcqcn", "byte_counter", KEY(dcqcn, byte_counter_bytes), MSS, BELOW, 0, NULL },
    { "dctcp", "init_cwnd", KEY(dctcp, init_cwnd.bytes), MSS, BELOW, 0, NULL },
    { "dctcp", "max_cwnd", KEY(dctcp, max_cwnd.bytes), GIB, ABOVE, 0, NULL },
    { "dctcp", "ssthresh", KEY(dctcp, ssthresh.bytes), GIB, ABOVE, 0, NULL },
    { "dctcp", "init_cwnd", KEY(dctcp, max_cwnd.bytes), 14600, BELOW, 0, NULL },
    { "dctcp", "min_cwnd", KEY(dctcp, max_cwnd.bytes), 20 * MSS, BELOW, 0, dctcp_of_20_pkts },
    { "expresspass", "w_min", KEY(expresspass, w_min_ppm), 500000, ABOVE, 0, expresspass_begins_at_most },
    { "expresspass", "w_init", KEY(expresspass, w_init_ppm), 100000, BELOW, 0, expresspass_between },
    { "expresspass", "w_init", KEY(expresspass, w_init_ppm), 500000, ABOVE, 0, expresspass_between },
    { "expresspass", "credit_min", KEY(expresspass, credit_min_bytes), 92, ABOVE, 0, expresspass_of_credits },
    { "expresspass", "request_timeout", KEY(expresspass, request_ps), 12 * US, BELOW, 0, NULL },
    { "expresspass", "idle_timeout", KEY(expresspass, idle_ps), 24 * US, BELOW, 0, NULL },
    { "expresspass", "topology.bdp", PATH(bdp_bytes), (UINT64_C(1) << (WEIR_EXPRESSPASS_SEQ_BITS - 1)) * MSS, FROM, MSS,
      NULL },
    { "homa", "unsched_max", KEY(homa, unsched.bytes), WINDOW_BYTES, ABOVE, 0, homa_of_1_level },
    { "homa", "window", KEY(homa, window.bytes), WINDOW_BYTES, ABOVE, 0, homa_of_1_level },
    { "homa", "window", KEY(homa, window.bytes), WIRE, BELOW, 0, homa_of_1_level },
    { "homa", "cutoff_cap", KEY(homa, cutoff_cap.bytes), WINDOW_BYTES, FROM, 0, homa_of_1_level },
    { "homa", "loss_timeout", KEY(homa, loss_ps), 24 * US, BELOW, 0, homa_of_1_level },
    { "homa", "unsched_levels", KEY(homa, priorities), 7, UP_TO, 0, homa_of_7_levels },
    { "homa", "overcommit", KEY(homa, overcommit), 7, ABOVE, 0, homa_of_1_level },
    { "homa", "cutoffs", KEY(homa, cutoffs.bytes[1]), 1000, UP_TO, 0, homa_of_3_levels },
    { "hpcc", "base_rtt", KEY(hpcc, base_rtt_ps), 12 * US, BELOW, 0, NULL },
    { "hpcc", "base_rtt", KEY(hpcc, base_rtt_ps), WEIR_PS_PER_S, ABOVE, 0, slow_link },
    { "hpcc", "base_rtt", PATH(rate_bps), 666666667, BELOW, 666667, NULL }, /* 1000 B in 12 us */
    { "hpcc", "base_rtt", PATH(rate_bps), 8 * GIB, ABOVE, 8, hpcc_of_a_second },
    { "hpcc", "min_rate", KEY(hpcc, min_rate_bps), RATE_BPS, ABOVE, 0, NULL },
    { "ndp", "window", KEY(ndp, window.bytes), MSS, BELOW, 0, NULL },
    { "ndp", "window", KEY(ndp, window.bytes), WINDOW_BYTES, ABOVE, MSS, NULL },
    { "ndp", "loss_timeout", KEY(ndp, loss_ps), 24 * US, BELOW, 0, NULL },
    { "newreno", "init_cwnd", KEY(newreno, init_cwnd.bytes), MSS, BELOW, 0, NULL },
    { "newreno", "init_cwnd", KEY(newreno, init_cwnd.bytes), GIB, ABOVE, 0, NULL },
    { "newreno", "ssthresh", KEY(newreno, ssthresh.bytes), GIB, ABOVE, 0, NULL },
    { "rocc", "min_rate", KEY(rocc, min_rate_bps), RATE_BPS, ABOVE, 0, NULL },
    { "rocc", "recovery", KEY(rocc, recovery_ps), 40 * US, UP_TO, 0, NULL },
    { "sird", "BDP", PATH(bdp_bytes), 2 * MSS, BELOW, 0, sird_without_floors },
    { "sird", "BDP", PATH(bdp_bytes), WINDOW_BYTES, ABOVE, 0, sird_of_16_mb },
    { "sird", "B", KEY(sird, bucket.bytes), 150000, BELOW, 0, NULL },
    { "sird", "B", KEY(sird, bucket.bytes), 8 * GIB, ABOVE, 0, NULL },
    { "sird", "sender_floor", KEY(sird, floor[WEIR_SIRD_SENDER].bytes), 150000, ABOVE, 0, NULL },
    { "sird", "net_floor", KEY(sird, floor[WEIR_SIRD_NET].bytes), 150000, ABOVE, 0, NULL },
    { "sird", "unsched_max", KEY(sird, prefix.bytes), WINDOW_BYTES, ABOVE, 0, sird_without_requests },
    { "sird", "UnschT", KEY(sird, unscht.bytes), WINDOW_BYTES, ABOVE, 0, sird_within_prefix },
    { "sird", "loss_timeout", KEY(sird, loss_ps), 24 * US, BELOW, 0, NULL },
    { "sird", "loss_timeout", KEY(sird, loss_ps), 8 * GIB *US, ABOVE, US, one_mbps },
    { "soze", "alpha", KEY(soze, beta_bps), 1000, FROM, 0, soze_of_alpha },
    { "soze", "alpha", KEY(soze, alpha_bps), 1001000, BELOW, 0, soze_of_beta },
    { "soze", "min_rate", KEY(soze, min_rate_bps), RATE_BPS, ABOVE, 0, NULL },
    { "soze", "start_rate", KEY(soze, start_rate_bps), RATE_BPS, ABOVE, 0, NULL },
    { "soze", "p", PATH(qdelay_most_ps), 23 * US, BELOW, 0, NULL }, /* k + p */
    { "soze", "m", KEY(soze, m_ppm), 2000000, FROM, 0, soze_of_no_delay },
    { "soze", "p", KEY(soze, p.ps), 3947288, UP_TO, 0, NULL },              /* 12 us ln(100) 0.25 / 3.5 */
    { "soze", "p", KEY(soze, p.ps), 35180908, UP_TO, 0, soze_of_phantoms }, /* 12 us ln(100) 2 / pi */
    { "swift", "init_cwnd", KEY(swift, init_cwnd.bytes), MSS, BELOW, 0, NULL },
    { "swift", "init_cwnd", KEY(swift, init_cwnd.bytes), GIB, ABOVE, 0, swift_of_most_pkts },
    { "swift", "init_cwnd", KEY(swift, init_cwnd.bytes), 100 * MSS, ABOVE, 0, swift_of_100_pkts },
    { "swift", "fs_min", KEY(swift, fs_min_ppm), 100000000, FROM, 0, swift_without_range },
    { "swift", "fs_range", KEY(swift, fs_range_ps), (UINT64_C(1) << 40) - 1, ABOVE, 0, swift_of_root_1 },
    { "swift", "base_target", KEY(swift, base_target_ps), UINT32_MAX, ABOVE, 0, swift_without_hops },
    { "swift", "base_target", KEY(swift, base_target_ps), 12 * US, UP_TO, 0, swift_without_hops },
    { "timely", "t_high", KEY(timely, t_high_ps), 50 * US, BELOW, 0, NULL },
    { "timely", "t_low", KEY(timely, t_low_ps), 12 * US, UP_TO, 0, NULL },
    { "timely", "min_rate", KEY(timely, min_rate_bps), RATE_BPS, ABOVE, 0, NULL },
};

/* Everything as it is without keys, on a path of three switches. */
static void set_up(const struct weir_protocol *law)
{
    path = (struct weir_path){ .base_rtt_ps = 12 * US,
                               .control_rtt_ps = 10 * US,
                               .rate_bps = RATE_BPS,
                               .bdp_bytes = 150000,
                               .mss_bytes = MSS,
                               .wire_bytes = WIRE,
                               .hops = 3 };
    assert_true(law->config_bytes <= sizeof(cfg));
    weir_param_defaults(law->params, &cfg);
    weir_param_resolve_bdp(law->params, &cfg, path.bdp_bytes);
    weir_param_resolve_rtt(law->params, &cfg, path.base_rtt_ps);
}

/* What the check says if the row's field has this value; NULL = it is accepted. */
static const char *said_at(const struct row *row, const struct weir_protocol *law, uint64_t value)
{
    static struct weir_err err;
    char *field;
    set_up(law);
    if (row->before != NULL)
        row->before();
    field = (row->is_path ? (char *)&path : (char *)&cfg) + row->offset;
    if (row->bytes == sizeof(uint32_t)) {
        uint32_t narrow = (uint32_t)value;
        memcpy(field, &narrow, sizeof(narrow));
    } else {
        assert_int_equal(row->bytes, sizeof(value));
        memcpy(field, &value, sizeof(value));
    }
    return law->check(&cfg, &path, &err) == 0 ? NULL : err.text;
}

static bool is_refused(enum refused refused, int at)
{
    return refused == BELOW ? at < 0 : refused == UP_TO ? at <= 0 : refused == FROM ? at >= 0 : at > 0;
}

static void each_limit_is_where_it_is_said(void **state)
{
    uint32_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct weir_protocol *law = weir_protocols;
        uint64_t step = rows[i].step != 0 ? rows[i].step : 1;
        while (law->name != NULL && strcmp(law->name, rows[i].law) != 0)
            law++;
        assert_non_null(law->name);
        for (int at = -1; at <= 1; at++) {
            const char *said = said_at(&rows[i], law, rows[i].limit + (uint64_t)at * step);
            bool fits =
                is_refused(rows[i].refused, at) ? said != NULL && refusal_names(said, rows[i].key) : said == NULL;
            if (!fits)
                print_message("%s, row %zu, limit %+d: %s\n", rows[i].law, i, at, said != NULL ? said : "accepted");
            wrong += !fits;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_limit_is_where_it_is_said) };
    return cmocka_run_group_tests_name("proto/check", tests, NULL, NULL);
}
