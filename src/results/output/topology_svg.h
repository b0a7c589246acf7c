/* src/results/output/topology_svg.h - a drawing of a network while it is made. For topology_svg.c, and for
 * topology_svg_nics.c, which places hosts with several NICs. */
#ifndef WEIR_OUTPUT_TOPOLOGY_SVG_H
#define WEIR_OUTPUT_TOPOLOGY_SVG_H
#include "output/topology_print.h"

enum {
    DRAWING_LEFT = 170, /* for labels of tiers */
    DRAWING_RIGHT = 20,
    DRAWING_TOP = 70,
    DRAWING_WIDTH = 600,  /* least width without labels */
    DRAWING_TIER_Y = 150, /* least distance between tiers; in wide networks it is larger, as their lines are flatter */
    DRAWING_TIER_Y_MAX = 300,
    DRAWING_HOST_Y = 90,      /* from first-hop switches to hosts */
    DRAWING_HOST_X = 10,      /* from host to host */
    DRAWING_WIDE_SLOT = 56,   /* least width of a first-hop switch with its label */
    DRAWING_NARROW_SLOT = 18, /* the same in a network with more than WIDE_MAX first-hop switches */
    /* most first-hop switches with wide slots; tiers of more than half as many have slanted labels */
    DRAWING_WIDE_MAX = 40,
};

struct drawing {
    FILE *out;
    const struct weir_topology_answer *answer;
    const struct weir_topology *topo;
    uint32_t *x, *y; /* of each node */
    uint32_t *order; /* switches of one tier, left to right */
    /* different rates of links, ascending; links of any other rate have the last colour */
    struct weir_audit_rate rate[WEIR_AUDIT_RATES_MAX];
    uint32_t rates, width, height, tier_y;
    uint32_t row[WEIR_AUDIT_TIERS_MAX + 1]; /* by tier: its row above the hosts, from 1; 0 = it has none */
    uint32_t rows;
    bool hosts_one_by_one;
    /* The next are for hosts with several NICs; else NULL.
     * below: by node: a switch below the hosts. It has cables to hosts alone, and other switches do not.
     * block_of: by host: its block, hosts that stand together, as they have a switch in common.
     * host: all hosts, block by block. first: blocks + 1: index of each block's first host */
    bool *below;
    uint32_t *block_of, *host, *first;
    uint32_t blocks;
};

/* Sets the rows of tiers, and which switches are below the hosts. @return false = no memory */
bool weir_drawing_find_rows(struct drawing *d);
/* Places hosts with several NICs by block in a row, and sets the size of the drawing. @return false = no memory */
bool weir_drawing_lay_out_nics(struct drawing *d);
/* Sets the size of the drawing from the width of all hosts, and the y of hosts. */
void weir_drawing_set_size(struct drawing *d, uint32_t hosts_width);
/* Returns the y of the row below the hosts. */
uint32_t weir_drawing_below_y(const struct drawing *d);

/* Draws the blocks, each as a box joined to all switches of its hosts. */
void weir_drawing_put_blocks(const struct drawing *d);
/* Writes a label below each block: the numbers of its hosts, "0-15", or only their count. */
void weir_drawing_label_blocks(const struct drawing *d);
/* Writes the numbers of `hosts` hosts from `first` on, "0-15"; or without by_number how many they are. */
void weir_drawing_put_numbers(const struct drawing *d, uint32_t x, uint32_t y, bool by_number, uint32_t first,
                              uint32_t hosts);
/* Returns the colour's number of a rate. */
uint32_t weir_drawing_colour(const struct drawing *d, uint64_t bps);
#endif
