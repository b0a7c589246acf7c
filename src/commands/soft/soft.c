/* src/commands/soft/soft.c - see soft.h. */
#include "soft/soft.h"
#include "core/assert.h"
#include "core/feature_counter.h"
#include "core/math.h"
#include "core/rng.h"
#include "hooks/chain.h"
#include "hooks/features.h"
#include "model/account.h"
#include "soft/counters.h"
#include "soft/frames.h"
#include "soft/pauses.h"
#include "switch/network.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 /* frames that are read from a port in one step */ };

struct weir_soft {
    const struct weir_setup *setup;
    const struct weir_model *model;
    const struct weir_topology *topo;
    struct weir_soft_config cfg;
    struct weir_mapping mapping;
    struct weir_routes routes;
    struct weir_switch_pool pool;
    struct weir_network_sink sink;
    struct weir_network *net;
    struct soft_frames frames;
    struct soft_pauses pauses;
    struct weir_soft_host *host;
    struct weir_soft_link *link;
    struct weir_causes *causes;
    uint32_t *nic_frames;                       /* by host: frames of it that have not left its NIC */
    uint32_t dropped_from[WEIR_MAPPING_CAUSES]; /* the host that has sent the last such frame */
    struct soft_memory memory;
    uint64_t now_ps, sprayed;
};

const char *const weir_soft_causes[WEIR_SOFT_CAUSES] = { "switch.ring", "switch.nic", "switch.frames",
                                                         "switch.notice" };

/* ---- what the network says ---- */

/* Returns the class of a packet at a port: the last one, if it has no such class. */
static uint32_t class_of(const struct weir_soft *s, const struct weir_pkt *pkt)
{
    WEIR_ASSERT(s->model->classes > 0 && s->model->classes <= WEIR_CLASSES_MAX);
    return (uint32_t)weir_min_u64(pkt->class_id, s->model->classes - 1);
}

static void on_sent(void *ctx, uint32_t link, const struct weir_switch_sent *sent)
{
    struct weir_soft *s = ctx;
    struct weir_soft_link *l = &s->link[link];
    uint32_t src = s->topo->link[link].src, dst = s->topo->link[link].dst;
    if (sent->is_control) {
        if (dst < s->topo->host_count)
            soft_pauses_sent(&s->pauses, dst, &sent->pkt->pkt, s->now_ps);
        return;
    }
    WEIR_ASSERT(sent->start_ps >= sent->pkt->pkt.arrival_ps);
    uint64_t waited_ns = (sent->start_ps - sent->pkt->pkt.arrival_ps) / WEIR_PS_PER_NS;
    struct weir_soft_class *c = &l->of_class[class_of(s, &sent->pkt->pkt)];
    l->frames++;
    l->bytes += sent->pkt->pkt.wire_bytes;
    weir_histogram_add(&l->waited_ns, waited_ns);
    c->frames++;
    c->waited_ns += waited_ns;
    c->waited_max_ns = weir_max_u64(c->waited_max_ns, waited_ns);
    if (src < s->topo->host_count)
        s->nic_frames[src]--;
}

static void on_joined(void *ctx, uint32_t link, uint64_t now_ps)
{
    struct weir_soft *s = ctx;
    WEIR_ASSERT(link < s->topo->link_count);
    const struct weir_link *of = &s->topo->link[link];
    uint64_t bytes =
        weir_switch_queue_bytes(weir_network_node(s->net, of->src), link - s->topo->node[of->src].first_out, now_ps);
    s->link[link].queue_max_bytes = weir_max_u64(s->link[link].queue_max_bytes, bytes);
}

static void on_drop(void *ctx, uint32_t link, const struct weir_switch_drop *drop)
{
    struct weir_soft *s = ctx;
    const struct weir_pkt *pkt = &drop->pkt->pkt;
    WEIR_ASSERT(drop->cause < s->causes->count);
    WEIR_ASSERT(weir_fate_ends(drop->fate));
    s->causes->row[drop->cause].pkts[weir_lost_kind(pkt, 0)][class_of(s, pkt)]++;
    s->causes->of_link[(size_t)link * s->causes->count + drop->cause]++;
    if (drop->fate == WEIR_FATE_LOST)
        s->link[link].losses++;
    else
        s->link[link].drops++;
    /* a frame that was lost, or has no way on from its switch, has left the NIC before */
    if (s->topo->link[link].src < s->topo->host_count && drop->cause != WEIR_CAUSE_NO_ROUTE &&
        drop->fate == WEIR_FATE_DROPPED) {
        WEIR_ASSERT(s->nic_frames[s->topo->link[link].src] > 0);
        s->nic_frames[s->topo->link[link].src]--;
    }
    soft_frame_give(&s->frames, weir_switch_own(drop->pkt));
}

static void on_decided(void *ctx, uint32_t link, enum weir_fate fate, uint32_t cause)
{
    struct weir_soft *s = ctx;
    WEIR_ASSERT(cause < s->causes->count);
    WEIR_ASSERT(!weir_fate_ends(fate));
    s->causes->row[cause].decided++;
    s->causes->of_link[(size_t)link * s->causes->count + cause]++;
    s->link[link].marks += fate == WEIR_FATE_MARKED;
}

/* ---- what is captured ---- */

/* Captures a frame. cause: of WEIR_SOFT_DROPPED; else NULL */
static void capture(const struct weir_soft *s, enum weir_soft_event event, const char *cause, uint32_t host,
                    uint64_t at_ps, const struct weir_soft_frame *frame)
{
    WEIR_ASSERT((cause != NULL) == (event == WEIR_SOFT_DROPPED));
    if (s->cfg.capture != NULL)
        s->cfg.capture(s->cfg.capture_ctx, &(struct weir_soft_captured){ .bytes = frame->bytes,
                                                                         .length = frame->length,
                                                                         .host = host,
                                                                         .at_ps = at_ps,
                                                                         .cause = cause,
                                                                         .event = event });
}

/* Counts a frame that goes no further, and captures it. */
static void drop(const struct weir_soft *s, enum weir_soft_cause cause, uint32_t host, uint64_t at_ps,
                 const struct weir_soft_frame *frame)
{
    WEIR_ASSERT(cause < WEIR_SOFT_CAUSES);
    s->host[host].dropped[cause]++;
    capture(s, WEIR_SOFT_DROPPED, weir_soft_causes[cause], host, at_ps, frame);
}

/* ---- out ---- */

/* Gives a frame to a host's port, at_ps being when it leaves by computed time. @return false = its ring is full */
static bool send_to(struct weir_soft *s, uint32_t host, uint64_t at_ps, const struct weir_soft_frame *frame)
{
    const struct weir_soft_port *port = &s->cfg.port[host];
    struct weir_soft_host *h = &s->host[host];
    WEIR_ASSERT(host < s->topo->host_count);
    if (!port->tx(port->ctx, frame->bytes, frame->length)) {
        drop(s, WEIR_SOFT_RING, host, at_ps, frame);
        return false;
    }
    h->tx_frames++;
    h->tx_bytes += frame->length;
    capture(s, WEIR_SOFT_LEFT, NULL, host, at_ps, frame);
    return true;
}

static void send_pause(void *ctx, uint32_t host, const unsigned char *bytes)
{
    struct weir_soft *s = ctx;
    unsigned char copy[SOFT_PAUSE_BYTES];
    memcpy(copy, bytes, sizeof(copy));
    s->host[host].pauses_sent++;
    (void)send_to(s, host, s->now_ps, &(struct weir_soft_frame){ .bytes = copy, .length = sizeof(copy) });
}

static void on_deliver(void *ctx, uint32_t host, struct weir_switch_pkt *p)
{
    struct weir_soft *s = ctx;
    struct soft_frame *f = soft_frame_of(&s->frames, weir_switch_more(p)->own);
    struct weir_soft_host *h = &s->host[host];
    WEIR_ASSERT(p->pkt.arrival_ps <= s->now_ps);
    if (f == NULL) { /* a switch has made it */
        h->dropped[WEIR_SOFT_NOTICE]++;
        weir_switch_pkt_give(&s->pool, p);
        return;
    }
    (void)weir_mapping_write(&s->mapping, &f->at, f->bytes, &p->pkt, weir_switch_more(p)->hop, p->pkt.arrival_ps);
    if (send_to(s, host, p->pkt.arrival_ps, &(struct weir_soft_frame){ .bytes = f->bytes, .length = f->length })) {
        uint64_t late_ps = s->now_ps - p->pkt.arrival_ps;
        h->late_ps += late_ps;
        h->late_max_ps = weir_max_u64(h->late_max_ps, late_ps);
        weir_histogram_add(&h->late_ns, late_ps / WEIR_PS_PER_NS);
    }
    soft_frame_give(&s->frames, weir_switch_more(p)->own);
    weir_switch_pkt_give(&s->pool, p);
}

/* ---- in ---- */

static void flood(struct weir_soft *s, uint32_t from, const struct weir_soft_frame *frame)
{
    s->host[from].flooded++;
    for (uint32_t h = 0; h < s->topo->host_count; h++)
        if (h != from)
            (void)send_to(s, h, s->now_ps, frame);
}

/* Takes a packet and a frame for what has come. @return NULL = there is none left, which is counted */
static struct weir_switch_pkt *take(struct weir_soft *s, uint32_t host, const struct weir_soft_frame *frame,
                                    uint64_t *own)
{
    struct weir_switch_pkt *p = NULL;
    if (s->nic_frames[host] >= s->cfg.nic_frames) {
        drop(s, WEIR_SOFT_NIC, host, s->now_ps, frame);
        return NULL;
    }
    *own = soft_frame_take(&s->frames);
    if (*own != SOFT_NO_FRAME)
        p = weir_switch_pkt_take(&s->pool);
    if (p == NULL) {
        drop(s, WEIR_SOFT_FRAMES, host, s->now_ps, frame);
        soft_frame_give(&s->frames, *own);
    }
    return p;
}

/* Passes a packet to the NIC of its host. Its frame is kept until it leaves. */
static void forward(struct weir_soft *s, uint32_t host, const struct weir_soft_frame *frame, const struct weir_pkt *pkt,
                    const struct weir_telemetry *hop, const struct weir_mapping_at *at)
{
    uint64_t own = SOFT_NO_FRAME;
    struct weir_switch_pkt *p = take(s, host, frame, &own);
    struct soft_frame *f;
    if (p == NULL)
        return;
    WEIR_ASSERT(frame->length <= WEIR_MAPPING_ETHERNET_BYTES + s->cfg.mtu_bytes);
    f = soft_frame_of(&s->frames, own);
    f->at = *at;
    f->length = frame->length;
    memcpy(f->bytes, frame->bytes, frame->length);
    p->pkt = *pkt;
    if (s->model->routing == WEIR_ROUTE_SPRAY)
        p->pkt.hash = (uint32_t)weir_rng_at(weir_rng_key(s->model->seed, host, WEIR_RNG_HOST_SPRAY, 0), s->sprayed++);
    *weir_switch_more(p) = (struct weir_switch_more){ .own = own };
    if (s->mapping.config.fields.records_max > 0 && pkt->hops > 0) /* else the field is a weight or a round trip */
        memcpy(weir_switch_more(p)->hop, hop, pkt->hops * sizeof(*hop));
    s->nic_frames[host]++;
    weir_network_send(s->net, s->now_ps, host, p);
}

static void take_frame(struct weir_soft *s, uint32_t host, const struct weir_soft_frame *frame)
{
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct weir_mapping_at at;
    struct weir_pkt pkt;
    s->host[host].rx_frames++;
    s->host[host].rx_bytes += frame->length;
    capture(s, WEIR_SOFT_CAME, NULL, host, s->now_ps, frame);
    if (soft_pauses_take(&s->pauses, host, frame->bytes, frame->length, s->now_ps)) {
        s->host[host].pauses_received++;
        return;
    }
    switch (weir_mapping_read(&s->mapping, host, frame->bytes, frame->length, &pkt, hop, &at)) {
    case WEIR_MAPPING_PACKET:
        forward(s, host, frame, &pkt, hop, &at);
        break;
    case WEIR_MAPPING_FLOOD:
        flood(s, host, frame);
        break;
    case WEIR_MAPPING_DROP:
        s->dropped_from[at.cause] = host;
        break;
    }
}

uint64_t weir_soft_step(struct weir_soft *s, uint64_t now_ps)
{
    struct weir_soft_frame frame[BATCH];
    uint64_t pauses_ps;
    bool more = false;
    WEIR_ASSERT(now_ps > s->now_ps);
    s->now_ps = now_ps;
    for (uint32_t h = 0; h < s->topo->host_count; h++) {
        uint32_t count = s->cfg.port[h].rx(s->cfg.port[h].ctx, frame, BATCH);
        for (uint32_t i = 0; i < count; i++)
            take_frame(s, h, &frame[i]);
        more |= count == BATCH;
    }
    pauses_ps = soft_pauses_step(&s->pauses, now_ps);
    weir_network_run(s->net, now_ps);
    for (uint32_t h = 0; h < s->topo->host_count; h++)
        if (s->cfg.port[h].kick != NULL)
            s->cfg.port[h].kick(s->cfg.port[h].ctx);
    return more ? 0 : weir_min_u64(pauses_ps, weir_network_next_ps(s->net));
}

/* ---- what it has done ---- */

void weir_soft_lost(struct weir_soft *s, uint32_t host, uint64_t frames)
{
    WEIR_ASSERT(host < s->topo->host_count);
    s->host[host].dropped[WEIR_SOFT_RING] += frames;
}

uint64_t weir_soft_late_mean_ns(const struct weir_soft_host *h)
{
    WEIR_ASSERT(h->late_ns.total <= h->tx_frames);
    return h->late_ns.total > 0 ? h->late_ps / WEIR_PS_PER_NS / h->late_ns.total : 0;
}

const struct weir_soft_host *weir_soft_host(const struct weir_soft *s, uint32_t host)
{
    WEIR_ASSERT(host < s->topo->host_count);
    return &s->host[host];
}

const struct weir_soft_link *weir_soft_link(struct weir_soft *s, uint32_t link)
{
    const struct weir_link *of = &s->topo->link[link];
    uint32_t port = link - s->topo->node[of->src].first_out;
    struct weir_switch *sw = weir_network_node(s->net, of->src);
    const struct weir_port_count *count = weir_switch_count(sw, port, s->now_ps);
    WEIR_ASSERT(link < s->topo->link_count);
    s->link[link].queue_bytes = weir_switch_queue_bytes(sw, port, s->now_ps);
    s->link[link].waiting_frames = weir_switch_waiting_pkts(sw, port);
    if (s->now_ps > 0)
        s->link[link].queue_byte_us =
            weir_account_mean_millibytes(count, s->now_ps, of->rate_bps) * (s->now_ps / WEIR_PS_PER_US) / 1000;
    return &s->link[link];
}

const struct weir_causes *weir_soft_causes_of(const struct weir_soft *s)
{
    return s->causes;
}

const struct weir_mapping_counts *weir_soft_mapping(const struct weir_soft *s)
{
    return &s->mapping.counts;
}

uint32_t weir_soft_dropped_from(const struct weir_soft *s, enum weir_mapping_cause cause)
{
    WEIR_ASSERT(cause < WEIR_MAPPING_CAUSES && s->mapping.counts.cause[cause] > 0);
    return s->dropped_from[cause];
}

int weir_soft_moved(const struct weir_soft *s, struct weir_err *err)
{
    return weir_mapping_moved(&s->mapping, err);
}

bool weir_soft_features(const struct weir_soft *s, struct weir_feature_count *count, uint32_t counts)
{
    WEIR_ASSERT(counts == weir_features_counts(&s->model->features, NULL));
    (void)weir_features_counts(&s->model->features, count);
    return soft_counters(s->model, s->net, s->now_ps, count, counts);
}

uint32_t weir_soft_frames(const struct weir_soft *s)
{
    return s->frames.used;
}

const char *weir_soft_broken(const struct weir_soft *s)
{
    return weir_network_broken(s->net);
}

int weir_soft_address(struct weir_soft *s, const struct weir_mapping_address *address, uint32_t host,
                      struct weir_err *err)
{
    return weir_mapping_add(&s->mapping, address, host, err);
}

/* ---- set-up ---- */

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a switch of this size");
}

/* Refuses what cannot be done to real hosts and cables. */
static int check(const struct weir_model *m, const struct weir_setup *setup, struct weir_err *err)
{
    if (m->event_count > 0 || m->rate_count > 0)
        return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_fabric, "leave fabric.events and fabric.failures out",
                         "fabric: cables do not fail or slow down in a switch of real frames");
    if (m->restart_count > 0)
        return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_fabric, "restart the programs of the host",
                         "fabric: a switch of real frames does not restart hosts");
    return 0;
}

static int init_mapping(struct weir_soft *s, const struct weir_mem *mem, struct weir_err *err)
{
    const struct weir_host_config *law = &s->setup->law[0];
    struct weir_mapping_config cfg = { .rates = law->rates,
                                       .fields = { .qdelay_unit_ps = law->qdelay_unit_ps,
                                                   .records_max = s->model->features.records_max,
                                                   .weights = law->wrr,
                                                   .rates = law->rtt_unit_ps != 0 },
                                       .hosts = s->topo->host_count,
                                       .addresses = 16 * s->topo->host_count + 1024,
                                       .mtu_bytes = s->cfg.mtu_bytes,
                                       .learns = s->cfg.learns };
    memcpy(cfg.udp_port, s->cfg.udp_port, sizeof(cfg.udp_port));
    return weir_mapping_init(&s->mapping, &cfg, mem, err);
}

static int init_network(struct weir_soft *s, const struct weir_mem *mem, struct weir_err *err)
{
    weir_switch_pool_init(&s->pool, mem, s->cfg.frames + s->cfg.frames / 8 + 1024, true); /* more: control frames */
    s->sink = (struct weir_network_sink){
        .deliver = on_deliver, .drop = on_drop, .decided = on_decided, .sent = on_sent, .joined = on_joined, .ctx = s
    };
    s->net = weir_network_init(&(struct weir_network_config){
        .model = s->model, .routes = &s->routes, .pool = &s->pool, .sink = &s->sink, .mem = mem });
    return s->net == NULL ? no_memory(err) : 0;
}

static int init(struct weir_soft *s, struct weir_err *err)
{
    const struct weir_model *m = s->model;
    struct weir_mem mem = soft_memory(&s->memory);
    int code = check(m, s->setup, err);
    if (code == 0)
        code = weir_routes_build(&s->routes, m->topo, m->routing, m->metric, m->seed, err);
    if (code == 0)
        code = init_mapping(s, &mem, err);
    if (code == 0)
        code = init_network(s, &mem, err);
    if (code == 0 && s->cfg.pfc_frames)
        code = soft_pauses_init(&s->pauses, s->setup, s->net, &s->pool, &mem, err);
    s->pauses.send = send_pause, s->pauses.ctx = s;
    if (code != 0)
        return code;
    s->host = mem.grow(mem.ctx, s->topo->host_count * sizeof(*s->host));
    s->link = mem.grow(mem.ctx, s->topo->link_count * sizeof(*s->link));
    s->nic_frames = mem.grow(mem.ctx, s->topo->host_count * sizeof(*s->nic_frames));
    s->causes = weir_causes_new(&m->features, m->classes, s->topo->link_count);
    if (s->host == NULL || s->link == NULL || s->nic_frames == NULL || s->causes == NULL ||
        !soft_frames_init(&s->frames, s->cfg.frames, WEIR_MAPPING_ETHERNET_BYTES + s->cfg.mtu_bytes))
        return no_memory(err);
    return 0;
}

int weir_soft_init(struct weir_soft **soft, const struct weir_soft_config *cfg, struct weir_err *err)
{
    struct weir_soft *s = calloc(1, sizeof(*s));
    int code;
    *soft = NULL;
    if (s == NULL)
        return no_memory(err);
    s->cfg = *cfg;
    s->setup = cfg->setup;
    s->model = &cfg->setup->model;
    s->topo = &cfg->setup->topo;
    code = init(s, err);
    if (code == 0)
        *soft = s;
    else
        weir_soft_free(s);
    return code;
}

void weir_soft_free(struct weir_soft *s)
{
    if (s == NULL)
        return;
    weir_routes_free(&s->routes);
    weir_causes_free(s->causes);
    soft_frames_free(&s->frames);
    soft_memory_free(&s->memory);
    free(s);
}
