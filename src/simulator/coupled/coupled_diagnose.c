/* src/simulator/coupled/coupled_diagnose.c - the explanation of a stall: lists paused ports (ports with closed
 * classes), and finds ports that wait for each other in a cycle.
 * Class c of port a waits for class d of port b if three conditions hold. Class c is paused. Port b belongs to the
 * switch at the other end of a's link, and class d is paused, too. Packets that came from a in class c wait in class d
 * of b. Packets in a cycle never move again. */
#include "coupled/internal.h"
#include "ranks/ranks.h"
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
    if (link->control == NULL || (link->control->closed & bit) == 0)
        return false;
    return link->src < e->model->topo->host_count ||
           (link->waiting_classes & bit) != 0; /* the packets of a host wait inside the host, not in its port */
}

/* "Packets that came in class `from` wait in class `to`", which are vertices. A row of a vertex with itself says that
 * it is stuck. Each process makes the rows of its own ports, and rank 0 has all of them. */
struct wait {
    uint64_t closed_ps; /* since when class `to` is paused */
    uint32_t from, to;
};

static int compare_waits(const void *left, const void *right)
{
    const struct wait *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

/* Appends the rows of a vertex, if it is stuck. Two packets in a row that came from the same class give one. */
static void put_waits(const struct sim_engine *e, uint32_t vertex, struct weir_buffer *rows)
{
    const struct sim_link *link = &e->link[vertex / WEIR_CLASSES_MAX];
    const struct weir_topology *topo = e->model->topo;
    struct wait row = { .from = vertex, .to = vertex };
    const struct sim_ring *ring;
    if (!class_is_stuck(e, vertex))
        return;
    row.closed_ps = link->control->closed_ps;
    weir_buffer_put(rows, &row, sizeof(row));
    if (link->src < topo->host_count)
        return;
    ring = &link->port->waiting[vertex % WEIR_CLASSES_MAX];
    for (uint32_t i = 0; i < ring->count; i++) {
        const struct sim_stepped *q = ring_at(ring, sizeof(*q), i);
        uint32_t from;
        WEIR_ASSERT(q->in < topo->node[link->src].in_count);
        from = vertex_of(topo->in_link[topo->node[link->src].first_in + q->in], q->in_class);
        if (from != row.from)
            weir_buffer_put(rows, &(struct wait){ row.closed_ps, from, vertex }, sizeof(row));
        row.from = from;
    }
}

struct waits { /* sorted rows of all ports */
    const struct wait *row;
    size_t count;
};

/* Returns the first row that is not below (from, to), or the end. */
static const struct wait *find_wait(const struct waits *w, uint32_t from, uint32_t to)
{
    const struct wait key = { .from = from, .to = to };
    size_t low = 0, high = w->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_waits(&w->row[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return &w->row[low];
}

/* Returns the row of a vertex with itself; NULL = it is not stuck. */
static const struct wait *stuck(const struct waits *w, uint32_t vertex)
{
    const struct wait *row = find_wait(w, vertex, vertex);
    return row < w->row + w->count && row->from == vertex && row->to == vertex ? row : NULL;
}

/* Returns the lowest vertex above `after` that the stuck vertex a waits for; UINT32_MAX = there is none. after:
 * UINT32_MAX = search from the beginning */
static uint32_t class_waits_for(const struct waits *w, uint32_t a, uint32_t after)
{
    const struct wait *row = find_wait(w, a, after == UINT32_MAX ? 0 : after + 1);
    while (row < w->row + w->count && row->from == a && row->to == a)
        row++;
    return row < w->row + w->count && row->from == a ? row->to : UINT32_MAX;
}

static void print_port(const struct sim_engine *e, const char *before, uint32_t i, FILE *out)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    const struct weir_topology *topo = e->model->topo; /* it has the ends of all links, of other ranks, too */
    weir_topology_node_name(topo, topo->link[i].src, from, sizeof(from));
    weir_topology_node_name(topo, topo->link[i].dst, to, sizeof(to));
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

static void print_cycle(const struct sim_engine *e, const struct waits *w, const uint32_t *path, uint32_t count,
                        FILE *out)
{
    (void)fprintf(out, "  ports wait for each other in a circle:\n");
    for (uint32_t i = 0; i < count; i++) {
        print_port(e, "    ", path[i] / WEIR_CLASSES_MAX, out);
        print_class(e, path[i] % WEIR_CLASSES_MAX, out);
        (void)fprintf(out, ", paused since " WEIR_US_FORMAT "\n", WEIR_US_NUMBERS(stuck(w, path[i])->closed_ps));
    }
}

struct cycle_search { /* a depth-first search without recursion */
    /* Each array has one entry per vertex. path: the current path. next[i]: the neighbour of path[i] that was
     * visited last. index: 0 = not visited, UINT32_MAX = done, else the vertex's index in path + 1 */
    uint32_t *path, *next, *index;
};

/* Searches for a cycle that can be reached from the stuck vertex `from`, and prints the first one found. @return true =
 * a cycle was printed */
static bool cycle_from(const struct sim_engine *e, const struct waits *w, struct cycle_search *s, uint32_t from,
                       FILE *out)
{
    uint32_t depth = 1;
    s->path[0] = from, s->next[0] = UINT32_MAX, s->index[from] = 1;
    while (depth > 0) {
        uint32_t at = s->path[depth - 1], b = class_waits_for(w, at, s->next[depth - 1]);
        s->next[depth - 1] = b;
        if (b == UINT32_MAX) {
            s->index[at] = UINT32_MAX;
            depth--;
        } else if (s->index[b] == 0) {
            s->path[depth] = b, s->next[depth] = UINT32_MAX;
            s->index[b] = ++depth;
        } else if (s->index[b] != UINT32_MAX) {
            print_cycle(e, w, s->path + s->index[b] - 1, depth - s->index[b] + 1, out);
            return true;
        }
    }
    return false;
}

static void find_cycle(const struct sim_engine *e, const struct waits *w, FILE *out)
{
    size_t vertices = vertex_of(e->model->topo->link_count, 0);
    uint32_t *memory = calloc(vertices * 3, sizeof(*memory));
    struct cycle_search s = { .path = memory, .next = memory + vertices, .index = memory + 2 * vertices };
    bool found = false;
    for (size_t i = 0; memory != NULL && i < w->count && !found; i++)
        if (w->row[i].from == w->row[i].to && s.index[w->row[i].from] == 0)
            found = cycle_from(e, w, &s, w->row[i].from, out);
    free(memory);
}

void weir_sim_coupled_circle(const struct sim_engine *e, FILE *out)
{
    struct weir_buffer rows = { 0 };
    if (!weir_features_have_control(&e->model->features))
        return;
    for (uint32_t i = 0; i < vertex_of(e->model->topo->link_count, 0); i++)
        put_waits(e, i, &rows);
    weir_sim_ranks_append(e, &rows);
    if (out != NULL && rows.bytes > 0) {
        qsort(rows.data, rows.bytes / sizeof(struct wait), sizeof(struct wait), compare_waits);
        find_cycle(e, &(struct waits){ (const struct wait *)(void *)rows.data, rows.bytes / sizeof(struct wait) }, out);
    }
    weir_buffer_free(&rows);
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
}
