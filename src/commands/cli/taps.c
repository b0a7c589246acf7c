/* src/commands/cli/taps.c - selects the links where packets are captured; see taps.h. */
#include "cli/taps.h"
#include "core/math.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

struct taps { /* arguments that the functions below share */
    const struct weir_topology *topo;
    uint8_t *tap;
    const char *text;         /* as the user gave it */
    char name[WEIR_TEXT_MAX]; /* of the node or cable that is looked up */
    struct weir_err *err;
};

static int no_such_node(const struct taps *at, const char *name)
{
    const struct weir_topology *topo = at->topo;
    char known[WEIR_NODE_NAME], best[WEIR_NODE_NAME], hint[WEIR_NODE_NAME + 64];
    uint32_t least = UINT32_MAX;
    weir_topology_node_name(topo, 0, best, sizeof(best));
    for (uint32_t n = 0; n < topo->node_count; n++) {
        uint32_t distance;
        weir_topology_node_name(topo, n, known, sizeof(known));
        distance = weir_suggest_distance(name, known);
        if (distance < least) {
            least = distance;
            memcpy(best, known, sizeof(best));
        }
    }
    if (strstr(name, " - ") != NULL)
        (void)snprintf(hint, sizeof(hint), "one direction of a cable is 'A > B'");
    else if (least <= weir_max_u64(1, (strlen(name) + 1) / 3))
        (void)snprintf(hint, sizeof(hint), "did you mean '%s'?", best);
    else
        (void)snprintf(hint, sizeof(hint), "a place is a node, as '%s', or two, 'A > B'", best);
    return weir_fail(at->err, WEIR_E_UNKNOWN, NULL, hint, "--pcap-at %.80s: there is no '%.40s' in this network",
                     at->text, name);
}

/* Selects all packets that the node sends and receives. */
static void tap_node(const struct taps *at, uint32_t node)
{
    const struct weir_node *n = &at->topo->node[node];
    for (uint32_t i = 0; i < n->out_count; i++)
        at->tap[n->first_out + i] |= WEIR_TAP_SENT;
    for (uint32_t i = 0; i < n->in_count; i++)
        at->tap[at->topo->in_link[n->first_in + i]] |= WEIR_TAP_ARRIVED;
}

/* Selects all links from the first to the second node of "leaf 0 > spine 1" in at->name. second: address of the " > "
 * in at->name, where the text is cut. @return 0, or WEIR_E_UNKNOWN with err */
static int tap_link(struct taps *at, char *second)
{
    const struct weir_topology *topo = at->topo;
    uint32_t from, to;
    bool found = false;
    *second = '\0';
    from = weir_topology_find_node(topo, at->name);
    if (from == UINT32_MAX)
        return no_such_node(at, at->name);
    to = weir_topology_find_node(topo, second + 3);
    if (to == UINT32_MAX)
        return no_such_node(at, second + 3 + strspn(second + 3, " "));
    for (uint32_t i = topo->node[from].first_out; i < topo->node[from].first_out + topo->node[from].out_count; i++) {
        if (topo->link[i].dst != to)
            continue;
        at->tap[i] |= WEIR_TAP_SENT;
        found = true;
    }
    if (!found)
        return weir_fail(at->err, WEIR_E_UNKNOWN, NULL, "a place is a host or a switch, or two that a cable joins",
                         "--pcap-at %.80s: no cable joins %.40s and %.40s", at->text, at->name, second + 3);
    return 0;
}

static int tap_one(struct taps *at, const char *from, size_t length)
{
    char *second;
    uint32_t node;
    from += strspn(from, " ");
    (void)snprintf(at->name, sizeof(at->name), "%.*s", (int)weir_min_u64(length, sizeof(at->name) - 1), from);
    second = strstr(at->name, " > ");
    if (second != NULL)
        return tap_link(at, second);
    node = weir_topology_find_node(at->topo, at->name);
    if (node == UINT32_MAX)
        return no_such_node(at, at->name);
    tap_node(at, node);
    return 0;
}

/* Selects all places of at->text, a list with commas. The text is one place if a node has this name: a name may have
 * commas. */
static int tap_list(struct taps *at)
{
    const char *text = at->text;
    int code = 0;
    if (weir_topology_find_node(at->topo, text) != UINT32_MAX)
        return tap_one(at, text, strlen(text));
    while (code == 0) {
        const char *blanks = text + strspn(text, " ");
        size_t length = strcspn(blanks, ",");
        code = tap_one(at, blanks, length);
        if (blanks[length] == '\0')
            break;
        text = blanks + length + 1;
    }
    return code;
}

int weir_taps_set(uint8_t *tap, const struct weir_topology *topo, const char *const *text, uint32_t count,
                  struct weir_err *err)
{
    struct taps at = { .topo = topo, .err = err };
    int code = 0;
    at.tap = tap;
    for (uint32_t h = 0; count == 0 && h < topo->host_count; h++)
        tap_node(&at, h);
    for (uint32_t i = 0; code == 0 && i < count; i++) {
        at.text = text[i];
        code = tap_list(&at);
    }
    return code;
}
