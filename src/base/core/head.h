/* src/base/core/head.h - the head of a message: what its receiver's law may learn of it when it begins. */
#ifndef WEIR_CORE_HEAD_H
#define WEIR_CORE_HEAD_H
#include <stddef.h>
#include <stdint.h>

/* Messages to one receiver, announced by a list of their senders that each of them carries. */
struct weir_sender_group {
    const uint32_t *sender; /* hosts, count of them: one per message; lent for the run */
    uint32_t count;
    uint32_t id; /* above 0; no two groups of a run have the same */
};

#define WEIR_GROUP_SENDER_BYTES 2u /* of a list: per sender, and for their number */

/* Returns the bytes of the list in a message's payload, which are in its first packet. group: NULL = no list */
static inline uint32_t weir_group_bytes(const struct weir_sender_group *group)
{
    return group != NULL ? WEIR_GROUP_SENDER_BYTES * (group->count + 1) : 0;
}

/* Parts of struct weir_head. */
enum weir_head_part {
    WEIR_HEAD_GROUP = 1u << 0,
    WEIR_HEAD_WEIGHT = 1u << 1,
    WEIR_HEAD_TENANT = 1u << 2,
};

#define WEIR_TENANTS_MAX 16u /* of a run */

/* The head of a message, as the law of its receiver gets it. */
struct weir_head {
    const struct weir_sender_group *group; /* NULL = it is of none */
    uint64_t weight_q20;                   /* of the message when it started; 0 = not known, 1.0 */
    uint32_t tenant;                       /* whose it is: below WEIR_TENANTS_MAX */
};
#endif
