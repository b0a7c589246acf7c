/* src/scenario/config/topology_htsim.c - reads htsim's .topo: a fat tree of two or three tiers, given by numbers per
 * tier. Source: htsim's reader and the files that come with it. Departs from htsim: numbers that contradict each other
 * are refused with their line. Queue sizes have no effect on ports; fabric.buffer sets the memory of switches. */
#include "config/topology_read.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TIERS = 3 };

enum { NODES, TIER_COUNT, PODSIZE, HEADERS };
static const char *const headers[HEADERS] = { "nodes", "tiers", "podsize" };

enum { SPEED, RADIX_DOWN, RADIX_UP, QUEUE_DOWN, QUEUE_UP, OVER, BUNDLE, SWITCH_NS, LINK_NS, KEYS };
static const struct key {
    const char *name;
    uint64_t most;
} keys[KEYS] = {
    [SPEED] = { "downlink_speed_gbps", 8000 },
    [RADIX_DOWN] = { "radix_down", WEIR_PORTS_MAX },
    [RADIX_UP] = { "radix_up", WEIR_PORTS_MAX },
    [QUEUE_DOWN] = { "queue_down", UINT64_MAX },
    [QUEUE_UP] = { "queue_up", UINT64_MAX },
    [OVER] = { "oversubscribed", WEIR_PORTS_MAX },
    [BUNDLE] = { "bundle", WEIR_PORTS_MAX },
    [SWITCH_NS] = { "switch_latency_ns", 500000000 }, /* together with the latency of a link at most one second */
    [LINK_NS] = { "downlink_latency_ns", 500000000 },
};
static const char hint[] =
    "a file has Nodes, Tiers and Podsize, then for each tier: Tier N, Downlink_speed_Gbps, Radix_Down, "
    "Radix_Up, Downlink_Latency_ns, and perhaps Switch_Latency_ns, Oversubscribed, Bundle, Queue_*";
static const char queue_note[] =
    "the queue sizes of the file have no effect: fabric.buffer and the features of ports set them";

struct tier { /* what the file says of one tier */
    uint64_t value[KEYS];
    uint32_t line[KEYS]; /* line of each key; 0 = not given */
    uint32_t at;         /* line where the tier begins; 0 = the file has no such tier */
};

struct shape { /* sizes of the network, computed from the numbers of the file */
    uint32_t hosts, pods, tors, aggs,
        cores;              /* tors, aggs: per pod; cores: per position of an aggregation switch in its pod */
    uint32_t bundle[TIERS]; /* parallel cables from each switch of a tier to each node below it */
    uint64_t cables;
};

struct reader { /* state while one file is read */
    struct weir_topology_read *out;
    struct weir_tokens tokens;
    struct weir_tokens_row row;
    uint64_t head[HEADERS];
    uint32_t head_line[HEADERS];
    struct tier tier[TIERS];
    int32_t now; /* the tier that is being read; -1 = none yet */
    struct weir_err *err;
};

static struct weir_tok line_of(const struct reader *r, uint32_t line)
{
    return (struct weir_tok){ .file = r->tokens.file, .line = line };
}

/* --- reading --- */

static uint32_t header_of(const struct weir_field *field)
{
    uint32_t i = 0;
    while (i < HEADERS && !weir_token_is_folded(field, headers[i]))
        i++;
    return i;
}

bool weir_topology_is_htsim(const char *text)
{
    struct weir_tokens tokens = weir_tokens_of(NULL, text);
    struct weir_tokens_row row;
    if (!weir_tokens_row(&tokens, &row) || row.count < 2)
        return false;
    return header_of(&row.field[0]) < HEADERS || weir_token_is_folded(&row.field[0], "tier");
}

static int read_number(const struct reader *r, const char *what, uint64_t least, uint64_t most, uint64_t *value)
{
    struct weir_tok tok = weir_tokens_row_tok(r->tokens.file, &r->row, 1);
    int code;
    if (r->row.count < 2)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, hint, "%s: a number must follow", what);
    code = weir_token_u64(&r->row.field[1], &tok, what, most, value, r->err);
    if (code == 0 && *value < least)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "%s = %" PRIu64 ": at least %" PRIu64, what, *value, least);
    return code;
}

static int fail_twice(const struct reader *r, const char *what, uint32_t line)
{
    struct weir_tok tok = weir_tokens_row_tok(r->tokens.file, &r->row, 0);
    return weir_fail(r->err, WEIR_E_CONFLICT, &tok, NULL, "%s: line %" PRIu32 " has it already", what, line);
}

static int read_head(struct reader *r, uint32_t which)
{
    static const uint64_t most[HEADERS] = { WEIR_HOSTS_MAX, TIERS, WEIR_HOSTS_MAX };
    if (r->head_line[which] != 0)
        return fail_twice(r, headers[which], r->head_line[which]);
    r->head_line[which] = r->row.line;
    return read_number(r, headers[which], which == PODSIZE ? 1 : 2, most[which], &r->head[which]);
}

static int read_tier(struct reader *r)
{
    uint64_t value = 0;
    int code = read_number(r, "tier", 0, TIERS - 1, &value);
    if (code != 0)
        return code;
    if (r->tier[value].at != 0)
        return fail_twice(r, "this tier", r->tier[value].at);
    r->now = (int32_t)value;
    r->tier[value].at = r->row.line;
    return 0;
}

static int read_key(struct reader *r, uint32_t key)
{
    struct tier *tier = &r->tier[r->now];
    bool may_be_0 = key == SWITCH_NS || key == QUEUE_DOWN || key == QUEUE_UP;
    if (tier->line[key] != 0)
        return fail_twice(r, keys[key].name, tier->line[key]);
    tier->line[key] = r->row.line;
    if (key == QUEUE_DOWN || key == QUEUE_UP)
        r->out->note = queue_note;
    return read_number(r, keys[key].name, may_be_0 ? 0 : 1, keys[key].most, &tier->value[key]);
}

static int read_row(struct reader *r)
{
    const struct weir_field *token = &r->row.field[0];
    struct weir_tok tok = weir_tokens_row_tok(r->tokens.file, &r->row, 0);
    uint32_t key = 0, which = header_of(token);
    if (which < HEADERS)
        return read_head(r, which);
    if (weir_token_is_folded(token, "tier"))
        return read_tier(r);
    while (key < KEYS && !weir_token_is_folded(token, keys[key].name))
        key++;
    if (key == KEYS || r->now < 0)
        return weir_fail(r->err, WEIR_E_UNKNOWN, &tok, hint, "'%.*s' %s", weir_token_shown(token), token->text,
                         key == KEYS ? "is no key of a .topo file" : "stands before the first tier");
    return read_key(r, key);
}

/* --- are all keys given? --- */

static int check_tier(struct reader *r, uint32_t t, bool top)
{
    static const uint32_t required[] = { SPEED, RADIX_DOWN, LINK_NS, RADIX_UP };
    struct tier *tier = &r->tier[t];
    if (tier->at == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, &r->out->all, hint, "there is no tier %" PRIu32, t);
    for (uint32_t i = 0; i < (top ? 3u : 4u); i++)
        if (tier->line[required[i]] == 0)
            return weir_fail(r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = r->tokens.file, .line = tier->at },
                             hint, "tier %" PRIu32 ": %s is missing", t, keys[required[i]].name);
    for (uint32_t key = RADIX_UP; top && key <= QUEUE_UP; key += QUEUE_UP - RADIX_UP)
        if (tier->line[key] != 0)
            return weir_fail(r->err, WEIR_E_CONFLICT,
                             &(struct weir_tok){ .file = r->tokens.file, .line = tier->line[key] }, NULL,
                             "tier %" PRIu32 ": %s: the top tier has no links up", t, keys[key].name);
    if (tier->line[BUNDLE] == 0)
        tier->value[BUNDLE] = 1;
    if (tier->line[OVER] == 0)
        tier->value[OVER] = 1;
    return 0;
}

static int check_present(struct reader *r)
{
    uint32_t tiers = (uint32_t)r->head[TIER_COUNT];
    int code = 0;
    for (uint32_t i = 0; i < HEADERS; i++)
        if (r->head_line[i] == 0)
            return weir_fail(r->err, WEIR_E_SYNTAX, &r->out->all, hint, "%s is missing", headers[i]);
    for (uint32_t t = 0; t < tiers && code == 0; t++)
        code = check_tier(r, t, t + 1 == tiers);
    if (code == 0 && tiers < TIERS && r->tier[tiers].at != 0)
        return weir_fail(r->err, WEIR_E_CONFLICT,
                         &(struct weir_tok){ .file = r->tokens.file, .line = r->tier[tiers].at }, NULL,
                         "tier %" PRIu32 ": the file has %" PRIu32 " tiers, which count from 0", tiers, tiers);
    return code;
}

/* --- do the numbers fit each other? --- */

/* Sets *out to value / part, and refuses a value that is no multiple of part. what, by: names of value and part, for
 * the message. @return 0, or WEIR_E_CONFLICT with err */
static int divide(const struct reader *r, uint32_t line, const char *what, uint64_t value, const char *by,
                  uint64_t part, uint32_t *out)
{
    struct weir_tok tok = line_of(r, line);
    *out = (uint32_t)(value / part);
    if (value % part == 0)
        return 0;
    return weir_fail(r->err, WEIR_E_CONFLICT, &tok, NULL, "%s = %" PRIu64 ": no multiple of %s, which is %" PRIu64,
                     what, value, by, part);
}

/* Refuses a tier t whose radix_down differs from needed, the number of links that the tiers below have to one of its
 * switches. @return 0, or WEIR_E_CONFLICT with err */
static int check_radix(const struct reader *r, uint32_t t, uint64_t needed)
{
    const struct tier *tier = &r->tier[t];
    struct weir_tok tok = line_of(r, tier->line[RADIX_DOWN]);
    if (tier->value[RADIX_DOWN] == needed)
        return 0;
    return weir_fail(r->err, WEIR_E_CONFLICT, &tok, "podsize, the radices of the tiers and bundle have to fit",
                     "tier %" PRIu32 ": radix_down = %" PRIu64 ", and the tiers below come to %" PRIu64 " links", t,
                     tier->value[RADIX_DOWN], needed);
}

/* Refuses a tier t whose key Oversubscribed is neither the ratio of its links down to its links up, nor the ratio of
 * their rates. htsim counts links at the lowest tier, and rates above. */
static int check_over(const struct reader *r, uint32_t t)
{
    const struct tier *tier = &r->tier[t], *above = &r->tier[t + 1];
    uint64_t over = tier->value[OVER], down = tier->value[RADIX_DOWN], up = tier->value[RADIX_UP];
    bool ports = down == over * up; /* over and up are below 2^16 */
    bool rates = down * tier->value[SPEED] == over * up * above->value[SPEED];
    struct weir_tok tok = line_of(r, tier->line[OVER] != 0 ? tier->line[OVER] : tier->at);
    if (ports || rates)
        return 0;
    return weir_fail(r->err, WEIR_E_CONFLICT, &tok, "Oversubscribed is the links down by the links up; 1 if left out",
                     "tier %" PRIu32 ": oversubscribed = %" PRIu64 ", and it has %" PRIu64 " links down and %" PRIu64
                     " up",
                     t, over, down, up);
}

static int shape_core(const struct reader *r, struct shape *s)
{
    const struct tier *agg = &r->tier[1], *core = &r->tier[2];
    int code = divide(r, agg->line[RADIX_UP], "radix_up", agg->value[RADIX_UP], "the bundle of tier 2",
                      core->value[BUNDLE], &s->cores);
    if (code == 0)
        code = check_radix(r, 2, s->pods * core->value[BUNDLE]);
    if (code == 0)
        code = check_over(r, 1);
    return code;
}

static int shape_of(const struct reader *r, struct shape *s)
{
    const struct tier *tor = &r->tier[0], *agg = &r->tier[1];
    bool three = r->head[TIER_COUNT] == 3;
    struct weir_tok pod = line_of(r, r->head_line[PODSIZE]), bundle = line_of(r, tor->line[BUNDLE]);
    int code;
    *s = (struct shape){ .hosts = (uint32_t)r->head[NODES] };
    for (uint32_t t = 0; t < TIERS; t++)
        s->bundle[t] = (uint32_t)r->tier[t].value[BUNDLE];
    if (tor->value[BUNDLE] != 1)
        return weir_fail(r->err, WEIR_E_CONFLICT, &bundle, NULL, "tier 0: bundle: a host has one cable");
    if (!three && r->head[PODSIZE] != r->head[NODES])
        return weir_fail(r->err, WEIR_E_CONFLICT, &pod, "Podsize is Nodes", "podsize: two tiers are one pod");
    code = divide(r, r->head_line[NODES], "nodes", r->head[NODES], "podsize", r->head[PODSIZE], &s->pods);
    if (code == 0)
        code = divide(r, r->head_line[PODSIZE], "podsize", r->head[PODSIZE], "radix_down of tier 0",
                      tor->value[RADIX_DOWN], &s->tors);
    if (code == 0)
        code = divide(r, tor->line[RADIX_UP], "radix_up", tor->value[RADIX_UP], "the bundle of tier 1",
                      agg->value[BUNDLE], &s->aggs);
    if (code == 0)
        code = check_radix(r, 1, s->tors * agg->value[BUNDLE]);
    if (code == 0)
        code = check_over(r, 0);
    if (code == 0 && three)
        code = shape_core(r, s);
    return code;
}

/* Computes the number of cables and of switches, and refuses too many of them, before arrays are allocated. @return 0,
 * or WEIR_E_RANGE with err */
static int check_size(const struct reader *r, struct shape *s, uint32_t *switches)
{
    uint64_t tors = (uint64_t)s->pods * s->tors, aggs = (uint64_t)s->pods * s->aggs;
    uint64_t all = tors + aggs + (uint64_t)s->aggs * s->cores; /* each at most 2^36 */
    struct weir_tok tok = line_of(r, r->head_line[NODES]);
    if (all > WEIR_GRAPH_SWITCHES_MAX)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "the numbers come to %" PRIu64 " switches: at most %u", all,
                         WEIR_GRAPH_SWITCHES_MAX);
    s->cables = s->hosts + tors * s->aggs * s->bundle[1] + aggs * s->cores * s->bundle[2];
    if (s->cables > WEIR_CABLES_MAX)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "the numbers come to %" PRIu64 " cables: at most %u",
                         s->cables, WEIR_CABLES_MAX);
    *switches = (uint32_t)all;
    return 0;
}

/* --- building --- */

static void name_nodes(const struct reader *r, const struct shape *s)
{
    struct weir_topology_read *out = r->out;
    const uint32_t count[] = { s->hosts, s->pods * s->tors, s->pods * s->aggs, s->aggs * s->cores };
    static const char *const names[] = { "host", "tor", "agg", "core" };
    uint32_t node = 0;
    for (uint32_t tier = 0; tier < 4; tier++)
        for (uint32_t i = 0; i < count[tier]; i++, node++) {
            (void)snprintf(out->graph.name[node], WEIR_NODE_NAME, "%s %" PRIu32, names[tier], i);
            out->node_at[node] = line_of(r, tier == 0 ? r->head_line[NODES] : r->tier[tier - 1].at);
        }
}

/* Adds the cables of one bundle between the node `below` and the node `above`, a switch of tier t. The latency of a
 * switch is a part of the delay towards it. */
static void join(const struct reader *r, uint32_t below, uint32_t above, uint32_t t)
{
    const struct tier *tier = &r->tier[t];
    uint64_t bps = tier->value[SPEED] * 1000000000, link_ps = tier->value[LINK_NS] * 1000;
    uint64_t up_ps = link_ps + tier->value[SWITCH_NS] * 1000;
    uint64_t down_ps = link_ps + (t > 0 ? r->tier[t - 1].value[SWITCH_NS] * 1000 : 0);
    const struct weir_cable cable = { below, above, bps, up_ps, bps, down_ps, 0 };
    struct weir_tok tok = line_of(r, tier->at);
    for (uint64_t b = 0; b < tier->value[BUNDLE]; b++)
        weir_topology_read_cable(r->out, &cable, &tok);
}

static void lay(const struct reader *r, const struct shape *s)
{
    uint32_t tor = s->hosts, agg = tor + s->pods * s->tors, core = agg + s->pods * s->aggs;
    for (uint32_t h = 0; h < s->hosts; h++)
        join(r, h, tor + h / (uint32_t)r->tier[0].value[RADIX_DOWN], 0);
    for (uint32_t p = 0; p < s->pods; p++) {
        for (uint32_t i = 0; i < s->tors; i++)
            for (uint32_t a = 0; a < s->aggs; a++)
                join(r, tor + p * s->tors + i, agg + p * s->aggs + a, 1);
        for (uint32_t a = 0; a < s->aggs; a++)
            for (uint32_t c = 0; c < s->cores; c++)
                join(r, agg + p * s->aggs + a, core + a + s->aggs * c, 2);
    }
}

int weir_topology_read_htsim(struct weir_topology_read *out, const char *file, const char *text, struct weir_err *err)
{
    struct reader r = { .out = out, .tokens = weir_tokens_of(file, text), .now = -1, .err = err };
    struct shape shape;
    uint32_t switches = 0;
    int code = 0;
    *out = (struct weir_topology_read){ .all = { .file = file } };
    while (code == 0 && weir_tokens_row(&r.tokens, &r.row))
        code = read_row(&r);
    if (code == 0)
        code = check_present(&r);
    if (code == 0)
        code = shape_of(&r, &shape);
    if (code == 0)
        code = check_size(&r, &shape, &switches);
    if (code == 0)
        code = weir_topology_read_room(out, shape.hosts, switches, (uint32_t)shape.cables, err);
    if (code != 0)
        return code;
    name_nodes(&r, &shape);
    lay(&r, &shape);
    return 0;
}
