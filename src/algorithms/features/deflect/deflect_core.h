/* src/algorithms/features/deflect/deflect_core.h - a switch's table of deflected messages, and virtual lanes. */
#ifndef WEIR_FEATURES_DEFLECT_DEFLECT_CORE_H
#define WEIR_FEATURES_DEFLECT_DEFLECT_CORE_H
#include "core/math.h"
#include "core/pkt.h"
#include "core/rng.h"
#include "features/deflect/deflect.h"

static inline bool weir_deflect_is_old(const struct weir_deflect_model *m, const struct weir_deflect_entry *e,
                                       uint64_t now_ps)
{
    return e->tokens > 0 && now_ps - e->used_ps >= m->timeout_ps;
}

/* Returns the entry by which the packet is deflected; NULL = there is none, or it has expired. The packet must have
 * tokens. */
static inline struct weir_deflect_entry *weir_deflect_find(const struct weir_deflect_model *m,
                                                           struct weir_deflect_node *node, const struct weir_pkt *pkt,
                                                           uint64_t now_ps)
{
    for (uint32_t i = 0; i < m->entries; i++) {
        struct weir_deflect_entry *e = &node->entry[i];
        if ((m->by_message ? e->tokens > 0 : e->tokens == pkt->tokens) && e->msg == pkt->msg && e->src == pkt->src &&
            e->conn == pkt->conn && !weir_deflect_is_old(m, e, now_ps))
            return e;
    }
    return NULL;
}

/* Returns the first entry that is free or has expired. An expired entry is freed, and counted in counts->expired. NULL
 * = the table is full */
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

/* Returns the class of a packet with `tokens` tokens left. Needs m->lanes > 0. */
static inline uint32_t weir_deflect_class(const struct weir_deflect_model *m, uint32_t tokens)
{
    return m->lane_class + (tokens < m->lanes ? tokens : m->lanes - 1);
}

/* Moves an arriving packet to the lane of its tokens, as the previous switch left them, unless it arrived in a lower
 * lane. At this port it may escape.
 * @return false = the lane on arrival was wrong: below that of its tokens, or above that of one token more */
static inline bool weir_deflect_enter_lane(const struct weir_deflect_model *m, struct weir_pkt *pkt)
{
    uint32_t came = pkt->class_id, least = weir_deflect_class(m, pkt->tokens);
    pkt->class_id = WEIR_PKT_CLASS(came < least ? came : least);
    pkt->stays = 0;
    return came >= least && came <= weir_deflect_class(m, pkt->tokens + 1u);
}

/* Changes the lane of a packet that was deflected and lost a token, if there is a lane for each number of tokens and
 * its next link goes up. From there on the packet goes up and then down, as all packets of the new lane do. Otherwise
 * the next switch changes the lane: weir_deflect_enter_lane(). */
static inline void weir_deflect_change_lane(const struct weir_deflect_model *m, struct weir_pkt *pkt, bool goes_up)
{
    if (m->lane_each && goes_up)
        pkt->class_id = WEIR_PKT_CLASS(weir_deflect_class(m, pkt->tokens));
}
#endif
