/* src/scenario/workload/ranks_match.c - checks that each rank receives the messages that are sent to it. Sends are
 * gathered by their receiver. Then sends to a rank and its receives are sorted by peer and tag, and compared. Where all
 * peers and tags differ it is known which receive takes which message. */
#include "core/assert.h"
#include "workload/ranks_internal.h"
#include <inttypes.h>
#include <stdlib.h>

struct end { /* one end of a message */
    uint64_t tag;
    uint32_t peer;       /* the other end: of a send its sender, of a receive perhaps WEIR_RANK_ANY */
    uint32_t line, node; /* node: its number in its rank */
};

struct ends { /* all sends to a rank, or all its receives; sorted by peer, tag and line */
    struct end *end;
    uint64_t count;
};

struct match { /* the comparison of one receiver */
    const struct weir_ranks *ranks;
    uint32_t rank;
    struct ends sent, received;
    bool any; /* some receive takes messages of every rank */
    struct weir_takers *takers;
    struct weir_err *err;
};

static int by_peer(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Returns the number of ends from index i on that have its peer and, with by_tag, its tag. */
static uint64_t run_of(const struct ends *ends, uint64_t i, bool by_tag)
{
    uint64_t last = i;
    while (last < ends->count && ends->end[last].peer == ends->end[i].peer &&
           (!by_tag || ends->end[last].tag == ends->end[i].tag))
        last++;
    return last - i;
}

/* Returns the number of sends from a rank; with a tag, of those that have it. tag: NULL = all */
static uint64_t sent_by(const struct match *m, uint32_t peer, const uint64_t *tag)
{
    struct end key = { .peer = peer, .tag = tag != NULL ? *tag : 0 };
    uint64_t low = 0, high = m->sent.count;
    while (low < high) { /* the first that is not before key */
        uint64_t middle = low + (high - low) / 2;
        if (by_peer(&m->sent.end[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == m->sent.count || m->sent.end[low].peer != peer || (tag != NULL && m->sent.end[low].tag != *tag))
        return 0;
    return run_of(&m->sent, low, tag != NULL);
}

static int fail_pair(const struct match *m, uint32_t peer, uint32_t line, uint64_t received, uint64_t sent)
{
    return weir_ranks_fail(
        m->ranks, line, m->err, WEIR_E_CONFLICT, "each receive takes one message, and each message needs one",
        "rank %" PRIu32 " receives %" PRIu64 " messages from rank %" PRIu32 ", which sends it %" PRIu64, m->rank,
        received, peer, sent);
}

/* Checks the receives with one tag from one rank, the first of which is at index i. */
static int check_tag(const struct match *m, uint64_t i, uint64_t count)
{
    const struct end *end = &m->received.end[i];
    uint64_t sent = end->tag == WEIR_RANK_ANY_TAG ? count : sent_by(m, end->peer, &end->tag);
    if (count <= sent)
        return 0;
    return weir_ranks_fail(m->ranks, end->line, m->err, WEIR_E_CONFLICT, "the tag of a receive is that of its message",
                           "rank %" PRIu32 " receives %" PRIu64 " messages with tag %" PRIu64 " from rank %" PRIu32
                           ", which sends it %" PRIu64 " with that tag",
                           m->rank, count, end->tag, end->peer, sent);
}

/* Checks the receives from one rank, the first of which is at index i. */
static int check_pair(const struct match *m, uint64_t i, uint64_t count)
{
    const struct end *end = &m->received.end[i];
    uint64_t sent = sent_by(m, end->peer, NULL), step;
    int code = 0;
    if (count > sent || (count < sent && !m->any))
        return fail_pair(m, end->peer, end->line, count, sent);
    for (uint64_t k = i; code == 0 && k < i + count; k += step) {
        step = run_of(&m->received, k, true);
        code = check_tag(m, k, step);
    }
    return code;
}

/* Sets the receive that takes each message to a rank. @return false = it is not known, or their numbers differ */
static bool set_takers(struct match *m)
{
    const struct ends *sent = &m->sent, *received = &m->received;
    for (uint64_t i = 0; i < sent->count; i++) {
        const struct end *send = &sent->end[i], *receive = i < received->count ? &received->end[i] : NULL;
        bool twice = i > 0 && send[-1].peer == send->peer && send[-1].tag == send->tag;
        if (twice || receive == NULL || receive->peer != send->peer || receive->tag != send->tag)
            return false; /* also where a receive takes any: any sorts behind all */
        m->takers->receive[m->ranks->first[send->peer] + send->node] = receive->node;
    }
    return sent->count == received->count;
}

/* Checks the receives of a rank and the sends to it, both sorted. @return 0, or WEIR_E_CONFLICT with err */
static int check_rank(struct match *m)
{
    const struct ends *sent = &m->sent, *received = &m->received;
    uint64_t i = 0, step;
    int code = 0;
    m->takers->known = m->takers->known && set_takers(m);
    m->any = received->count > 0 && received->end[received->count - 1].peer == WEIR_RANK_ANY;
    for (; code == 0 && i < received->count && received->end[i].peer != WEIR_RANK_ANY; i += step) {
        step = run_of(received, i, false);
        code = check_pair(m, i, step);
    }
    if (code != 0 || sent->count == received->count)
        return code;
    if (m->any)
        return weir_ranks_fail(m->ranks, received->end[i].line, m->err, WEIR_E_CONFLICT,
                               "each receive takes one message, and each message needs one",
                               "rank %" PRIu32 " receives %" PRIu64 " messages, and %" PRIu64 " are sent to it",
                               m->rank, received->count, sent->count);
    for (uint64_t s = 0, k = 0; code == 0 && s < sent->count; s += step) { /* a peer from which nothing is received */
        step = run_of(sent, s, false);
        while (k < received->count && received->end[k].peer < sent->end[s].peer)
            k++;
        if (k == received->count || received->end[k].peer != sent->end[s].peer)
            code = fail_pair(m, sent->end[s].peer, sent->end[s].line, 0, step);
    }
    WEIR_ASSERT(code != 0); /* pairs that receive are equal, so the totals differ by such a peer */
    return code;
}

/* Gathers sends by their receiver: those to rank r become sent[first[r]] .. sent[first[r + 1] - 1]. first: ranks + 2
 * entries, all 0; the last is scratch memory */
static void gather(const struct weir_ranks *ranks, uint64_t *first, struct end *sent)
{
    for (uint64_t n = 0; n < ranks->node_count; n++)
        if (ranks->node[n].op == WEIR_RANK_SEND)
            first[ranks->node[n].peer + 2]++;
    for (uint32_t rank = 0; rank < ranks->ranks; rank++)
        first[rank + 2] += first[rank + 1];
    for (uint32_t rank = 0; rank < ranks->ranks; rank++)
        for (uint64_t n = ranks->first[rank]; n < ranks->first[rank + 1]; n++) {
            const struct weir_rank_node *node = &ranks->node[n];
            if (node->op == WEIR_RANK_SEND)
                sent[first[node->peer + 1]++] = (struct end){
                    .tag = node->tag, .peer = rank, .line = node->line, .node = (uint32_t)(n - ranks->first[rank])
                };
        }
    WEIR_ASSERT(first[ranks->ranks] == ranks->send_count);
}

static void take_received(struct match *m)
{
    m->received.count = 0;
    for (uint64_t n = m->ranks->first[m->rank]; n < m->ranks->first[m->rank + 1]; n++) {
        const struct weir_rank_node *node = &m->ranks->node[n];
        if (node->op == WEIR_RANK_RECV)
            m->received.end[m->received.count++] = (struct end){ .tag = node->tag,
                                                                 .peer = node->peer,
                                                                 .line = node->line,
                                                                 .node = (uint32_t)(n - m->ranks->first[m->rank]) };
    }
}

uint64_t weir_ranks_most_nodes(const struct weir_ranks *ranks)
{
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < ranks->ranks; rank++)
        if (ranks->first[rank + 1] - ranks->first[rank] > most)
            most = ranks->first[rank + 1] - ranks->first[rank];
    return most;
}

/* Compares each rank with the sends to it. first: ranks + 2 entries, all 0; sent: an entry per send. */
static int match_ranks(struct match *m, uint64_t *first, struct end *sent)
{
    int code = 0;
    gather(m->ranks, first, sent);
    for (; code == 0 && m->rank < m->ranks->ranks; m->rank++) {
        m->sent = (struct ends){ sent + first[m->rank], first[m->rank + 1] - first[m->rank] };
        take_received(m);
        qsort(m->sent.end, m->sent.count, sizeof(*m->sent.end), by_peer);
        qsort(m->received.end, m->received.count, sizeof(*m->received.end), by_peer);
        code = check_rank(m);
    }
    return code;
}

int weir_ranks_check_messages(const struct weir_ranks *ranks, struct weir_takers *takers, struct weir_err *err)
{
    struct match m = { .ranks = ranks, .takers = takers, .err = err };
    uint64_t *first = calloc((size_t)ranks->ranks + 2, sizeof(*first));
    struct end *sent = calloc(ranks->send_count + 1, sizeof(*sent)); /* + 1: never of size 0 */
    int code;
    takers->known = true;
    m.received.end = calloc(weir_ranks_most_nodes(ranks) + 1, sizeof(*m.received.end));
    if (first != NULL && sent != NULL && m.received.end != NULL)
        code = match_ranks(&m, first, sent);
    else
        code = weir_fail_memory(err);
    free(first);
    free(sent);
    free(m.received.end);
    return code;
}
