/* src/scenario/config/topology_yaml.c - reads a YAML file of hosts, switches and cables: replaces ranges of names by
 * the single names, and names by numbers of nodes. topology/graph.c checks whether the graph is a network. */
#include "config/keys.h"
#include "config/topology_file.h"
#include "config/topology_read.h"
#include "config/yaml.h"
#include "core/assert.h"
#include "param/param.h"
#include "param/suggest.h"
#include "topology/graph.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HINT = 512, LABEL = 64, END_BYTES = 2 * WEIR_NODE_NAME, PARALLEL_MAX = 4095 };

struct default_keys {            /* values of weir_graph_default_params */
    uint64_t rate_bps, delay_ps; /* 0 = not given */
};

struct cable_keys { /* values of weir_graph_cable_params */
    char a[END_BYTES], b[END_BYTES];
    uint64_t rate_bps, delay_ps, back_rate_bps, back_delay_ps; /* 0 = not given */
    uint32_t parallel;
};

#define CABLE(name, field, kind, lo, hi, def, text)                                                                    \
    WEIR_PARAM_NAMED(name, struct cable_keys, field, kind, lo, hi, def, text)
#define END(name, field, text) WEIR_PARAM_TEXT(name, struct cable_keys, field, 1, "", text)

const struct weir_param weir_graph_default_params[] = {
    WEIR_PARAM_NAMED("rate", struct default_keys, rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0,
                     "of cables that say none"),
    WEIR_PARAM_NAMED("delay", struct default_keys, delay_ps, WEIR_KIND_TIME, 1, WEIR_LINK_DELAY_MAX_PS, 0,
                     "of cables that say none"),
    { 0 },
};

const struct weir_param weir_graph_cable_params[] = {
    END("a", a, "one end: a name, or a range of names as in h0..h15, which makes a cable of each; required"),
    END("b", b, "the other end; of two ranges the first is joined to the first and so on; required"),
    CABLE("rate", rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0,
          "from a to b, and back unless rate_back says otherwise; as in defaults if left out"),
    CABLE("delay", delay_ps, WEIR_KIND_TIME, 1, WEIR_LINK_DELAY_MAX_PS, 0,
          "one way, from a to b, and back unless delay_back says otherwise; as in defaults if left out"),
    CABLE("rate_back", back_rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0, "from b to a"),
    CABLE("delay_back", back_delay_ps, WEIR_KIND_TIME, 1, WEIR_LINK_DELAY_MAX_PS, 0, "from b to a"),
    CABLE("parallel", parallel, WEIR_KIND_U32, 1, PARALLEL_MAX, 1,
          "so many cables side by side; a host has a NIC for each"),
    { 0 },
};

struct named { /* a node and its name */
    const char *name;
    uint32_t node;
};

struct reader { /* state while one file is read */
    struct weir_tree_arena *arena;
    struct weir_graph graph;
    struct weir_tok *node_at, *cable_at; /* position in the file of each node and of each cable */
    uint32_t cable_room;
    struct named *by_name; /* all nodes, sorted by name */
    struct default_keys defaults;
    struct weir_err *err;
};

struct range { /* numbered: count names, each the stem and a number, from `first` on; else one name, the stem */
    char stem[WEIR_NODE_NAME];
    uint32_t first, count;
    bool numbered;
};

static uint32_t node_count(const struct reader *r)
{
    return r->graph.host_count + r->graph.switch_count;
}

/* --- names and ranges of names --- */

/* Splits "h15" into the stem "h" and the number 15. *stem: bytes of the stem. @return false = the text does not end in
 * a number, or the number has more than 9 digits or a leading zero */
static bool split_number(const char *text, size_t length, size_t *stem, uint32_t *number)
{
    size_t digits = 0;
    while (digits < length && text[length - digits - 1] >= '0' && text[length - digits - 1] <= '9')
        digits++;
    *stem = length - digits;
    *number = 0;
    for (size_t i = *stem; i < length && digits <= 9; i++)
        *number = 10 * *number + (uint32_t)(text[i] - '0');
    return digits > 0 && digits <= 9 && (digits == 1 || text[*stem] != '0');
}

/* Splits a range "h0..h15" into its stem, first number and count. dots: points to "..". @return false = the text is no
 * range: a bad number, different stems, or a last number below the first */
static bool split_range(const char *text, const char *dots, struct range *out)
{
    size_t stem, stem_again;
    uint32_t last;
    if (!split_number(text, (size_t)(dots - text), &stem, &out->first) ||
        !split_number(dots + 2, strlen(dots + 2), &stem_again, &last) || stem != stem_again ||
        memcmp(text, dots + 2, stem) != 0 || stem >= sizeof(out->stem) || last < out->first)
        return false;
    memcpy(out->stem, text, stem);
    out->count = last - out->first + 1;
    return true;
}

/* Writes name number i, from 0, of a range; it must fit into size. */
static void name_of(const struct range *range, uint32_t i, char *out, size_t size)
{
    int length = range->numbered ? snprintf(out, size, "%s%" PRIu32, range->stem, range->first + i)
                                 : snprintf(out, size, "%s", range->stem);
    WEIR_ASSERT(length >= 0 && (size_t)length < size);
}

/* Reads a name, or a range of names, and checks that the names are allowed. @return 0, or WEIR_E_SYNTAX with err */
static int read_range(const struct reader *r, const struct weir_tok *tok, struct range *out)
{
    const char *dots = strstr(tok->text, ".."), *flaw;
    char last[END_BYTES]; /* last name of a range, which is the longest, as all have the same stem */
    *out = (struct range){ .count = 1, .numbered = dots != NULL };
    if (dots != NULL && !split_range(tok->text, dots, out))
        return weir_fail(r->err, WEIR_E_SYNTAX, tok, "for example h0..h15", "'%.80s' is no range of names", tok->text);
    if (dots != NULL)
        name_of(out, out->count - 1, last, sizeof(last));
    flaw = weir_graph_name_flaw(dots != NULL ? last : tok->text);
    if (flaw != NULL)
        return weir_fail(r->err, WEIR_E_SYNTAX, tok, "for example s0, or a range: h0..h15",
                         "'%.80s' cannot be a name: %s", tok->text, flaw);
    if (dots == NULL)
        (void)snprintf(out->stem, sizeof(out->stem), "%s", tok->text);
    return 0;
}

/* --- hosts and switches --- */

/* Counts the names of a list, with all names of its ranges; 0 if the key is missing or empty. Refuses more than `most`
 * names. @return 0, or a code with err */
static int count_names(const struct reader *r, const struct weir_tree *list, const char *key, uint32_t most,
                       uint32_t *count)
{
    struct range range;
    int code = 0;
    *count = 0;
    if (list == NULL || list->is_empty)
        return 0;
    if (list->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(list, key, "a list of names", r->err);
    for (const struct weir_tree *node = list->first; node != NULL && code == 0; node = node->next) {
        if (node->kind != WEIR_TREE_VALUE || node->is_empty)
            return weir_keys_fail_kind(node, key, "a name", r->err);
        code = read_range(r, &node->at, &range);
        if (code == 0 && range.count > most - *count)
            return weir_fail(r->err, WEIR_E_RANGE, &node->at, NULL, "%s: more than %" PRIu32 " of them", key, most);
        *count += range.count;
    }
    return code;
}

/* Writes the names of a list as those of the nodes from number `at` on. count_names() has accepted the list. */
static void take_names(struct reader *r, const struct weir_tree *list, uint32_t at)
{
    const struct weir_tree *node = list != NULL && list->kind == WEIR_TREE_LIST ? list->first : NULL;
    for (; node != NULL; node = node->next) {
        struct range range;
        (void)read_range(r, &node->at, &range);
        for (uint32_t i = 0; i < range.count; i++, at++) {
            name_of(&range, i, r->graph.name[at], WEIR_NODE_NAME);
            r->node_at[at] = node->at;
        }
    }
}

static int compare_names(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->node > y->node) - (x->node < y->node);
}

/* Sorts r->by_name, and refuses two nodes of the same name; the error points to the later of them. @return 0, or
 * WEIR_E_CONFLICT with err */
static int sort_names(struct reader *r)
{
    uint32_t nodes = node_count(r), twice = UINT32_MAX;
    for (uint32_t n = 0; n < nodes; n++)
        r->by_name[n] = (struct named){ r->graph.name[n], n };
    qsort(r->by_name, nodes, sizeof(*r->by_name), compare_names);
    for (uint32_t i = 1; i < nodes; i++)
        if (strcmp(r->by_name[i - 1].name, r->by_name[i].name) == 0 && r->by_name[i].node < twice)
            twice = r->by_name[i].node;
    if (twice == UINT32_MAX)
        return 0;
    return weir_fail(r->err, WEIR_E_CONFLICT, &r->node_at[twice], "every host and switch has a name of its own",
                     "the name '%s' is used twice", r->graph.name[twice]);
}

static int read_nodes(struct reader *r, const struct weir_tree *root)
{
    const struct weir_tree *hosts = weir_tree_find(root, "hosts"), *switches = weir_tree_find(root, "switches");
    int code = count_names(r, hosts, "hosts", WEIR_HOSTS_MAX, &r->graph.host_count);
    if (code == 0)
        code = count_names(r, switches, "switches", WEIR_GRAPH_SWITCHES_MAX, &r->graph.switch_count);
    if (code != 0)
        return code;
    r->graph.name = weir_tree_arena_take(r->arena, (node_count(r) + (size_t)1) * sizeof(*r->graph.name));
    r->node_at = weir_tree_arena_take(r->arena, (node_count(r) + (size_t)1) * sizeof(*r->node_at));
    r->by_name = weir_tree_arena_take(r->arena, (node_count(r) + (size_t)1) * sizeof(*r->by_name));
    if (r->graph.name == NULL || r->node_at == NULL || r->by_name == NULL)
        return weir_fail_memory(r->err);
    take_names(r, hosts, 0);
    take_names(r, switches, r->graph.host_count);
    return sort_names(r);
}

/* --- cables --- */

static int find_node(const struct reader *r, const struct weir_tok *tok, const char *name, uint32_t *node)
{
    const struct named *found, key = { .name = name };
    struct weir_suggest near;
    char hint[HINT];
    uint32_t low = 0, high = node_count(r);
    while (low < high) { /* search for the first name that is not less than `name` */
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(r->by_name[middle].name, key.name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    found = &r->by_name[low];
    if (low < node_count(r) && strcmp(found->name, name) == 0) {
        *node = found->node;
        return 0;
    }
    weir_suggest_init(&near, name);
    for (uint32_t n = 0; n < node_count(r); n++)
        weir_suggest_add(&near, r->graph.name[n]);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(r->err, WEIR_E_UNKNOWN, tok, node_count(r) > 0 ? hint : "list it under hosts or switches",
                     "'%s' is neither a host nor a switch of this file", name);
}

/* Makes the arrays of cables large enough for `more` cables behind the last one. @return 0, or a code with err */
static int make_room(struct reader *r, const struct weir_tok *tok, uint32_t more)
{
    uint32_t need = r->graph.cable_count + more, room;
    struct weir_cable *cable;
    struct weir_tok *at;
    if (need > WEIR_CABLES_MAX)
        return weir_fail(r->err, WEIR_E_RANGE, tok, NULL, "cables: more than %u of them", WEIR_CABLES_MAX);
    if (need <= r->cable_room)
        return 0;
    room = 2 * need; /* at most 2^23 */
    cable = realloc(r->graph.cable, room * sizeof(*cable));
    if (cable == NULL)
        return weir_fail_memory(r->err);
    r->graph.cable = cable;
    at = realloc(r->cable_at, room * sizeof(*at));
    if (at == NULL)
        return weir_fail_memory(r->err);
    r->cable_at = at;
    r->cable_room = room;
    return 0;
}

/* Sets a missing rate or delay of a cable from `defaults`, and a missing rate or delay back from those of the other
 * direction. @return 0, or WEIR_E_SYNTAX with err if `defaults` has none either */
static int settle_keys(const struct reader *r, const struct weir_tree *node, const char *label, struct cable_keys *keys)
{
    static const char *const hint = "say it here, or for all cables: defaults: {rate: 10 Gbps, delay: 1 us}";
    if (keys->rate_bps == 0)
        keys->rate_bps = r->defaults.rate_bps;
    if (keys->delay_ps == 0)
        keys->delay_ps = r->defaults.delay_ps;
    if (keys->rate_bps == 0 || keys->delay_ps == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, &node->at, hint, "%s: %s is missing, and defaults has none", label,
                         keys->rate_bps == 0 ? "rate" : "delay");
    if (keys->back_rate_bps == 0)
        keys->back_rate_bps = keys->rate_bps;
    if (keys->back_delay_ps == 0)
        keys->back_delay_ps = keys->delay_ps;
    return 0;
}

struct ends { /* the two ends of an entry of `cables` */
    const struct weir_tok *a_at, *b_at;
    struct range a, b;
    uint32_t count; /* number of cables; parallel cables count once */
};

static int read_ends(const struct reader *r, const struct weir_tree *node, const char *label, struct ends *out)
{
    const struct weir_tree *a = weir_tree_find(node, "a"), *b = weir_tree_find(node, "b");
    int code;
    if (a == NULL || b == NULL)
        return weir_fail(r->err, WEIR_E_SYNTAX, &node->at, "for example {a: h0, b: s0, rate: 10 Gbps, delay: 1 us}",
                         "%s: '%s' is missing", label, a == NULL ? "a" : "b");
    *out = (struct ends){ .a_at = &a->at, .b_at = &b->at };
    code = read_range(r, &a->at, &out->a);
    if (code == 0)
        code = read_range(r, &b->at, &out->b);
    if (code != 0)
        return code;
    out->count = out->a.count > out->b.count ? out->a.count : out->b.count;
    if (out->a.count != out->b.count && out->a.count != 1 && out->b.count != 1)
        return weir_fail(r->err, WEIR_E_CONFLICT, &node->at, "two ranges of a cable are equally long",
                         "%s: %" PRIu32 " names at one end and %" PRIu32 " at the other", label, out->a.count,
                         out->b.count);
    return 0;
}

/* Sets *node to the node of name number i of a range; a range of a single name gives the same node for every i. */
static int find_end(const struct reader *r, const struct weir_tok *tok, const struct range *range, uint32_t i,
                    uint32_t *node)
{
    char name[WEIR_NODE_NAME];
    name_of(range, range->count == 1 ? 0 : i, name, sizeof(name));
    return find_node(r, tok, name, node);
}

/* Adds cable number i of an entry of `cables`, keys->parallel times. */
static int add_cables(struct reader *r, const struct ends *ends, uint32_t i, const struct cable_keys *keys)
{
    struct weir_cable cable = { .rate_bps = keys->rate_bps,
                                .delay_ps = keys->delay_ps,
                                .back_rate_bps = keys->back_rate_bps,
                                .back_delay_ps = keys->back_delay_ps };
    int code = find_end(r, ends->a_at, &ends->a, i, &cable.a);
    if (code == 0)
        code = find_end(r, ends->b_at, &ends->b, i, &cable.b);
    if (code == 0)
        code = make_room(r, ends->a_at, keys->parallel);
    for (uint32_t p = 0; p < keys->parallel && code == 0; p++) {
        r->cable_at[r->graph.cable_count] = *ends->a_at;
        r->graph.cable[r->graph.cable_count++] = cable;
    }
    return code;
}

static int read_cable(struct reader *r, const struct weir_tree *node, uint32_t index)
{
    struct cable_keys keys;
    struct ends ends = { .count = 0 };
    char label[LABEL];
    int code;
    (void)snprintf(label, sizeof(label), "cables[%" PRIu32 "]", index);
    weir_param_defaults(weir_graph_cable_params, &keys);
    code = weir_keys_apply(node, weir_graph_cable_params, NULL, label, &keys, r->err);
    if (code == 0)
        code = read_ends(r, node, label, &ends);
    if (code == 0)
        code = settle_keys(r, node, label, &keys);
    for (uint32_t i = 0; code == 0 && i < ends.count; i++)
        code = add_cables(r, &ends, i, &keys);
    return code;
}

static int read_cables(struct reader *r, const struct weir_tree *list)
{
    uint32_t index = 0;
    int code = 0;
    if (list == NULL || list->is_empty)
        return 0;
    if (list->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(list, "cables", "a list", r->err);
    for (const struct weir_tree *node = list->first; node != NULL && code == 0; node = node->next)
        code = read_cable(r, node, index++);
    return code;
}

/* --- the file --- */

static int read_top(struct reader *r, const struct weir_tree *root)
{
    static const char *const keys[] = { "defaults", "hosts", "switches", "cables", NULL };
    const struct weir_tree *defaults = weir_tree_find(root, "defaults");
    int code = 0;
    if (root->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(root, "a topology", "a map of hosts, switches and cables", r->err);
    for (const struct weir_tree *child = root->first; child != NULL; child = child->next)
        if (!weir_keys_listed(keys, child->key.text))
            return weir_param_unknown(NULL, keys, &child->key, "a topology", r->err);
    weir_param_defaults(weir_graph_default_params, &r->defaults);
    if (defaults != NULL && !defaults->is_empty)
        code = weir_keys_apply(defaults, weir_graph_default_params, NULL, "defaults", &r->defaults, r->err);
    if (code == 0)
        code = read_nodes(r, root);
    return code != 0 ? code : read_cables(r, weir_tree_find(root, "cables"));
}

int weir_topology_load_yaml(struct weir_topology *topo, const char *file, const char *text, struct weir_err *err)
{
    struct reader r = { .arena = weir_tree_arena_new(), .err = err };
    struct weir_tree *root = NULL;
    int code = r.arena == NULL ? weir_fail_memory(err) : 0;
    if (code == 0)
        code = weir_yaml_read(r.arena, file, text, strlen(text), WEIR_GRAPH_LIST_MAX, &root, err);
    if (code == 0)
        code = read_top(&r, root);
    if (code == 0) {
        const struct weir_graph_where where = { .all = &root->at, .node = r.node_at, .cable = r.cable_at };
        code = weir_graph_check(&r.graph, &where, err);
    }
    if (code == 0)
        code = weir_graph_build(topo, &r.graph, err);
    free(r.graph.cable);
    free(r.cable_at);
    weir_tree_arena_free(r.arena);
    return code;
}
