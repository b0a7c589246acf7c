/* test/oracle/causes.c - doc/model.md [causes]: why packets are dropped, lost, marked or deflected, and classes paused, by the oracle's own account. It calls the hooks of a port
 * one by one, finds the row that a hook is of, and keeps causes by their names: numbers of causes are the engine's. */
#include "core/credit_ops.h"
#include "core/feature.h"
#include "test/oracle/oracle_impl.h"
#include "features/buffer/buffer.h"
#include "features/ecn/ecn.h"
#include <string.h>

struct oracle_lost { /* what one cause decided */
    struct oracle_why why;
    enum weir_fate fate;
    uint64_t times; /* where packets are not gone */
    uint64_t pkts[WEIR_LOST_KINDS][WEIR_CLASSES_MAX];
    uint64_t *of_link; /* link_count */
    struct oracle_lost *next;
};

bool oracle_is_why(const struct oracle_why *why)
{
    return why->rule != NULL;
}

/* ---- which rule decided ---- */

/* Returns the rule that an answer of a hook of this row names. */
static struct oracle_why why_of(const struct weir_feature *row, uint32_t answer)
{
    return (struct oracle_why){ row->name, row->rules[answer >> WEIR_RULE_SHIFT].name };
}

/* The rules of shared memory, as the page has them, whatever the hook names. */
static const char *limit_of(const struct weir_buffer_model *m, const struct weir_admit *a)
{
    return a->held_bytes + a->bytes > m->port_bytes ? "port" : "alpha";
}

struct oracle_why oracle_ask_admit(const struct oracle *o, const struct oracle_port *port,
                                   const struct weir_admit *admit)
{
    for (uint32_t i = 0; i < port->chain.admit_count; i++) {
        const struct weir_admit_hook *hook = &port->chain.admit[i];
        uint32_t answer = hook->call(&hook->here, admit);
        for (uint32_t f = 0; f < o->model->features.count && (answer & WEIR_DROP) != 0; f++) {
            const struct weir_feature *row = o->model->features.on[f].row;
            if (row->admit != hook->call)
                continue;
            if (row == &weir_buffer_feature)
                return (struct oracle_why){ row->name, limit_of(hook->here.model, admit) };
            return why_of(row, answer);
        }
    }
    if (admit->used_bytes + admit->bytes > admit->memory_bytes)
        return (struct oracle_why){ "switch", "memory" };
    return (struct oracle_why){ 0 };
}

struct oracle_why oracle_ask_gate(const struct oracle *o, const struct oracle_port *port, uint64_t waiting_bytes,
                                  uint32_t bytes)
{
    const struct weir_gate_hook *hook = &port->chain.gate;
    uint32_t answer = hook->gate->admits(&hook->here, waiting_bytes, bytes);
    for (uint32_t f = 0; f < o->model->features.count && (answer & WEIR_DROP) != 0; f++)
        if (o->model->features.on[f].row->gate == hook->gate)
            return why_of(o->model->features.on[f].row, answer);
    return (struct oracle_why){ 0 };
}

/* The two ways of marking, as the page has them, whatever the hook names. */
static struct oracle_why why_joined(const struct weir_join_hook *hook, const struct weir_feature *row, uint32_t answer)
{
    const struct weir_ecn_port *port = hook->here.port;
    if (row != &weir_ecn_feature)
        return why_of(row, answer);
    return (struct oracle_why){ row->name, port->ramp.kmin_bytes < port->ramp.kmax_bytes ? "ramp" : "threshold" };
}

struct oracle_why oracle_ask_join(const struct oracle *o, const struct oracle_port *port, const struct weir_join *join)
{
    struct oracle_why why = { 0 };
    for (uint32_t i = 0; i < port->chain.join_count; i++) {
        const struct weir_join_hook *hook = &port->chain.join[i];
        uint32_t answer = hook->call(&hook->here, join);
        for (uint32_t f = 0; f < o->model->features.count && (answer & WEIR_MARK) != 0 && !oracle_is_why(&why); f++)
            if (o->model->features.on[f].row->on_join == hook->call)
                why = why_joined(hook, o->model->features.on[f].row, answer);
    }
    return why;
}

struct oracle_why oracle_ask_dequeue(const struct oracle *o, const struct oracle_port *port,
                                     struct weir_dequeue *dequeue, struct oracle_why *mark)
{
    struct oracle_why drop = { 0 };
    *mark = (struct oracle_why){ 0 };
    for (uint32_t i = 0; i < port->chain.dequeue_count && !oracle_is_why(&drop); i++) {
        const struct weir_dequeue_hook *hook = &port->chain.dequeue[i];
        uint32_t answer = hook->call(&hook->here, dequeue);
        for (uint32_t f = 0; f < o->model->features.count && (answer & (WEIR_DROP | WEIR_MARK)) != 0; f++) {
            const struct weir_feature *row = o->model->features.on[f].row;
            if (row->on_dequeue == hook->call && (answer & WEIR_DROP) != 0)
                drop = why_of(row, answer);
            else if (row->on_dequeue == hook->call && !oracle_is_why(mark))
                *mark = why_of(row, answer);
        }
    }
    return drop;
}

/* Asks the features that may take a mark. */
static struct oracle_why ask_mark(const struct oracle *o, const struct oracle_port *port, const struct weir_pkt *pkt)
{
    const struct weir_mark mark = { .pkt = pkt, .now_ps = o->now_ps };
    for (uint32_t i = 0; i < port->chain.mark_count; i++) {
        const struct weir_mark_hook *hook = &port->chain.mark[i];
        uint32_t answer = hook->call(&hook->here, &mark);
        for (uint32_t f = 0; f < o->model->features.count && (answer & WEIR_TAKE) != 0; f++)
            if (o->model->features.on[f].row->on_mark == hook->call)
                return why_of(o->model->features.on[f].row, answer);
    }
    return (struct oracle_why){ 0 };
}

/* What a law needs whose packets have the field that this feature writes; 0 = all packets have it. Our own table: the feature has
 * another, and where the two do not agree the engine's packets differ from ours. */
static uint32_t owners_need(const struct weir_feature *row)
{
    static const struct {
        const char *feature;
        uint32_t need;
    } table[] = { { "maxqd", WEIR_NEED_QDELAY },
                  { "rcp", WEIR_NEED_RCP },
                  { "int", WEIR_NEED_INT | WEIR_NEED_ACK_INT } };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].feature, row->name) == 0)
            return table[i].need;
    return 0;
}

/* Is the packet of a law whose packets have the feature's field? With none that has, or one law alone, all have it. */
static bool owns_field(const struct oracle *o, const struct weir_feature *row, const struct weir_pkt *pkt)
{
    const struct weir_host_config *host = &o->model->host;
    uint32_t need = owners_need(row);
    if (host->law == NULL || (weir_host_needs(host) & need) == 0)
        return true;
    return (weir_host_needs(weir_host_config_of(host, weir_pkt_law(pkt))) & need) != 0;
}

/* Calls an on_start hook. What it writes into a packet of a law without the field is undone. */
static uint32_t call_start(const struct oracle *o, const struct weir_start_hook *hook, struct weir_start *start)
{
    struct weir_pkt before = *start->pkt;
    uint32_t answer = hook->call(&hook->here, start);
    for (uint32_t f = 0; f < o->model->features.count; f++) {
        const struct weir_feature *row = o->model->features.on[f].row;
        if (row->on_start != hook->call || owns_field(o, row, &before))
            continue;
        *start->pkt = before;
        answer &= ~(uint32_t)WEIR_RECORD;
    }
    return answer;
}

uint32_t oracle_ask_start(const struct oracle *o, const struct oracle_port *port, struct weir_start *start,
                          struct oracle_why *why)
{
    uint32_t all = 0;
    *why = (struct oracle_why){ 0 };
    for (uint32_t i = 0; i < port->chain.start_count; i++) {
        const struct weir_start_hook *hook = &port->chain.start[i];
        uint32_t answer = call_start(o, hook, start);
        all |= answer & (WEIR_RULE(1) - 1);
        for (uint32_t f = 0; f < o->model->features.count && (answer & WEIR_LOSE) != 0 && !oracle_is_why(why); f++)
            if (o->model->features.on[f].row->on_start == hook->call)
                *why = why_of(o->model->features.on[f].row, answer);
    }
    return all;
}

/* ---- counting ---- */

static bool is_one_of(uint32_t kind, uint32_t kinds)
{
    return (WEIR_PKT_KIND_BIT(kind) & kinds) != 0;
}

static uint32_t kind_of(const struct oracle *o, const struct weir_pkt *pkt)
{
    const struct weir_credit_ops *credit = weir_host_config_of(&o->model->host, weir_pkt_law(pkt))->credit;
    bool is_own = pkt->kind == WEIR_PKT_CONTROL && credit != NULL && pkt->seq < WEIR_CONTROL_KINDS;
    if (pkt->kind == WEIR_PKT_DATA)
        return WEIR_LOST_DATA;
    if (is_one_of(pkt->kind, WEIR_PKT_KIND_BIT(WEIR_PKT_ACK) | WEIR_PKT_KIND_BIT(WEIR_PKT_REPLY) |
                                 WEIR_PKT_KIND_BIT(WEIR_PKT_DONE)))
        return WEIR_LOST_ACK;
    if (pkt->kind == WEIR_PKT_CREDIT || (is_own && is_one_of(pkt->seq, credit->credit_kinds)))
        return WEIR_LOST_CREDIT;
    return WEIR_LOST_CONTROL;
}

static bool is_same(const struct oracle_why *a, const struct oracle_why *b)
{
    return strcmp(a->feature, b->feature) == 0 && strcmp(a->rule, b->rule) == 0;
}

static struct oracle_lost *counter_of(struct oracle *o, const struct oracle_why *why, enum weir_fate fate)
{
    struct oracle_lost *lost = o->lost;
    while (lost != NULL && !(is_same(&lost->why, why) && lost->fate == fate))
        lost = lost->next;
    if (lost == NULL) {
        lost = oracle_lend(o, sizeof(*lost));
        *lost = (struct oracle_lost){ .why = *why, .fate = fate, .next = o->lost };
        lost->of_link = oracle_lend(o, o->topo->link_count * sizeof(*lost->of_link));
        memset(lost->of_link, 0, o->topo->link_count * sizeof(*lost->of_link));
        o->lost = lost;
    }
    return lost;
}

static void count(struct oracle *o, struct oracle_port *port, const struct weir_pkt *pkt, const struct oracle_why *why,
                  enum weir_fate fate)
{
    uint32_t classes = o->model->classes;
    struct oracle_lost *lost = counter_of(o, why, fate);
    lost->pkts[kind_of(o, pkt)][pkt->class_id < classes ? pkt->class_id : classes - 1]++;
    lost->of_link[port->link]++;
    if (fate != WEIR_FATE_DROPPED && fate != WEIR_FATE_LOST)
        return;
    o->at_warmup.law[weir_pkt_law(pkt)].drops++;
    if (pkt->kind == WEIR_PKT_DATA)
        o->at_warmup.law[weir_pkt_law(pkt)].data_drops++;
}

void oracle_count_drop(struct oracle *o, struct oracle_port *port, const struct weir_pkt *pkt,
                       const struct oracle_why *why)
{
    port->count.drops++;
    count(o, port, pkt, why, WEIR_FATE_DROPPED);
}

void oracle_count_loss(struct oracle *o, struct oracle_port *port, const struct weir_pkt *pkt,
                       const struct oracle_why *why)
{
    port->count.losses++;
    count(o, port, pkt, why, WEIR_FATE_LOST);
}

void oracle_count_fate(struct oracle *o, const struct oracle_port *port, const struct oracle_why *why,
                       enum weir_fate fate)
{
    struct oracle_lost *lost = counter_of(o, why, fate);
    lost->times++;
    lost->of_link[port->link]++;
}

void oracle_mark(struct oracle *o, struct oracle_port *port, struct weir_pkt *pkt, const struct oracle_why *why)
{
    struct oracle_why taken;
    if (!oracle_is_why(why))
        return;
    taken = ask_mark(o, port, pkt);
    if (oracle_is_why(&taken)) {
        oracle_count_fate(o, port, &taken, WEIR_FATE_UNMARKED);
        return;
    }
    pkt->flags |= WEIR_PKT_CE;
    port->count.marks++;
    oracle_count_fate(o, port, why, WEIR_FATE_MARKED);
}

/* ---- the result ---- */

/* The engine's number of a cause; 0 = it has none of that name and fate. */
static uint32_t number_of(const struct oracle *o, const struct oracle_why *why, enum weir_fate fate)
{
    const struct weir_features *features = &o->model->features;
    for (uint32_t i = 1; i < weir_features_cause(features, features->count) && oracle_is_why(why); i++) {
        struct weir_cause cause = weir_cause_of(features, i);
        if (cause.rule->fate == fate && is_same(&(struct oracle_why){ cause.feature, cause.rule->name }, why))
            return i;
    }
    return 0;
}

uint32_t oracle_number_of(const struct oracle *o, const struct oracle_why *why)
{
    uint32_t number = number_of(o, why, WEIR_FATE_DROPPED);
    return number != 0 ? number : number_of(o, why, WEIR_FATE_LOST);
}

void oracle_causes_result(struct oracle *o, struct weir_result *result)
{
    uint32_t links = o->options->links ? o->topo->link_count : 0;
    struct weir_causes *causes;
    if (!o->options->causes)
        return;
    causes = weir_causes_new(&o->model->features, o->model->classes, links);
    WEIR_ASSERT(causes != NULL);
    for (const struct oracle_lost *lost = o->lost; lost != NULL; lost = lost->next) {
        uint32_t number = number_of(o, &lost->why, lost->fate);
        if (number == 0) {
            o->broken = "something was decided by a rule that the run does not have";
            continue;
        }
        causes->row[number].decided = lost->times;
        memcpy(causes->row[number].pkts, lost->pkts, sizeof(lost->pkts));
        for (uint32_t i = 0; i < links; i++)
            causes->of_link[(size_t)i * causes->count + number] = lost->of_link[i];
    }
    result->causes = causes;
}

const char *oracle_causes_check(const struct oracle *o)
{
    uint64_t left[WEIR_FATES] = { 0 };
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        left[WEIR_FATE_DROPPED] += o->port[i].count.drops;
        left[WEIR_FATE_LOST] += o->port[i].count.losses;
        left[WEIR_FATE_MARKED] += o->port[i].count.marks;
    }
    for (const struct oracle_lost *lost = o->lost; lost != NULL; lost = lost->next) {
        left[lost->fate] -= lost->times;
        for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
            for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
                left[lost->fate] -= lost->pkts[k][c];
    }
    return left[WEIR_FATE_DROPPED] != 0 || left[WEIR_FATE_LOST] != 0 || left[WEIR_FATE_MARKED] != 0
               ? "what was dropped, lost or marked is not the sum over its causes"
               : NULL;
}
