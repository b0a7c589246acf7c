/* src/scenario/trace/chakra_node.c - nodes of Chakra traces to nodes of a graph. Collective operations of a group are
 * matched by their order in the files of its ranks. The first rank of a group says what each of them is. */
#include "trace/chakra_state.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"
#include "workload/cdf.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANE_CPU, LANE_GPU, SENTENCE = 400 };
enum { NUMBERS_MAX = 1 << 30 }; /* collectives of a trace */

static bool make_room(void *array, uint64_t *room, uint64_t want, size_t size)
{
    void **at = array;
    uint64_t more = weir_max_u64(2 * *room, 16);
    void *larger;
    if (want <= *room)
        return true;
    WEIR_ASSERT(want <= more); /* entries are added one by one */
    larger = realloc(*at, more * size);
    if (larger == NULL)
        return false;
    *at = larger;
    *room = more;
    return true;
}

int weir_chakra_fail(struct chakra *c, enum weir_err_code code, const char *hint, const char *format, ...)
{
    char text[SENTENCE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return weir_fail(c->r->err, code, &(struct weir_tok){ .file = c->r->file }, hint, "this is a Chakra trace %s%s: %s",
                     c->version[0] != '\0' ? "of version " : "without a version", c->version, text);
}

void weir_chakra_version(struct chakra *c, const struct weir_field *version)
{
    uint32_t length = 0;
    while (length < version->length && length + 1 < sizeof(c->version) && version->text[length] > ' ' &&
           version->text[length] <= '~') {
        c->version[length] = version->text[length];
        length++;
    }
    c->version[length] = '\0';
}

enum chakra_value weir_chakra_value_of(const struct weir_field *name)
{
    static const char *const names[CHAKRA_VALUES] = {
        [CHAKRA_ID] = "",
        [CHAKRA_TYPE] = "",
        [CHAKRA_DURATION] = "runtime",
        [CHAKRA_COMM_TYPE] = "comm_type",
        [CHAKRA_COMM_SIZE] = "comm_size",
        [CHAKRA_COMM_SRC] = "comm_src",
        [CHAKRA_COMM_DST] = "comm_dst",
        [CHAKRA_COMM_TAG] = "comm_tag",
        [CHAKRA_IS_CPU_OP] = "is_cpu_op",
    };
    uint32_t i = CHAKRA_DURATION;
    while (i < CHAKRA_VALUES && (strlen(names[i]) != name->length || memcmp(names[i], name->text, name->length) != 0))
        i++;
    return (enum chakra_value)i;
}

int weir_chakra_wait(struct chakra *c, uint64_t id, bool control)
{
    if (control && !c->control)
        return 0;
    if (c->wait_count == UINT32_MAX)
        return weir_chakra_fail(c, WEIR_E_RANGE, NULL, "more than 2^32 dependencies");
    if (!make_room(&c->wait, &c->wait_room, (uint64_t)c->wait_count + 1, sizeof(*c->wait)))
        return weir_fail_memory(c->r->err);
    c->wait[c->wait_count++] = id;
    return 0;
}

/* --- groups --- */

static struct group *find_group(struct chakra *c, const struct weir_field *name)
{
    bool all = name->length == 0 || (name->length == 1 && name->text[0] == '0');
    for (uint32_t i = c->group_count; i-- > 1;)
        if (strlen(c->group[i].name) == name->length && memcmp(c->group[i].name, name->text, name->length) == 0)
            return &c->group[i];
    return all ? &c->group[0] : NULL;
}

static int add_group(struct chakra *c, const struct weir_field *name, struct group **added)
{
    if (name->length >= CHAKRA_NAME_MAX)
        return weir_chakra_fail(c, WEIR_E_RANGE, NULL, "a name of a group of ranks has more than %d bytes",
                                CHAKRA_NAME_MAX - 1);
    if (!make_room(&c->group, &c->group_room, (uint64_t)c->group_count + 1, sizeof(*c->group)))
        return weir_fail_memory(c->r->err);
    *added = &c->group[c->group_count++];
    **added = (struct group){ .first_rank = UINT32_MAX };
    if (name->length > 0)
        memcpy((*added)->name, name->text, name->length);
    return 0;
}

int weir_chakra_group(struct chakra *c, const struct weir_field *name, const uint32_t *member, uint32_t count)
{
    struct group *group = c->group_count > 0 && name->length > 0 ? find_group(c, name) : NULL;
    uint32_t *copy = NULL;
    int code = 0;
    if (group != NULL && group->first_rank != UINT32_MAX)
        return 0; /* nodes have used it */
    if (group == NULL || group == &c->group[0])
        code = add_group(c, name, &group);
    if (code != 0)
        return code;
    if (count > 0 && (copy = malloc(count * sizeof(*copy))) == NULL)
        return weir_fail_memory(c->r->err);
    if (copy != NULL)
        memcpy(copy, member, count * sizeof(*copy));
    WEIR_ASSERT(group != NULL);
    free(group->member);
    group->member = copy;
    group->member_count = count;
    return 0;
}

static uint32_t size_of(const struct chakra *c, const struct group *group)
{
    return group->member != NULL ? group->member_count : c->ranks;
}

uint32_t weir_chakra_index(const struct chakra *c, const struct group *group)
{
    if (group->member == NULL)
        return c->rank;
    for (uint32_t i = 0; i < group->member_count; i++)
        if (group->member[i] == c->rank)
            return i;
    return UINT32_MAX;
}

/* --- nodes --- */

static int fail_node(struct chakra *c, const struct chakra_node *node, enum weir_err_code code, const char *hint,
                     const char *what)
{
    return weir_chakra_fail(c, code, hint, "node %" PRIu64 " %s", node->value[CHAKRA_ID], what);
}

/* Adds a node that computes for as long as the trace says. */
static int add_compute(struct chakra *c, const struct chakra_node *node, struct weir_rank_node *made)
{
    uint64_t type = node->value[CHAKRA_TYPE];
    bool computes = type != CHAKRA_INVALID && type != CHAKRA_METADATA;
    made->op = WEIR_RANK_COMPUTE;
    made->compute_ps = computes ? weir_trace_time_ps(node->value[CHAKRA_DURATION], WEIR_PS_PER_US) : 0;
    made->lane = !computes ? WEIR_RANK_NO_LANE : node->value[CHAKRA_IS_CPU_OP] != 0 ? LANE_CPU : LANE_GPU;
    return weir_trace_add(c->r, made);
}

/* Adds a send or receive. */
static int add_message(struct chakra *c, const struct chakra_node *node, struct weir_rank_node *made)
{
    bool is_send = node->value[CHAKRA_TYPE] == CHAKRA_SEND;
    enum chakra_value other = is_send ? CHAKRA_COMM_DST : CHAKRA_COMM_SRC;
    enum chakra_value own = is_send ? CHAKRA_COMM_SRC : CHAKRA_COMM_DST;
    if (!node->has[other])
        return fail_node(c, node, WEIR_E_SYNTAX, NULL,
                         is_send ? "sends, and has no comm_dst" : "receives, and has no comm_src");
    if (!node->has[CHAKRA_COMM_SIZE])
        return fail_node(c, node, WEIR_E_SYNTAX, NULL, "sends or receives, and has no comm_size");
    if (node->has[own] && node->value[own] != c->rank)
        return fail_node(c, node, WEIR_E_CONFLICT, "a file has the nodes of one rank",
                         is_send ? "has a comm_src that is not its rank" : "has a comm_dst that is not its rank");
    if (node->value[CHAKRA_COMM_TAG] > UINT32_MAX)
        return fail_node(c, node, WEIR_E_RANGE, NULL, "has a comm_tag that is not below 2^32");
    made->op = is_send ? WEIR_RANK_SEND : WEIR_RANK_RECV;
    made->peer = (uint32_t)weir_min_u64(node->value[other], WEIR_RANK_ANY - 1);
    made->bytes = node->value[CHAKRA_COMM_SIZE];
    made->tag = node->value[CHAKRA_COMM_TAG];
    return weir_trace_add(c->r, made);
}

/* Finds the operation of the group that this one is: its number in the file among those of the group. The first rank
 * of the group adds it, others must have the same. @return 0, or a code with err */
static int match(struct chakra *c, const struct chakra_node *node, struct group *group, struct done *done)
{
    struct done *before;
    if (group->first_rank == UINT32_MAX)
        group->first_rank = c->rank;
    if (group->first_rank == c->rank) {
        if (c->collectives == NUMBERS_MAX)
            return fail_node(c, node, WEIR_E_RANGE, NULL, "is one collective operation too many: 2^30 are read");
        if (!make_room(&group->done, &group->done_room, (uint64_t)group->done_count + 1, sizeof(*done)))
            return weir_fail_memory(c->r->err);
        done->number = c->collectives++;
        group->done[group->done_count++] = *done;
        group->here++;
        return 0;
    }
    before = group->here < group->done_count ? &group->done[group->here] : NULL;
    if (before == NULL || before->op != done->op || before->bytes != done->bytes)
        return weir_chakra_fail(c, WEIR_E_CONFLICT, "collectives of a group are matched by their order in the files",
                                "node %" PRIu64 " is collective number %" PRIu32 " of group '%s', %s of %" PRIu64
                                " B: rank %" PRIu32 " has %s there",
                                node->value[CHAKRA_ID], group->here + 1, weir_chakra_group_name(group),
                                trace_op_names[done->op], done->bytes, group->first_rank,
                                before == NULL ? "none" : "another one");
    *done = *before;
    group->here++;
    return 0;
}

/* Adds a collective operation. */
static int add_collective(struct chakra *c, const struct chakra_node *node, uint32_t line, struct trace_span *span)
{
    struct group *group = find_group(c, &node->group);
    struct done done = { .op = (uint32_t)weir_min_u64(node->value[CHAKRA_COMM_TYPE], TRACE_OPS),
                         .bytes = node->value[CHAKRA_COMM_SIZE] };
    struct trace_collective collective = { .line = line };
    uint32_t *all = NULL, index, size;
    int code;
    if (!node->has[CHAKRA_COMM_TYPE] || done.op == TRACE_OPS)
        return fail_node(c, node, WEIR_E_UNKNOWN, "comm_type is 0 (all-reduce) to 9 (barrier)",
                         "is a collective operation whose comm_type is missing or not read");
    if (group == NULL)
        return weir_chakra_fail(c, WEIR_E_UNKNOWN, "groups: FILE, with {\"NAME\": [0, 1, ..], ..}",
                                "node %" PRIu64 " is of a group of ranks that is not known: pg_name '%.*s'",
                                node->value[CHAKRA_ID], (int)weir_min_u64(node->group.length, CHAKRA_NAME_MAX),
                                node->group.text);
    index = weir_chakra_index(c, group);
    size = size_of(c, group);
    if (index == UINT32_MAX)
        return weir_chakra_fail(c, WEIR_E_CONFLICT, NULL,
                                "node %" PRIu64 " is of group '%s', to which rank %" PRIu32 " does not belong",
                                node->value[CHAKRA_ID], weir_chakra_group_name(group), c->rank);
    for (uint32_t i = 0; group->member != NULL && i < size; i++)
        if (group->member[i] >= c->ranks)
            return weir_chakra_fail(c, WEIR_E_RANGE, NULL,
                                    "node %" PRIu64 " is of group '%s', which has rank %" PRIu32
                                    ", and the trace has %" PRIu32,
                                    node->value[CHAKRA_ID], weir_chakra_group_name(group), group->member[i], c->ranks);
    if (done.op == TRACE_BARRIER)
        done.bytes = 1;
    if (done.bytes == 0 || done.bytes > WEIR_CDF_SIZE_MAX)
        return fail_node(c, node, WEIR_E_RANGE, NULL,
                         "is a collective operation whose comm_size is not 1 byte to 1 TiB");
    code = match(c, node, group, &done);
    if (code != 0)
        return code;
    if (done.op == TRACE_ALL_GATHER || done.op == TRACE_GATHER)
        done.bytes *= size; /* 2^40 * 2^20 fits; comm_size is one rank's share */
    if (group->member == NULL) {
        all = malloc(size * sizeof(*all));
        if (all == NULL)
            return weir_fail_memory(c->r->err);
        for (uint32_t i = 0; i < size; i++)
            all[i] = i;
    }
    collective.group = (struct trace_group){ all != NULL ? all : group->member, size };
    collective.bytes = done.bytes;
    collective.op = done.op;
    collective.number = done.number;
    code = weir_trace_collective(c->r, &collective, index, span);
    free(all);
    return code;
}

/* Tests whether a node is a collective operation that the network sees. A call of the host has no comm_type. */
static bool is_collective(const struct chakra_node *node)
{
    return node->value[CHAKRA_TYPE] == CHAKRA_COLL &&
           (node->value[CHAKRA_IS_CPU_OP] == 0 || node->has[CHAKRA_COMM_TYPE]);
}

int weir_chakra_node(struct chakra *c, const struct chakra_node *node)
{
    uint64_t id = node->value[CHAKRA_ID], type = node->value[CHAKRA_TYPE];
    struct weir_rank_node made = { .lane = WEIR_RANK_NO_LANE, .line = id <= UINT32_MAX ? (uint32_t)id : 0 };
    uint32_t here = weir_ranks_last_count(c->r->ranks);
    struct trace_span span = { here, here };
    int code = 0;
    if (!node->has[CHAKRA_TYPE])
        return fail_node(c, node, WEIR_E_SYNTAX, "chakra_converter makes a Chakra trace of one of PyTorch",
                         "has no type: it is as PyTorch writes it, before Chakra's converter");
    if (type > CHAKRA_COLL)
        return weir_chakra_fail(c, WEIR_E_UNKNOWN, NULL, "node %" PRIu64 " has a type that is not read: %" PRIu64, id,
                                type);
    if (!make_room(&c->known, &c->known_room, (uint64_t)c->known_count + 1, sizeof(*c->known)))
        return weir_fail_memory(c->r->err);
    if (type == CHAKRA_METADATA && node->inputs.length > 0)
        code = weir_chakra_read_inputs(c, c->r, &node->inputs);
    if (code == 0)
        code = type == CHAKRA_SEND || type == CHAKRA_RECV ? add_message(c, node, &made)
               : is_collective(node)                      ? add_collective(c, node, made.line, &span)
                                                          : add_compute(c, node, &made);
    if (code != 0)
        return code;
    c->known[c->known_count++] = (struct known){ .id = id, .span = span, .waits_end = c->wait_count };
    return 0;
}
