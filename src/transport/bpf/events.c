/* src/transport/bpf/events.c - reads the ring buffers of a law that is loaded. */
#include "bpf/law_loader.h"
#include "bpf/law_replay.h"
#include "bpf/pins.h"
#include "text/clock.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_MS 20

struct reader {
    struct weir_replay *replay;
    FILE *csv;
    int code;
};

static void put_csv(FILE *out, const struct weir_tcp_event *e)
{
    static const char *const kinds[] = { "begin", "ack", "loss", "weight" };
    const struct weir_ack none = { 0 }, *ack = e->kind == WEIR_TCP_ACK ? &e->ack : &none;
    (void)fprintf(out, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%u,%" PRIu64 ",%u,%u\n",
                  e->flow, kinds[e->kind & 3], ack->now_ps / 1000000, ack->rtt_ps / 1000000, e->base_rtt_ps / 1000000,
                  ack->qdelay_max_ps / 1000, ack->acked_bytes, ack->marked_bytes, ack->inflight_bytes, e->weight_milli,
                  e->answer.rate_bps, e->answer.cwnd_bytes, e->cwnd_pkts);
}

static int take(void *ctx, void *data, size_t bytes)
{
    struct reader *r = ctx;
    struct weir_tcp_event e;
    if (bytes < sizeof(e))
        return 0;
    memcpy(&e, data, sizeof(e));
    if (r->code == 0)
        r->code = weir_replay_event(r->replay, &e);
    if (r->csv != NULL)
        put_csv(r->csv, &e);
    return 0;
}

int weir_replay_kernel(const char *law, uint64_t for_ps, const volatile int *stop, FILE *csv,
                       struct weir_replay_result *result, struct weir_err *err)
{
    struct weir_law_loaded loaded;
    struct reader r = { .csv = csv };
    struct ring_buffer *ring = NULL;
    char path[128];
    int code = weir_law_status(law, &loaded, err), map;
    if (code != 0)
        return code;
    if (loaded.keys.record == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "load it with --record", "%s records no events", law);
    (void)snprintf(path, sizeof(path), WEIR_PINS "/%.20s/events", law);
    map = bpf_obj_get(path);
    r.replay = weir_replay_new(law, loaded.keys.config);
    if (map >= 0 && r.replay != NULL)
        ring = ring_buffer__new(map, take, &r, NULL);
    uint64_t end_ns = weir_wall_ns() + for_ps / 1000;
    if (csv != NULL)
        (void)fprintf(
            csv, "flow,kind,now_us,rtt_us,base_rtt_us,delay_ns,acked_bytes,marked_bytes,inflight_bytes,weight_milli,"
                 "rate_bps,cwnd_bytes,cwnd_pkts\n");
    while (ring != NULL && weir_wall_ns() < end_ns && *stop == 0 && r.code == 0)
        (void)ring_buffer__poll(ring, POLL_MS);
    if (ring != NULL)
        (void)ring_buffer__consume(ring);
    if (ring == NULL || r.code != 0)
        code = weir_fail(err, ring == NULL ? WEIR_E_RUN : WEIR_E_MEMORY, NULL, NULL, "%s: events cannot be read: %s",
                         law, ring == NULL ? strerror(errno) : "out of memory");
    if (code == 0)
        *result = *weir_replay_result(r.replay);
    ring_buffer__free(ring);
    if (map >= 0)
        (void)close(map);
    weir_replay_free(r.replay);
    return code;
}

struct audit {
    weir_audit_row *row;
    void *context;
};

static int take_audit(void *ctx, void *data, size_t bytes)
{
    const struct audit *a = ctx;
    struct weir_tcp_weight_event e;
    if (bytes < sizeof(e))
        return 0;
    memcpy(&e, data, sizeof(e));
    a->row(a->context, &e);
    return 0;
}

int weir_audit_kernel(const char *law, uint64_t for_ps, const volatile int *stop, weir_audit_row *row, void *context,
                      struct weir_err *err)
{
    struct weir_law_loaded loaded;
    struct audit audit = { row, context };
    uint64_t end_ns = weir_wall_ns() + for_ps / 1000;
    int code = weir_law_status(law, &loaded, err), map;
    char path[128];
    if (code != 0)
        return code;
    (void)snprintf(path, sizeof(path), WEIR_PINS "/%.20s/audit", law);
    map = bpf_obj_get(path);
    if (map < 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s has no weights", law);
    struct ring_buffer *ring = ring_buffer__new(map, take_audit, &audit, NULL);
    (void)close(map);
    if (ring == NULL)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: the log cannot be read: %s", law, strerror(errno));
    (void)ring_buffer__consume(ring);
    while (weir_wall_ns() < end_ns && *stop == 0)
        (void)ring_buffer__poll(ring, POLL_MS);
    ring_buffer__free(ring);
    return 0;
}
