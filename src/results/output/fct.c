/* src/results/output/fct.c - see fct.h. */
#include "output/fct.h"
#include "core/math.h"
#include "model/nics.h"
#include "output/host_address.h"
#include <inttypes.h>
#include <stdlib.h>

enum { PORT_FIRST = 10000, PORT_PLAIN = 100, PORT_INCAST = 200 };

int weir_fct_init(struct weir_fct *fct, const struct weir_model *model, struct weir_err *err)
{
    *fct = (struct weir_fct){ .model = model };
    fct->port = malloc(model->topo->host_count * sizeof(*fct->port));
    if (fct->port == NULL)
        return weir_fail_memory(err);
    for (uint32_t h = 0; h < model->topo->host_count; h++)
        fct->port[h] = PORT_FIRST;
    return 0;
}

/* Returns the time of an empty message along a path and back. Sets *rate_bps to the path's least rate. */
static uint64_t path_ns(const struct weir_topology *topo, const struct weir_framing *f,
                        const struct weir_route_path *path, uint64_t *rate_bps)
{
    uint64_t base_ns = 0;
    *rate_bps = UINT64_MAX;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct weir_link *link = &topo->link[path->link[i]];
        uint64_t tx_ns = f->payload_bytes * (8 * WEIR_PS_PER_S / 1000) / link->rate_bps; /* 2^14 * 2^43 fits */
        base_ns += 2 * link->delay_ps / WEIR_PS_PER_NS + tx_ns;
        *rate_bps = weir_min_u64(*rate_bps, link->rate_bps);
    }
    return base_ns;
}

/* Takes the shortest path and the fastest rate of those from the NICs that hosts choose. The rate counts for each NIC
 * if packets take several. */
uint64_t weir_fct_ideal_ns(const struct weir_fct *fct, uint32_t law, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct weir_topology *topo = fct->model->topo;
    const struct weir_framing *f = &weir_model_law(fct->model, law)->framing;
    const struct weir_nics *nics = fct->model->nics;
    uint64_t packets = (bytes + f->payload_bytes - 1) / f->payload_bytes;
    uint64_t wire_bytes = bytes + packets * (f->header_bytes + f->gap_bytes); /* 2^40 + 2^40 * 2^9 fits */
    uint64_t base_ns = UINT64_MAX, rate_bps = 0, one_bps;
    uint32_t by = nics != NULL ? weir_nics_between(nics, src, dst) : 1;
    uint32_t count = nics != NULL && weir_nics_spread(nics->choice) ? (uint32_t)__builtin_popcount(by) : 1;
    for (; by != 0; by &= by - 1) {
        struct weir_route_path path;
        if (!weir_route_path_from(fct->model->routes, topo, src, (uint32_t)__builtin_ctz(by), dst, 0, &path))
            continue;
        base_ns = weir_min_u64(base_ns, path_ns(topo, f, &path, &one_bps));
        rate_bps = weir_max_u64(rate_bps, one_bps);
    }
    if (rate_bps == 0)
        return 0;
    return base_ns + weir_mul_div_u64(wire_bytes, 8 * WEIR_PS_PER_S / 1000, rate_bps * count); /* 2^43 * 16 fits */
}

/* Tests whether a message gets no line: its sender would know of the delivery only at the planned end of the run or
 * later. Returns false for every message if the run lasts until all is delivered, or has complete_at: sender. */
static bool is_cut(const struct weir_model *m, const struct weir_account_row *row)
{
    return !m->until_done && !m->ends_at_sender && row->finish_ps >= m->warmup_ps + m->measure_ps;
}

/* Returns the address of a host. It is made of the host's id if the topology's file gives ids, else of the host's
 * number. */
static uint32_t address_of(const struct weir_fct *fct, uint32_t host)
{
    const uint32_t *id = fct->model->topo->host_id;
    return weir_host_address(id != NULL ? id[host] : host);
}

int weir_fct_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    const struct weir_fct *fct = ctx;
    for (size_t i = 0; i < count; i++) {
        const struct weir_delivery *d = &row[i].d;
        bool incast = fct->model->workload->item[d->item].kind == WEIR_TRAFFIC_INCAST;
        if (d->is_reply || is_cut(fct->model, &row[i]))
            continue;
        if (fprintf(fct->file, "%08" PRIx32 " %08" PRIx32 " %u %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                    address_of(fct, d->src), address_of(fct, d->dst), fct->port[d->src]++,
                    incast ? PORT_INCAST : PORT_PLAIN, d->bytes, d->start_ps / WEIR_PS_PER_NS,
                    (row[i].finish_ps - d->start_ps) / WEIR_PS_PER_NS,
                    weir_fct_ideal_ns(fct, d->law, d->src, d->dst, d->bytes)) < 0)
            return WEIR_E_FILE;
    }
    return 0;
}

void weir_fct_free(struct weir_fct *fct)
{
    free(fct->port);
    *fct = (struct weir_fct){ 0 };
}
