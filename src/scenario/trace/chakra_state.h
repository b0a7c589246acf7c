/* src/scenario/trace/chakra_state.h - the state while a Chakra trace is read, for the source files of chakra.h. */
#ifndef WEIR_TRACE_CHAKRA_STATE_H
#define WEIR_TRACE_CHAKRA_STATE_H
#include "trace/chakra.h"

enum { CHAKRA_VERSION_MAX = 40, CHAKRA_NAME_MAX = 64 };

struct known { /* a node of the present rank: its id, and its nodes in the graph */
    uint64_t id;
    struct trace_span span;
    uint32_t
        waits_end; /* in chakra.wait: the end of what it waits for, which begins where that of the node before ends */
};

struct done { /* a collective operation of a group, as its first rank has it */
    uint64_t bytes;
    uint32_t op, number;
};

struct group {
    char name[CHAKRA_NAME_MAX];
    uint32_t *member; /* member_count ranks; NULL = all */
    uint32_t member_count;
    struct done *done; /* done_count operations */
    uint64_t done_room;
    uint32_t done_count, first_rank; /* first_rank: the rank whose file filled in `done`; UINT32_MAX = none yet */
    uint32_t here;                   /* operations of the group so far in the present file */
};

struct chakra {
    struct trace_reader *r;
    uint32_t rank, ranks;
    bool control; /* control dependencies count */
    bool strict;  /* dependencies on nodes that the file does not have are refused */
    char version[CHAKRA_VERSION_MAX];
    struct known *known; /* of the present rank, in the order of its file */
    uint64_t *wait;      /* ids of nodes that nodes wait for, likewise */
    uint32_t known_count, wait_count;
    uint64_t known_room, wait_room, group_room;
    struct group *group; /* group_count of them; the first is that of all ranks */
    uint32_t group_count, collectives;
};

/* Returns the name of a group for messages. */
static inline const char *weir_chakra_group_name(const struct group *group)
{
    return group->name[0] != '\0' ? group->name : "0";
}

/* Returns the index of the present rank among the members of a group; UINT32_MAX = it is none of them. */
uint32_t weir_chakra_index(const struct chakra *c, const struct group *group);
#endif
