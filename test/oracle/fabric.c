/* test/oracle/fabric.c - doc/model.md [pfc], [telemetry], [rocc]: pause frames, telemetry, RoCC's controllers. */
#include "switch/features.h"
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>
#include <string.h>

static struct oracle_fabric *fabric_of(const struct oracle *o, const struct oracle_port *port)
{
    return &o->fabric[port->link];
}

static void init_link(struct oracle *o, uint32_t i)
{
    const struct weir_fabric_model *m = &o->model->fabric;
    const struct weir_link *link = &o->topo->link[i];
    struct oracle_fabric *f = &o->fabric[i];
    f->sending_in = ORACLE_NO_LINK;
    if (m->pfc.on && link->dst >= o->topo->host_count) {
        struct weir_pfc_pool *pool = &o->pool[link->dst];
        const struct weir_link *back = &o->topo->link[link->reverse];
        struct weir_pfc_cable cable = { link->rate_bps, link->delay_ps, back->rate_bps, back->delay_ps };
        f->in = weir_pfc_in_of(&m->pfc, &cable, o->model->host.path.rate_bps);
        pool->size_bytes -= weir_min_u64(pool->size_bytes, weir_pfc_in_bytes(&m->pfc, &f->in));
    }
    if (link->src < o->topo->host_count)
        return;
    if (m->telemetry.mode != WEIR_TELEMETRY_NONE)
        f->telemetry.rate_id = weir_int_rate_id(m->telemetry.rates, link->rate_bps);
    if (m->rocc.on) {
        WEIR_ASSERT(weir_rocc_cp_config_for(link->rate_bps, &f->cp_config));
        f->cp = weir_rocc_cp_begin(&f->cp_config);
    }
}

void oracle_fabric_init(struct oracle *o)
{
    const struct weir_model *m = o->model;
    if (!weir_fabric_decides(&m->fabric) && !weir_features_are_coupled(&m->features))
        return;
    o->fabric = oracle_alloc(o->topo->link_count, sizeof(*o->fabric));
    o->pool = oracle_alloc(o->topo->node_count, sizeof(*o->pool));
    for (uint32_t n = 0; n < o->topo->node_count; n++)
        o->pool[n].size_bytes = m->memory_bytes;
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        init_link(o, i);
    for (uint32_t n = o->topo->host_count; n < o->topo->node_count && m->fabric.rocc.on; n++, o->ticks++)
        oracle_push(o, m->fabric.rocc.period_ps, n, ORACLE_TICK, 0);
}

void oracle_fabric_free(struct oracle *o)
{
    oracle_queues_free(o);
    free(o->fabric);
    free(o->pool);
}

/* --- PFC: what a switch holds --- */

static bool is_lossless(const struct oracle *o, uint32_t class_id)
{
    return o->model->fabric.pfc.on && (o->model->fabric.pfc.lossless >> class_id & 1) != 0;
}

static uint32_t class_of(const struct oracle *o, const struct oracle_pkt *p)
{
    return p->pkt.class_id < o->model->classes ? p->pkt.class_id : o->model->classes - 1;
}

bool oracle_fabric_is_lossless(const struct oracle *o, struct oracle_pkt *p)
{
    return oracle_ext(p)->in != ORACLE_NO_LINK && is_lossless(o, class_of(o, p));
}

/* Nothing but its account and the whole memory limits a lossless class; the limits of out-ports are for the others. */
bool oracle_fabric_admits(struct oracle *o, const struct oracle_port *port, struct oracle_pkt *p)
{
    uint32_t bytes = p->pkt.wire_bytes, class_id = class_of(o, p), in = oracle_ext(p)->in;
    const struct oracle_fabric *f = &o->fabric[in];
    if ((o->model->memory_bytes == UINT64_MAX || o->used_bytes[port->src] + bytes <= o->model->memory_bytes) &&
        weir_pfc_admits(&o->model->fabric.pfc, &o->pool[port->src], &f->in, &f->account[class_id], bytes))
        return true;
    if (o->pfc_count.lossless_drops++ == 0 || in < o->pfc_count.lossless_drop_link)
        o->pfc_count.lossless_drop_link = in;
    return false;
}

/* A pause or resume frame for the other end of an in-link. */
static void send_control(struct oracle *o, uint32_t in, uint32_t class_id, bool pause)
{
    struct oracle_port *port = &o->port[o->topo->link[in].reverse];
    struct oracle_pkt *p = oracle_pkt_take(o);
    p->pkt = (struct weir_pkt){ .class_id = WEIR_PKT_CLASS(class_id), .flags = pause };
    oracle_fifo_push(&fabric_of(o, port)->control, p);
    port->count.bytes += WEIR_PFC_FRAME_BYTES;
    o->fabric[in].account[class_id].paused = pause;
    o->pfc_count.pause_frames += pause;
    o->pfc_count.resume_frames += !pause;
    oracle_port_kick(o, port);
}

void oracle_fabric_joined(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    const struct weir_fabric_model *m = &o->model->fabric;
    uint32_t class_id = class_of(o, p), in = oracle_ext(p)->in;
    struct weir_pfc_account *account;
    weir_int_join(&fabric_of(o, port)->telemetry, m->telemetry.period_ps, o->now_ps, p->pkt.wire_bytes);
    if (!port->of_switch || in == ORACLE_NO_LINK || !is_lossless(o, class_id))
        return;
    account = &o->fabric[in].account[class_id];
    weir_pfc_accept(&m->pfc, &o->pool[port->src], &o->fabric[in].in, account, p->pkt.wire_bytes);
    if (weir_pfc_must_pause(&m->pfc, &o->pool[port->src], &o->fabric[in].in, account))
        send_control(o, in, class_id, true);
}

static void release(struct oracle *o, const struct oracle_port *port, uint32_t in, uint32_t class_id, uint32_t bytes)
{
    const struct weir_pfc_model *m = &o->model->fabric.pfc;
    struct weir_pfc_account *account;
    if (in == ORACLE_NO_LINK || !is_lossless(o, class_id))
        return;
    account = &o->fabric[in].account[class_id];
    weir_pfc_release(m, &o->pool[port->src], account, bytes);
    if (weir_pfc_may_resume(m, &o->pool[port->src], &o->fabric[in].in, account))
        send_control(o, in, class_id, false);
}

void oracle_fabric_left(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fabric *f = fabric_of(o, port);
    uint32_t in = f->sending_in;
    f->sending_in = ORACLE_NO_LINK;
    f->sending_data = false;
    release(o, port, in, f->sending_class, port->sending_bytes);
}

void oracle_fabric_dropped(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    weir_int_leave(&fabric_of(o, port)->telemetry, o->model->fabric.telemetry.period_ps, o->now_ps, p->pkt.wire_bytes);
    release(o, port, oracle_ext(p)->in, class_of(o, p), p->pkt.wire_bytes);
}

/* --- PFC: control frames on the wire, and what they do --- */

bool oracle_fabric_start_control(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fabric *f = fabric_of(o, port);
    struct oracle_pkt *p = f->control.head;
    if (p == NULL)
        return false;
    (void)oracle_fifo_pop(&f->control);
    oracle_port_sync(port, o->now_ps);
    port->sending = true;
    port->sending_bytes = 0; /* not part of b(t), nor of what the switch holds */
    port->busy_until_ps = o->now_ps + weir_pfc_frame_ps(port->rate_bps);
    oracle_push(o, port->busy_until_ps, port->src, ORACLE_TX_DONE, port->link);
    p->pkt.arrival_ps = port->busy_until_ps + port->delay_ps;
    oracle_push(o, p->pkt.arrival_ps, port->dst, ORACLE_CONTROL, port->link);
    oracle_fifo_push(&f->control_flight, p);
    return true;
}

static bool host_pulls(const struct oracle *o, const struct oracle_port *port)
{
    return !port->of_switch && o->model->host.params.nic_queue == WEIR_NIC_PULL;
}

static void end_stretch(struct oracle *o, const struct oracle_port *port, uint32_t class_id, uint64_t until_ps)
{
    struct oracle_pfc_count *count = &o->pfc_count;
    uint64_t ps = until_ps - weir_min_u64(until_ps, fabric_of(o, port)->paused_since_ps[class_id]);
    uint64_t storm_ps = o->model->fabric.pfc.storm_ps;
    count->paused_ps += ps;
    count->storms += storm_ps > 0 && ps > storm_ps;
    if (ps > count->longest_ps || (ps == count->longest_ps && port->link < count->longest_link)) {
        count->longest_ps = ps;
        count->longest_link = port->link;
    }
}

/* What this port may not send from now on. */
static void set_paused(struct oracle *o, struct oracle_port *port, uint32_t paused)
{
    struct oracle_fabric *f = fabric_of(o, port);
    for (uint32_t c = 0; c < o->model->classes; c++) {
        if ((f->paused & ~paused) >> c & 1)
            end_stretch(o, port, c, o->now_ps);
        if ((paused & ~f->paused) >> c & 1)
            f->paused_since_ps[c] = o->now_ps;
    }
    f->paused = paused;
    if (host_pulls(o, port))
        weir_host_pause(o->host[port->src].host, weir_pfc_host_mask(paused, o->model->classes));
}

void oracle_fabric_control_arrives(struct oracle *o, const struct oracle_port *in)
{
    struct oracle_fabric *f = fabric_of(o, in);
    struct oracle_port *port = &o->port[o->topo->link[in->link].reverse];
    uint32_t bit, paused = fabric_of(o, port)->paused;
    struct oracle_pkt *p = f->control_flight.head;
    if (p == NULL || p->pkt.arrival_ps != o->now_ps)
        return; /* had been cut off */
    (void)oracle_fifo_pop(&f->control_flight);
    bit = 1u << p->pkt.class_id;
    if (((paused & bit) != 0) == (p->pkt.flags != 0))
        o->broken = "pause and resume did not alternate";
    o->pfc_count.pause_arrived += p->pkt.flags != 0;
    o->pfc_count.resume_arrived += p->pkt.flags == 0;
    set_paused(o, port, p->pkt.flags != 0 ? paused | bit : paused & ~bit);
    oracle_pkt_give(o, p);
    if (!port->of_switch)
        oracle_host_wake(o, port->src);
    oracle_port_kick(o, port);
}

static void discard(struct oracle *o, struct oracle_fifo *fifo)
{
    while (fifo->head != NULL)
        oracle_pkt_give(o, oracle_fifo_pop(fifo));
}

void oracle_fabric_cable_down(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fabric *f;
    if (o->fabric == NULL || !o->model->fabric.pfc.on)
        return;
    f = fabric_of(o, port);
    discard(o, &f->control);
    discard(o, &f->control_flight);
    set_paused(o, port, 0);
    for (uint32_t c = 0; c < o->model->classes; c++)
        f->account[c].paused = false;
}

/* --- telemetry --- */

/* A packet's transmission starts: it is out of the queue, and not yet among what was sent. */
void oracle_fabric_starts(struct oracle *o, struct oracle_port *port, struct oracle_pkt *p)
{
    const struct weir_telemetry_model *m = &o->model->fabric.telemetry;
    struct oracle_fabric *f = fabric_of(o, port);
    struct oracle_ext *ext = oracle_ext(p);
    const struct oracle_fabric *about = NULL;
    weir_int_leave(&f->telemetry, m->period_ps, o->now_ps, p->pkt.wire_bytes);
    if (m->mode == WEIR_TELEMETRY_DATA && p->pkt.kind == WEIR_PKT_DATA)
        about = f;
    else if (m->mode == WEIR_TELEMETRY_ACK && p->pkt.kind == WEIR_PKT_ACK && ext->in != ORACLE_NO_LINK)
        about = &o->fabric[o->topo->link[ext->in].reverse];
    if (port->of_switch && about != NULL && p->pkt.hops < m->hops_max)
        ext->hop[p->pkt.hops++] = weir_int_record(m, &o->fabric[about - o->fabric].telemetry, o->now_ps);
    weir_int_sent(&f->telemetry, o->now_ps, p->pkt.wire_bytes, p->tx_ps);
    f->sending_in = port->of_switch ? ext->in : ORACLE_NO_LINK;
    f->sending_class = class_of(o, p);
    f->sending_data = p->pkt.kind == WEIR_PKT_DATA;
    f->sending = p->pkt;
}

/* --- RoCC --- */

/* A flow's packet is at the port that speaks. */
static void send_notice(struct oracle *o, struct oracle_port *about, const struct weir_pkt *data, uint64_t rate_bps)
{
    uint32_t out = weir_route(&o->routes[o->routes_now], about->src, data->dst, data->src, data->hash);
    struct oracle_port *port;
    struct oracle_pkt *p;
    o->pfc_count.notices++;
    if (out == WEIR_ROUTE_PORT_NONE) {
        about->count.drops++;
        return;
    }
    port = &o->port[o->topo->node[about->src].first_out + out];
    p = oracle_pkt_take(o);
    p->pkt = (struct weir_pkt){ .value = rate_bps,
                                .conn = data->conn,
                                .msg = about->link,
                                .seq = WEIR_ROCC_CP_NOTICE,
                                .hash = data->hash,
                                .src = data->dst,
                                .dst = data->src,
                                .wire_bytes = WEIR_ROCC_CP_NOTICE_BYTES,
                                .kind = WEIR_PKT_NOTICE };
    oracle_ext(p)->in = ORACLE_NO_LINK;
    oracle_port_join(o, port, p);
    if (o->measuring)
        oracle_note_join(o, port);
    oracle_port_kick(o, port);
}

struct flows { /* each once, in order of its first packet */
    struct weir_pkt *pkt;
    uint32_t count, capacity;
};

static void note_flow(struct flows *flows, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA)
        return;
    for (uint32_t i = 0; i < flows->count; i++)
        if (flows->pkt[i].src == pkt->src && flows->pkt[i].conn == pkt->conn)
            return;
    if (flows->count == flows->capacity) {
        flows->capacity = 2 * flows->capacity + 16;
        flows->pkt = realloc(flows->pkt, flows->capacity * sizeof(*flows->pkt));
        WEIR_ASSERT(flows->pkt != NULL);
    }
    flows->pkt[flows->count++] = *pkt;
}

static void step_port(struct oracle *o, struct oracle_port *port)
{
    struct oracle_fabric *f = fabric_of(o, port);
    struct flows flows = { NULL, 0, 0 };
    uint64_t rate_bps = weir_rocc_cp_step(&f->cp, &f->cp_config, oracle_port_queue_bytes(port, o->now_ps));
    if (f->sending_data)
        note_flow(&flows, &f->sending);
    for (uint32_t c = 0; c < o->model->classes; c++)
        for (const struct oracle_pkt *p = port->queue[c].head; p != NULL; p = p->next)
            note_flow(&flows, &p->pkt);
    for (uint32_t i = 0; i < flows.count; i++)
        send_notice(o, port, &flows.pkt[i], rate_bps);
    free(flows.pkt);
}

void oracle_fabric_tick(struct oracle *o, uint32_t node)
{
    const struct weir_node *n = &o->topo->node[node];
    for (uint32_t p = n->first_out; p < n->first_out + n->out_count; p++)
        if (o->port[p].up)
            step_port(o, &o->port[p]);
    oracle_push(o, o->now_ps + o->model->fabric.rocc.period_ps, node, ORACLE_TICK, 0);
}

/* --- the end --- */

void oracle_fabric_result(struct oracle *o, struct weir_result *result)
{
    struct oracle_pfc_count *count = &o->pfc_count;
    for (uint32_t i = 0; o->fabric != NULL && i < o->topo->link_count; i++)
        for (uint32_t c = 0; c < o->model->classes; c++)
            if (o->fabric[i].paused >> c & 1)
                end_stretch(o, &o->port[i], c, o->end_ps);
    result->pause_frames = count->pause_frames;
    result->resume_frames = count->resume_frames;
    result->pause_frames_arrived = count->pause_arrived;
    result->resume_frames_arrived = count->resume_arrived;
    result->paused_ps = count->paused_ps;
    result->paused_longest_ps = count->longest_ps;
    result->paused_longest_link = count->longest_link;
    result->pause_storms = count->storms;
    result->lossless_drops = count->lossless_drops;
    result->lossless_drop_link = count->lossless_drop_link;
    result->notices = count->notices;
}

static bool accounts_hold(const struct oracle *o, const uint64_t *held)
{
    for (uint32_t i = 0; i < o->topo->link_count; i++)
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            if (o->fabric[i].account[c].bytes + o->fabric[i].account[c].headroom_bytes !=
                held[i * WEIR_CLASSES_MAX + c])
                return false;
    return true;
}

const char *oracle_fabric_check(const struct oracle *o)
{
    uint64_t *held;
    bool hold;
    if (o->fabric == NULL || !o->model->fabric.pfc.on)
        return NULL;
    held = oracle_alloc((size_t)o->topo->link_count * WEIR_CLASSES_MAX, sizeof(*held));
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct oracle_port *port = &o->port[i];
        for (uint32_t c = 0; c < o->model->classes; c++)
            for (struct oracle_pkt *p = port->queue[c].head; p != NULL && is_lossless(o, c); p = p->next)
                if (oracle_ext(p)->in != ORACLE_NO_LINK)
                    held[oracle_ext(p)->in * WEIR_CLASSES_MAX + c] += p->pkt.wire_bytes;
        if (o->fabric[i].sending_in != ORACLE_NO_LINK && is_lossless(o, o->fabric[i].sending_class))
            held[o->fabric[i].sending_in * WEIR_CLASSES_MAX + o->fabric[i].sending_class] += port->sending_bytes;
    }
    hold = accounts_hold(o, held);
    free(held);
    return hold ? NULL : "PFC accounts do not hold what lies in the switch";
}
