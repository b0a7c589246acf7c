/* test/oracle/causes.c - doc/model.md [causes]: why packets are dropped, lost, marked or deflected, and classes paused, by the oracle's own account. It keeps
 * causes by their names, and reads those of buffers and marks from the state of the port: their numbers are the engine's. */
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

static bool is_why(const struct oracle_why *why)
{
    return why->rule != NULL;
}

/* ---- which rule decided ---- */

/* The rules of shared memory, as the page has them, whatever the switch says. */
static const char *limit_of(const struct weir_buffer_model *m, const struct oracle_link *link, uint32_t bytes)
{
    return weir_switch_held_bytes(link->sw, link->port) + bytes > m->port_bytes ? "port" : "alpha";
}

/* The two ways of marking, likewise. */
static const char *ramp_of(const struct weir_ecn_port *port)
{
    return port->ramp.kmin_bytes < port->ramp.kmax_bytes ? "ramp" : "threshold";
}

struct oracle_why oracle_why_of(const struct oracle *o, const struct oracle_link *link, uint32_t cause, uint32_t bytes)
{
    const struct weir_features *features = &o->model->features;
    struct weir_cause of = weir_cause_of(features, cause);
    struct oracle_why why = { of.feature, of.rule->name };
    for (uint32_t f = 0; f < features->count; f++) {
        const struct weir_feature *row = features->on[f].row;
        const struct weir_chain_state *state = weir_chain_find(weir_switch_chain(link->sw, link->port), f);
        if (strcmp(row->name, why.feature) != 0)
            continue;
        if (row == &weir_buffer_feature)
            why.rule = limit_of(state->here.model, link, bytes);
        else if (row == &weir_ecn_feature)
            why.rule = ramp_of(state->here.port);
    }
    return why;
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

/* With no law that has the field, or one law alone, all packets have it. */
bool oracle_owns_field(const struct oracle *o, const struct weir_feature *row, uint32_t law)
{
    const struct weir_host_config *host = &o->model->host;
    uint32_t need = owners_need(row);
    if (host->law == NULL || (weir_host_needs(host) & need) == 0)
        return true;
    return law < host->law_count && (weir_host_needs(weir_host_config_of(host, law)) & need) != 0;
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

void oracle_count_gone(struct oracle *o, const struct oracle_link *link, const struct weir_pkt *pkt,
                       const struct oracle_why *why, enum weir_fate fate)
{
    uint32_t classes = o->model->classes;
    struct oracle_lost *lost = counter_of(o, why, fate);
    lost->pkts[kind_of(o, pkt)][pkt->class_id < classes ? pkt->class_id : classes - 1]++;
    lost->of_link[link->link]++;
    o->at_warmup.law[weir_pkt_law(pkt)].drops++;
    if (pkt->kind == WEIR_PKT_DATA)
        o->at_warmup.law[weir_pkt_law(pkt)].data_drops++;
}

void oracle_count_fate(struct oracle *o, const struct oracle_link *link, const struct oracle_why *why,
                       enum weir_fate fate)
{
    struct oracle_lost *lost = counter_of(o, why, fate);
    lost->times++;
    lost->of_link[link->link]++;
}

/* ---- the result ---- */

/* The engine's number of a cause; 0 = it has none of that name and fate. */
static uint32_t number_of(const struct oracle *o, const struct oracle_why *why, enum weir_fate fate)
{
    const struct weir_features *features = &o->model->features;
    for (uint32_t i = 1; i < weir_features_cause(features, features->count) && is_why(why); i++) {
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
        const struct weir_port_count *count = oracle_count(o, i);
        left[WEIR_FATE_DROPPED] += count->drops;
        left[WEIR_FATE_LOST] += count->losses;
        left[WEIR_FATE_MARKED] += count->marks;
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
