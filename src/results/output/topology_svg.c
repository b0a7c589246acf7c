/* src/results/output/topology_svg.c - draws a network as SVG. Coordinates are whole pixels, so that the drawing is the
 * same on every machine: no floating point is used. */
#include "core/math.h"
#include "output/topology_print.h"
#include "text/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 170, /* for labels of tiers */
    RIGHT = 20,
    TOP = 70,
    TIER_Y = 150, /* least distance between tiers; in wide networks it is larger, as their lines are flatter */
    TIER_Y_MAX = 300,
    HOST_Y = 90,      /* from first-hop switches to hosts */
    HOST_X = 10,      /* from host to host */
    WIDE_SLOT = 56,   /* least width of a first-hop switch with its label */
    NARROW_SLOT = 18, /* the same in a network with more than WIDE_MAX first-hop switches */
    WIDE_MAX = 40,    /* most first-hop switches with wide slots; tiers of more than half as many have slanted labels */
    RATES = 6,
};

struct drawing {
    FILE *out;
    const struct weir_topology_answer *answer;
    const struct weir_topology *topo;
    uint32_t *x, *y;      /* of each node */
    uint32_t *order;      /* switches of one tier, left to right */
    uint64_t rate[RATES]; /* different rates of links, ascending; links of any other rate have the last colour */
    uint32_t rates, width, height, tier_y;
    bool hosts_one_by_one;
};

static const char *const colours[RATES] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#555555" };

/* --- layout --- */

static uint32_t tier_of(const struct drawing *d, uint32_t node)
{
    uint32_t tier = weir_topology_tier(d->topo, node);
    return tier < WEIR_AUDIT_TIERS_MAX ? tier : WEIR_AUDIT_TIERS_MAX;
}

static uint32_t hosts_of(const struct drawing *d, uint32_t edge)
{
    const struct weir_node *node = &d->topo->node[d->topo->edge_node[edge]];
    uint32_t hosts = 0;
    while (hosts < node->out_count && d->topo->link[node->first_out + hosts].dst < d->topo->host_count)
        hosts++;
    return hosts;
}

/* Places first-hop switches in a row, and the hosts of each switch below it. The slot of a switch is as wide as its
 * hosts or its label, whichever is wider. Sets the size of the drawing, and tier_y. */
static void lay_out_edges(struct drawing *d)
{
    const struct weir_topology *t = d->topo;
    uint32_t slot_min = t->edge_count <= WIDE_MAX ? WIDE_SLOT : NARROW_SLOT, x = LEFT;
    uint32_t tiers = d->answer->audit->tier_count;
    for (uint32_t e = 0; e < t->edge_count; e++) {
        const struct weir_node *node = &t->node[t->edge_node[e]];
        uint32_t hosts = hosts_of(d, e), slot, first;
        slot = d->hosts_one_by_one && hosts * HOST_X + HOST_X > slot_min ? hosts * HOST_X + HOST_X : slot_min;
        d->x[t->edge_node[e]] = x + slot / 2;
        first = x + slot / 2 - (hosts - 1) * HOST_X / 2;
        for (uint32_t h = 0; h < hosts; h++) {
            uint32_t host = t->link[node->first_out + h].dst;
            d->x[host] = d->hosts_one_by_one ? first + h * HOST_X : x + slot / 2;
        }
        x += slot;
    }
    d->width = (x > LEFT + 600 ? x : LEFT + 600) + RIGHT;
    d->tier_y = d->width / 8 < TIER_Y ? TIER_Y : d->width / 8 > TIER_Y_MAX ? TIER_Y_MAX : d->width / 8;
    d->height = TOP + (tiers - 1) * d->tier_y + HOST_Y + 40;
    for (uint32_t h = 0; h < t->host_count; h++)
        d->y[h] = TOP + (tiers - 1) * d->tier_y + HOST_Y;
}

/* Returns the mean x of a switch's neighbours in lower tiers; 0 = it has none. */
static uint32_t middle_below(const struct drawing *d, uint32_t sw)
{
    const struct weir_node *node = &d->topo->node[sw];
    uint64_t sum = 0, count = 0;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
        if (tier_of(d, d->topo->link[l].dst) < tier_of(d, sw)) {
            sum += d->x[d->topo->link[l].dst];
            count++;
        }
    return count > 0 ? (uint32_t)(sum / count) : 0;
}

/* Sorts d->order, the switches of a tier, by x, then by number. Insertion sort is fast enough: switches are listed
 * nearly in this order. */
static void sort_tier(struct drawing *d, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t sw = d->order[i], j = i;
        for (; j > 0 && d->x[d->order[j - 1]] > d->x[sw]; j--)
            d->order[j] = d->order[j - 1];
        d->order[j] = sw;
    }
}

static void lay_out_tier(struct drawing *d, uint32_t tier)
{
    uint32_t count = 0, room = d->width - LEFT - RIGHT;
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        if (tier_of(d, n) == tier) {
            d->x[n] = middle_below(d, n);
            d->order[count++] = n;
        }
    sort_tier(d, count);
    for (uint32_t i = 0; i < count; i++)
        d->x[d->order[i]] = LEFT + (2 * i + 1) * room / (2 * count);
}

static void lay_out_all(struct drawing *d)
{
    uint32_t tiers = d->answer->audit->tier_count;
    lay_out_edges(d);
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        d->y[n] = TOP + (tiers - tier_of(d, n)) * d->tier_y;
    for (uint32_t t = 2; t <= tiers; t++)
        lay_out_tier(d, t);
}

/* --- rates --- */

static void gather_rates(struct drawing *d)
{
    for (uint32_t l = 0; l < d->topo->link_count; l++) {
        uint64_t bps = d->topo->link[l].rate_bps;
        uint32_t at = 0;
        while (at < d->rates && d->rate[at] < bps)
            at++;
        if ((at < d->rates && d->rate[at] == bps) || d->rates == RATES)
            continue;
        memmove(&d->rate[at + 1], &d->rate[at], (d->rates - at) * sizeof(d->rate[0]));
        d->rate[at] = bps;
        d->rates++;
    }
}

static uint32_t colour_of(const struct drawing *d, uint64_t bps)
{
    uint32_t at = 0;
    while (at + 1 < d->rates && d->rate[at] != bps)
        at++;
    return at;
}

/* --- drawing --- */

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            (void)fputs("&lt;", out);
        else if (*text == '>')
            (void)fputs("&gt;", out);
        else if (*text == '&')
            (void)fputs("&amp;", out);
        else
            (void)fputc(*text, out);
    }
}

static void put_name(const struct drawing *d, uint32_t node)
{
    char name[WEIR_NODE_NAME];
    weir_topology_node_name(d->topo, node, name, sizeof(name));
    put_text(d->out, name);
}

/* Draws `count` parallel cables between two nodes as one line. If count is above 1, the title of the line has this
 * number. link: the first link of these cables, from the node with the lower number. */
static void draw_cables(const struct drawing *d, uint32_t link, uint32_t count)
{
    const struct weir_link *l = &d->topo->link[link], *back = &d->topo->link[l->reverse];
    uint32_t x1 = d->x[l->src], y1 = d->y[l->src], x2 = d->x[l->dst], y2 = d->y[l->dst];
    (void)fprintf(d->out, "<path class='c%" PRIu32 "' ", colour_of(d, l->rate_bps));
    if (count > 1)
        (void)fprintf(d->out, "stroke-width='%" PRIu32 "' ", count < 6 ? 1 + count : 6);
    if (y1 == y2) /* nodes of one tier: an arc above them */
        (void)fprintf(d->out, "d='M%" PRIu32 " %" PRIu32 "Q%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "'>", x1, y1,
                      (x1 + x2) / 2, y1 - 45, x2, y2);
    else
        (void)fprintf(d->out, "d='M%" PRIu32 " %" PRIu32 "L%" PRIu32 " %" PRIu32 "'>", x1, y1, x2, y2);
    (void)fprintf(d->out, "<title>");
    put_name(d, l->src);
    (void)fprintf(d->out, " - ");
    put_name(d, l->dst);
    if (count > 1)
        (void)fprintf(d->out, ", %" PRIu32 " cables", count);
    (void)fprintf(d->out, ": %s, %s", weir_format_bps(l->rate_bps).text, weir_format_ps(l->delay_ps).text);
    if (back->rate_bps != l->rate_bps || back->delay_ps != l->delay_ps)
        (void)fprintf(d->out, "; back %s, %s", weir_format_bps(back->rate_bps).text,
                      weir_format_ps(back->delay_ps).text);
    (void)fprintf(d->out, "</title></path>\n");
}

static void draw_all_cables(const struct drawing *d)
{
    const struct weir_topology *t = d->topo;
    for (uint32_t l = 0, count; l < t->link_count; l += count) {
        for (count = 1; l + count < t->link_count && t->link[l + count].src == t->link[l].src &&
                        t->link[l + count].dst == t->link[l].dst;)
            count++;
        if (l < t->link[l].reverse && (d->hosts_one_by_one || t->link[l].src >= t->host_count))
            draw_cables(d, l, count);
    }
}

/* Draws a switch as a box with its label above it. upright: the label is slanted, for tiers with many switches. */
static void draw_switch(const struct drawing *d, uint32_t sw, bool upright)
{
    uint32_t x = d->x[sw], y = d->y[sw];
    (void)fprintf(d->out, "<rect class='s' x='%" PRIu32 "' y='%" PRIu32 "' width='14' height='10' rx='2'><title>",
                  x - 7, y - 5);
    put_name(d, sw);
    (void)fprintf(d->out, "</title></rect>");
    if (upright)
        (void)fprintf(d->out, "<text class='n' transform='translate(%" PRIu32 " %" PRIu32 ") rotate(-60)'>", x + 2,
                      y - 8);
    else
        (void)fprintf(d->out, "<text class='n' x='%" PRIu32 "' y='%" PRIu32 "' text-anchor='middle'>", x, y - 9);
    put_name(d, sw);
    (void)fprintf(d->out, "</text>\n");
}

static void draw_switches(const struct drawing *d)
{
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        draw_switch(d, n, d->answer->audit->tier[tier_of(d, n)].switches > WIDE_MAX / 2);
}

/* Draws all hosts of a first-hop switch as one box, joined to the switch by one line. */
static void draw_box(const struct drawing *d, uint32_t edge)
{
    const struct weir_link *link = &d->topo->link[d->topo->node[d->topo->edge_node[edge]].first_out];
    uint32_t x = d->x[link->src], y = d->y[link->dst];
    (void)fprintf(d->out, "<path class='c%" PRIu32 "' stroke-width='2' d='M%" PRIu32 " %" PRIu32 "V%" PRIu32 "'/>",
                  colour_of(d, link->rate_bps), x, d->y[link->src], y);
    (void)fprintf(d->out, "<rect class='h' x='%" PRIu32 "' y='%" PRIu32 "' width='10' height='7'/>\n", x - 5, y - 3);
}

/* Writes a label below the hosts of a first-hop switch: their numbers, "0-15". If the numbers are not consecutive, or
 * the network has more than WIDE_MAX first-hop switches, the label is only the count of the hosts. */
static void draw_host_label(const struct drawing *d, uint32_t edge)
{
    const struct weir_node *node = &d->topo->node[d->topo->edge_node[edge]];
    uint32_t first = d->topo->link[node->first_out].dst, hosts = hosts_of(d, edge);
    bool consecutive = d->topo->link[node->first_out + hosts - 1].dst == first + hosts - 1;
    (void)fprintf(d->out, "<text class='n' x='%" PRIu32 "' y='%" PRIu32 "' text-anchor='middle'>",
                  d->x[d->topo->edge_node[edge]], d->y[first] + 18);
    if (!consecutive || d->topo->edge_count > WIDE_MAX)
        (void)fprintf(d->out, "%" PRIu32, hosts);
    else if (hosts > 1)
        (void)fprintf(d->out, "%" PRIu32 "-%" PRIu32, first, first + hosts - 1);
    else
        (void)fprintf(d->out, "%" PRIu32, first);
    (void)fprintf(d->out, "</text>\n");
}

static void draw_hosts(const struct drawing *d)
{
    for (uint32_t h = 0; d->hosts_one_by_one && h < d->topo->host_count; h++) {
        (void)fprintf(d->out, "<circle class='h' cx='%" PRIu32 "' cy='%" PRIu32 "' r='3.5'><title>", d->x[h], d->y[h]);
        put_name(d, h);
        (void)fprintf(d->out, "</title></circle>\n");
    }
    for (uint32_t e = 0; e < d->topo->edge_count; e++) {
        if (!d->hosts_one_by_one)
            draw_box(d, e);
        draw_host_label(d, e);
    }
}

static void draw_labels(const struct drawing *d)
{
    const struct weir_audit *audit = d->answer->audit;
    char label[WEIR_NODE_NAME];
    for (uint32_t t = 1; t <= audit->tier_count; t++) {
        const struct weir_audit_tier *tier = &audit->tier[t];
        uint32_t y = TOP + (audit->tier_count - t) * d->tier_y;
        (void)fprintf(d->out, "<text class='t' x='12' y='%" PRIu32 "'>%" PRIu32 " x ", y, tier->switches);
        put_text(d->out, weir_topology_tier_label(d->topo, t, label));
        (void)fprintf(d->out, "</text>");
        if (tier->up_bps > 0)
            (void)fprintf(d->out, "<text class='n' x='12' y='%" PRIu32 "'>oversubscription %s</text>\n", y + 15,
                          weir_topology_ratio(tier->down_bps, tier->up_bps).text);
    }
    (void)fprintf(d->out, "<text class='t' x='12' y='%" PRIu32 "'>%" PRIu32 " hosts</text>\n",
                  TOP + (audit->tier_count - 1) * d->tier_y + HOST_Y + 4, d->topo->host_count);
}

static void draw_head(const struct drawing *d)
{
    uint32_t x = 12;
    (void)fprintf(d->out, "<text class='t' x='12' y='20'>");
    put_text(d->out, d->answer->file);
    (void)fprintf(d->out, ": %" PRIu32 " hosts, %" PRIu32 " switches, %" PRIu32 " cables</text>\n", d->topo->host_count,
                  d->topo->switch_count, d->answer->audit->cables);
    for (uint32_t i = 0; i < d->rates; i++, x += 110)
        (void)fprintf(d->out,
                      "<path class='c%" PRIu32 "' style='stroke-width:3;opacity:1' d='M%" PRIu32
                      " 36h22'/><text class='n' "
                      "x='%" PRIu32 "' y='40'>%s%s</text>\n",
                      i, x, x + 27, weir_format_bps(d->rate[i]).text, i + 1 == RATES ? " and others" : "");
}

static void draw(const struct drawing *d)
{
    uint32_t cables = d->answer->audit->cables;
    (void)fprintf(d->out,
                  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %" PRIu32 " %" PRIu32 "' width='%" PRIu32
                  "' height='%" PRIu32 "' font-family='sans-serif'>\n",
                  d->width, d->height, d->width, d->height);
    (void)fprintf(
        d->out,
        "<style>path{fill:none;stroke-width:1;opacity:%s}.s{fill:#fff;stroke:#222}.h{fill:#222}"
        ".n{font-size:10px;fill:#222;paint-order:stroke;stroke:#fff;stroke-width:3px}.t{font-size:13px;fill:#000}",
        cables > 2000  ? ".3"
        : cables > 400 ? ".55"
                       : ".8");
    for (uint32_t i = 0; i < d->rates; i++)
        (void)fprintf(d->out, ".c%" PRIu32 "{stroke:%s}", i, colours[i]);
    (void)fprintf(d->out, "</style>\n<rect width='100%%' height='100%%' fill='#fff'/>\n");
    draw_all_cables(d);
    draw_hosts(d);
    draw_switches(d);
    draw_labels(d);
    draw_head(d);
    (void)fprintf(d->out, "</svg>\n");
}

int weir_topology_svg(FILE *out, const struct weir_topology_answer *answer, struct weir_err *err)
{
    const struct weir_topology *topo = &answer->setup->topo;
    struct drawing d = {
        .out = out, .answer = answer, .topo = topo, .hosts_one_by_one = topo->host_count <= WEIR_DRAWING_HOSTS_MAX
    };
    int code = 0;
    if (topo->switch_count > WEIR_DRAWING_SWITCHES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "leave --svg out; the table and --json have every network",
                         "--svg: a drawing of %" PRIu32 " switches cannot be read: at most %u", topo->switch_count,
                         WEIR_DRAWING_SWITCHES_MAX);
    d.x = calloc(topo->node_count, sizeof(*d.x));
    d.y = calloc(topo->node_count, sizeof(*d.y));
    d.order = calloc(topo->switch_count, sizeof(*d.order));
    if (d.x == NULL || d.y == NULL || d.order == NULL) {
        code = weir_fail_memory(err);
    } else {
        gather_rates(&d);
        lay_out_all(&d);
        draw(&d);
    }
    free(d.x);
    free(d.y);
    free(d.order);
    return code;
}
