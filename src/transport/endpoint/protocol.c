/* src/transport/endpoint/protocol.c - reads opts.cc: the protocol of an endpoint and its keys, as in a scenario. */
#include "endpoint/protocol.h"
#include "endpoint/area.h"
#include "core/cc.h"
#include "core/credit_ops.h"
#include "core/err.h"
#include "core/feature.h"
#include "endpoint/memory.h"
#include "endpoint/protocol_text.h"
#include "param/param.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNNING "aimd, cubic, dart, dcqcn, dctcp, fncc, homa, hpcc, ndp, newreno, sird, soze, swift, timely"

/* Timeouts of sender-driven protocols. A process that has to wait for its processor answers milliseconds later, which
 * is no loss; the defaults of simulated hosts are 1 and 5 ms. */
#define RTO_MIN_PS (10 * WEIR_PS_PER_MS)
#define RTO_INIT_PS (50 * WEIR_PS_PER_MS)
/* Two tries at least within the second after which a silent sender's memory may be taken: ep_pressure_relieve(). */
#define RTO_MAX_PS (400 * WEIR_PS_PER_MS)
#define PACE_MOST_PS (100 * WEIR_PS_PER_MS) /* longest time between two packets of a connection that is paced */
#define REORDER_PKTS 3u                     /* RFC 5681; with one port, a pair of endpoints has one path */
#define NAME_ROOM 32u                       /* for a name in opts.path */

/* Keys of scenario section `host` that opts.cc may set, as "host.rto_min=5ms". */
static const char *const host_keys[] = { "connections", "window",   "ack_every", "ack_delay", "reorder",
                                         "rto_min",     "rto_init", "rto_max",   NULL };

/* Keys of scenario section `fabric.deflect` that are about hosts, as "deflect.tokens=2". */
static const char *const deflect_keys[] = { "tokens", "short", NULL };

struct refusal { /* a need that a real network does not meet, or not yet */
    uint32_t needs;
    const char *why;  /* .. the rest of the sentence "cc: NAME " */
    const char *path; /* .. name in opts.path by which the need is met; NULL = there is none */
    const char *hint;
};

#define RUN_EVERYWHERE "protocols that run on a real network: " RUNNING
static const struct refusal refusals[] = {
    { WEIR_NEED_ONE_CLOCK, "needs hosts that share one clock, and those of a real network do not", NULL,
      RUN_EVERYWHERE },
    /* without the gate nothing would limit credit, and so data */
    { WEIR_NEED_GATE, "needs ports that hold credit back, and those of real switches do not", "gate",
      "where all ports on the way do, set opts.path to gate (--path gate)" },
    { WEIR_NEED_FAIR_RATE | WEIR_NEED_RCP,
      "needs ports that compute the rate of their flows, and those of real switches do not", NULL, RUN_EVERYWHERE },
    { WEIR_NEED_NO_ACKS, "acknowledges nothing: a message could be lost without a report", NULL, RUN_EVERYWHERE },
    { 0, NULL, NULL, NULL },
};

/* Needs that one path for all packets of a connection meets, and opts.spray_ports does not: as routes that spray are
 * refused in the simulator. */
#define ONE_PORT "leave opts.spray_ports out (--spray-ports)"
static const struct refusal one_path[] = {
    { WEIR_NEED_INT | WEIR_NEED_ACK_INT,
      "compares telemetry with the last of the same path, and opts.spray_ports changes the path", NULL, ONE_PORT },
    { WEIR_MAY_DEFLECT, "deflects packets that keep their order otherwise, and with opts.spray_ports they do not", NULL,
      ONE_PORT },
    { WEIR_NEED_GATE, "needs data to return by the path of its credit, and opts.spray_ports changes the path", NULL,
      ONE_PORT },
    { 0, NULL, NULL, NULL },
};

/* Copies the next name of *path, which a comma ends, to name, and moves *path behind it. @return false = there is none;
 * a name that does not fit is cut, and then is none that is known */
static bool next_name(const char **path, char *name, size_t size)
{
    size_t length = strcspn(*path, ",");
    WEIR_ASSERT(size > 1);
    if (**path == '\0')
        return false;
    (void)snprintf(name, size, "%.*s", (int)weir_min_u64(length, size - 1), *path);
    *path += length + ((*path)[length] == ',');
    return true;
}

/* Tests whether opts.path has this name. */
static bool path_has(const struct weir_ep *ep, const char *wanted)
{
    const char *path = ep->opts.path;
    char name[NAME_ROOM];
    while (wanted != NULL && path != NULL && next_name(&path, name, sizeof(name)))
        if (strcmp(name, wanted) == 0)
            return true;
    return false;
}

/* Checks whether a refusal falls by each name in opts.path. @return 0, or -EINVAL with err */
static int check_path(const struct weir_ep *ep, struct weir_err *err)
{
    const char *path = ep->opts.path;
    char name[NAME_ROOM];
    while (path != NULL && next_name(&path, name, sizeof(name))) {
        const struct refusal *r = refusals;
        while (r->why != NULL && (r->path == NULL || strcmp(r->path, name) != 0))
            r++;
        if (r->why != NULL)
            continue;
        (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, "known: gate, all ports on the way hold credit back",
                        "path: unknown name '%s'", name);
        return -EINVAL;
    }
    return 0;
}

/* Checks the needs of a protocol. @return 0, or -ENOTSUP with the reason in err */
static int check_needs(const struct weir_ep *ep, const struct weir_protocol *p, const struct refusal *r,
                       struct weir_err *err)
{
    uint32_t needs = p->cc != NULL ? p->cc->needs : p->credit->needs;
    for (; r->why != NULL; r++) {
        if ((needs & r->needs) == 0 || path_has(ep, r->path))
            continue;
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, r->hint, "cc: %s %s", p->name, r->why);
        return -ENOTSUP;
    }
    return 0;
}

/* Checks whether a protocol can run over a real network, which opts.path may say more about. @return 0, or -ENOTSUP
 * with the reason in err */
static int check_protocol(const struct weir_protocol_reader *how, const struct weir_protocol *p, struct weir_err *err)
{
    const struct weir_ep *ep = how->context;
    int code = check_needs(ep, p, refusals, err);
    return code == 0 && ep->opts.spray_ports > 1 ? check_needs(ep, p, one_path, err) : code;
}

/* Delays of laws that were published for round trips of 20 us, between hosts that answer at once. With a longer base
 * round trip they are raised to so many of it, as the papers have them. Soze's are also raised to so many times of a
 * full packet, as in the kernel's TCP (bpf/law_keys.c): software hands packets over in bunches. */
static const struct {
    const char *law, *key;
    uint64_t numerator, denominator, pkts;
} delays[] = {
    { "aimd", "threshold", 1, 1, 10 },
    { "soze", "p", 1, 1, 55 },
    { "soze", "k", 3, 20, 10 },
    { "expresspass", "request_timeout", 2, 1, 0 },
    { "expresspass", "idle_timeout", 4, 1, 0 },
    { "timely", "t_low", 5, 2, 0 },
    { "timely", "t_high", 25, 1, 0 },
    { "timely", "min_rtt", 1, 1, 0 },
};

static void set_u32(const struct weir_protocol *p, void *config, const char *key, uint32_t value)
{
    const struct weir_param *row = weir_param_find(p->params, key);
    WEIR_ASSERT(row != NULL && row->offset % sizeof(value) == 0);
    WEIR_ASSERT(row->kind == WEIR_KIND_U32 || row->kind == WEIR_KIND_PPM || row->kind == WEIR_KIND_SIZE32);
    memcpy((char *)config + row->offset, &value, sizeof(value));
}

/* Sets keys of Soze that are not the paper's, as the kernel's TCP has them. Senders are paced: clumps of packets would
 * meet the same part of the queue in each round trip. A lone flow hears of a delay below k, and alpha lets it fill the
 * link. */
static void settle_soze(const struct weir_protocol *p, const struct weir_path *path, void *config)
{
    const struct weir_param *alpha = weir_param_find(p->params, "alpha");
    uint64_t alpha_bps = path->rate_bps + path->rate_bps / 4;
    WEIR_ASSERT(alpha != NULL && alpha->kind == WEIR_KIND_RATE);
    set_u32(p, config, "pace", 1250000);
    if (path->rate_bps < EP_US_BELOW_BPS)
        set_u32(p, config, "large", 4); /* windows of slow links are small */
    alpha_bps = weir_min_u64(alpha_bps, alpha->max);
    memcpy((char *)config + alpha->offset, &alpha_bps, sizeof(alpha_bps));
}

/* Keys of the size of a credit that is a packet of its own. Endpoints' packets without payload all have one size. */
static const char *const credit_sizes[] = { "credit_min", "credit_max", NULL };

static bool sends_credit_packets(const struct weir_protocol *p)
{
    return p->credit != NULL && p->credit->credit_kinds != 0;
}

/* Checks whether the sizes of credit are those of our packets. @return 0, or -EINVAL with err */
static int check_credit_sizes(const struct weir_protocol *p, const struct weir_framing *framing, const void *config,
                              struct weir_err *err)
{
    for (const char *const *key = credit_sizes; sends_credit_packets(p) && *key != NULL; key++) {
        const struct weir_param *row = weir_param_find(p->params, *key);
        uint32_t bytes;
        memcpy(&bytes, (const char *)config + row->offset, sizeof(bytes));
        if (bytes == framing->ack_wire_bytes)
            continue;
        (void)weir_fail(err, WEIR_E_RANGE, NULL, "leave it out", "cc: %s: a credit takes %u B here", *key,
                        (unsigned)framing->ack_wire_bytes);
        return -EINVAL;
    }
    return 0;
}

/* Changes keys of laws for a real network. Raises delays, see delays[], but not beyond what their keys allow. */
static void settle(const struct weir_protocol_reader *how, const struct weir_protocol *p, void *config)
{
    uint64_t pkt_ps = weir_mul_div_u64(how->path->wire_bytes * UINT64_C(8), WEIR_PS_PER_S, how->path->rate_bps);
    for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
        if (strcmp(delays[i].law, p->name) != 0)
            continue;
        const struct weir_param *row = weir_param_find(p->params, delays[i].key);
        WEIR_ASSERT(row != NULL && (row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_RTT));
        uint64_t *delay_ps =
            (uint64_t *)((char *)config + row->offset); /* config is allocate()d; or of a weir_time_or_rtt */
        uint64_t scaled_ps = how->path->base_rtt_ps * delays[i].numerator / delays[i].denominator; /* 2^40 * 25 fits */
        scaled_ps = weir_max_u64(scaled_ps, delays[i].pkts * pkt_ps);
        *delay_ps = weir_max_u64(*delay_ps, weir_min_u64(scaled_ps, row->max));
    }
    if (strcmp(p->name, "soze") == 0)
        settle_soze(p, how->path, config);
    for (const char *const *key = credit_sizes; sends_credit_packets(p) && *key != NULL; key++)
        set_u32(p, config, *key, how->framing->ack_wire_bytes);
}

static void *allocate(void *context, size_t bytes)
{
    return ep_calloc(context, 1, bytes);
}

/* Sets the keys of the host to their defaults for a real network. Receiver-driven protocols use few of them. */
static void set_host(struct weir_host_config *cfg)
{
    weir_param_defaults(weir_host_param_rows, &cfg->params);
    cfg->params.reorder_pkts = 0; /* auto */
    cfg->params.rto_min_ps = RTO_MIN_PS;
    cfg->params.rto_init_ps = RTO_INIT_PS;
    cfg->params.rto_max_ps = RTO_MAX_PS;
}

/* Returns the reordering threshold. With several paths it is one BDP, as in the simulator, and a batch, which leaves
 * sorted by ports. */
static uint32_t reorder_pkts(const struct weir_ep *ep)
{
    const struct weir_host_config *cfg = &ep->host_config;
    uint64_t bdp_pkts = cfg->path.bdp_bytes / ep->mss;
    if (ep->opts.spray_ports == 1)
        return REORDER_PKTS;
    return weir_clamp_u32(bdp_pkts + WEIR_NET_BATCH, REORDER_PKTS, cfg->params.window_pkts / 4);
}

/* Checks keys of the host against each other, as the scenario reader does. @return 0, or -EINVAL with err */
static int check_host(const struct weir_ep *ep, struct weir_host_params *params, struct weir_err *err)
{
    const char *wrong = NULL;
    if (params->rto_min_ps == 0 || params->rto_init_ps == 0) /* auto */
        weir_host_settle_timers(params, false);
    if (params->reorder_pkts == 0)
        params->reorder_pkts = reorder_pkts(ep);
    if (params->rto_min_ps > params->rto_init_ps)
        wrong = "cc: host.rto_min is more than host.rto_init";
    else if (params->rto_init_ps > params->rto_max_ps)
        wrong = "cc: host.rto_init is more than host.rto_max";
    else if (params->reorder_pkts >= params->window_pkts)
        wrong = "cc: host.reorder is not below host.window";
    else if (params->connections > EP_CONNECTIONS_MAX)
        wrong = "cc: host.connections is above 1024, the most that a peer accepts";
    if (wrong == NULL)
        return 0;
    (void)weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s", wrong);
    return -EINVAL;
}

/* Returns the largest BDP that a receiver may find by trial. It is half the packets of a message that may be on their
 * way, so that some can be sent again, or a quarter of the memory for messages. The driver must be able to hold B, one
 * and a half BDP, while this process is not scheduled. */
static uint64_t bdp_most(const struct weir_ep *ep)
{
    uint64_t bytes = (uint64_t)WEIR_CREDIT_WINDOW_PKTS / 2 * ep->mss;
    bytes = weir_min_u64(bytes, ep->opts.rx_bytes / 4);
    return ep->net->rx_room_bytes != 0 ? weir_min_u64(bytes, ep->net->rx_room_bytes / 3 * 2) : bytes;
}

/* Returns the row of the feature deflect, whose keys say which messages have how many tokens. */
static const struct weir_feature *deflect_row(void)
{
    const struct weir_feature *const *row = weir_features;
    while (*row != NULL && strcmp((*row)->name, "deflect") != 0)
        row++;
    WEIR_ASSERT(*row != NULL);
    return *row;
}

/* Allocates the keys of the feature deflect, with their defaults. @return 0, or -ENOMEM */
static int open_deflect(struct weir_ep *ep, struct weir_protocol_section *s)
{
    const struct weir_feature *row = deflect_row();
    *s = (struct weir_protocol_section){
        .name = row->name, .rows = row->params, .keys = deflect_keys, .config = ep_calloc(ep, 1, row->config_bytes)
    };
    if (s->config == NULL)
        return -ENOMEM;
    weir_param_defaults(s->rows, s->config);
    return 0;
}

/* Gives messages of up to `short` bytes of payload so many tokens, and frees the keys. */
static void take_deflect(struct weir_ep *ep, const struct weir_protocol_section *s)
{
    const struct weir_param *tokens = weir_param_find(s->rows, "tokens"), *most = weir_param_find(s->rows, "short");
    WEIR_ASSERT(tokens != NULL && tokens->kind == WEIR_KIND_U32 && tokens->max <= WEIR_PKT_TOKENS_MAX);
    WEIR_ASSERT(most != NULL && most->kind == WEIR_KIND_SIZE);
    memcpy(&ep->host_config.tokens, (const char *)s->config + tokens->offset, sizeof(ep->host_config.tokens));
    memcpy(&ep->host_config.token_bytes, (const char *)s->config + most->offset, sizeof(ep->host_config.token_bytes));
    ep->host_config.token_bytes += EP_HEAD_BYTES; /* below 2^41 */
}

int ep_protocol_read(struct weir_ep *ep, struct weir_err *err)
{
    struct weir_host_config *cfg = &ep->host_config;
    struct weir_protocol_section section[3] = { { "host", weir_host_param_rows, host_keys, &cfg->params } };
    const struct weir_protocol_reader how = { .label = "cc",
                                              .example = "for example \"sird B=120KB SThr=40KB\"",
                                              .preset = "udp", /* for real networks */
                                              .path_hint = "opts.rate_bps and opts.base_rtt_ns make the BDP",
                                              .path = &cfg->path,
                                              .framing = &cfg->framing,
                                              .check = check_protocol,
                                              .settle = settle,
                                              .allocate = allocate,
                                              .context = ep,
                                              .said = ep->law,
                                              .said_bytes =
                                                  ep->keys != NULL ? WEIR_WIRE_KEYED_LAW_MAX + 1 : sizeof(ep->law),
                                              .sections = section };
    const struct weir_protocol *p = NULL;
    int code;
    set_host(cfg);
    code = check_path(ep, err);
    if (code == 0 && ep->gives_tokens)
        code = open_deflect(ep, &section[1]);
    if (code == 0)
        code = weir_protocol_read(&how, ep->opts.cc, &p, &ep->cc_config, err);
    if (code == 0 && ep->gives_tokens)
        take_deflect(ep, &section[1]);
    free(section[1].config);
    if (code == 0)
        code = check_host(ep, &cfg->params, err);
    if (code == 0)
        code = check_credit_sizes(p, &cfg->framing, ep->cc_config, err);
    if (code < 0)
        return code;
    WEIR_ASSERT(p != NULL);
    WEIR_ASSERT(ep->stream == (p->cc != NULL));
    cfg->credit = p->credit;
    cfg->cc = p->cc;
    cfg->cc_config = ep->cc_config;
    cfg->hash = ep->opts.spray_ports > 1 ? WEIR_HASH_PACKET : WEIR_HASH_FLOW;
    cfg->track = cfg->ack_ranges = p->cc != NULL;
    cfg->rx_connections_most = EP_CONNECTIONS_MAX;
    cfg->least_rate_bps = cfg->path.wire_bytes * UINT64_C(8) * WEIR_PS_PER_S / PACE_MOST_PS; /* 2^14 * 8 * 10^12 fits */
    if (ep->reads_delay)
        cfg->qdelay_unit_ps = ep_area_unit_ps(ep->area_kind);
    if (ep->slots > 0)
        cfg->rates = &ep->rates;
    for (uint32_t i = 0; i < WEIR_TELEMETRY_RATES_MAX; i++)
        ep->rates.bps[i] = cfg->path.rate_bps;
    /* the CREDIT of a protocol that has credit packets of its own is not answered within a round trip */
    cfg->measured = p->credit != NULL && !sends_credit_packets(p);
    cfg->adaptive = cfg->adaptive && p->credit != NULL && p->credit->adapt != NULL;
    cfg->bdp_most_bytes = bdp_most(ep);
    return 0;
}
