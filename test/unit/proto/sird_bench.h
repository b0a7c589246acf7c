/* test/unit/proto/sird_bench.h - what the tests of SIRD stand on: a network of 100 Gb/s and 100 KB, the presets as a
 * scenario would set them, and the least of an end host: it counts packets, nothing else. */
#ifndef WEIR_TEST_SIRD_BENCH_H
#define WEIR_TEST_SIRD_BENCH_H
#include "core/credit_ops.h"
#include "test/unit/proto/law_bench.h"
#include "proto/sird/sird_core.h"
#include "proto/sird/sird_parts.h"

enum { MSS = 1458, M = 1538, BDP = 100000, PEERS = 8, MSGS = 64 };
#define M_PS UINT64_C(123040) /* 1538 bytes at 100 Gb/s */

static struct weir_sird_config cfg;
static struct weir_limits limits;
static struct weir_sird_host host;
static struct weir_sird_peer peer[PEERS];
static struct weir_sird_tx tx[MSGS];
static struct weir_sird_rx rx[MSGS];
static uint32_t tx_count, rx_count;
static const struct weir_credit_ops *const sird = &weir_sird_ops;

/* One key of section `protocol`, as a scenario says it. */
static inline void set(const char *key, const char *value)
{
    struct weir_tok tok = { .text = value };
    struct weir_err err = { 0 };
    const struct weir_param *row = weir_param_find(weir_sird_params, key);
    assert_non_null(row);
    assert_int_equal(weir_param_set(row, &tok, &cfg, &err), 0);
    weir_param_resolve_bdp(weir_sird_params, &cfg, BDP);
}

/* The preset's values of section `protocol`; those of other sections are not the protocol's. */
static inline void use_preset(const struct weir_preset *preset)
{
    cfg = (struct weir_sird_config){ 0 };
    weir_param_defaults(weir_sird_params, &cfg);
    for (const char *const *line = preset->values; *line != NULL; line++) {
        char key[64];
        const char *colon = strchr(*line, ':');
        assert_in_range(colon - *line, 1, sizeof(key) - 1);
        memcpy(key, *line, (size_t)(colon - *line));
        key[colon - *line] = '\0';
        if (strchr(key, '.') == NULL && strcmp(key, "framing") != 0)
            set(key, colon + 2);
    }
    weir_param_resolve_bdp(weir_sird_params, &cfg, BDP);
}

static inline void start(void)
{
    limits = (struct weir_limits){
        .path = { .base_rtt_ps = 7500000, .rate_bps = 100000000000, .bdp_bytes = BDP, .mss_bytes = MSS },
        .framing = { MSS, 60, 20, 84, 84 },
        .ps_per_kbyte = 80000,
    };
    assert_null(law_check(weir_sird_check, &cfg, &limits.path));
    memset(&host, 0, sizeof(host));
    memset(peer, 0, sizeof(peer));
    memset(tx, 0, sizeof(tx));
    memset(rx, 0, sizeof(rx));
    tx_count = rx_count = 0;
    sird->init(&cfg, &host, &limits);
    for (uint32_t i = 0; i < PEERS; i++)
        sird->peer_init(&cfg, &host, &peer[i]);
}

static inline int setup_paper(void **state)
{
    (void)state;
    use_preset(&weir_sird_presets[0]);
    start();
    return 0;
}

static inline int setup_ns2(void **state)
{
    (void)state;
    use_preset(&weir_sird_presets[1]);
    start();
    return 0;
}

static inline uint32_t wire(uint64_t payload)
{
    return weir_framing_wire(&limits.framing, (uint32_t)payload);
}

static inline uint32_t payload_next(uint64_t bytes, uint64_t done_pkts)
{
    return (uint32_t)weir_min_u64(bytes - weir_min_u64(bytes, done_pkts * MSS), MSS);
}

/* --- sender half --- */

static uint64_t tx_bytes[MSGS];

static inline void tx_show(struct weir_sird_tx *m)
{
    uint32_t next = payload_next(tx_bytes[m - tx], m->msg.next);
    m->msg.next_wire_bytes = m->msg.again_pkts > 0 ? M : next > 0 ? wire(next) : 0;
}

static inline struct weir_sird_tx *message(uint32_t to, uint64_t bytes)
{
    struct weir_sird_tx *m = &tx[tx_count];
    tx_bytes[tx_count] = bytes;
    m->msg =
        (struct weir_tx_msg){ .left_bytes = bytes, .pkts = (uint32_t)((bytes + MSS - 1) / MSS), .order = tx_count++ };
    tx_show(m);
    sird->tx_message(&cfg, &host, &peer[to], m, 0);
    return m;
}

static inline void credit(uint32_t from, uint32_t granted_total)
{
    sird->tx_credit(&cfg, &host, &peer[from], NULL, &(struct weir_credit){ .sequence = granted_total });
}

/* One packet leaves. @return false = none may */
static inline bool send(struct weir_send *out)
{
    struct weir_sird_tx *m;
    bool ready = sird->tx_ready(&host);
    assert_int_equal(sird->tx_next(&cfg, &host, 0, out), ready);
    if (!ready)
        return false;
    m = out->tx;
    if (m->msg.again_pkts > 0) {
        m->msg.again_pkts--;
        m->msg.left_bytes -= MSS;
    } else {
        m->msg.left_bytes -= payload_next(tx_bytes[m - tx], m->msg.next++);
    }
    tx_show(m);
    sird->tx_sent(&cfg, &host, out->peer, m);
    return true;
}

/* The receiver a packet leaves for; PEERS = none may. */
static inline uint32_t send_to(void)
{
    struct weir_send out;
    return send(&out) ? (uint32_t)((struct weir_sird_peer *)out.peer - peer) : PEERS;
}

/* --- receiver half --- */

static uint64_t rx_bytes[MSGS];
static uint32_t rx_granted[MSGS]; /* packets unscheduled or credited */

static inline void rx_show(struct weir_sird_rx *m)
{
    uint32_t next = payload_next(rx_bytes[m - rx], rx_granted[m - rx]);
    m->msg.grant_wire_bytes = next > 0 ? wire(next) : 0;
}

static inline struct weir_sird_rx *arriving(uint32_t from, uint64_t bytes, uint32_t unsched_pkts)
{
    struct weir_sird_rx *m = &rx[rx_count];
    uint64_t unsched = weir_min_u64(bytes, (uint64_t)unsched_pkts * MSS);
    rx_bytes[rx_count] = bytes;
    rx_granted[rx_count] = unsched_pkts;
    m->msg = (struct weir_rx_msg){ .left_bytes = bytes,
                                   .ungranted_bytes = bytes - unsched,
                                   .pkts = (uint32_t)((bytes + MSS - 1) / MSS),
                                   .unsched_pkts = unsched_pkts,
                                   .order = rx_count++ };
    for (uint64_t at = 0; at < unsched; at += MSS)
        m->msg.unsched_wire_bytes += wire(weir_min_u64(unsched - at, MSS));
    rx_show(m);
    sird->rx_message(&cfg, &host, &peer[from], m, 0);
    return m;
}

/* A credit goes out at this instant. @return false = none may */
static inline bool grant(uint64_t now_ps, struct weir_grant *out)
{
    struct weir_sird_rx *m;
    if (sird->rx_next_ps(&cfg, &host, now_ps) > now_ps)
        return false;
    assert_true(sird->rx_next(&cfg, &host, now_ps, out));
    m = out->rx;
    m->msg.ungranted_bytes -= payload_next(rx_bytes[m - rx], rx_granted[m - rx]++);
    rx_show(m);
    sird->rx_granted(&cfg, &host, out, now_ps);
    return true;
}

/* The next credit, whenever it may go. @return the sender it is for; PEERS = nobody may have any */
static inline uint32_t grant_to(void)
{
    static uint64_t now_ps;
    struct weir_grant out;
    uint64_t at_ps = sird->rx_next_ps(&cfg, &host, now_ps);
    if (at_ps == WEIR_NEVER)
        return PEERS;
    now_ps = at_ps;
    assert_true(grant(now_ps, &out));
    return (uint32_t)((struct weir_sird_peer *)out.peer - peer);
}

/* A DATA packet of a message, or of none (NULL). */
static inline void data(uint32_t from, struct weir_sird_rx *m, uint32_t payload, uint32_t spent_total, uint32_t flags)
{
    struct weir_data d = { .wire_bytes = wire(payload), .sequence = spent_total, .flags = flags | WEIR_DATA_PAYLOAD };
    d.payload_bytes = flags & WEIR_DATA_KNOWN ? 0 : payload;
    if (m != NULL)
        m->msg.left_bytes -= d.payload_bytes;
    sird->rx_packet(&cfg, &host, &peer[from], m, &d);
}
#endif
