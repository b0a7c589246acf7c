/* src/simulator/switch/network.c - doc/model.md [order]: the instants of all nodes of a network, and what is on its
 * cables. */
#include "switch/network.h"
#include "core/assert.h"
#include "core/cause.h"
#include "core/math.h"
#include "model/model.h"

struct cable_end { /* a link: the port that feeds it, and what is on the wire */
    struct weir_switch_fifo flight, control;
};

struct node {
    struct weir_network *net;
    struct weir_switch *sw; /* of a host: its NIC */
    struct weir_switch_sink sink;
    struct weir_switch_fifo offered; /* what its host sends at the instant that comes next; arrival_ps is that time */
    uint32_t node;
};

struct weir_network {
    const struct weir_topology *topo;
    struct weir_switch_pool *pool;
    const struct weir_network_sink *sink;
    struct node *node;
    struct cable_end *end; /* by link */
    /* Winner tree of times: leaf first_leaf + i is item i, and each inner entry is the least of its two children. Items
     * are the nodes, then the links with what arrives next. */
    uint64_t *least;
    uint32_t first_leaf;
    uint64_t now_ps;
    bool has_run; /* nothing more may come at now_ps */
    bool out_of_pkts;
};

/* ---- when ---- */

/* Sets the time of an item. */
static void plan(struct weir_network *net, uint32_t item, uint64_t at_ps)
{
    uint32_t i = net->first_leaf + item;
    WEIR_ASSERT(i < 2 * net->first_leaf);
    if (net->least[i] == at_ps)
        return;
    net->least[i] = at_ps;
    for (i /= 2; i > 0; i /= 2) {
        const uint64_t *two = &net->least[2 * (size_t)i];
        uint64_t least_ps = weir_min_u64(two[0], two[1]);
        if (net->least[i] == least_ps)
            break;
        net->least[i] = least_ps;
    }
}

static void plan_node(struct weir_network *net, const struct node *n)
{
    uint64_t at_ps = weir_switch_next_ps(n->sw);
    if (n->offered.head != NULL)
        at_ps = weir_min_u64(at_ps, n->offered.head->pkt.arrival_ps);
    plan(net, n->node, at_ps);
}

static uint64_t head_ps(const struct weir_switch_fifo *wire)
{
    return wire->head != NULL ? wire->head->pkt.arrival_ps : WEIR_NEVER;
}

static void plan_link(struct weir_network *net, uint32_t link)
{
    const struct cable_end *end = &net->end[link];
    plan(net, net->topo->node_count + link, weir_min_u64(head_ps(&end->flight), head_ps(&end->control)));
}

/* Returns the node of the item with the least time. */
static uint32_t next_node(const struct weir_network *net)
{
    uint32_t i = 1;
    while (i < net->first_leaf)
        i = 2 * i + (net->least[2 * (size_t)i] != net->least[i]);
    i -= net->first_leaf;
    WEIR_ASSERT(i < net->topo->node_count + net->topo->link_count);
    return i < net->topo->node_count ? i : net->topo->link[i - net->topo->node_count].dst;
}

/* ---- what nodes say ---- */

static uint32_t link_of(const struct node *n, uint32_t port)
{
    WEIR_ASSERT(port < n->net->topo->node[n->node].out_count);
    return n->net->topo->node[n->node].first_out + port;
}

static void on_send(void *ctx, const struct weir_switch_sent *sent)
{
    const struct node *n = ctx;
    struct weir_network *net = n->net;
    uint32_t link = link_of(n, sent->port);
    struct weir_switch_fifo *wire = sent->is_control ? &net->end[link].control : &net->end[link].flight;
    if (net->sink->sent != NULL)
        net->sink->sent(net->sink->ctx, link, sent);
    sent->pkt->pkt.arrival_ps = sent->end_ps + net->topo->link[link].delay_ps + sent->late_ps;
    weir_switch_fifo_push(wire, sent->pkt);
    if (wire->head == sent->pkt)
        plan_link(net, link);
}

static void on_drop(void *ctx, const struct weir_switch_drop *drop)
{
    const struct node *n = ctx;
    n->net->sink->drop(n->net->sink->ctx, link_of(n, drop->port), drop);
}

static void on_decided(void *ctx, uint32_t port, enum weir_fate fate, uint32_t cause)
{
    const struct node *n = ctx;
    n->net->sink->decided(n->net->sink->ctx, link_of(n, port), fate, cause);
}

static void on_joined(void *ctx, uint32_t port)
{
    const struct node *n = ctx;
    n->net->sink->joined(n->net->sink->ctx, link_of(n, port), n->net->now_ps);
}

/* ---- one instant of a node ---- */

/* Drops a packet that has no way on from the node that it has reached [arrival.route]. */
static void drop_without_route(struct weir_network *net, uint32_t link, struct weir_switch_pkt *p)
{
    const struct weir_link *by = &net->topo->link[link];
    uint32_t port = link - net->topo->node[by->src].first_out;
    weir_switch_charge(net->node[by->src].sw, port, WEIR_FATE_DROPPED);
    net->sink->drop(
        net->sink->ctx, link,
        &(struct weir_switch_drop){
            .pkt = p, .now_ps = net->now_ps, .port = port, .cause = WEIR_CAUSE_NO_ROUTE, .fate = WEIR_FATE_DROPPED });
    weir_switch_pkt_give(net->pool, p);
}

static void arrive(struct weir_network *net, uint32_t link)
{
    const struct weir_link *by = &net->topo->link[link];
    struct weir_switch_pkt *p = weir_switch_fifo_pop(&net->end[link].flight);
    if (by->dst < net->topo->host_count)
        net->sink->deliver(net->sink->ctx, by->dst, p);
    else if (!weir_switch_rx(net->node[by->dst].sw, net->now_ps, by->in_index, p))
        drop_without_route(net, link, p);
}

/* Takes what has arrived at a node by now: control frames of all links, then packets, by in-link. */
static void take_arrivals(struct weir_network *net, const struct node *n)
{
    const struct weir_node *at = &net->topo->node[n->node];
    const uint32_t *in = &net->topo->in_link[at->first_in];
    for (uint32_t i = 0; i < at->in_count; i++)
        while (head_ps(&net->end[in[i]].control) == net->now_ps)
            weir_switch_control(n->sw, net->now_ps, i, weir_switch_fifo_pop(&net->end[in[i]].control));
    for (uint32_t i = 0; i < at->in_count; i++) {
        if (head_ps(&net->end[in[i]].flight) == net->now_ps)
            arrive(net, in[i]);
        plan_link(net, in[i]);
    }
}

/* Handles all that happens at a node at this instant. */
static void visit(struct weir_network *net, struct node *n)
{
    weir_switch_open(n->sw, net->now_ps);
    take_arrivals(net, n);
    while (head_ps(&n->offered) == net->now_ps)
        weir_switch_offer(n->sw, net->now_ps, 0, weir_switch_fifo_pop(&n->offered));
    weir_switch_run(n->sw, net->now_ps);
    net->out_of_pkts |= weir_switch_failed(n->sw);
    plan_node(net, n);
}

/* ---- calls ---- */

void weir_network_send(struct weir_network *net, uint64_t now_ps, uint32_t host, struct weir_switch_pkt *p)
{
    struct node *n = &net->node[host];
    WEIR_ASSERT(host < net->topo->host_count && (now_ps > net->now_ps || !net->has_run));
    WEIR_ASSERT(n->offered.head == NULL || n->offered.tail->pkt.arrival_ps <= now_ps);
    p->pkt.arrival_ps = now_ps;
    weir_switch_fifo_push(&n->offered, p);
    plan_node(net, n);
}

void weir_network_control(struct weir_network *net, uint64_t now_ps, uint32_t host, struct weir_switch_pkt *p)
{
    uint32_t link = net->topo->node[host].first_out;
    struct weir_switch_fifo *wire = &net->end[link].control;
    WEIR_ASSERT(host < net->topo->host_count && (now_ps > net->now_ps || !net->has_run));
    WEIR_ASSERT(wire->head == NULL || wire->tail->pkt.arrival_ps <= now_ps);
    p->pkt.arrival_ps = now_ps;
    weir_switch_fifo_push(wire, p);
    plan_link(net, link);
}

void weir_network_run(struct weir_network *net, uint64_t now_ps)
{
    WEIR_ASSERT(now_ps > net->now_ps || !net->has_run);
    while (net->least[1] <= now_ps) {
        WEIR_CHECK(net->least[1] >= net->now_ps);
        net->now_ps = net->least[1];
        visit(net, &net->node[next_node(net)]);
    }
    net->now_ps = now_ps;
    net->has_run = true;
}

uint64_t weir_network_next_ps(const struct weir_network *net)
{
    return net->least[1];
}

struct weir_switch *weir_network_node(const struct weir_network *net, uint32_t node)
{
    WEIR_ASSERT(node < net->topo->node_count);
    return net->node[node].sw;
}

const char *weir_network_broken(const struct weir_network *net)
{
    if (net->out_of_pkts)
        return "no packet was left for a control frame or a NOTICE";
    for (uint32_t i = 0; i < net->topo->node_count; i++) {
        const char *broken = weir_switch_broken(net->node[i].sw);
        if (broken != NULL)
            return broken;
    }
    return NULL;
}

/* ---- set-up ---- */

/* Makes a node. @return false = no memory */
static bool init_node(struct weir_network *net, uint32_t i, const struct weir_network_config *cfg)
{
    struct node *n = &net->node[i];
    *n = (struct node){ .net = net, .node = i };
    n->sink = (struct weir_switch_sink){ .send = on_send,
                                         .drop = on_drop,
                                         .decided = cfg->sink->decided != NULL ? on_decided : NULL,
                                         .joined = cfg->sink->joined != NULL ? on_joined : NULL,
                                         .ctx = n };
    n->sw = weir_switch_init(&(struct weir_switch_config){ .model = cfg->model,
                                                           .node = i,
                                                           .pool = cfg->pool,
                                                           .sink = &n->sink,
                                                           .mem = cfg->mem,
                                                           .nic_waits = i < net->topo->host_count });
    if (n->sw == NULL)
        return false;
    if (i >= net->topo->host_count)
        weir_switch_set_routes(n->sw, cfg->routes);
    plan_node(net, n);
    return true;
}

struct weir_network *weir_network_init(const struct weir_network_config *cfg)
{
    const struct weir_topology *topo = cfg->model->topo;
    struct weir_network *net = cfg->mem->grow(cfg->mem->ctx, sizeof(*net));
    uint32_t items = topo->node_count + topo->link_count;
    WEIR_ASSERT(cfg->pool->has_more && cfg->model->event_count == 0 && cfg->sink->deliver != NULL);
    if (net == NULL)
        return NULL;
    *net = (struct weir_network){ .topo = topo, .pool = cfg->pool, .sink = cfg->sink, .first_leaf = 1 };
    while (net->first_leaf < items)
        net->first_leaf *= 2;
    net->node = cfg->mem->grow(cfg->mem->ctx, topo->node_count * sizeof(*net->node));
    net->end = cfg->mem->grow(cfg->mem->ctx, topo->link_count * sizeof(*net->end));
    net->least = cfg->mem->grow(cfg->mem->ctx, 2 * (size_t)net->first_leaf * sizeof(*net->least));
    if (net->node == NULL || net->end == NULL || net->least == NULL)
        return NULL;
    for (uint32_t i = 0; i < 2 * net->first_leaf; i++)
        net->least[i] = WEIR_NEVER;
    for (uint32_t i = 0; i < topo->node_count; i++)
        if (!init_node(net, i, cfg))
            return NULL;
    return net;
}
