/* src/algorithms/proto/ndp/ndp.c - the keys, the sender half, the receiver half and the ops table of NDP. */
#include "proto/ndp/ndp.h"
#include "core/assert.h"
#include "core/credit_ops.h"
#include "core/math.h"
#include "core/recommend.h"
#include "core/units.h"

enum { CONTROL_CLASS, DATA_CLASS };

static const struct weir_keyword off = { "off", 0 };

const struct weir_param weir_ndp_params[] = {
    { .key = "window",
      .kind = WEIR_KIND_BDP,
      .offset = (uint32_t)offsetof(struct weir_ndp_config, window),
      .min = 1,
      .max = WEIR_CWND_MAX_BYTES,
      .fallback = 1,
      .milli_default = 1000,
      .hint = "payload of a message that goes at once, in whole packets; SIGCOMM 2017 takes what fills the path" },
    WEIR_PARAM_KEYWORD("loss_timeout", struct weir_ndp_config, loss_ps, WEIR_KIND_TIME, WEIR_PS_PER_US,
                       10 * WEIR_PS_PER_S, 2 * WEIR_PS_PER_MS, &off,
                       "silence of a message after which its receiver pulls again what is missing; off = never"),
    { .key = NULL },
};

static const char *const paper[] = { "framing: udp", "fabric.routing: spray", "fabric.priorities: 2", NULL };

static const char as_published[] =
    "SIGCOMM 2017 as far as it goes without trimming: sprayed packets, control packets first";
const struct weir_preset weir_ndp_presets[] = { { "paper", as_published, paper }, { 0 } };

/* Recommended settings: SIGCOMM 2017 has no PFC. */
const char *const weir_ndp_recommends[] = { WEIR_RECOMMEND_LOSSY, NULL };

int weir_ndp_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_ndp_config *cfg = config;
    if (cfg->window.bytes < path->mss_bytes)
        return weir_misfit(err, "window is less than one packet");
    if (cfg->window.bytes / path->mss_bytes > WEIR_CREDIT_WINDOW_PKTS)
        return weir_misfit(err, "window lets more than %u packets of a message go at once", WEIR_CREDIT_WINDOW_PKTS);
    if (cfg->loss_ps != 0 && cfg->loss_ps < 2 * path->base_rtt_ps)
        return weir_misfit(err, "loss_timeout is less than two round trips: packets on their way would count as lost");
    return 0;
}

static void ndp_init(const void *config, void *host, const struct weir_limits *limits)
{
    const struct weir_ndp_config *cfg = config;
    uint64_t wire_bytes = weir_framing_wire(&limits->framing, limits->path.mss_bytes);
    *(struct weir_ndp_host *)host = (struct weir_ndp_host){
        .window_pkts = (uint32_t)(cfg->window.bytes / limits->path.mss_bytes),
        .packet_ps = (wire_bytes * limits->ps_per_kbyte + 999) / 1000, /* 2^14 * 2^33 fits */
    };
}

/* --- rings, served round robin: a new member is inserted before the next one to serve, and so is served last --- */

static void ring_set(struct weir_ndp_link **ring, struct weir_ndp_link *link, bool in)
{
    if (in == (link->next != NULL))
        return;
    if (in && *ring == NULL) {
        *ring = link->next = link->prev = link;
    } else if (in) {
        link->next = *ring;
        link->prev = (*ring)->prev;
        link->prev->next = link->next->prev = link;
    } else {
        link->prev->next = link->next;
        link->next->prev = link->prev;
        if (*ring == link)
            *ring = link->next != link ? link->next : NULL;
        *link = (struct weir_ndp_link){ NULL, NULL };
    }
}

/* --- sender half --- */

static void requeue_tx(struct weir_ndp_host *h, struct weir_ndp_tx *tx)
{
    ring_set(&h->ready, &tx->ready, tx->may_pkts > 0 && tx->msg.next_wire_bytes > 0);
}

static void ndp_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    struct weir_ndp_host *h = host;
    struct weir_ndp_tx *m = tx;
    (void)config, (void)now_ps;
    m->peer = peer;
    m->may_pkts = m->msg.unsched_pkts = m->msg.pkts < h->window_pkts ? m->msg.pkts : h->window_pkts;
    requeue_tx(h, m);
}

static void ndp_tx_again(const void *config, void *host, void *peer, void *tx)
{
    (void)config, (void)peer;
    requeue_tx(host, tx);
}

/* Handles a pull. credit->sequence counts the pulls of the message, so a pull makes up for earlier ones that were
 * lost. */
static void ndp_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit)
{
    struct weir_ndp_tx *m = tx;
    (void)config, (void)peer;
    if (m == NULL || (int32_t)(credit->sequence - m->pulled) <= 0)
        return; /* the message is over, or a later pull came first */
    m->may_pkts = weir_add_sat_u32(m->may_pkts, credit->sequence - m->pulled);
    m->pulled = credit->sequence;
    requeue_tx(host, m);
}

static bool ndp_tx_ready(const void *host)
{
    return ((const struct weir_ndp_host *)host)->ready != NULL;
}

static bool ndp_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out)
{
    struct weir_ndp_host *h = host;
    (void)config, (void)now_ps;
    if (h->ready == NULL)
        return false;
    struct weir_ndp_tx *m = WEIR_PAIRING_OF(h->ready, struct weir_ndp_tx, ready);
    h->ready = h->ready->next;
    m->may_pkts--;
    *out = (struct weir_send){ .peer = m->peer, .tx = m, .class_id = DATA_CLASS };
    return true;
}

static void ndp_tx_done(const void *config, void *host, void *peer, void *tx)
{
    struct weir_ndp_host *h = host;
    (void)config, (void)peer;
    ring_set(&h->ready, &((struct weir_ndp_tx *)tx)->ready, false);
}

/* --- receiver half --- */

static void requeue_rx(struct weir_ndp_host *h, struct weir_ndp_rx *rx)
{
    ring_set(&h->due, &rx->due, rx->pulls > 0 && rx->msg.grant_wire_bytes > 0);
}

static void ndp_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    (void)config, (void)host, (void)now_ps;
    ((struct weir_ndp_rx *)rx)->peer = peer;
}

static bool ndp_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    struct weir_ndp_rx *m = rx;
    (void)config, (void)peer;
    if (m == NULL || !(data->flags & WEIR_DATA_PAYLOAD))
        return false;
    m->pulls = weir_add_sat_u32(m->pulls, 1);
    requeue_rx(host, m);
    return true;
}

static void ndp_rx_again(const void *config, void *host, void *peer, void *rx)
{
    (void)config, (void)peer;
    requeue_rx(host, rx);
}

/* Makes a pull due for each lost packet: one that had arrived would have. */
static void ndp_rx_lost(const void *config, void *host, void *peer, void *rx, uint32_t pkts, uint64_t now_ps)
{
    struct weir_ndp_rx *m = rx;
    (void)config, (void)peer, (void)now_ps;
    m->pulls = weir_add_sat_u32(m->pulls, pkts);
    requeue_rx(host, m);
}

/* Handles a silent message. If the message is not in the ring `due`, its packets under way, or the pulls for them, were
 * lost. Then makes a window of pulls due. @return true = the missing packets count as lost; false = they may still
 * arrive */
static bool ndp_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    struct weir_ndp_host *h = host;
    struct weir_ndp_rx *m = rx;
    (void)config, (void)peer, (void)now_ps;
    if (m->due.next != NULL)
        return false;
    m->pulls = h->window_pkts;
    requeue_rx(h, m);
    return true;
}

static uint64_t ndp_rx_next_ps(const void *config, const void *host, uint64_t now_ps)
{
    const struct weir_ndp_host *h = host;
    (void)config;
    return h->due != NULL ? weir_max_u64(h->free_ps, now_ps) : WEIR_NEVER;
}

/* Chooses the next message of the ring, and writes its next pull to *out. Pulls are a transmission time of a full
 * packet apart, so that pulled data arrives at the rate of the host's link. */
static bool ndp_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out)
{
    struct weir_ndp_host *h = host;
    (void)config;
    struct weir_ndp_rx *m = WEIR_PAIRING_OF(h->due, struct weir_ndp_rx, due);
    h->due = h->due->next;
    h->free_ps = weir_max_u64(h->free_ps, now_ps) + h->packet_ps;
    m->pulls--;
    *out = (struct weir_grant){ .peer = m->peer, .rx = m, .pkts = 1, .sequence = ++m->pulled, .class_id = DATA_CLASS };
    return true;
}

static void ndp_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps)
{
    (void)config, (void)now_ps;
    requeue_rx(host, grant->rx);
}

static void ndp_rx_done(const void *config, void *host, void *peer, void *rx)
{
    struct weir_ndp_host *h = host;
    (void)config, (void)peer;
    ring_set(&h->due, &((struct weir_ndp_rx *)rx)->due, false);
}

/* --- the ops table --- */

static uint8_t ndp_control_class(const void *config)
{
    (void)config;
    return CONTROL_CLASS;
}

static uint8_t ndp_data_class(const void *config)
{
    (void)config;
    return DATA_CLASS;
}

static uint64_t ndp_loss_ps(const void *config)
{
    return ((const struct weir_ndp_config *)config)->loss_ps;
}

const struct weir_credit_ops weir_ndp_ops = {
    .name = "ndp",
    .host_bytes = sizeof(struct weir_ndp_host),
    .tx_bytes = sizeof(struct weir_ndp_tx),
    .rx_bytes = sizeof(struct weir_ndp_rx),
    .init = ndp_init,
    .tx_message = ndp_tx_message,
    .tx_again = ndp_tx_again,
    .tx_credit = ndp_tx_credit,
    .tx_next = ndp_tx_next,
    .tx_sent = ndp_tx_again,
    .tx_ready = ndp_tx_ready,
    .tx_done = ndp_tx_done,
    .rx_message = ndp_rx_message,
    .rx_packet = ndp_rx_packet,
    .rx_again = ndp_rx_again,
    .rx_lost = ndp_rx_lost,
    .rx_silent = ndp_rx_silent,
    .rx_next_ps = ndp_rx_next_ps,
    .rx_next = ndp_rx_next,
    .rx_granted = ndp_rx_granted,
    .rx_done = ndp_rx_done,
    .control_class = ndp_control_class,
    .data_class = ndp_data_class,
    .loss_ps = ndp_loss_ps,
};
