/* src/commands/testbed/fncc.c - figures 10 and 13 of FNCC's paper at a five hundredth of its rate. FNCC, HPCC and DCTCP
 * run between endpoints of libweir, over a switch of real frames at 200 Mb/s. The simulator's number is next to each
 * one, at the same rate and round trip. Each number is the median of several. */
#include "testbed/fncc.h"
#include "core/assert.h"
#include <stdlib.h>

#define STAR                                                                                                           \
    .topology = "{kind: star, hosts: 3, host_link: 200 Mbps, host_delay: 1 us}", .scenario = "join.yaml",              \
    .port = "switch 0 > host 0", .cable = "switch 0 - host 0", .second_nic = "host 2 > switch 0", .hosts = 3,          \
    .first = 1, .second = 2, .to = { 0, 0 }, .heads_us = 140
#define ON_STAR                                                                                                        \
    {                                                                                                                  \
        STAR                                                                                                           \
    }
#define TWO_EACH                                                                                                       \
    {                                                                                                                  \
        STAR, .traffic = "traffic[0].file=join-2.csv"                                                                  \
    }

/* ---- join ---- */

/* Adds how many times as long the longest queue of a law is as FNCC's, of one repetition each: what changes on the
 * machine meets both. The paper's order is FNCC, HPCC, DCQCN. */
static void show_order(struct weir_figs *figs, const struct weir_fncc_case *c, weir_fncc_numbers number,
                       weir_fncc_numbers fncc)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][WEIR_FNCC_PEAK] / fncc[k][WEIR_FNCC_PEAK];
    weir_fig_add_median(figs, "join", "times", column, WEIR_FIG_AT_LEAST, 1, "%s: longest queue over fncc's", c->name);
}

static void show_join(struct weir_figs *figs, const struct weir_fncc_case *c, weir_fncc_numbers number)
{
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_RTT, "us", "round trip of a full packet, idle");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_USE_ALONE, "%", "use of the port, one sender");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_PEAK_ALONE, "KB", "longest queue, one sender");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_USE, "%", "use of the port, two senders");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_SHARE, "%", "share of the second sender");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_PEAK, "KB", "longest queue, two senders");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_SIM_PEAK, "KB", "longest queue, simulated");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_MEAN, "KB", "mean queue, two senders");
    weir_fncc_show(figs, "join", c, number, WEIR_FNCC_SIM_MEAN, "KB", "mean queue, simulated");
}

static int run_join(struct weir_figs *figs, struct weir_err *err)
{
    static const struct weir_fncc_case laws[] = {
        { ON_STAR, WEIR_FNCC_OWN("fncc", " restart=false"), "fncc" },
        { ON_STAR, WEIR_FNCC_OWN("hpcc", " restart=false"), "hpcc" },
        { ON_STAR, WEIR_FNCC_DCTCP, "dctcp" },
    };
    enum { LAWS = sizeof(laws) / sizeof(laws[0]) };
    weir_fncc_numbers *number;
    int code = weir_fncc_queues(figs, "join", laws, LAWS, &number, err);
    for (size_t i = 0; i < LAWS && code == 0; i++)
        show_join(figs, &laws[i], number[i]);
    for (size_t i = 1; i < LAWS && code == 0; i++)
        show_order(figs, &laws[i], number[i], number[0]);
    free(number);
    return code;
}

/* ---- floor: what the least rate of flows does to the queue ---- */

#define FLOOR(law, connections, floor)                                                                                 \
    {                                                                                                                  \
        law, law, law " min_rate=" floor "Mbps restart=false host.connections=" connections, "int: {}",                \
        {                                                                                                              \
            "protocol.min_rate=" floor " Mbps", NULL                                                                   \
        }                                                                                                              \
    }

static int run_floor(struct weir_figs *figs, struct weir_err *err)
{
    static const struct weir_fncc_case cases[] = {
        { ON_STAR, FLOOR("fncc", "1", "1"), "fncc, 1 connection, 1 Mb/s" },
        { TWO_EACH, FLOOR("fncc", "2", "1"), "fncc, 2 connections, 1 Mb/s" },
        { ON_STAR, FLOOR("fncc", "1", "100"), "fncc, 1 connection, 100 Mb/s" },
        { TWO_EACH, FLOOR("fncc", "2", "100"), "fncc, 2 connections, 100 Mb/s" },
        { ON_STAR, FLOOR("hpcc", "1", "1"), "hpcc, 1 connection, 1 Mb/s" },
        { TWO_EACH, FLOOR("hpcc", "2", "1"), "hpcc, 2 connections, 1 Mb/s" },
        { ON_STAR, FLOOR("hpcc", "1", "100"), "hpcc, 1 connection, 100 Mb/s" },
        { TWO_EACH, FLOOR("hpcc", "2", "100"), "hpcc, 2 connections, 100 Mb/s" },
    };
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    weir_fncc_numbers *number;
    int code = weir_fncc_queues(figs, "floor", cases, CASES, &number, err);
    for (size_t i = 0; i < CASES && code == 0; i++) {
        weir_fncc_show(figs, "floor", &cases[i], number[i], WEIR_FNCC_MEAN, "KB", "mean queue");
        weir_fncc_show(figs, "floor", &cases[i], number[i], WEIR_FNCC_SIM_MEAN, "KB", "mean queue, simulated");
        weir_fncc_show(figs, "floor", &cases[i], number[i], WEIR_FNCC_USE, "%", "use of the port");
    }
    free(number);
    return code;
}

const struct weir_fig weir_figs_fncc[] = {
    { "join", "the queue at 200 Mb/s when a second sender joins: FNCC, HPCC and DCTCP, measured and simulated",
      run_join },
    { "reaction", "how long until the first sender slows down, in round trips", weir_fncc_reaction },
    { "hops", "the queue where two senders meet at the first, the middle and the last hop", weir_fncc_hops },
    { "floor", "the mean queue by the least rate of flows, and by their number", run_floor },
    { NULL, NULL, NULL },
};
