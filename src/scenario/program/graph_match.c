/* src/scenario/program/graph_match.c - see graph_match.h. */
#include "program/graph_match.h"
#include "core/assert.h"
#include <stdlib.h>

/* Finds an entry, or makes room for one. @return its index; WEIR_MATCH_NONE = no memory */
static uint32_t new_entry(struct weir_match *match)
{
    uint32_t room = match->room == 0 ? 8 : 2 * match->room, index = match->used;
    struct weir_match_entry *larger;
    if (match->receive == NULL) {
        match->receive = malloc((2 * WEIR_MATCH_LISTS + 1) * sizeof(*match->receive));
        if (match->receive == NULL)
            return WEIR_MATCH_NONE;
        for (uint32_t i = 0; i < 2 * WEIR_MATCH_LISTS + 1; i++)
            match->receive[i] = WEIR_MATCH_NONE;
        match->message = match->receive + WEIR_MATCH_LISTS + 1;
        match->free_head = WEIR_MATCH_NONE;
    }
    if (match->free_head != WEIR_MATCH_NONE) {
        index = match->free_head;
        match->free_head = match->entry[index].next;
        return index;
    }
    if (match->used == match->room) {
        larger = realloc(match->entry, room * sizeof(*larger));
        if (larger == NULL)
            return WEIR_MATCH_NONE;
        match->entry = larger;
        match->room = room;
    }
    match->used++;
    return index;
}

static bool keep(struct weir_match *match, uint32_t *(*list)(struct weir_match *match, uint32_t peer),
                 const struct weir_match_entry *from)
{
    uint32_t index = new_entry(match), *head;
    if (index == WEIR_MATCH_NONE)
        return false;
    head = list(match, from->peer);
    match->entry[index] = *from;
    match->entry[index].next = *head;
    *head = index;
    return true;
}

static uint32_t *receives_of(struct weir_match *match, uint32_t peer)
{
    return &match->receive[peer == WEIR_RANK_ANY ? WEIR_MATCH_LISTS : peer % WEIR_MATCH_LISTS];
}

static uint32_t *messages_of(struct weir_match *match, uint32_t peer)
{
    return &match->message[peer % WEIR_MATCH_LISTS];
}

/* Tests whether an entry comes before another: by time, then by number. */
static bool before(const struct weir_match *match, uint32_t a, uint32_t b)
{
    const struct weir_match_entry *x = &match->entry[a], *y = &match->entry[b];
    return x->at_ps != y->at_ps ? x->at_ps < y->at_ps : x->number < y->number;
}

/* Finds the first entry of a list that matches, if it comes before *best. *link: gets where the index of the best is */
static void find_first(struct weir_match *match, uint32_t *head, uint32_t peer, uint64_t tag, uint32_t *best,
                       uint32_t **link)
{
    for (uint32_t *at = head; *at != WEIR_MATCH_NONE; at = &match->entry[*at].next) {
        const struct weir_match_entry *e = &match->entry[*at];
        bool same_peer = e->peer == peer || e->peer == WEIR_RANK_ANY || peer == WEIR_RANK_ANY;
        bool same_tag = e->tag == tag || e->tag == WEIR_RANK_ANY_TAG || tag == WEIR_RANK_ANY_TAG;
        if (!same_peer || !same_tag || (*best != WEIR_MATCH_NONE && !before(match, *at, *best)))
            continue;
        *best = *at;
        *link = at;
    }
}

/* Removes an entry from its list. @return its number */
static uint32_t take(struct weir_match *match, uint32_t best, uint32_t *link)
{
    WEIR_ASSERT(*link == best && best < match->used);
    *link = match->entry[best].next;
    match->entry[best].next = match->free_head;
    match->free_head = best;
    return match->entry[best].number;
}

uint32_t weir_match_arrived(struct weir_match *match, uint32_t peer, uint64_t tag)
{
    uint32_t best = WEIR_MATCH_NONE, *link = NULL;
    WEIR_ASSERT(peer != WEIR_RANK_ANY && tag != WEIR_RANK_ANY_TAG);
    if (match->receive == NULL)
        return WEIR_MATCH_NONE;
    find_first(match, receives_of(match, peer), peer, tag, &best, &link);
    find_first(match, receives_of(match, WEIR_RANK_ANY), peer, tag, &best, &link);
    return best != WEIR_MATCH_NONE ? take(match, best, link) : WEIR_MATCH_NONE;
}

bool weir_match_keep_message(struct weir_match *match, uint32_t peer, uint64_t tag, uint64_t at_ps)
{
    return keep(match, messages_of,
                &(struct weir_match_entry){ .at_ps = at_ps, .tag = tag, .peer = peer, .number = match->arrivals++ });
}

bool weir_match_received(struct weir_match *match, uint32_t peer, uint64_t tag)
{
    uint32_t best = WEIR_MATCH_NONE, *link = NULL;
    if (match->receive == NULL)
        return false;
    if (peer != WEIR_RANK_ANY)
        find_first(match, messages_of(match, peer), peer, tag, &best, &link);
    for (uint32_t i = 0; peer == WEIR_RANK_ANY && i < WEIR_MATCH_LISTS; i++)
        find_first(match, &match->message[i], peer, tag, &best, &link);
    if (best == WEIR_MATCH_NONE)
        return false;
    (void)take(match, best, link);
    return true;
}

bool weir_match_keep_receive(struct weir_match *match, uint32_t node, uint32_t peer, uint64_t tag, uint64_t at_ps)
{
    return keep(match, receives_of,
                &(struct weir_match_entry){ .at_ps = at_ps, .tag = tag, .peer = peer, .number = node });
}

void weir_match_free(struct weir_match *match)
{
    free(match->entry);
    free(match->receive);
    *match = (struct weir_match){ 0 };
}
