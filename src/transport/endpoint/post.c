/* src/transport/endpoint/post.c - see post.h.
 * Source: D. Vyukov, "Bounded MPMC queue": a ring in which each cell has a number that shows who may use it.
 * Departs from it: one thread alone removes posts.
 *
 * A thread that was stopped while it wrote a cell delays the posts behind it, and nobody waits for it: each post rings
 * once it is written. All of this is safe in signal handlers. */
#define _GNU_SOURCE
#include "endpoint/post.h"
#include "endpoint/memory.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert((WEIR_POSTS_MAX & (WEIR_POSTS_MAX - 1)) == 0, "a post's cell is its number modulo the size of the ring");

struct cell {
    _Atomic uint64_t ticket; /* number of the post that may be written here; that + 1 = it was written */
    uint64_t user_data;
    const void *data;
};

struct ep_posts {
    _Atomic uint64_t made;                 /* posts that have a number */
    _Alignas(64) _Atomic uint64_t removed; /* by the endpoint's thread, which alone changes it */
    _Alignas(64) struct cell cell[WEIR_POSTS_MAX];
};

int ep_posts_open(struct weir_ep *ep)
{
    struct ep_posts *posts = aligned_alloc(64, sizeof(*posts));
    if (posts == NULL)
        return -ENOMEM;
    ep->stats.allocations++;
    atomic_init(&posts->made, 0);
    atomic_init(&posts->removed, 0);
    for (uint64_t i = 0; i < WEIR_POSTS_MAX; i++)
        atomic_init(&posts->cell[i].ticket, i);
    ep->posts = posts;
    return 0;
}

void ep_posts_close(struct weir_ep *ep)
{
    free(ep->posts);
    ep->posts = NULL;
}

/* Rings as post.h says. WOKEN or POSTED is set before the write, so ep_bell_take() finds it once it has read wake_fd.
 * CLEAN is set after the write. So no write stays unread, which would end every later sleep at once. */
bool ep_bell_ring(struct weir_ep *ep, enum ep_bell bit)
{
    int saved = errno;
    uint64_t one = 1;
    WEIR_ASSERT(bit == EP_BELL_WOKEN || bit == EP_BELL_POSTED);
    unsigned before = atomic_fetch_or(&ep->bell, bit);
    if (bit == EP_BELL_POSTED && before & EP_BELL_POSTED)
        return true; /* somebody has rung, and ep_bell_take() will find both */
    bool written = write(ep->wake_fd, &one, sizeof(one)) == sizeof(one);
    (void)atomic_fetch_or(&ep->bell, EP_BELL_CLEAN);
    errno = saved;
    return written;
}

void ep_bell_take(struct weir_ep *ep)
{
    uint64_t count;
    ep->stats.syscalls++;
    (void)!read(ep->wake_fd, &count, sizeof(count)); /* nothing, if the write is still to come */
    unsigned rung = atomic_exchange(&ep->bell, 0);
    ep->wake_due |= (rung & EP_BELL_WOKEN) != 0;
    ep->posts_due |= (rung & EP_BELL_POSTED) != 0;
}

bool ep_post_take(struct weir_ep *ep, struct weir_event *out)
{
    struct ep_posts *posts = ep->posts;
    uint64_t number = atomic_load_explicit(&posts->removed, memory_order_relaxed);
    struct cell *cell = &posts->cell[number % WEIR_POSTS_MAX];
    WEIR_ASSERT(ep->posts_due);
    ep->posts_due = atomic_load_explicit(&cell->ticket, memory_order_acquire) == number + 1;
    if (!ep->posts_due)
        return false;
    WEIR_ASSERT(number < atomic_load_explicit(&posts->made, memory_order_relaxed));
    *out = (struct weir_event){ .type = WEIR_EV_POSTED, .user_data = cell->user_data, .data = cell->data };
    atomic_store_explicit(&cell->ticket, number + WEIR_POSTS_MAX, memory_order_release);
    atomic_store_explicit(&posts->removed, number + 1, memory_order_release);
    return true;
}

uint64_t ep_post_count(const struct weir_ep *ep)
{
    uint64_t removed = atomic_load_explicit(&ep->posts->removed, memory_order_relaxed);
    uint64_t made = atomic_load_explicit(&ep->posts->made, memory_order_relaxed);
    WEIR_ASSERT(made >= removed && made - removed <= WEIR_POSTS_MAX);
    return made - removed;
}

int weir_post(struct weir_ep *ep, uint64_t user_data, const void *data)
{
    struct ep_posts *posts = ep->posts;
    if (ep_is_forked(ep))
        return -ECHILD;
    uint64_t number = atomic_load_explicit(&posts->made, memory_order_relaxed);
    struct cell *cell;
    for (;;) {
        cell = &posts->cell[number % WEIR_POSTS_MAX];
        uint64_t ticket = atomic_load_explicit(&cell->ticket, memory_order_acquire);
        if (ticket < number)
            return -EAGAIN;
        if (ticket > number)
            number = atomic_load_explicit(&posts->made, memory_order_relaxed); /* another thread has that number */
        else if (atomic_compare_exchange_weak_explicit(&posts->made, &number, number + 1, memory_order_relaxed,
                                                       memory_order_relaxed))
            break;
    }
    WEIR_ASSERT(cell == &posts->cell[number % WEIR_POSTS_MAX]);
    cell->user_data = user_data;
    cell->data = data;
    atomic_store_explicit(&cell->ticket, number + 1, memory_order_release);
    (void)ep_bell_ring(ep, EP_BELL_POSTED);
    return 0;
}
