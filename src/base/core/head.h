/* src/base/core/head.h - the head of a message: facts that laws may read when the message begins. The law of a
 * sender-driven receiver reads groups, weights and tenants, a receiver-driven protocol reads replies. */
#ifndef WEIR_CORE_HEAD_H
#define WEIR_CORE_HEAD_H
#include <stddef.h>
#include <stdint.h>

/* A group of messages to one receiver. Each of them carries the list of the group's senders. */
struct weir_sender_group {
    const uint32_t *sender; /* host numbers, `count` of them, one per message of the group; lent for the run */
    uint32_t count;
    uint32_t id; /* number of the group, above 0, unique in a run */
};

#define WEIR_GROUP_SENDER_BYTES 2u /* encoded size of one sender in the list, and also of the number of senders */

/* Returns how many bytes of the payload of a message's first packet hold the list of senders; 0 if group is NULL. */
static inline uint32_t weir_group_bytes(const struct weir_sender_group *group)
{
    return group != NULL ? WEIR_GROUP_SENDER_BYTES * (group->count + 1) : 0;
}

/* Parts of struct weir_head, as bits. */
enum weir_head_part {
    WEIR_HEAD_GROUP = 1u << 0,
    WEIR_HEAD_WEIGHT = 1u << 1,
    WEIR_HEAD_TENANT = 1u << 2,
};

#define WEIR_TENANTS_MAX 16u /* most tenants of a run */

/* The relation of a message to replies. */
enum weir_reply {
    WEIR_REPLY_NONE,     /* it is no reply and gets none */
    WEIR_REPLY_EXPECTED, /* its receiver replies when it has arrived */
    WEIR_REPLY_IS,       /* it is a reply */
};

/* The head of a message, as a law receives it. */
struct weir_head {
    const struct weir_sender_group *group; /* NULL = the message belongs to no group */
    uint64_t weight_q20;                   /* weight of the message when it started; 0 = unknown, treated as 1.0 */
    uint32_t tenant;                       /* number of the owner; below WEIR_TENANTS_MAX */
    enum weir_reply reply;
};
#endif
