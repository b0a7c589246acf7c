/* src/scenario/model/account_away.c - records of messages between hosts of two processes: the receiver's process has a
 * copy of the sender's record, and what the receiver writes comes back to the sender. */
#include "model/account.h"
#include <stdlib.h>

bool weir_account_mirror(struct weir_account_host *ah, uint32_t handle, const struct weir_account_msg *m)
{
    if (!weir_account_room(ah, handle))
        return false;
    *weir_account_msg(ah, handle) = *m;
    return true;
}

void weir_account_ended(const struct weir_account_host *ah, uint32_t handle, uint64_t end_ps, uint32_t marks,
                        uint8_t in_use)
{
    struct weir_account_msg *m = weir_account_msg(ah, handle);
    const struct weir_account *acc = ah->account;
    WEIR_ASSERT(m->in_use == 1 && m->end_ps == WEIR_NEVER);
    m->end_ps = end_ps;
    m->marks = marks;
    m->in_use = in_use;
    /* the tag of a message of a program is a row of an inbox */
    if (m->tag == 0 || acc->flow == NULL || weir_item_has_program(&acc->model->workload->item[m->item]))
        return;
    acc->flow[m->tag - 1].end_ps = end_ps;
    if (in_use == 2) /* no acknowledgement will come */
        acc->flow[m->tag - 1].state = 2;
}

bool weir_account_adopt(struct weir_account *acc, uint32_t src, const struct weir_account_msg *m)
{
    if (acc->left_count == acc->left_room) {
        size_t room = acc->left_room == 0 ? 64 : 2 * acc->left_room;
        struct weir_account_left *larger = realloc(acc->left, room * sizeof(*larger));
        if (larger == NULL)
            return false;
        acc->left = larger;
        acc->left_room = room;
    }
    acc->left[acc->left_count++] = (struct weir_account_left){ src, *m };
    return true;
}
