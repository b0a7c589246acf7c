/* test/oracle/check.c - invariants of the network, by the oracle's own account: packets are conserved, PFC's accounts hold what lies in
 * a switch, hooks write what their rows declare. */
#include "core/extension.h"
#include "core/feature.h"
#include "features/pfc/pfc.h"
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>
#include <string.h>

/* ---- what hooks write ---- */

/* Finds the parts that features of this run may write, of packets of each law and kind. */
void oracle_check_init(struct oracle *o)
{
    for (uint32_t law = 0; law < WEIR_LAWS_MAX; law++)
        for (uint32_t i = 0; i < o->model->features.count; i++) {
            const struct weir_feature *row = o->model->features.on[i].row;
            for (uint32_t kind = 0; kind < ORACLE_KINDS && oracle_owns_field(o, row, law); kind++)
                o->writable_parts[law][kind] |= weir_extension_parts(row->extension, kind);
        }
}

/* Hooks write what their rows declare into packets of laws that have the field, and nothing else. */
void oracle_check_written(struct oracle *o, enum weir_switch_hook hook, const struct weir_pkt *before,
                          const struct weir_pkt *after)
{
    uint32_t parts = o->writable_parts[weir_pkt_law(before)][before->kind];
    struct weir_pkt was = weir_pkt_without(before, parts), is = weir_pkt_without(after, parts);
    if (memcmp(&was, &is, sizeof(was)) != 0)
        o->broken = "a feature wrote a part of a packet that its row does not declare";
    if (hook == WEIR_SWITCH_FORWARD && o->model->aged_classes > 0 && after->class_id > before->class_id)
        o->broken = "a packet rose to a higher virtual lane";
    if (hook == WEIR_SWITCH_ESCAPE && after->class_id != o->model->classes - 2)
        o->broken = "a packet escaped to another lane than the lower one";
}

/* ---- PFC's accounts ---- */

struct accounts {
    const struct oracle *o;
    uint32_t first; /* link of the first port of the switch */
    uint64_t *held; /* [link of the port that leads back * WEIR_CLASSES_MAX + class] */
};

static void add_held(void *ctx, const struct weir_switch_held *held)
{
    struct accounts *a = ctx;
    bool counted = held->in_port != WEIR_PORT_NONE && (a->o->model->features.lossless >> held->in_class & 1) != 0;
    if (counted)
        a->held[(a->first + held->in_port) * WEIR_CLASSES_MAX + held->in_class] += held->bytes;
}

static bool accounts_hold(const struct oracle *o, uint32_t pfc, const uint64_t *held)
{
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct weir_chain_state *state = weir_chain_find(weir_switch_chain(o->link[i].sw, o->link[i].port), pfc);
        const struct weir_pfc_port *port = state->here.port;
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            if (port->account[c].bytes + port->account[c].headroom_bytes != held[i * WEIR_CLASSES_MAX + c])
                return false;
    }
    return true;
}

static const char *accounts_check(const struct oracle *o)
{
    const struct weir_features *features = &o->model->features;
    uint64_t *held;
    uint32_t pfc = 0;
    bool hold;
    while (pfc < features->count && features->on[pfc].row != &weir_pfc_feature)
        pfc++;
    if (pfc == features->count)
        return NULL;
    held = oracle_alloc((size_t)o->topo->link_count * WEIR_CLASSES_MAX, sizeof(*held));
    for (uint32_t n = o->topo->host_count; n < o->topo->node_count; n++) {
        struct accounts a = { .o = o, .first = o->topo->node[n].first_out, .held = held };
        weir_switch_each(o->node[n].sw, add_held, &a);
    }
    hold = accounts_hold(o, pfc, held);
    free(held);
    return hold ? NULL : "PFC accounts do not hold what lies in the switch";
}

/* ---- packets ---- */

static const char *link_check(const struct oracle *o, const struct oracle_link *link)
{
    const struct weir_port_count *count = oracle_count(o, link->link);
    uint64_t pkts = weir_switch_waiting_pkts(link->sw, link->port);
    for (const struct weir_switch_pkt *p = link->flight.head; p != NULL; p = p->next)
        pkts++;
    return count->pkts != link->arrived + count->losses + pkts ? "packets were not conserved on a link" : NULL;
}

const char *oracle_check(const struct oracle *o)
{
    const char *why = NULL;
    uint64_t alive = 0;
    for (uint32_t i = 0; i < o->topo->link_count && why == NULL; i++) {
        const struct weir_port_count *count = oracle_count(o, i);
        why = link_check(o, &o->link[i]);
        alive += count->pkts - o->link[i].arrived - count->losses;
    }
    for (uint32_t n = 0; n < o->topo->node_count && why == NULL; n++)
        why = weir_switch_broken(o->node[n].sw);
    for (uint32_t h = 0; h < o->topo->host_count && why == NULL; h++)
        why = weir_host_check(o->host[h].host);
    if (why == NULL)
        why = accounts_check(o);
    if (why == NULL)
        why = oracle_causes_check(o);
    return why == NULL && alive != o->alive ? "packets came or went unseen" : why;
}
