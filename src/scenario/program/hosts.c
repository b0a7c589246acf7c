/* src/scenario/program/hosts.c - see hosts.h. */
#include "program/hosts.h"
#include "program/placement.h"
#include "core/assert.h"
#include "core/rng.h"
#include "workload/text.h"
#include <stdlib.h>
#include <string.h>

struct hosts { /* hosts that ranks may be at: first, first + step, .. */
    uint32_t first, count, step;
    uint32_t ranks; /* how many there are; at most count */
};

static bool read_number(const char *text, size_t length, uint64_t *value)
{
    struct weir_field field = { .text = text, .length = (uint32_t)length };
    return length > 0 && weir_text_u64(&field, value) == WEIR_TEXT_OK;
}

/* Reads "0..63" or "0..1023/8". @return 0, or a code with err */
static int read_range(const char *text, const char *dots, uint32_t hosts, struct hosts *out, struct weir_err *err)
{
    const char *slash = strchr(dots, '/'), *end = text + strlen(text);
    uint64_t low, high, step = 1;
    if (!read_number(text, (size_t)(dots - text), &low) ||
        !read_number(dots + 2, (size_t)((slash != NULL ? slash : end) - dots - 2), &high) || low > high ||
        (slash != NULL && (!read_number(slash + 1, strlen(slash + 1), &step) || step == 0)))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example ranks: 64, or ranks: 0..63, or ranks: 0..1023/8",
                         "ranks = %s: neither a number of ranks nor a range of hosts", text);
    if (high >= hosts)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "ranks = %s: the topology has %u hosts (0 to %u)", text, hosts,
                         hosts - 1);
    step = step < hosts ? step : hosts; /* the first host alone */
    *out = (struct hosts){ (uint32_t)low, (uint32_t)((high - low) / step + 1), (uint32_t)step, 0 };
    out->ranks = out->count;
    return 0;
}

/* Reads the key `ranks`. Sets out->ranks to as many as it says. @return 0, or a code with err */
static int read_ranks(const struct weir_traffic_config *item, uint32_t hosts, struct hosts *out, struct weir_err *err)
{
    const char *text = item->ranks, *dots = strstr(text, "..");
    uint64_t ranks = hosts;
    if (dots != NULL)
        return read_range(text, dots, hosts, out, err);
    if (text[0] != '\0' && !read_number(text, strlen(text), &ranks))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example ranks: 64, or ranks: 0..63, or ranks: 0..1023/8",
                         "ranks = %s: neither a number of ranks nor a range of hosts", text);
    if (ranks < 2)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "ranks = %s: an operation needs at least 2", text);
    if (ranks > hosts)
        return weir_fail(err, WEIR_E_RANGE, NULL, "each rank is at a host of its own",
                         "ranks = %s: the topology has %u hosts", text, hosts);
    *out = (struct hosts){ 0, item->placement == WEIR_PLACEMENT_PACKED ? (uint32_t)ranks : hosts, 1, (uint32_t)ranks };
    return 0;
}

/* Draws an order of hosts, as far as there are ranks: Fisher and Yates. */
static void shuffle(uint32_t *at, const struct hosts *range, uint64_t key)
{
    for (uint32_t i = 0; i < range->ranks; i++) {
        uint32_t j = i + weir_rng_below(weir_rng_at(key, i), range->count - i), swap = at[i];
        at[i] = at[j];
        at[j] = swap;
    }
}

/* Gives ranks their hosts: rank i is at the i-th in the order of the placement. @return 0, or a code with err */
static int assign_hosts(struct weir_program *program, const struct weir_traffic_config *item,
                        const struct weir_programs_from *from, const struct hosts *range, struct weir_err *err)
{
    uint32_t *at = calloc(range->count, sizeof(*at));
    int code = 0;
    program->host_of = at;
    program->rank_of = malloc(from->hosts * sizeof(*program->rank_of));
    if (at == NULL || program->rank_of == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < range->count; i++)
        at[i] = range->first + i * range->step;
    if (item->placement == WEIR_PLACEMENT_RANDOM)
        shuffle(at, range, weir_rng_key(from->seed, 0, WEIR_RNG_PLACEMENT, program->item));
    else if (item->placement == WEIR_PLACEMENT_FILE)
        code = weir_placement_read(item->placement_file, from, range->ranks, at, err);
    else if (item->placement != WEIR_PLACEMENT_PACKED)
        code = weir_placement_order(item->placement, from, range->count, at, err);
    for (uint32_t h = 0; h < from->hosts; h++)
        program->rank_of[h] = WEIR_NO_RANK;
    for (uint32_t i = 0; i < range->ranks && code == 0; i++) {
        WEIR_ASSERT(program->rank_of[at[i]] == WEIR_NO_RANK);
        program->rank_of[at[i]] = i;
    }
    return code;
}

/* Reduces the hosts to those of a program that has so many ranks. @return 0, or a code with err */
static int fit_ranks(const struct weir_traffic_config *item, uint32_t ranks, uint32_t hosts, struct hosts *range,
                     struct weir_err *err)
{
    bool number = item->ranks[0] != '\0' && strstr(item->ranks, "..") == NULL;
    if (number && range->ranks != ranks)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "leave it out, or say the range of hosts, as in 0..63",
                         "ranks = %s: the file has %u", item->ranks, ranks);
    if (range->count < ranks)
        return weir_fail(err, WEIR_E_RANGE, NULL, "each rank is at a host of its own",
                         "the file has %u ranks, and there are %u hosts for them", ranks, range->count);
    range->ranks = ranks;
    if (item->placement == WEIR_PLACEMENT_PACKED)
        range->count = ranks;
    WEIR_ASSERT(range->count <= hosts);
    return 0;
}

int weir_program_assign_hosts(struct weir_program *program, const struct weir_traffic_config *item, uint32_t ranks,
                              const struct weir_programs_from *from, struct weir_err *err)
{
    struct hosts range = { 0 };
    int code;
    if (item->placement != WEIR_PLACEMENT_FILE && item->placement_file[0] != '\0')
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "placement: file", "placement_file is of placement: file alone");
    code = read_ranks(item, from->hosts, &range, err);
    if (code == 0 && ranks > 0)
        code = fit_ranks(item, ranks, from->hosts, &range, err);
    if (code == 0)
        code = assign_hosts(program, item, from, &range, err);
    program->ranks = range.ranks;
    return code;
}

void weir_program_free_hosts(struct weir_program *program)
{
    free(program->host_of);
    free(program->rank_of);
    program->host_of = program->rank_of = NULL;
}
