/* src/coupled/due.c - when ports of a coupled switch are to be visited again: instants in order, those of one instant
 * by port. Ends of transmissions come in nearly as they go: most go to the back, and the rest is moved as a whole. */
#include "coupled/internal.h"

enum { STEPS = 8 }; /* from the back; then by halves */

static bool due_before(const struct coupled_due *a, const struct coupled_due *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->port < b->port);
}

/* Only what is still meant is kept, at the front: an instant per port at most. */
static void due_tidy(struct sim_coupled *c)
{
    uint32_t kept = 0;
    for (uint32_t i = c->due_first; i < c->due_first + c->due_count; i++)
        if (c->armed_ps[c->due[i].port] == c->due[i].at_ps)
            c->due[kept++] = c->due[i];
    c->due_first = 0;
    c->due_count = kept;
}

/* Of the first n in order, how many come before e. */
static uint32_t due_index(const struct coupled_due *due, uint32_t n, const struct coupled_due *e)
{
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (due_before(e, &due[middle]))
            n = middle;
        else
            low = middle + 1;
    }
    return n;
}

void weir_sim_due_put(struct sim_coupled *c, uint64_t at_ps, uint32_t port)
{
    const struct coupled_due e = { at_ps, port };
    struct coupled_due *due;
    uint32_t n, least;
    if (WEIR_UNLIKELY(c->due_first + c->due_count == c->due_capacity)) {
        c->armed_ps[port] = WEIR_NEVER; /* this one is not there yet */
        due_tidy(c);
        c->armed_ps[port] = at_ps;
    }
    n = c->due_count++;
    WEIR_ASSERT(n < c->due_capacity);
    due = c->due + c->due_first;
    least = n > STEPS ? n - STEPS : 0;
    for (; n > least && due_before(&e, &due[n - 1]); n--)
        due[n] = due[n - 1];
    if (WEIR_UNLIKELY(n == least && n > 0)) {
        uint32_t at = due_index(due, n, &e);
        memmove(due + at + 1, due + at, (n - at) * sizeof(*due));
        n = at;
    }
    due[n] = e;
    c->due_ps = weir_min_u64(c->due_ps, at_ps);
}
