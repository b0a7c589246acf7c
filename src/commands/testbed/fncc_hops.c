/* src/commands/testbed/fncc_hops.c - figure 13 of FNCC's paper: three switches in a row, and a second sender that meets
 * the first one's frames at the first, the middle or the last hop. FNCC is to have a shorter queue than HPCC, most of
 * all at the first hop, whose record is the youngest. */
#include "core/assert.h"
#include "testbed/fncc.h"
#include <stdlib.h>

#define CHAIN(meet, with, receiver, at, cables, nic)                                                                   \
    {                                                                                                                  \
        .topology = "{kind: chain, hosts: 6, switches: 3, host_link: 200 Mbps, core_link: 200 Mbps, "                  \
                    "host_delay: 1 us, core_delay: 1 us}",                                                             \
        .scenario = "hops.yaml", .traffic = "traffic[0].file=hops-" meet ".csv", .port = (at), .cable = (cables),      \
        .second_nic = (nic), .hosts = 6, .first = 0, .second = (with), .to = { 4, (receiver) }, .heads_us = 280        \
    }
#define FIRST CHAIN("first", 1, 5, "switch 0 > switch 1", "switch 0 - switch 1", "host 1 > switch 0")
#define MIDDLE CHAIN("middle", 2, 5, "switch 1 > switch 2", "switch 1 - switch 2", "host 2 > switch 1")
#define LAST CHAIN("last", 5, 4, "switch 2 > host 4", "switch 2 - host 4", "host 5 > switch 2")
#define FNCC WEIR_FNCC_OWN("fncc", " restart=false")
#define HPCC WEIR_FNCC_OWN("hpcc", " restart=false")

enum { LAWS = 3, HOPS = 3 };

static const struct weir_fncc_case cases[HOPS * LAWS] = { /* the laws of each hop, FNCC first, then HPCC */
                                                          { FIRST, FNCC, "first hop, fncc" },
                                                          { FIRST, HPCC, "first hop, hpcc" },
                                                          { FIRST, WEIR_FNCC_DCTCP, "first hop, dctcp" },
                                                          { MIDDLE, FNCC, "middle hop, fncc" },
                                                          { MIDDLE, HPCC, "middle hop, hpcc" },
                                                          { MIDDLE, WEIR_FNCC_DCTCP, "middle hop, dctcp" },
                                                          { LAST, FNCC, "last hop, fncc" },
                                                          { LAST, HPCC, "last hop, hpcc" },
                                                          { LAST, WEIR_FNCC_DCTCP, "last hop, dctcp" }
};

static void show(struct weir_figs *figs, const struct weir_fncc_case *c, weir_fncc_numbers number)
{
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_RTT, "us", "round trip of a full packet, idle");
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_USE, "%", "use of the port, two senders");
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_SHARE, "%", "share of the second sender");
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_PEAK, "KB", "longest queue");
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_SIM_PEAK, "KB", "longest queue, simulated");
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_MEAN, "KB", "mean queue");
    weir_fncc_show(figs, "hops", c, number, WEIR_FNCC_SIM_MEAN, "KB", "mean queue, simulated");
}

/* Adds how much shorter FNCC's longest queue is than HPCC's, measured or simulated, in repetitions of both. The band is
 * that of the order alone: at a five hundredth of the paper's rate a packet is a fifth of the path. */
static void show_reduction(struct weir_figs *figs, uint32_t hop, weir_fncc_numbers *number, enum weir_fncc_value value,
                           enum weir_fig_band band, const char *text)
{
    static const char *const names[HOPS] = { "first", "middle", "last" };
    double(*fncc_of)[WEIR_FNCC_VALUES] = number[(size_t)hop * LAWS],
    (*hpcc_of)[WEIR_FNCC_VALUES] = number[(size_t)hop * LAWS + 1];
    double column[WEIR_FIG_REPEATS_MAX];
    WEIR_ASSERT(hop < HOPS);
    for (uint32_t k = 0; k < figs->repeats; k++) {
        double fncc = fncc_of[k][value], hpcc = hpcc_of[k][value];
        column[k] = hpcc > 0 ? 100 * (1 - fncc / hpcc) : 0;
    }
    weir_fig_add_median(figs, "hops", "%", column, band, 0, "%s hop: fncc's longest queue below hpcc's%s", names[hop],
                        text);
}

int weir_fncc_hops(struct weir_figs *figs, struct weir_err *err)
{
    weir_fncc_numbers *number;
    int code = weir_fncc_queues(figs, "hops", cases, HOPS * LAWS, &number, err);
    for (uint32_t i = 0; i < HOPS * LAWS && code == 0; i++)
        show(figs, &cases[i], number[i]);
    for (uint32_t hop = 0; hop < HOPS && code == 0; hop++) {
        show_reduction(figs, hop, number, WEIR_FNCC_PEAK, WEIR_FIG_AT_LEAST, "");
        show_reduction(figs, hop, number, WEIR_FNCC_SIM_PEAK, WEIR_FIG_SHOWN, ", simulated");
    }
    free(number);
    return code;
}
