/* src/algorithms/features/deflect/deflect.c - IOFD: keys, set-up, the hook and the row. */
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "features/deflect/deflect_core.h"

#define ENTRIES_MAX 1024u
#define TIMEOUT_MAX (100 * WEIR_PS_PER_S)
#define SIZE_MAX_BYTES UINT64_C(1000000000000)

static const char *const modes[] = { "off", "on", NULL };
static const char *const keys[] = { [WEIR_DEFLECT_BY_TOKENS] = "tokens", [WEIR_DEFLECT_BY_MESSAGE] = "message", NULL };
static const char *const spends[] = { [WEIR_DEFLECT_EACH] = "each", [WEIR_DEFLECT_FIRST] = "first", NULL };
static const char *const escapes[] = {
    [WEIR_DEFLECT_ESCAPE_TOKENS] = "tokens", [WEIR_DEFLECT_ESCAPE_PAUSED] = "paused", NULL
};
static const char *const hashes[] = { [WEIR_DEFLECT_KEEP_HASH] = "keep", [WEIR_DEFLECT_NEW_HASH] = "new", NULL };

static const struct weir_param deflect_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_deflect_config, mode, modes, 1,
        "on: short messages take another port where they meet a long queue; off: not even if a preset says "
        "so"),
    WEIR_PARAM_NAMED("threshold", struct weir_deflect_config, threshold_bytes, WEIR_KIND_SIZE, 0, SIZE_MAX_BYTES, 15000,
                     "a message whose first packet finds more than this queued is deflected; below the marking "
                     "threshold"),
    WEIR_PARAM_U32(struct weir_deflect_config, entries, 0, ENTRIES_MAX, 8,
                   "deflected messages that a switch knows at once"),
    WEIR_PARAM_U32(struct weir_deflect_config, tokens, 0, WEIR_PKT_TOKENS_MAX, 4,
                   "how often a packet of a short message may be deflected"),
    WEIR_PARAM_NAMED("short", struct weir_deflect_config, short_bytes, WEIR_KIND_SIZE, 0, SIZE_MAX_BYTES, 16000,
                     "messages of up to so many bytes have tokens, longer ones none"),
    WEIR_PARAM_NAMED("timeout", struct weir_deflect_config, timeout_ps, WEIR_KIND_TIME, 1, TIMEOUT_MAX,
                     2 * WEIR_PS_PER_S, "T_soft: an entry is free when no packet has used it for so long"),
    WEIR_PARAM_NAMED("last_hop", struct weir_deflect_config, last_hop, WEIR_KIND_FLAG, 0, 1, 0,
                     "on: also away from ports that lead to hosts, where it helps nobody"),
    WEIR_PARAM_CHOICE(
        "key", struct weir_deflect_config, key, keys, WEIR_DEFLECT_BY_TOKENS,
        "what an entry is of: tokens = a message and the tokens that its packets have left; message = a message "
        "alone, as in the paper, which does not keep order"),
    WEIR_PARAM_CHOICE(
        "spend", struct weir_deflect_config, spend, spends, WEIR_DEFLECT_EACH,
        "which packets lose a token where a message is deflected: each, or its first; first needs key: message"),
    WEIR_PARAM_NAMED("itself", struct weir_deflect_config, itself, WEIR_KIND_FLAG, 0, 1, 0,
                     "the packet counts in the queue that is compared with threshold, too"),
    WEIR_PARAM_CHOICE(
        "hash", struct weir_deflect_config, hash, hashes, WEIR_DEFLECT_KEEP_HASH,
        "what chooses among equal paths after a deflection: keep = the hash of before; new = another one"),
    WEIR_PARAM_CHOICE(
        "escape", struct weir_deflect_config, escape, escapes, WEIR_DEFLECT_ESCAPE_TOKENS,
        "with lanes: 2, when a packet changes to the escape lane: tokens = when it has none left; paused = also where "
        "its own lane is paused, as in the paper, which does not keep order"),
    { 0 },
};

static const char *const as_in_paper[] = { "deflect.mode: on", NULL };
static const char *const eager[] = { "deflect.threshold: 3 KB", "deflect.entries: 2", "deflect.short: 100 KB", NULL };
static const struct weir_preset deflect_examples[] = {
    { "dart", "with the paper's values", as_in_paper },
    { "eager", "small queues, longer messages and a small table", eager },
    { 0 },
};

static int deflect_refuse(const struct weir_fabric_env *env, const struct weir_deflect_config *cfg,
                          struct weir_err *err)
{
    if ((env->needs & WEIR_NEED_NO_ACKS) != 0)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set another protocol.name",
                         "fabric: deflection needs messages with a first and a last packet, and protocol %s has none",
                         env->protocol);
    if (env->routes_spray)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, weir_fabric_path_hint(env, "set fabric.routing: ecmp"),
                         "fabric: deflection keeps packets in order, and %s does not",
                         env->nics_spread ? "host.nics" : "fabric.routing: spray");
    if (!env->routes_shortest)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.routing: ecmp or symmetric",
                         "fabric: a deflected packet costs two more links, and in a spanning tree it may be more");
    if (weir_fabric_is_tree(env))
        return weir_fail(err, WEIR_E_CONFLICT, env->where,
                         "leave fabric.deflect out, or take a network with more cables",
                         "fabric: deflection needs another way, and here there is one path between any two switches");
    if (env->lanes != 0 && env->lanes != 2 && env->lanes != cfg->tokens + 1)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.lanes to fabric.deflect.tokens + 1",
                         "fabric.lanes: %u is neither %u, one for each number of tokens left, nor 2, as in the paper",
                         (unsigned)env->lanes, (unsigned)cfg->tokens + 1);
    if (env->lanes != 0 && cfg->key != WEIR_DEFLECT_BY_TOKENS)
        return weir_fail(
            err, WEIR_E_CONFLICT, env->where, "leave key out",
            "fabric.deflect: key: message does not go with fabric.lanes, whose packets go by their tokens");
    if (cfg->spend == WEIR_DEFLECT_FIRST && cfg->key != WEIR_DEFLECT_BY_MESSAGE)
        return weir_fail(
            err, WEIR_E_CONFLICT, env->where, "set key: message, or leave spend out",
            "fabric.deflect: with spend: first the packets of a message have not all the same tokens, and key: tokens "
            "would part them");
    if (cfg->escape == WEIR_DEFLECT_ESCAPE_PAUSED && env->lanes != 2)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.lanes: 2, or leave escape out",
                         "fabric.deflect: escape: paused is about two virtual lanes");
    if (cfg->threshold_bytes >= env->mark_bytes)
        return weir_fail(err, WEIR_E_CONFLICT, env->where,
                         "for example fabric: {ecn: {threshold: 22.5 KB}, deflect: {threshold: 15 KB}}",
                         "fabric.deflect: threshold is not below the queue from which on fabric.ecn marks");
    return 0;
}

static int deflect_setup(const void *config, const struct weir_fabric_env *env, void *model,
                         struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_deflect_config *cfg = config;
    struct weir_deflect_model *m = model;
    WEIR_ASSERT(cfg->entries <= ENTRIES_MAX);
    WEIR_ASSERT(cfg->tokens <= WEIR_PKT_TOKENS_MAX);
    *m = (struct weir_deflect_model){ .threshold_bytes = cfg->threshold_bytes,
                                      .timeout_ps = cfg->timeout_ps,
                                      .entries = cfg->entries,
                                      .lanes = env->lanes,
                                      .lane_class = env->data_class,
                                      .escapes = cfg->escape == WEIR_DEFLECT_ESCAPE_PAUSED,
                                      .lane_each =
                                          env->lanes == cfg->tokens + 1 && cfg->escape != WEIR_DEFLECT_ESCAPE_PAUSED,
                                      .last_hop = cfg->last_hop != 0,
                                      .by_message = cfg->key == WEIR_DEFLECT_BY_MESSAGE,
                                      .first_spends = cfg->spend == WEIR_DEFLECT_FIRST,
                                      .itself = cfg->itself != 0,
                                      .new_hash = cfg->hash == WEIR_DEFLECT_NEW_HASH };
    plan->on = env->is_set && cfg->mode != 0;
    if (!plan->on || env->receiver_driven)
        return 0; /* set-up refuses receiver-driven protocols by the row's host_needs */
    WEIR_ASSERT(env->lanes == 0 || env->data_class + env->lanes <= WEIR_CLASSES_MAX);
    plan->escapes = m->escapes;
    plan->tokens = cfg->tokens;
    plan->token_bytes = cfg->short_bytes;
    plan->node_bytes = sizeof(struct weir_deflect_node) + (size_t)m->entries * sizeof(struct weir_deflect_entry);
    return deflect_refuse(env, cfg, err);
}

static bool deflect_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    struct weir_deflect_node *node = here->node;
    struct weir_deflect_port *p = here->port;
    if (port->from_host)
        return false;
    WEIR_ASSERT(port->index < UINT16_MAX); /* weir_deflect_entry.port */
    if (port->index == 0)
        node->key = weir_rng_key(port->seed, port->link, WEIR_RNG_DEFLECT, 0);
    node->ports = port->index + 1;
    p->to_switch = !port->to_host;
    p->goes_up = port->goes_up;
    return true;
}

static struct weir_deflect_port *port_of(const struct weir_here *here, uint32_t index)
{
    return weir_port_state(here, index, sizeof(struct weir_deflect_port));
}

/* Tests whether a packet may be deflected to `port`: the port leads to a switch, and is neither that of its route nor
 * that by which it arrived. */
static bool port_may(const struct weir_here *here, const struct weir_forward *f, uint32_t port)
{
    return port != f->out_port && port != f->in_port && port_of(here, port)->to_switch;
}

/* Draws one of the ports to which the packet may be deflected, at random. @return WEIR_PORT_NONE = there is none */
static uint32_t choose_port(const struct weir_here *here, const struct weir_forward *f)
{
    struct weir_deflect_node *node = here->node;
    uint32_t count = 0, left, port = 0;
    for (uint32_t p = 0; p < node->ports; p++)
        count += port_may(here, f, p);
    if (count == 0)
        return WEIR_PORT_NONE;
    left = weir_rng_below(weir_rng_at(node->key, node->draws++), count);
    while (!port_may(here, f, port) || left-- > 0)
        port++;
    WEIR_ASSERT(port < node->ports);
    return port;
}

/* Decides whether a message is deflected, at its first packet. Adds an entry if more packets follow. @return the port;
 * WEIR_PORT_NONE = not deflected */
static uint32_t deflect_begin(const struct weir_here *here, const struct weir_forward *f)
{
    const struct weir_deflect_model *m = here->model;
    struct weir_deflect_port *counts = here->port;
    const struct weir_pkt *pkt = f->pkt;
    bool single = (pkt->flags & WEIR_PKT_END) != 0;
    struct weir_deflect_entry *e = NULL;
    uint64_t queue_bytes = f->queue_bytes + (m->itself ? pkt->wire_bytes : 0);
    uint32_t port;
    if (queue_bytes <= m->threshold_bytes || (!m->last_hop && !port_of(here, f->out_port)->to_switch))
        return WEIR_PORT_NONE;
    if (pkt->tokens == 0) {
        counts->no_token++;
        return WEIR_PORT_NONE;
    }
    if (m->entries == 0 || (!single && (e = weir_deflect_free(m, here->node, counts, f->now_ps)) == NULL)) {
        counts->table_full++;
        return WEIR_PORT_NONE;
    }
    port = choose_port(here, f);
    if (port == WEIR_PORT_NONE) {
        counts->no_port++;
        return WEIR_PORT_NONE;
    }
    counts->messages++;
    if (!single)
        *e = (struct weir_deflect_entry){ .used_ps = f->now_ps,
                                          .src = pkt->src,
                                          .conn = pkt->conn,
                                          .msg = pkt->msg,
                                          .port = (uint16_t)port,
                                          .tokens = (uint8_t)pkt->tokens };
    return port;
}

/* Returns the port to which the packet's message was deflected before; WEIR_PORT_NONE = there is no valid entry for the
 * packet. Frees the entry after the last packet. */
static uint32_t deflect_follow(const struct weir_here *here, const struct weir_forward *f)
{
    struct weir_deflect_entry *e = NULL;
    if (f->pkt->tokens > 0)
        e = weir_deflect_find(here->model, here->node, f->pkt, f->now_ps);
    if (e == NULL)
        return WEIR_PORT_NONE;
    e->used_ps = f->now_ps;
    if ((f->pkt->flags & WEIR_PKT_END) != 0)
        e->tokens = 0;
    return e->port;
}

enum { RULE_FIRST, RULE_FOLLOW };
static const struct weir_rule deflect_rules[] = {
    [RULE_FIRST] = { "first", "deflect.first", WEIR_FATE_DEFLECTED, "the queue of their port was above the threshold" },
    [RULE_FOLLOW] = { "follow", "deflect.follow", WEIR_FATE_DEFLECTED,
                      "packets of the flow before them were deflected" },
    { 0 },
};

static uint32_t deflect_on_forward(const struct weir_here *here, struct weir_forward *f)
{
    const struct weir_deflect_model *m = here->model;
    struct weir_deflect_port *counts = here->port;
    bool first = f->pkt->seq == f->pkt->ack && (f->pkt->flags & WEIR_PKT_RETX) == 0;
    uint32_t port = deflect_follow(here, f), rule = WEIR_RULE(RULE_FOLLOW),
             own_links = 1u + !counts->to_switch; /* the link by which it leaves; and the first link, from its host */
    if (port == WEIR_PORT_NONE && first) {
        port = deflect_begin(here, f);
        rule = WEIR_RULE(RULE_FIRST);
    }
    if (m->lanes > 0 && !weir_deflect_enter_lane(m, f->pkt))
        ((struct weir_deflect_node *)here->node)->wrong_lane = true;
    counts->links += own_links;
    counts->least_links += own_links;
    if (!counts->to_switch && f->pkt->tokens > 0) {
        uint64_t route_links = 1u + f->links(f, f->out_port);
        counts->short_links += route_links;
        counts->short_least_links += route_links;
    }
    if (port == WEIR_PORT_NONE)
        return 0;
    uint64_t route_links = f->links(f, f->out_port), more_links;
    if (m->new_hash)
        f->pkt->hash = weir_mix_u32(f->pkt->hash + 1); /* a function of the old hash: a message keeps to one path */
    more_links = f->links(f, port) - route_links;
    counts->packets++;
    counts->least_links -= more_links;
    counts->short_links += more_links;
    f->pkt->tokens = WEIR_PKT_TOKENS(f->pkt->tokens - (first || !m->first_spends));
    if (m->lanes > 0)
        weir_deflect_change_lane(m, f->pkt, port_of(here, port)->goes_up);
    if (m->escapes)
        f->pkt->stays = !port_of(here, port)->goes_up; /* it goes down, and from there up again */
    f->out_port = port;
    return WEIR_DEFLECT | rule;
}

/* Changes a packet to the lower lane, and takes its tokens: it is never deflected again. From this port on it takes its
 * route, or a link that goes up and then its route: up and then down. That holds for every packet of the lower lane, so
 * its pauses close no cycle. */
static void deflect_on_escape(const struct weir_here *here, struct weir_pkt *pkt)
{
    const struct weir_deflect_model *m = here->model;
    ((struct weir_deflect_port *)here->port)->escaped++;
    pkt->tokens = 0;
    pkt->class_id = WEIR_PKT_CLASS(weir_deflect_class(m, 0));
}

static const char *deflect_broken(const struct weir_here *here, uint32_t ports)
{
    (void)ports;
    return ((const struct weir_deflect_node *)here->node)->wrong_lane
               ? "a packet was in a virtual lane not of its tokens"
               : NULL;
}

static const struct weir_feature_counter deflect_counters[] = {
    WEIR_COUNTER(struct weir_deflect_port, messages, "messages", "messages deflected"),
    WEIR_COUNTER(struct weir_deflect_port, packets, "packets", "packets deflected"),
    WEIR_COUNTER(struct weir_deflect_port, table_full, "table_full", "stayed, table full"),
    WEIR_COUNTER(struct weir_deflect_port, no_token, "no_token", "stayed, no token"),
    WEIR_COUNTER(struct weir_deflect_port, no_port, "no_port", "stayed, no port"),
    WEIR_COUNTER(struct weir_deflect_port, expired, "expired", "entries expired"),
    WEIR_COUNTER(struct weir_deflect_port, escaped, "escaped", "changed to the escape lane"),
    WEIR_COUNTER(struct weir_deflect_port, links, "links", NULL),
    { .name = "load_increase",
      .offset = (uint32_t)offsetof(struct weir_deflect_port, least_links),
      .how = WEIR_COUNT_RATIO },
    WEIR_COUNTER(struct weir_deflect_port, short_links, "short_links", NULL),
    { .name = "path_dilation",
      .offset = (uint32_t)offsetof(struct weir_deflect_port, short_least_links),
      .how = WEIR_COUNT_RATIO },
    { 0 },
};

static const struct weir_extension tokens = { .name = "tokens for deflection",
                                              .parts = WEIR_PART_TOKENS | WEIR_PART_HASH,
                                              .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) };

static const struct weir_feature_conflict deflect_conflicts[] = {
    { "int", "the records of a packet would be of another path than the next one's" },
    { 0 },
};

const struct weir_feature weir_deflect_feature = {
    .name = "deflect",
    .title = "deflection",
    .hint = "in-order flow deflection: a short message that meets a long queue takes another port, all of it",
    .source = "Xue et al., IEEE/ACM Transactions on Networking 28(1), 2020",
    .section = "deflect",
    .section_text = "Deflection of short messages (Dart's IOFD). `deflect: on` is short for `deflect: {mode: on}`.",
    .section_enables = true,
    .short_key = "mode",
    .params = deflect_params,
    .examples = deflect_examples,
    .everywhere = "packets keep their tokens and lanes on the whole path",
    .config_bytes = sizeof(struct weir_deflect_config),
    .model_bytes = sizeof(struct weir_deflect_model),
    .setup = deflect_setup,
    .host_needs = WEIR_FEATURE_NEEDS_SENDERS,
    .conflicts = deflect_conflicts,
    .rules = deflect_rules,
    .extension = &tokens,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_deflect_port),
    .node_bytes = sizeof(struct weir_deflect_node),
    .port_init = deflect_port_init,
    .counters = deflect_counters,
    .on_forward = deflect_on_forward,
    .on_escape = deflect_on_escape,
    .broken = deflect_broken,
};
