/* src/scenario/trace/goal_binary.c - reads the binary form of GOAL schedules, all little-endian and without padding.
 * Source: LogGOPSim's Parser.hpp (serialize_mmap). A file begins with a magic number. From offset 8 on it has:
 * - the number of ranks, the largest cpu and nic;
 * - for each rank the begin and end of its part, counted from offset 8;
 * - the parts: the number of nodes, nodes that wait for nothing, all nodes, and lists of nodes that wait for others. */
#include "core/assert.h"
#include "core/units.h"
#include "trace/reader.h"
#include <inttypes.h>

enum { MAGIC_BYTES = 8, HEAD_BYTES = 6, ENTRY_BYTES = 16, NODE_BYTES = 39, COUNT_BYTES = 8 };
enum { SEND = 1, RECV = 2, CALC = 3 };

struct part { /* the part of a rank */
    struct trace_reader *r;
    uint32_t rank, nodes;
    const unsigned char *node, *list; /* list: list_count numbers of nodes, behind the nodes */
    uint64_t list_count, list_used;   /* list_used: numbers of the list that nodes have taken so far */
};

static uint32_t get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get_u64(const unsigned char *at)
{
    return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

static struct weir_tok whole(const struct trace_reader *r)
{
    return (struct weir_tok){ .file = r->file };
}

static int truncated(const struct trace_reader *r, uint32_t rank)
{
    struct weir_tok tok = whole(r);
    return weir_fail(r->err, WEIR_E_SYNTAX, &tok, "was it copied to its end?",
                     "rank %" PRIu32 ": its part lies beyond the end of the file, which has %zu bytes", rank,
                     r->length);
}

static int overlapping(struct trace_reader *r, uint32_t rank)
{
    struct weir_tok tok = whole(r);
    return weir_fail(r->err, WEIR_E_SYNTAX, &tok, NULL, "the part of rank %u begins within that of rank %u",
                     (unsigned)rank, (unsigned)rank - 1);
}

/* Finds the part of a rank and checks that it is in the file. @return 0, or WEIR_E_SYNTAX with err */
static int find_part(struct trace_reader *r, uint32_t rank, struct part *part)
{
    const unsigned char *from8 = (const unsigned char *)r->bytes + MAGIC_BYTES;
    const unsigned char *entry = from8 + HEAD_BYTES + (uint64_t)ENTRY_BYTES * rank;
    uint64_t size = r->length - MAGIC_BYTES, begin = get_u64(entry), end = get_u64(entry + 8), nodes, roots, left;
    if (end > size || begin > end || end - begin < COUNT_BYTES)
        return truncated(r, rank);
    if (rank > 0 && begin < get_u64(entry - ENTRY_BYTES + 8)) /* or a small file could have any number of nodes */
        return overlapping(r, rank);
    nodes = get_u32(from8 + begin);
    roots = get_u32(from8 + begin + 4);
    left = end - begin - COUNT_BYTES;
    if (roots * 4 + nodes * NODE_BYTES > left) /* both below 2^38 */
        return truncated(r, rank);
    *part = (struct part){ .r = r, .rank = rank, .nodes = (uint32_t)nodes };
    part->node = from8 + begin + COUNT_BYTES + roots * 4;
    part->list = part->node + nodes * NODE_BYTES;
    part->list_count = (left - roots * 4 - nodes * NODE_BYTES) / 4;
    return 0;
}

static int read_node(const struct part *part, uint32_t n)
{
    const unsigned char *at = part->node + (uint64_t)NODE_BYTES * n;
    struct weir_rank_node node = { .line = n + 1, .lane = WEIR_RANK_NO_LANE };
    struct weir_tok tok = whole(part->r);
    uint32_t type = at[4], tag = get_u32(at + 17);
    uint64_t size = get_u64(at + 9);
    int code = 0;
    node.peer = get_u32(at + 5);
    node.tag = tag == UINT32_MAX ? WEIR_RANK_ANY_TAG : tag;
    node.op = type == SEND ? WEIR_RANK_SEND : type == RECV ? WEIR_RANK_RECV : WEIR_RANK_COMPUTE;
    if (type < SEND || type > CALC)
        return weir_fail(part->r->err, WEIR_E_UNKNOWN, &tok, NULL,
                         "rank %" PRIu32 ": node %" PRIu32 " is of type %" PRIu32
                         ": it must be 1 (send), 2 (receive) or 3 (compute)",
                         part->rank, n + 1, type);
    if (type == CALC) {
        node.compute_ps = weir_trace_time_ps(size, WEIR_PS_PER_NS);
        node.lane = at[21];
        node.tag = node.peer = 0;
    } else {
        node.bytes = size;
        code = weir_trace_check_nic(part->r, at[22], &tok);
    }
    if (code == 0 && type == SEND && (tag == UINT32_MAX || node.peer == WEIR_RANK_ANY))
        return weir_fail(part->r->err, WEIR_E_RANGE, &tok, NULL,
                         "rank %" PRIu32 ": node %" PRIu32 " sends to any rank, or with any tag", part->rank, n + 1);
    return code != 0 ? code : weir_trace_add(part->r, &node);
}

/* Reads the nodes that wait for node n: count numbers of the list from index first on, which means nothing if count is
 * 0. @return 0, or a code with err */
static int read_waits(struct part *part, uint32_t n, uint32_t count, uint32_t first, bool at_start)
{
    struct weir_tok tok = whole(part->r);
    int code = 0;
    part->list_used += count;
    if (count > 0 && ((uint64_t)first + count > part->list_count || part->list_used > part->list_count))
        return weir_fail(part->r->err, WEIR_E_SYNTAX, &tok, "was it copied to its end?",
                         "rank %" PRIu32 ": what waits for node %" PRIu32 " lies beyond the rank's part of the file",
                         part->rank, n + 1);
    for (uint32_t i = 0; code == 0 && i < count; i++) {
        uint32_t later = get_u32(part->list + 4 * ((uint64_t)first + i));
        if (later >= part->nodes)
            return weir_fail(part->r->err, WEIR_E_RANGE, &tok, NULL,
                             "rank %" PRIu32 ": node %" PRIu32 " waits for node %" PRIu32 ", and the rank has %" PRIu32
                             " nodes",
                             part->rank, later + 1, n + 1, part->nodes);
        code = weir_ranks_after(part->r->ranks, later, n, at_start, part->r->err);
    }
    return code;
}

/* Reads a rank. How many others each node waits for, and which wait for none, follows from the lists. */
static int read_rank(struct trace_reader *r, uint32_t rank)
{
    struct part part = { .r = r };
    int code = find_part(r, rank, &part);
    if (code == 0)
        code = weir_ranks_begin(r->ranks, r->err);
    for (uint32_t n = 0; code == 0 && n < part.nodes; n++) {
        const unsigned char *at = part.node + (uint64_t)NODE_BYTES * n;
        code = read_node(&part, n);
        if (code == 0)
            code = read_waits(&part, n, get_u32(at + 23), get_u32(at + 27), false);
        if (code == 0)
            code = read_waits(&part, n, get_u32(at + 31), get_u32(at + 35), true);
    }
    return code;
}

int weir_trace_goal_binary(struct trace_reader *r)
{
    const unsigned char *from8 = (const unsigned char *)r->bytes + MAGIC_BYTES;
    struct weir_tok tok = whole(r);
    uint32_t ranks;
    int code;
    r->ranks->line_is = "node";
    if (r->length < MAGIC_BYTES + HEAD_BYTES)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, "was it copied to its end?",
                         "the file ends within its first %d bytes", MAGIC_BYTES + HEAD_BYTES);
    ranks = get_u32(from8);
    if (ranks == 0)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "the file has no ranks");
    code = weir_trace_check_ranks(r, ranks, 0);
    if (code == 0 && (r->length - MAGIC_BYTES - HEAD_BYTES) / ENTRY_BYTES < ranks)
        code = truncated(r, ranks - 1);
    for (uint32_t rank = 0; code == 0 && rank < ranks; rank++)
        code = read_rank(r, rank);
    WEIR_ASSERT(code != 0 || r->ranks->ranks == ranks);
    return code;
}
