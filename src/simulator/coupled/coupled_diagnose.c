/* src/simulator/coupled/coupled_diagnose.c - the explanation of a stall: lists paused ports (ports with closed
 * classes), and finds ports that wait for each other in a cycle.
 * Class c of port a waits for class d of port b if three conditions hold. Class c is paused. Port b belongs to the
 * switch at the other end of a's link, and class d is paused, too. Packets that came from a in class c wait in class d
 * of b. Packets in a cycle never move again. */
#include "coupled/internal.h"
#include <inttypes.h>
#include <stdlib.h>

/* Returns the number of the vertex for a class of the port that feeds `link`, in the search for a cycle. */
static uint32_t vertex_of(uint32_t link, uint32_t class_id)
{
    return link * WEIR_CLASSES_MAX + class_id;
}

/* Tests whether the class of a vertex is paused and has packets that wait. The class of a host's port counts as
 * having some. */
static bool class_is_stuck(const struct sim_engine *e, uint32_t vertex)
{
    const struct sim_link *link = &e->link[vertex / WEIR_CLASSES_MAX];
    uint32_t bit = 1u << vertex % WEIR_CLASSES_MAX;
    WEIR_ASSERT(vertex < vertex_of(e->model->topo->link_count, 0));
    /* of ports of other ranks nothing is known: a circle that leads through one is not found */
    if (link->control == NULL || (link->control->closed & bit) == 0)
        return false;
    return link->src < e->model->topo->host_count ||
           (link->waiting_classes & bit) != 0; /* the packets of a host wait inside the host, not in its port */
}

/* Tests whether a packet that came by the link and in the class of vertex a waits in the class of vertex b. */
static bool class_holds_of(const struct sim_engine *e, uint32_t a, uint32_t b)
{
    uint32_t in = e->model->topo->link[a / WEIR_CLASSES_MAX].in_index;
    const struct sim_ring *ring = &e->link[b / WEIR_CLASSES_MAX].port->waiting[b % WEIR_CLASSES_MAX];
    for (uint32_t i = 0; i < ring->count; i++) {
        const struct sim_stepped *q = ring_at(ring, sizeof(*q), i);
        if (q->in == in && q->in_class == a % WEIR_CLASSES_MAX)
            return true;
    }
    return false;
}

/* Returns the lowest vertex above `after` that vertex a waits for; UINT32_MAX = there is none. after: UINT32_MAX =
 * search from the beginning */
static uint32_t class_waits_for(const struct sim_engine *e, uint32_t a, uint32_t after)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t dst = e->link[a / WEIR_CLASSES_MAX].dst;
    const struct weir_node *node = &topo->node[dst];
    uint32_t b = after == UINT32_MAX ? vertex_of(node->first_out, 0) : after + 1;
    if (dst < topo->host_count || !class_is_stuck(e, a))
        return UINT32_MAX;
    for (; b < vertex_of(node->first_out + node->out_count, 0); b++)
        if (class_is_stuck(e, b) && class_holds_of(e, a, b))
            return b;
    return UINT32_MAX;
}

static void print_port(const struct sim_engine *e, const char *before, uint32_t i, FILE *out)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(e->model->topo, e->link[i].src, from, sizeof(from));
    weir_topology_node_name(e->model->topo, e->link[i].dst, to, sizeof(to));
    (void)fprintf(out, "%sport of %s to %s", before, from, to);
}

/* Prints the number of a class or virtual lane; prints nothing if ports have one class only. */
static void print_class(const struct sim_engine *e, uint32_t class_id, FILE *out)
{
    uint32_t strict = e->model->classes - e->model->aged_classes;
    if (class_id >= strict)
        (void)fprintf(out, ", lane %" PRIu32, class_id - strict);
    else if (e->model->classes > 1)
        (void)fprintf(out, ", class %" PRIu32, class_id);
}

static void print_cycle(const struct sim_engine *e, const uint32_t *path, uint32_t first, uint32_t count, FILE *out)
{
    (void)fprintf(out, "  ports wait for each other in a circle:\n");
    for (uint32_t i = first; i < count; i++) {
        print_port(e, "    ", path[i] / WEIR_CLASSES_MAX, out);
        print_class(e, path[i] % WEIR_CLASSES_MAX, out);
        (void)fprintf(out, ", paused since " WEIR_US_FORMAT "\n",
                      WEIR_US_NUMBERS(e->link[path[i] / WEIR_CLASSES_MAX].control->closed_ps));
    }
}

struct cycle_search { /* a depth-first search without recursion */
    /* Each array has one entry per vertex. path: the current path. next[i]: the neighbour of path[i] that was
     * visited last. index: 0 = not visited, UINT32_MAX = done, else the vertex's index in path + 1 */
    uint32_t *path, *next, *index;
};

/* Searches for a cycle that can be reached from vertex `from`, and prints the first one found. @return true = a cycle
 * was printed */
static bool cycle_from(const struct sim_engine *e, struct cycle_search *s, uint32_t from, FILE *out)
{
    uint32_t depth = 1;
    s->path[0] = from, s->next[0] = UINT32_MAX, s->index[from] = 1;
    while (depth > 0) {
        uint32_t at = s->path[depth - 1], b = class_waits_for(e, at, s->next[depth - 1]);
        s->next[depth - 1] = b;
        if (b == UINT32_MAX) {
            s->index[at] = UINT32_MAX;
            depth--;
        } else if (s->index[b] == 0) {
            s->path[depth] = b, s->next[depth] = UINT32_MAX;
            s->index[b] = ++depth;
        } else if (s->index[b] != UINT32_MAX) {
            print_cycle(e, s->path, s->index[b] - 1, depth, out);
            return true;
        }
    }
    return false;
}

static void diagnose_cycle(const struct sim_engine *e, FILE *out)
{
    size_t vertices = vertex_of(e->model->topo->link_count, 0);
    uint32_t *memory = calloc(vertices * 3, sizeof(*memory));
    struct cycle_search s = { .path = memory, .next = memory + vertices, .index = memory + 2 * vertices };
    bool found = false;
    for (uint32_t i = 0; memory != NULL && i < vertices && !found; i++)
        if (s.index[i] == 0)
            found = cycle_from(e, &s, i, out);
    free(memory);
}

void weir_sim_coupled_diagnose(const struct sim_engine *e, FILE *out)
{
    enum { SHOWN = 10 };
    uint32_t paused = 0;
    if (!weir_features_have_control(&e->model->features))
        return;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        if (e->link[i].control == NULL || e->link[i].control->closed == 0 || paused++ >= SHOWN)
            continue;
        print_port(e, "  paused: ", i, out);
        (void)fprintf(out, ", %" PRIu32 " packets wait\n", e->link[i].waiting_pkts);
    }
    if (paused > 0)
        (void)fprintf(out, "  %" PRIu32 " ports are paused\n", paused);
    diagnose_cycle(e, out);
}
