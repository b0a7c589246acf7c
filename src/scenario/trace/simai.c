/* src/scenario/trace/simai.c - reads SimAI's workloads: how one training step of a model goes, layer by layer. Every
 * rank does the same. Forward, each layer computes and then communicates. Backward, from the last layer on, a layer
 * computes gradients of its inputs and communicates them. Then it computes gradients of its weights and begins to
 * communicate them, for which the next layer does not wait. Source: SimAI's Workload.cc and MockNcclGroup.cc.
 * Departs from it: sizes below 4096 bytes are not rounded up to that. As there, pp_comm, ga and vpp have no effect. */
#include "core/assert.h"
#include "core/units.h"
#include "trace/chakra.h"
#include "workload/cdf.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MAX = 1 << 20, FIELDS = 12, UPDATE = 11 };
enum { FORWARD, INPUTS, WEIGHTS, PHASES }; /* phases of a layer */
enum { GROUP_NONE, GROUP_TP, GROUP_DP, GROUP_EP, GROUP_DP_EP };

struct phase {
    uint64_t compute_ps, bytes;
    uint32_t op, group; /* group GROUP_NONE = it does not communicate */
};

struct layer {
    struct phase phase[PHASES];
    uint64_t update_ps;
    uint32_t line;
};

struct simai { /* state while a workload is read */
    struct trace_reader *r;
    struct weir_tokens tokens;
    uint64_t tp, ep, pp, ranks; /* sizes of the groups, and all ranks */
    uint64_t checkpoints;       /* must be 0 */
    uint32_t count;             /* layers */
    struct layer *layer;
    uint32_t *member; /* memory for the members of a group */
};

static const char *const strategies[] = { "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER" };
static const char *const others[] = { "DATA",
                                      "MODEL",
                                      "HYBRID_DATA_MODEL",
                                      "HYBRID_MODEL_DATA",
                                      "HYBRID_DLRM",
                                      "HYBRID_CUSTOMIZED",
                                      "MICRO",
                                      "HYBRID_DLRM_ENHANCED",
                                      "DISTRIBUTED_INFERENCE" };
enum { STRATEGIES = 2, OTHERS = 9 };

static bool is_strategy(const struct weir_field *token, bool read)
{
    for (uint32_t i = 0; i < STRATEGIES; i++)
        if (weir_token_is(token, strategies[i]))
            return true;
    for (uint32_t i = 0; !read && i < OTHERS; i++)
        if (weir_token_is(token, others[i]))
            return true;
    return false;
}

bool weir_trace_is_simai(const char *text)
{
    struct weir_tokens tokens = weir_tokens_of(NULL, text);
    struct weir_tokens_row row;
    if (!weir_tokens_row(&tokens, &row) || !is_strategy(&row.field[0], false))
        return false;
    return weir_tokens_row(&tokens, &row) && row.count == 1 && weir_token_is_number(&row.field[0]);
}

/* --- the first line --- */

/* Tests whether a token is a name with a colon behind it. */
static bool is_key(const struct weir_field *token, const char *name)
{
    size_t length = strlen(name);
    return token->length == length + 1 && memcmp(token->text, name, length) == 0 && token->text[length] == ':';
}

/* Reads "tp: 4" and the like, if the token is the name of one. */
static int read_size(struct simai *s, const struct weir_tokens_row *row, uint32_t i)
{
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, row, i + 1);
    const struct {
        const char *name;
        uint64_t *size;
    } sizes[] = {
        { "model_parallel_NPU_group", &s->tp }, { "ep", &s->ep }, { "pp", &s->pp }, { "all_gpus", &s->ranks },
        { "checkpoints", &s->checkpoints },
    };
    for (uint32_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        int code;
        if (!is_key(&row->field[i], sizes[k].name))
            continue;
        if (i + 1 >= row->count || i + 1 >= WEIR_TOKENS_ROW_MAX)
            return weir_fail(s->r->err, WEIR_E_SYNTAX, &tok, NULL, "%s: a number must follow", sizes[k].name);
        code = weir_token_u64(&row->field[i + 1], &tok, sizes[k].name, WEIR_RANKS_MAX, sizes[k].size, s->r->err);
        if (code == 0 && sizes[k].size == &s->checkpoints && s->checkpoints > 0)
            return weir_fail(s->r->err, WEIR_E_UNKNOWN, &tok, "write the workload without checkpoints",
                             "checkpoints: layers that are computed again in the backward pass are not read");
        if (code == 0 && sizes[k].size != &s->checkpoints && *sizes[k].size == 0)
            code = weir_fail(s->r->err, WEIR_E_RANGE, &tok, NULL, "%s: must be at least 1", sizes[k].name);
        return code;
    }
    return 0;
}

static int read_strategy(struct simai *s)
{
    struct weir_tokens_row row;
    bool any = weir_tokens_row(&s->tokens, &row);
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, &row, 0);
    int code = 0;
    WEIR_ASSERT(any); /* weir_trace_is_simai() has seen it */
    if (!is_strategy(&row.field[0], true))
        return weir_fail(s->r->err, WEIR_E_UNKNOWN, &tok, "HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD are",
                         "the strategy %.*s is not read", weir_token_shown(&row.field[0]), row.field[0].text);
    for (uint32_t i = 1; code == 0 && i < row.count && i < WEIR_TOKENS_ROW_MAX; i++)
        code = read_size(s, &row, i);
    if (code != 0)
        return code;
    if (s->ranks == 0)
        return weir_fail(s->r->err, WEIR_E_SYNTAX, &tok, "all_gpus: N", "the first line does not say all_gpus");
    if (s->ranks % (s->tp * s->pp) != 0 || s->ranks / (s->tp * s->pp) % s->ep != 0)
        return weir_fail(s->r->err, WEIR_E_CONFLICT, &tok,
                         "all_gpus is a multiple of model_parallel_NPU_group x pp x ep",
                         "all_gpus: %" PRIu64 ": cannot be divided into groups of %" PRIu64 " (tensor), %" PRIu64
                         " (pipeline) and %" PRIu64 " (expert parallel)",
                         s->ranks, s->tp, s->pp, s->ep);
    return weir_trace_check_ranks(s->r, s->ranks, tok.line);
}

/* --- layers --- */

/* Reads a token as ALLREDUCE or ALLTOALL_EP. phase: its number, on which the group without a suffix depends */
static int read_op(struct simai *s, const struct weir_tokens_row *row, uint32_t i, uint32_t number, struct phase *phase)
{
    static const struct {
        const char *name;
        uint32_t op;
    } ops[] = { { "ALLREDUCE", TRACE_ALL_REDUCE },
                { "ALLGATHER", TRACE_ALL_GATHER },
                { "REDUCESCATTER", TRACE_REDUCE_SCATTER },
                { "ALLTOALL", TRACE_ALL_TO_ALL } };
    const struct weir_field *token = &row->field[i];
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, row, i);
    if (weir_token_is(token, "NONE"))
        return 0;
    for (uint32_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++) {
        size_t length = strlen(ops[k].name);
        struct weir_field suffix = { .text = token->text + length, .length = token->length - (uint32_t)length };
        if (token->length < length || memcmp(token->text, ops[k].name, length) != 0)
            continue;
        phase->op = ops[k].op;
        phase->group = suffix.length == 0                 ? (number == WEIGHTS ? GROUP_DP : GROUP_TP)
                       : weir_token_is(&suffix, "_EP")    ? GROUP_EP
                       : weir_token_is(&suffix, "_DP_EP") ? GROUP_DP_EP
                                                          : GROUP_NONE;
        if (phase->group != GROUP_NONE)
            return 0;
    }
    return weir_fail(s->r->err, WEIR_E_UNKNOWN, &tok,
                     "NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, perhaps with _EP or _DP_EP",
                     "'%.*s' is no collective operation that is read", weir_token_shown(token), token->text);
}

static int read_time(struct simai *s, const struct weir_tokens_row *row, uint32_t i, const char *what, uint64_t *ps)
{
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, row, i);
    uint64_t ns = 0;
    int code = weir_token_u64(&row->field[i], &tok, what, UINT64_MAX, &ns, s->r->err);
    *ps = weir_trace_time_ps(ns, WEIR_PS_PER_NS);
    return code;
}

static int read_phase(struct simai *s, const struct weir_tokens_row *row, uint32_t number, struct phase *phase)
{
    uint32_t i = 2 + 3 * number;
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, row, i + 2);
    int code = read_time(s, row, i, "time", &phase->compute_ps);
    if (code == 0)
        code = read_op(s, row, i + 1, number, phase);
    if (code == 0)
        code = weir_token_u64(&row->field[i + 2], &tok, "bytes", WEIR_CDF_SIZE_MAX, &phase->bytes, s->r->err);
    if (code == 0 && phase->bytes == 0)
        phase->group = GROUP_NONE;
    return code;
}

static int read_layer(struct simai *s, struct layer *layer)
{
    struct weir_tokens_row row;
    bool any = weir_tokens_row(&s->tokens, &row);
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, &row, 0);
    int code = 0;
    if (!any)
        return weir_fail(s->r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = s->r->file },
                         "was it copied to its end?",
                         "the second line says %" PRIu32 " layers, and the file ends before", s->count);
    if (row.count != FIELDS)
        return weir_fail(s->r->err, WEIR_E_SYNTAX, &tok,
                         "a layer is NAME DEPENDENCY, then time, operation and bytes thrice, and a time",
                         "%" PRIu32 " fields where a layer has %d", row.count, FIELDS);
    layer->line = row.line;
    for (uint32_t number = 0; code == 0 && number < PHASES; number++)
        code = read_phase(s, &row, number, &layer->phase[number]);
    return code != 0 ? code : read_time(s, &row, UPDATE, "time", &layer->update_ps);
}

static int read_layers(struct simai *s)
{
    struct weir_tokens_row row;
    uint64_t count = 0;
    bool any = weir_tokens_row(&s->tokens, &row);
    struct weir_tok tok = weir_tokens_row_tok(s->r->file, &row, 0);
    int code;
    WEIR_ASSERT(any && row.count == 1); /* weir_trace_is_simai() has seen it */
    code = weir_token_u64(&row.field[0], &tok, "layers", LAYERS_MAX, &count, s->r->err);
    if (code == 0 && count == 0)
        return weir_fail(s->r->err, WEIR_E_RANGE, &tok, NULL, "the workload has no layers");
    if (code != 0)
        return code;
    s->count = (uint32_t)count;
    s->layer = calloc(count, sizeof(*s->layer));
    if (s->layer == NULL)
        return weir_fail_memory(s->r->err);
    for (uint32_t i = 0; code == 0 && i < s->count; i++)
        code = read_layer(s, &s->layer[i]);
    if (code == 0 && weir_tokens_row(&s->tokens, &row)) {
        tok = weir_tokens_row_tok(s->r->file, &row, 0);
        return weir_fail(s->r->err, WEIR_E_CONFLICT, &tok, "correct the second line, or the list",
                         "the second line says %" PRIu32 " layers, and this is one more", s->count);
    }
    return code;
}

/* --- the graph of one rank --- */

struct writer { /* the nodes of the last rank */
    struct simai *s;
    uint32_t rank, last; /* last: the node that the next one waits for */
    bool begun;          /* there is a last one */
    uint32_t number;     /* collectives of the rank so far */
};

/* Fills in the members of a rank's group, in order. @return the index of the rank among them */
static uint32_t find_members(const struct simai *s, uint32_t rank, uint32_t which, struct trace_group *group)
{
    /* a data-parallel group is every tp * pp-th rank, and expert groups are parts of it */
    uint32_t stride = (uint32_t)(s->tp * s->pp), dp = (uint32_t)s->ranks / stride, ep = (uint32_t)s->ep;
    uint32_t base = rank % stride, index = rank / stride, first = 0, step = 1;
    group->member = s->member;
    if (which == GROUP_TP) {
        group->count = (uint32_t)s->tp;
        for (uint32_t i = 0; i < group->count; i++)
            s->member[i] = rank / group->count * group->count + i;
        return rank % group->count;
    }
    group->count = which == GROUP_DP ? dp : which == GROUP_EP ? ep : dp / ep;
    first = which == GROUP_EP ? index / ep * ep : which == GROUP_DP_EP ? index % ep : 0;
    step = which == GROUP_DP_EP ? ep : 1;
    for (uint32_t i = 0; i < group->count; i++)
        s->member[i] = base + (first + i * step) * stride;
    return (index - first) / step;
}

/* Lets a node wait for the last one. */
static int chain(struct writer *w, uint32_t node)
{
    return w->begun ? weir_ranks_after(w->s->r->ranks, node, w->last, false, w->s->r->err) : 0;
}

static int add_compute(struct writer *w, uint64_t compute_ps, uint32_t line)
{
    struct weir_rank_node node = { .op = WEIR_RANK_COMPUTE, .compute_ps = compute_ps, .lane = 0, .line = line };
    uint32_t number = weir_ranks_last_count(w->s->r->ranks);
    int code = weir_trace_add(w->s->r, &node);
    if (code == 0)
        code = chain(w, number);
    w->last = number;
    w->begun = true;
    return code;
}

/* Adds the update of weights behind the node `after`, for which no other node waits. */
static int add_update(struct writer *w, uint64_t update_ps, uint32_t line, uint32_t after)
{
    struct weir_rank_node node = { .compute_ps = update_ps, .lane = WEIR_RANK_NO_LANE, .line = line };
    uint32_t number = weir_ranks_last_count(w->s->r->ranks);
    int code = weir_trace_add(w->s->r, &node);
    return code != 0 ? code : weir_ranks_after(w->s->r->ranks, number, after, false, w->s->r->err);
}

/* Adds the collective of a phase. What follows waits for it, but for that of the gradients of weights: behind it comes
 * the update. */
static int add_collective(struct writer *w, const struct layer *layer, uint32_t number)
{
    const struct phase *phase = &layer->phase[number];
    struct trace_collective c = { .bytes = phase->bytes, .op = phase->op, .number = w->number, .line = layer->line };
    struct trace_span span;
    uint32_t index;
    int code;
    if (phase->group == GROUP_NONE)
        return 0;
    index = find_members(w->s, w->rank, phase->group, &c.group);
    code = weir_trace_collective(w->s->r, &c, index, &span);
    w->number++; /* ranks of a group have the same number, as all do the same */
    if (code == 0)
        code = chain(w, span.first);
    if (code != 0 || number == WEIGHTS)
        return code != 0 ? code : add_update(w, layer->update_ps, layer->line, span.last);
    w->last = span.last;
    return 0;
}

static int write_rank(struct writer *w)
{
    const struct simai *s = w->s;
    int code = weir_ranks_begin(s->r->ranks, s->r->err);
    w->begun = false;
    w->number = 0;
    for (uint32_t i = 0; code == 0 && i < s->count; i++) {
        code = add_compute(w, s->layer[i].phase[FORWARD].compute_ps, s->layer[i].line);
        if (code == 0)
            code = add_collective(w, &s->layer[i], FORWARD);
    }
    for (uint32_t i = s->count; code == 0 && i-- > 0;) {
        const struct layer *layer = &s->layer[i];
        for (uint32_t number = INPUTS; code == 0 && number <= WEIGHTS; number++) {
            code = add_compute(w, layer->phase[number].compute_ps, layer->line);
            if (code == 0)
                code = add_collective(w, layer, number);
        }
    }
    return code;
}

static int write_ranks(struct simai *s)
{
    struct writer w = { .s = s };
    int code = 0;
    s->member = calloc(s->ranks, sizeof(*s->member));
    if (s->member == NULL)
        return weir_fail_memory(s->r->err);
    for (; code == 0 && w.rank < s->ranks; w.rank++)
        code = write_rank(&w);
    return code;
}

int weir_trace_simai(struct trace_reader *r)
{
    struct simai s = { .r = r, .tp = 1, .ep = 1, .pp = 1 };
    int code;
    s.tokens = weir_tokens_of(r->file, r->bytes);
    code = read_strategy(&s);
    if (code == 0)
        code = read_layers(&s);
    if (code == 0)
        code = write_ranks(&s);
    free(s.layer);
    free(s.member);
    return code;
}
