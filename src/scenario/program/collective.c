/* src/scenario/program/collective.c - reads items of kind collective: ranks and their groups, and whether all of it
 * fits together. */
#include "program/collective.h"
#include "program/hosts.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "core/units.h"
#include <stdio.h>
#include <stdlib.h>

/* --- groups --- */

static uint64_t degree(uint32_t said)
{
    return said != 0 ? said : 1;
}

/* Finds the groups of a parallel program. Of rank r, tensor-parallel ones are r % tp; data-parallel ones r / tp % dp;
 * stages r / (tp dp). @return 0, or a code with err */
static int find_groups(struct weir_collective *c, struct weir_err *err)
{
    const struct weir_traffic_config *item = c->item;
    uint64_t tp = degree(item->tp), pp = degree(item->pp), dp = degree(item->dp), ep = degree(item->ep);
    uint64_t n[] = { c->ranks, tp, ep, dp, pp }, stride[] = { 1, 1, tp, tp, tp * dp };
    bool parallel = item->tp != 0 || item->pp != 0 || item->dp != 0 || item->ep != 0;
    if (parallel && item->over == WEIR_OVER_ALL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example over: dp",
                         "tp, pp, dp and ep make groups, and over = all makes one of all ranks");
    if (item->over != WEIR_OVER_ALL && n[item->over] == 1)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL,
                         "over = %s: its groups have one rank each, which needs no one",
                         weir_collective_overs[item->over]);
    if (parallel && tp * dp > c->ranks) /* below 2^40 */
        pp = 0;
    if (parallel && tp * dp * pp != c->ranks)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "ranks = tp * dp * pp; ep divides dp",
                         "tp, dp and pp: %llu * %llu * %llu is not the number of ranks, %u%s", (unsigned long long)tp,
                         (unsigned long long)dp, (unsigned long long)degree(item->pp), c->ranks,
                         c->item->ranks[0] == '\0' ? " as there are hosts" : "");
    if (dp % ep != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "experts are spread over ranks of a data-parallel group",
                         "ep = %llu: it does not divide dp = %llu", (unsigned long long)ep, (unsigned long long)dp);
    WEIR_ASSERT(n[item->over] > 0);
    c->n = (uint32_t)n[item->over];
    c->stride = (uint32_t)stride[item->over];
    c->groups = c->ranks / c->n;
    WEIR_ASSERT(c->n * c->groups == c->ranks);
    return 0;
}

/* --- the operation --- */

/* Fails with the algorithms that the operation has as a hint. */
static int fail_algorithm(const struct weir_traffic_config *item, struct weir_err *err)
{
    char hint[160];
    const char *before = "has";
    size_t used = (size_t)snprintf(hint, sizeof(hint), "%s ", weir_collective_ops[item->op]);
    for (uint32_t w = 0; weir_collective_algorithms[w] != NULL && used < sizeof(hint); w++)
        if (weir_algorithm_of(item->op, w) != NULL) {
            used += (size_t)snprintf(hint + used, sizeof(hint) - used, "%s %s", before, weir_collective_algorithms[w]);
            before = ",";
        }
    return weir_fail(err, WEIR_E_CONFLICT, NULL, hint, "algorithm = %s: no such algorithm for %s",
                     weir_collective_algorithms[item->algorithm], weir_collective_ops[item->op]);
}

/* Checks what the algorithm needs. @return 0, or a code with err */
static int check_algorithm(const struct weir_collective *c, struct weir_err *err)
{
    const struct weir_traffic_config *item = c->item;
    /* 1.8 * 10^16 ps times 10^3: fits */
    uint64_t at_once, most_ps = item->compute_ps + weir_mul_div_u64(item->compute_ps, item->straggler_ppm, 1000000);
    if (item->bytes == 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example bytes: 16 MiB",
                         "bytes is missing: a collective item needs it");
    if (c->n < 2)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "ranks = %s: an operation needs at least 2", item->ranks);
    if (c->algorithm->power_of_two && ((c->n & (c->n - 1)) != 0 || c->n > 65536))
        return weir_fail(err, WEIR_E_RANGE, NULL, "another number of ranks, or algorithm: ring",
                         "algorithm = halving-doubling: needs 2, 4, 8, .. 65536 ranks in a group, and there are %u",
                         c->n);
    if (item->bytes < c->algorithm->parts(c))
        return weir_fail(err, WEIR_E_RANGE, NULL, "more bytes or fewer chunks",
                         "bytes = %llu: they are cut into %llu parts, of at least 1 B each",
                         (unsigned long long)item->bytes, (unsigned long long)c->algorithm->parts(c));
    at_once = (uint64_t)c->ranks * item->chunks * (c->algorithm->to_all ? c->n - 1 : 1); /* 2^20 * 2^10 * 2^20 */
    if (at_once > WEIR_COLLECTIVE_AT_ONCE_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer ranks or chunks, or another algorithm",
                         "ranks and chunks: %llu messages at once, and at most %llu are possible",
                         (unsigned long long)at_once, (unsigned long long)WEIR_COLLECTIVE_AT_ONCE_MAX);
    if ((uint64_t)c->groups * item->steps > WEIR_COLLECTIVE_RESULTS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "steps = %u: with %u groups more than %u results", item->steps,
                         c->groups, WEIR_COLLECTIVE_RESULTS_MAX);
    if (most_ps > WEIR_COMPUTE_MAX_PS / item->steps)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer steps, or less compute or straggler",
                         "compute: a rank may compute for 18000 s in all steps together, and here it is more");
    if (item->straggler_ppm > 0 && item->compute_ps == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example compute: 1 ms",
                         "straggler is a part of compute, and no rank computes");
    return 0;
}

/* Counts the messages of a run, which its ranks send and receive. */
static uint64_t count_messages(const struct weir_collective *c)
{
    uint64_t received = 0, sent = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        received += c->algorithm->receives(c, i);
        sent += c->algorithm->sends(c, i);
    }
    WEIR_ASSERT(received == sent && received > 0);
    return received * c->groups * c->item->steps; /* 2^20 * 2^21 * 2^10, times 2^16 */
}

/* --- building --- */

/* Names results: "all-reduce", or the name of the item, with group and step where there are several. @return false = no
 * memory */
static bool name_results(struct weir_collective *c)
{
    const struct weir_traffic_config *item = c->item;
    const char *base = item->name[0] != '\0' ? item->name : weir_collective_ops[item->op];
    uint32_t results = c->groups * item->steps;
    c->name = calloc(results, sizeof(*c->name));
    for (uint32_t i = 0; c->name != NULL && i < results; i++) {
        char group[16] = "", step[16] = "";
        if (c->groups > 1)
            (void)snprintf(group, sizeof(group), "/%s%u", weir_collective_overs[item->over], i % c->groups);
        if (item->steps > 1)
            (void)snprintf(step, sizeof(step), "#%u", i / c->groups + 1);
        (void)snprintf(c->name[i], sizeof(c->name[i]), "%.20s%.9s%.9s", base, group, step);
    }
    return c->name != NULL;
}

/* Adds up the bytes of all messages: rank by rank, at their mean size. */
static uint64_t total_bytes(const struct weir_collective *c, uint64_t messages)
{
    uint64_t sum = 0, sizes = 0;
    for (uint32_t n = 0; c->algorithm->size(c, n) != 0; n++, sizes++)
        sum += c->algorithm->size(c, n);
    WEIR_ASSERT(sizes > 0);
    return messages > 0 && sum / sizes > UINT64_MAX / messages ? UINT64_MAX
                                                               : sum / sizes * messages; /* an estimate of the load */
}

void weir_collective_free(struct weir_program *program)
{
    struct weir_collective *c = (struct weir_collective *)program->what;
    if (c != NULL)
        free(c->name);
    free(c);
}

bool weir_collective_note(const struct weir_program *program, char *out, size_t size)
{
    const struct weir_collective *c = program->what;
    uint64_t parts = c->algorithm->parts(c), least, most;
    WEIR_ASSERT(parts > 0);
    if (c->item->bytes % parts == 0)
        return false;
    least = c->item->bytes / parts;
    most = least + 1;
    (void)snprintf(out, size, "bytes = %llu: %llu parts of it are not all equal, but have %llu or %llu B",
                   (unsigned long long)c->item->bytes, (unsigned long long)parts, (unsigned long long)least,
                   (unsigned long long)most);
    return true;
}

uint64_t weir_collective_size(const struct weir_program *program, uint32_t n)
{
    const struct weir_collective *c = program->what;
    return c->algorithm->size(c, n);
}

int weir_collective_build(struct weir_program *program, const struct weir_traffic_config *item, uint32_t index,
                          const struct weir_programs_from *from, struct weir_err *err)
{
    struct weir_collective *c = calloc(1, sizeof(*c));
    int code;
    *program = (struct weir_program){ .ops = &weir_collective_program, .what = c, .item = index };
    if (c == NULL)
        return weir_fail_memory(err);
    code = weir_program_assign_hosts(program, item, 0, from, err);
    if (code == 0) {
        *c = (struct weir_collective){ .item = item,
                                       .algorithm = weir_algorithm_of(item->op, item->algorithm),
                                       .ranks = program->ranks,
                                       .key = weir_rng_key(from->seed, 0, WEIR_RNG_STRAGGLER, index) };
        code = c->algorithm == NULL ? fail_algorithm(item, err) : find_groups(c, err);
    }
    if (code == 0)
        code = check_algorithm(c, err);
    if (code == 0 && !name_results(c))
        code = weir_fail_memory(err);
    if (code != 0)
        return code;
    program->results = c->groups * item->steps;
    program->messages = count_messages(c);
    program->bytes = total_bytes(c, program->messages);
    return 0;
}
