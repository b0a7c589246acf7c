/* src/simulator/coupled/due.c - the list of instants at which ports of a coupled switch are visited again, in order of
 * time, then port. New instants come nearly in order. So most are appended; for the others, later entries are moved
 * back. */
#include "coupled/internal.h"

enum { STEPS = 8 }; /* entries that the linear search from the back compares before a binary search begins */

static bool due_before(const struct coupled_due *a, const struct coupled_due *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->port < b->port);
}

/* Removes entries that are no longer valid, since their port was visited or armed for another instant. Moves the
 * rest to the front. */
static void due_tidy(struct sim_coupled *c)
{
    uint32_t kept = 0;
    for (uint32_t i = c->due_first; i < c->due_first + c->due_count; i++)
        if (c->armed_ps[c->due[i].port] == c->due[i].at_ps)
            c->due[kept++] = c->due[i];
    WEIR_ASSERT(kept <= c->due_count);
    c->due_first = 0;
    c->due_count = kept;
}

/* Returns how many of the first n entries come before e or equal it. */
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
        c->armed_ps[port] = WEIR_NEVER; /* the new entry is not in the list yet */
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
    WEIR_ASSERT(n == 0 || !due_before(&e, &due[n - 1]));
    due[n] = e;
    c->due_ps = weir_min_u64(c->due_ps, at_ps);
}
