/* src/simulator/setup/hops.c - an estimate of the packet-hops of a run, from which its duration is predicted before it
 * begins. */
#include "core/math.h"
#include "core/units.h"
#include "setup/setup.h"

enum { DRAWS = 16384 };

static uint64_t packets_of(const struct weir_setup *s, uint64_t bytes)
{
    uint32_t payload = s->scn->framing.payload_bytes;
    return bytes / payload + (bytes % payload != 0);
}

/* Returns the data packets of DRAWS messages in all. Their sizes are at evenly spaced quantiles of the distribution, so
 * that a heavy tail counts in proportion. */
static uint64_t packets_of_draws(const struct weir_setup *s, const struct weir_cdf *cdf)
{
    uint64_t sum = 0; /* a message has at most 2^40 packets: the sum fits */
    for (uint64_t i = 0; i < DRAWS; i++)
        sum += packets_of(s, weir_cdf_sample(cdf, (2 * i + 1) * (UINT64_MAX / (UINT64_C(2) * DRAWS))));
    return sum;
}

struct load {
    uint64_t messages, packets; /* packets: data packets, without ACKs */
};

static void add_poisson(const struct weir_setup *s, uint32_t item, struct load *load)
{
    const struct weir_traffic_config *t = &s->workload.item[item];
    uint64_t stop_ps = weir_min_u64(t->stop_ps, s->workload.end_ps), messages;
    if (s->workload.gap_mean_fs[item] == 0 || stop_ps <= t->start_ps)
        return;
    messages = s->workload.from[item].count *
               weir_mul_div_u64(stop_ps - t->start_ps, 1000, s->workload.gap_mean_fs[item]); /* 1000 fs per ps */
    load->messages += messages;
    load->packets += weir_mul_div_u64(packets_of_draws(s, &s->workload.cdf[item]), messages, DRAWS);
    if (s->workload.reply_bytes[item] == 0)
        return;
    load->messages += messages;
    load->packets += weir_mul_div_u64(packets_of(s, s->workload.reply_bytes[item]), messages, 1);
}

/* Adds one flow to the load: a message and its data packets. Counts no more bytes than the host link can carry
 * between start_ps and the end of the run. Adds nothing if start_ps is not before that end. */
static void add_bytes(const struct weir_setup *s, uint64_t bytes, uint64_t start_ps, struct load *load)
{
    uint64_t end_ps = s->workload.end_ps;
    if (start_ps >= end_ps)
        return;
    if (end_ps != WEIR_NEVER)
        bytes = weir_min_u64(bytes,
                             weir_mul_div_u64(end_ps - start_ps, s->topo.host_link_bps, UINT64_C(8) * WEIR_PS_PER_S));
    load->messages++;
    load->packets += packets_of(s, bytes);
}

/* Adds the messages of a program to the load, at their mean size. */
static void add_program(const struct weir_setup *s, const struct weir_program *program, struct load *load)
{
    load->messages += program->messages;
    if (program->messages > 0)
        load->packets += packets_of(s, program->bytes / program->messages) * program->messages;
}

uint64_t weir_setup_packet_hops(const struct weir_setup *s)
{
    const struct weir_workload *wl = &s->workload;
    struct load load = { 0 };
    uint64_t packets;
    for (uint32_t i = 0; i < wl->item_count; i++)
        add_poisson(s, i, &load);
    for (uint64_t i = 0; wl->listed != NULL && i < wl->listed_first[wl->hosts]; i++) {
        add_bytes(s, wl->listed[i].bytes, wl->listed[i].start_ps, &load);
        if (wl->reply_bytes[wl->listed[i].item] > 0)
            add_bytes(s, wl->reply_bytes[wl->listed[i].item], wl->listed[i].start_ps, &load);
    }
    for (uint32_t i = 0; i < s->jobs.flow_count; i++)
        add_bytes(s, s->jobs.flow[i].bytes, 0, &load);
    for (uint32_t i = 0; i < s->programs.count; i++)
        add_program(s, &s->programs.program[i], &load);
    packets = 2 * load.packets; /* each data packet has an ACK or a credit */
    if (s->scn->host.reply_bytes > 0)
        packets += 2 * load.messages;
    return packets * s->path_links;
}
