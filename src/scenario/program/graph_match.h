/* src/scenario/program/graph_match.h - the receives of a rank that have begun and still wait, and the messages that
 * have arrived and still wait for a receive. Both are in lists by the other rank. For this room. */
#ifndef WEIR_PROGRAM_GRAPH_MATCH_H
#define WEIR_PROGRAM_GRAPH_MATCH_H
#include "workload/ranks.h"
#include <stddef.h>

#define WEIR_MATCH_LISTS 32u
#define WEIR_MATCH_NONE UINT32_MAX

struct weir_match_entry { /* a receive, or a message */
    uint64_t at_ps;       /* when it began, or arrived */
    uint64_t tag;         /* of a receive perhaps WEIR_RANK_ANY_TAG */
    uint32_t peer;        /* of a receive perhaps WEIR_RANK_ANY */
    uint32_t number;      /* receive: of its node; message: in the order of arrivals */
    uint32_t next;        /* of its list, or of the free entries; WEIR_MATCH_NONE = the last */
};

struct weir_match { /* of one rank; all zero at first */
    struct weir_match_entry *entry;
    uint32_t *receive,
        *message; /* WEIR_MATCH_LISTS + 1 and WEIR_MATCH_LISTS heads; the last is of receives of any peer */
    uint32_t used, room, free_head;
    uint32_t arrivals;
};

/* Finds the receive that takes a message of a rank, and removes it. @return its node, or WEIR_MATCH_NONE */
uint32_t weir_match_arrived(struct weir_match *match, uint32_t peer, uint64_t tag);
/* Keeps a message that no receive takes yet. @return false = no memory */
bool weir_match_keep_message(struct weir_match *match, uint32_t peer, uint64_t tag, uint64_t at_ps);
/* Finds the message that a receive takes, and removes it. @return false = there is none */
bool weir_match_received(struct weir_match *match, uint32_t peer, uint64_t tag);
/* Keeps a receive for which no message has arrived. @return false = no memory */
bool weir_match_keep_receive(struct weir_match *match, uint32_t node, uint32_t peer, uint64_t tag, uint64_t at_ps);
void weir_match_free(struct weir_match *match);
#endif
