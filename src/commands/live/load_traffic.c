/* src/commands/live/load_traffic.c - decides which message is due, and when. Open loop: the simulator's own streams
 * (workload/), with this host as number 0 and the servers from 1 on. Closed loop: a fixed number of messages is under
 * way to each server. Incast: a burst, of one message to every server, in fixed intervals. */
#include "live/load.h"
#include "core/math.h"
#include "core/rng.h"
#include "core/units.h"
#include <stdio.h>
#include <string.h>

#define PPM UINT64_C(1000000)

static const char fixed[] = "fixed:";

/* Returns the load in millionths of the link's rate; a half in modes other than Poisson, which ignore it although the
 * workload requires one. */
static uint32_t load_ppm(const struct weir_load_args *args, uint64_t rate_bps)
{
    if (args->load_bps != 0)
        return weir_clamp_u32(weir_mul_div_u64(args->load_bps, PPM, rate_bps), 1, UINT32_MAX);
    return args->load_ppm != 0 ? args->load_ppm : (uint32_t)PPM / 2;
}

int weir_load_traffic_init(struct weir_load_traffic *t, const struct weir_load_args *args, uint64_t rate_bps,
                           uint64_t phase_ps, struct weir_err *err)
{
    const struct weir_tok where = { .text = args->sizes };
    const struct weir_workload_limits limits = {
        .hosts = args->peer_count + 1, .host_rate_bps = rate_bps, .end_ps = args->duration_ps, .seed = args->seed
    };
    const char *sizes =
        strncmp(args->sizes, fixed, sizeof(fixed) - 1) == 0 ? args->sizes + sizeof(fixed) - 1 : args->sizes;
    int code;
    *t = (struct weir_load_traffic){ .args = args, .burst_next = args->peer_count };
    t->mode = args->outstanding != 0 ? WEIR_LOAD_CLOSED : args->period_ps != 0 ? WEIR_LOAD_INCAST : WEIR_LOAD_POISSON;
    t->item = (struct weir_traffic_config){ .kind = WEIR_TRAFFIC_POISSON, .stop_ps = WEIR_NEVER };
    t->item.load_ppm = load_ppm(args, rate_bps);
    if (strlen(sizes) >= sizeof(t->item.sizes))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--sizes: the name is too long");
    (void)snprintf(t->item.sizes, sizeof(t->item.sizes), "%s", sizes);
    code = weir_workload_build(&t->workload, &t->item, 1, &limits, &where, err);
    if (code != 0)
        return code;
    weir_source_init(&t->source, &t->workload, 0);
    if (t->mode == WEIR_LOAD_INCAST)
        t->burst_ps = args->period_ps - phase_ps % args->period_ps;
    return 0;
}

void weir_load_traffic_free(struct weir_load_traffic *t)
{
    weir_workload_free(&t->workload);
}

uint64_t weir_load_traffic_max(const struct weir_load_traffic *t)
{
    const struct weir_cdf *cdf = &t->workload.cdf[0];
    return weir_max_u64(cdf->point[cdf->count - 1].bytes, 1);
}

static void draw(struct weir_load_traffic *t, uint64_t start_ps, uint32_t peer, struct weir_message *out)
{
    uint64_t key = weir_rng_key(t->args->seed, 0, WEIR_RNG_SIZE, 0);
    *out = (struct weir_message){ .id = t->drawn,
                                  .start_ps = start_ps,
                                  .bytes = weir_cdf_sample(&t->workload.cdf[0], weir_rng_at(key, t->drawn)),
                                  .dst = peer };
    t->drawn++;
}

/* Draws a message of the closed loop to a peer that has fewer than `outstanding` under way. Peers are served round
 * robin, so that each gets a share of the messages that one poll may send. @return false = no peer may get one now */
static bool take_closed(struct weir_load_traffic *t, uint64_t now_ps, struct weir_message *out)
{
    for (uint32_t i = 0; i < t->args->peer_count; i++) {
        uint32_t peer = (t->next_peer + i) % t->args->peer_count;
        if (now_ps / weir_max_u64(t->args->join_ps, 1) < peer && t->args->join_ps != 0)
            continue; /* this peer starts later */
        if (t->under_way[peer] < t->args->outstanding) {
            t->next_peer = peer + 1;
            draw(t, now_ps, peer, out);
            return true;
        }
    }
    return false;
}

static bool take_burst(struct weir_load_traffic *t, uint64_t now_ps, struct weir_message *out)
{
    if (t->burst_next == t->args->peer_count) {
        if (now_ps < t->burst_ps)
            return false;
        t->burst_next = 0;
    }
    draw(t, t->burst_ps, t->burst_next++, out);
    if (t->burst_next == t->args->peer_count)
        t->burst_ps += t->args->period_ps;
    return true;
}

bool weir_load_traffic_take(struct weir_load_traffic *t, uint64_t now_ps, struct weir_message *out)
{
    bool due = t->mode == WEIR_LOAD_CLOSED   ? take_closed(t, now_ps, out)
               : t->mode == WEIR_LOAD_INCAST ? take_burst(t, now_ps, out)
                                             : weir_source_next_ps(&t->source) <= now_ps;
    if (due && t->mode == WEIR_LOAD_POISSON) {
        weir_source_take(&t->source, out);
        out->dst--;
    }
    if (due)
        t->under_way[out->dst]++;
    return due;
}

uint64_t weir_load_traffic_next_ps(const struct weir_load_traffic *t)
{
    if (t->mode == WEIR_LOAD_POISSON)
        return weir_source_next_ps(&t->source);
    if (t->mode == WEIR_LOAD_INCAST)
        return t->burst_ps;
    for (uint32_t peer = 1; peer < t->args->peer_count && t->args->join_ps != 0; peer++)
        if (t->under_way[peer] == 0)
            return peer * t->args->join_ps; /* 1024 * 1.8e16 fits */
    return WEIR_NEVER;
}
