/* src/results/output/topology_svg.c - draws a network as SVG. Coordinates are whole pixels, so that the drawing is the
 * same on every machine: no floating point is used. */
#include "output/topology_svg.h"
#include "core/math.h"
#include "text/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const colours[WEIR_AUDIT_RATES_MAX] = { "#0072b2", "#d55e00", "#009e73",
                                                           "#cc79a7", "#e69f00", "#555555" };

/* --- layout --- */

void weir_drawing_set_size(struct drawing *d, uint32_t hosts_width)
{
    uint32_t least = hosts_width > DRAWING_WIDTH ? hosts_width : DRAWING_WIDTH, above;
    d->width = DRAWING_LEFT + least + DRAWING_RIGHT;
    d->tier_y = d->width / 8 < DRAWING_TIER_Y       ? DRAWING_TIER_Y
                : d->width / 8 > DRAWING_TIER_Y_MAX ? DRAWING_TIER_Y_MAX
                                                    : d->width / 8;
    above = d->rows > 0 ? DRAWING_TOP + (d->rows - 1) * d->tier_y + DRAWING_HOST_Y : DRAWING_TOP;
    d->height = above + 40;
    for (uint32_t h = 0; h < d->topo->host_count; h++)
        d->y[h] = above;
}

/* Places first-hop switches in a row, and the hosts of each switch below it. The slot of a switch is as wide as its
 * hosts or its label, whichever is wider. Sets the size of the drawing, and tier_y. */
static void lay_out_edges(struct drawing *d)
{
    const struct weir_topology *t = d->topo;
    uint32_t slot_min = t->edge_count <= DRAWING_WIDE_MAX ? DRAWING_WIDE_SLOT : DRAWING_NARROW_SLOT, x = DRAWING_LEFT;
    for (uint32_t e = 0; e < t->edge_count; e++) {
        const struct weir_node *node = &t->node[t->edge_node[e]];
        uint32_t hosts = weir_topology_host_ports(d->topo, d->topo->edge_node[e]), slot, first;
        slot = d->hosts_one_by_one && hosts * DRAWING_HOST_X + DRAWING_HOST_X > slot_min
                   ? hosts * DRAWING_HOST_X + DRAWING_HOST_X
                   : slot_min;
        d->x[t->edge_node[e]] = x + slot / 2;
        first = x + slot / 2 - (hosts - 1) * DRAWING_HOST_X / 2;
        for (uint32_t h = 0; h < hosts; h++) {
            uint32_t host = t->link[node->first_out + h].dst;
            d->x[host] = d->hosts_one_by_one ? first + h * DRAWING_HOST_X : x + slot / 2;
        }
        x += slot;
    }
    weir_drawing_set_size(d, x - DRAWING_LEFT);
}

/* Returns the mean x of a switch's neighbours in lower tiers; 0 = it has none. */
static uint32_t middle_below(const struct drawing *d, uint32_t sw)
{
    const struct weir_node *node = &d->topo->node[sw];
    uint64_t sum = 0, count = 0;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
        if (weir_audit_tier_of(d->topo, d->topo->link[l].dst) < weir_audit_tier_of(d->topo, sw)) {
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

static bool is_below(const struct drawing *d, uint32_t node)
{
    return d->below != NULL && d->below[node];
}

/* Places the switches of a tier, or those below the hosts, at equal distances. */
static void lay_out_tier(struct drawing *d, uint32_t tier, bool below)
{
    uint32_t count = 0, room = d->width - DRAWING_LEFT - DRAWING_RIGHT;
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        if ((below || weir_audit_tier_of(d->topo, n) == tier) && is_below(d, n) == below) {
            d->x[n] = middle_below(d, n);
            d->order[count++] = n;
        }
    sort_tier(d, count);
    for (uint32_t i = 0; i < count; i++)
        d->x[d->order[i]] = DRAWING_LEFT + (2 * i + 1) * room / (2 * count);
}

/* Places all nodes. @return false = no memory */
static bool lay_out_all(struct drawing *d)
{
    bool has_nics = weir_topology_has_nics(d->topo);
    if (!weir_drawing_find_rows(d))
        return false;
    if (!has_nics)
        lay_out_edges(d);
    else if (!weir_drawing_lay_out_nics(d))
        return false;
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        d->y[n] = is_below(d, n) ? weir_drawing_below_y(d)
                                 : DRAWING_TOP + (d->rows - d->row[weir_audit_tier_of(d->topo, n)]) * d->tier_y;
    if (has_nics)
        lay_out_tier(d, 0, true);
    for (uint32_t t = has_nics ? 1 : 2; t <= d->answer->audit->tier_count; t++)
        lay_out_tier(d, t, false);
    return true;
}

/* --- rates --- */

static void gather_rates(struct drawing *d)
{
    for (uint32_t l = 0; l < d->topo->link_count; l++)
        weir_audit_note_rate(d->rate, &d->rates, d->topo->link[l].rate_bps);
}

uint32_t weir_drawing_colour(const struct drawing *d, uint64_t bps)
{
    uint32_t at = 0;
    while (at + 1 < d->rates && d->rate[at].rate_bps != bps)
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

/* Returns how far below two hosts the control point of their arc is. */
static uint32_t arc_depth(uint32_t x1, uint32_t x2)
{
    uint32_t depth = 30 + (x1 < x2 ? x2 - x1 : x1 - x2) / 2;
    return depth < 2 * DRAWING_HOST_Y ? depth : 2 * DRAWING_HOST_Y;
}

/* Draws `count` parallel cables between two nodes as one line. If count is above 1, the title of the line has this
 * number. link: the first link of these cables, from the node with the lower number. */
static void draw_cables(const struct drawing *d, uint32_t link, uint32_t count)
{
    const struct weir_link *l = &d->topo->link[link], *back = &d->topo->link[l->reverse];
    uint32_t x1 = d->x[l->src], y1 = d->y[l->src], x2 = d->x[l->dst], y2 = d->y[l->dst];
    (void)fprintf(d->out, "<path class='c%" PRIu32 "' ", weir_drawing_colour(d, l->rate_bps));
    if (count > 1)
        (void)fprintf(d->out, "stroke-width='%" PRIu32 "' ", count < 6 ? 1 + count : 6);
    if (y1 == y2) /* nodes of one tier: an arc above them; hosts: below them, and lower for a longer one */
        (void)fprintf(d->out, "d='M%" PRIu32 " %" PRIu32 "Q%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "'>", x1, y1,
                      (x1 + x2) / 2, l->dst < d->topo->host_count ? y1 + arc_depth(x1, x2) : y1 - 45, x2, y2);
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

/* Draws a switch as a box with its label above it; of a switch below the hosts it is below. upright: the label is
 * slanted, for tiers with many switches. */
static void draw_switch(const struct drawing *d, uint32_t sw, bool upright)
{
    uint32_t x = d->x[sw], y = d->y[sw];
    (void)fprintf(d->out, "<rect class='s' x='%" PRIu32 "' y='%" PRIu32 "' width='14' height='10' rx='2'><title>",
                  x - 7, y - 5);
    put_name(d, sw);
    (void)fprintf(d->out, "</title></rect>");
    if (is_below(d, sw) && upright)
        (void)fprintf(d->out, "<text class='n' transform='translate(%" PRIu32 " %" PRIu32 ") rotate(60)'>", x - 2,
                      y + 14);
    else if (is_below(d, sw))
        (void)fprintf(d->out, "<text class='n' x='%" PRIu32 "' y='%" PRIu32 "' text-anchor='middle'>", x, y + 17);
    else if (upright)
        (void)fprintf(d->out, "<text class='n' transform='translate(%" PRIu32 " %" PRIu32 ") rotate(-60)'>", x + 2,
                      y - 8);
    else
        (void)fprintf(d->out, "<text class='n' x='%" PRIu32 "' y='%" PRIu32 "' text-anchor='middle'>", x, y - 9);
    put_name(d, sw);
    (void)fprintf(d->out, "</text>\n");
}

/* Counts the switches below the hosts, or those of a tier above them. */
static uint32_t count_switches(const struct drawing *d, uint32_t tier, bool below)
{
    uint32_t count = 0;
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        count += (below || weir_audit_tier_of(d->topo, n) == tier) && is_below(d, n) == below;
    return count;
}

static void draw_switches(const struct drawing *d)
{
    bool upright[WEIR_AUDIT_TIERS_MAX + 1]; /* [0]: those below the hosts */
    for (uint32_t t = 0; t <= WEIR_AUDIT_TIERS_MAX; t++)
        upright[t] = count_switches(d, t, t == 0) > DRAWING_WIDE_MAX / 2;
    for (uint32_t n = d->topo->host_count; n < d->topo->node_count; n++)
        draw_switch(d, n, upright[is_below(d, n) ? 0 : weir_audit_tier_of(d->topo, n)]);
}

/* Draws all hosts of a first-hop switch as one box, joined to the switch by one line. */
static void draw_box(const struct drawing *d, uint32_t edge)
{
    const struct weir_link *link = &d->topo->link[d->topo->node[d->topo->edge_node[edge]].first_out];
    uint32_t x = d->x[link->src], y = d->y[link->dst];
    (void)fprintf(d->out, "<path class='c%" PRIu32 "' stroke-width='2' d='M%" PRIu32 " %" PRIu32 "V%" PRIu32 "'/>",
                  weir_drawing_colour(d, link->rate_bps), x, d->y[link->src], y);
    (void)fprintf(d->out, "<rect class='h' x='%" PRIu32 "' y='%" PRIu32 "' width='10' height='7'/>\n", x - 5, y - 3);
}

void weir_drawing_put_numbers(const struct drawing *d, uint32_t x, uint32_t y, bool by_number, uint32_t first,
                              uint32_t hosts)
{
    (void)fprintf(d->out, "<text class='n' x='%" PRIu32 "' y='%" PRIu32 "' text-anchor='middle'>", x, y);
    if (!by_number)
        (void)fprintf(d->out, "%" PRIu32, hosts);
    else if (hosts > 1)
        (void)fprintf(d->out, "%" PRIu32 "-%" PRIu32, first, first + hosts - 1);
    else
        (void)fprintf(d->out, "%" PRIu32, first);
    (void)fprintf(d->out, "</text>\n");
}

/* Writes a label below the hosts of a first-hop switch: their numbers, "0-15". If the numbers are not consecutive, or
 * the network has more than DRAWING_WIDE_MAX first-hop switches, the label is only the count of the hosts. */
static void draw_host_label(const struct drawing *d, uint32_t edge)
{
    const struct weir_node *node = &d->topo->node[d->topo->edge_node[edge]];
    uint32_t first = d->topo->link[node->first_out].dst,
             hosts = weir_topology_host_ports(d->topo, d->topo->edge_node[edge]);
    bool consecutive = d->topo->link[node->first_out + hosts - 1].dst == first + hosts - 1;
    weir_drawing_put_numbers(d, d->x[d->topo->edge_node[edge]], d->y[first] + 18,
                             consecutive && d->topo->edge_count <= DRAWING_WIDE_MAX, first, hosts);
}

static void draw_hosts(const struct drawing *d)
{
    for (uint32_t h = 0; d->hosts_one_by_one && h < d->topo->host_count; h++) {
        (void)fprintf(d->out, "<circle class='h' cx='%" PRIu32 "' cy='%" PRIu32 "' r='3.5'><title>", d->x[h], d->y[h]);
        put_name(d, h);
        (void)fprintf(d->out, "</title></circle>\n");
    }
    if (weir_topology_has_nics(d->topo)) {
        weir_drawing_label_blocks(d);
        return;
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
    uint32_t below = count_switches(d, 0, true), host_y = d->y[0];
    char label[WEIR_NODE_NAME];
    for (uint32_t t = 1; t <= audit->tier_count; t++) {
        const struct weir_audit_tier *tier = &audit->tier[t];
        uint32_t y = DRAWING_TOP + (d->rows - d->row[t]) * d->tier_y, count = count_switches(d, t, false);
        if (count == 0)
            continue;
        (void)fprintf(d->out, "<text class='t' x='12' y='%" PRIu32 "'>%" PRIu32 " x ", y, count);
        put_text(d->out, weir_topology_tier_label(d->topo, t, label));
        (void)fprintf(d->out, "</text>");
        if (tier->up_bps > 0)
            (void)fprintf(d->out, "<text class='n' x='12' y='%" PRIu32 "'>oversubscription %s</text>\n", y + 15,
                          weir_topology_ratio(tier->over_bps, tier->up_bps).text);
    }
    (void)fprintf(d->out, "<text class='t' x='12' y='%" PRIu32 "'>%" PRIu32 " hosts</text>\n", host_y + 4,
                  d->topo->host_count);
    if (below > 0)
        (void)fprintf(d->out, "<text class='t' x='12' y='%" PRIu32 "'>%" PRIu32 " x hosts only</text>\n",
                      weir_drawing_below_y(d) + 4, below);
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
                      i, x, x + 27, weir_format_bps(d->rate[i].rate_bps).text,
                      i + 1 == WEIR_AUDIT_RATES_MAX ? " and others" : "");
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
    if (d->block_of != NULL && !d->hosts_one_by_one)
        weir_drawing_put_blocks(d);
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
    d.order = calloc(topo->switch_count + (size_t)1, sizeof(*d.order)); /* 1: hosts may be joined without a switch */
    if (d.x == NULL || d.y == NULL || d.order == NULL || !lay_out_all(&d)) {
        code = weir_fail_memory(err);
    } else {
        gather_rates(&d);
        draw(&d);
    }
    free(d.x);
    free(d.y);
    free(d.order);
    free(d.below);
    free(d.block_of);
    free(d.host);
    free(d.first);
    return code;
}
