/* src/transport/bpf/events.c - reads the ring buffers of a law that is loaded. */
#include "bpf/law_loader.h"
#include "bpf/law_replay.h"
#include "text/clock.h"
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

/* Reads the ring buffer in a map for a time, first what is in it. sample: called for each entry; stop: ends it when it
 * is not 0. @return 0, or an errno */
static int read_ring(int map, ring_buffer_sample_fn sample, void *context, uint64_t for_ps, const volatile int *stop)
{
    uint64_t end_ns = weir_wall_ns() + for_ps / 1000;
    struct ring_buffer *ring = ring_buffer__new(map, sample, context, NULL);
    if (ring == NULL)
        return errno;
    (void)ring_buffer__consume(ring);
    while (weir_wall_ns() < end_ns && *stop == 0)
        (void)ring_buffer__poll(ring, POLL_MS);
    ring_buffer__free(ring);
    return 0;
}

int weir_replay_kernel(const char *law, uint64_t for_ps, const volatile int *stop, FILE *csv,
                       struct weir_replay_result *result, struct weir_err *err)
{
    struct weir_law_loaded loaded;
    struct reader r = { .csv = csv };
    int code = weir_law_status(law, &loaded, err), map, error;
    if (code != 0)
        return code;
    if (loaded.keys.record == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "load it with --record", "%s records no events", law);
    r.replay = weir_replay_new(law, loaded.keys.config);
    if (r.replay == NULL)
        return weir_fail_memory(err);
    if (csv != NULL)
        (void)fprintf(
            csv, "flow,kind,now_us,rtt_us,base_rtt_us,delay_ns,acked_bytes,marked_bytes,inflight_bytes,weight_milli,"
                 "rate_bps,cwnd_bytes,cwnd_pkts\n");
    map = weir_law_open(law, "events");
    error = map >= 0 ? read_ring(map, take, &r, for_ps, stop) : -map;
    if (error != 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: events cannot be read: %s", law, strerror(error));
    else if (r.code != 0)
        code = weir_fail_memory(err);
    else
        *result = *weir_replay_result(r.replay);
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
    int code = weir_law_status(law, &loaded, err), map, error;
    if (code != 0)
        return code;
    map = weir_law_open(law, "audit");
    if (map < 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s has no weights", law);
    error = read_ring(map, take_audit, &audit, for_ps, stop);
    (void)close(map);
    return error == 0 ? 0
                      : weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: the log cannot be read: %s", law, strerror(error));
}
