/* src/fabric/deflect/deflect_core.h - a switch's table of deflected messages. */
#ifndef WEIR_FABRIC_DEFLECT_DEFLECT_CORE_H
#define WEIR_FABRIC_DEFLECT_DEFLECT_CORE_H
#include "core/math.h"
#include "core/rng.h"
#include "fabric/deflect/deflect.h"

static inline bool weir_deflect_is_old(const struct weir_deflect_model *m, const struct weir_deflect_entry *e,
                                       uint64_t now_ps)
{
    return e->tokens > 0 && now_ps - e->used_ps >= m->timeout_ps;
}

/* The entry of a packet with tokens left; NULL = there is none. */
static inline struct weir_deflect_entry *weir_deflect_find(const struct weir_deflect_model *m,
                                                           struct weir_deflect_node *node, const struct weir_pkt *pkt,
                                                           uint64_t now_ps)
{
    for (uint32_t i = 0; i < m->entries; i++) {
        struct weir_deflect_entry *e = &node->entry[i];
        if (e->tokens == pkt->tokens && e->msg == pkt->msg && e->src == pkt->src && e->conn == pkt->conn &&
            !weir_deflect_is_old(m, e, now_ps))
            return e;
    }
    return NULL;
}

/* The first entry that is free, or has not been used for too long; NULL = the table is full. */
static inline struct weir_deflect_entry *weir_deflect_free(const struct weir_deflect_model *m,
                                                           struct weir_deflect_node *node,
                                                           struct weir_deflect_port *counts, uint64_t now_ps)
{
    for (uint32_t i = 0; i < m->entries; i++) {
        struct weir_deflect_entry *e = &node->entry[i];
        if (weir_deflect_is_old(m, e, now_ps)) {
            counts->expired++;
            e->tokens = 0;
        }
        if (e->tokens == 0)
            return e;
    }
    return NULL;
}
#endif
