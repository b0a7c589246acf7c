/* src/commands/live/load.c - `weir load`: sends messages that are due, and counts the results. In the open loop the
 * latency of a message begins at its due time, not when the sender had room for it. So waiting in the sender counts as
 * latency, and a slow network cannot hide it. */
#include "live/load.h"
#include "core/math.h"
#include "core/units.h"
#include "live/tools.h"
#include "text/print.h"
#include "text/stop.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { SUBMIT_MAX = 64 };  /* most messages that are sent between two polls */
#define ETHERNET_BYTES 38u /* header, checksum, preamble and gap */
#define HEADS_BYTES 68u    /* IPv4, UDP, Weir */
#define MESSAGE_HEAD_BYTES 16u

static uint64_t now_ps(const struct weir_load *l)
{
    return (weir_wall_ns() - l->origin_ns) * WEIR_PS_PER_NS;
}

static bool is_over(const struct weir_load *l, uint64_t now)
{
    return now >= l->args.duration_ps || l->started >= l->args.count || l->broken || *weir_stop_flag() != 0;
}

/* --- sending --- */

static uint32_t slot_take(struct weir_load *l)
{
    uint32_t i = l->free_slot;
    if (i == 0)
        return l->used_slots++;
    l->free_slot = l->slot[i - 1].next_free;
    return i - 1;
}

static void slot_free(struct weir_load *l, uint32_t i)
{
    l->slot[i].next_free = l->free_slot;
    l->free_slot = i + 1;
}

static uint64_t under_way(const struct weir_load *l)
{
    return l->started - l->completed - l->failed;
}

static void fail(struct weir_load *l, const struct weir_message *m, int result)
{
    l->failed++;
    l->traffic.under_way[m->dst]--;
    l->broken = l->broken || weir_live_hopeless(result);
    if (l->failure == 0) {
        l->failure = result;
        l->failed_peer = m->dst;
    }
}

static void submit(struct weir_load *l, const struct weir_message *m)
{
    const struct iovec data = { l->payload, m->bytes };
    uint32_t i = slot_take(l);
    const struct weir_sendopt opt = { .size = sizeof(opt), .priority = (uint8_t)l->args.priority };
    int result = l->live.transport->send(l->live.self, l->peer[m->dst], &data, i, l->args.priority != 0 ? &opt : NULL);
    if (result == -EAGAIN) {
        slot_free(l, i);
        l->held = *m;
        l->has_held = l->blocked = true;
        return;
    }
    l->has_held = false;
    l->started++;
    if (m->start_ps >= l->args.warmup_ps)
        l->offered_bytes += m->bytes;
    l->slot[i].message = *m;
    if (result != 0) {
        fail(l, m, result);
        slot_free(l, i);
        l->broken = true; /* the next message would be refused as well */
    }
}

static void send_due(struct weir_load *l)
{
    for (int i = 0; i < SUBMIT_MAX && !l->blocked; i++) {
        uint64_t now = now_ps(l);
        struct weir_message m = l->held;
        if (is_over(l, now) || under_way(l) == WEIR_LIVE_OPS_MAX)
            return;
        if (!l->has_held && !weir_load_traffic_take(&l->traffic, now, &m))
            return;
        submit(l, &m);
    }
}

/* --- counting --- */

/* Returns the least possible latency of a message: the round trip of the idle network, and the transmission time of the
 * message with its headers. */
static uint64_t ideal_ps(const struct weir_load *l, uint64_t bytes)
{
    uint64_t payload = bytes + MESSAGE_HEAD_BYTES, mss = l->limits.payload_bytes;
    uint64_t wire = payload + (payload + mss - 1) / mss * (HEADS_BYTES + ETHERNET_BYTES);
    return l->args.live.rtt_ps + weir_mul_div_u64(8 * wire, WEIR_PS_PER_S, l->limits.rate_bps);
}

static void record(struct weir_load *l, const struct weir_message *m, uint64_t end_ps)
{
    const struct weir_delivery d = {
        .id = m->id,
        .bytes = m->bytes,
        .start_ps = m->start_ps,
        .end_ps = end_ps,
        .ideal_ps = ideal_ps(l, m->bytes),
        .payload_ps = l->args.live.rtt_ps + weir_mul_div_u64(8 * m->bytes, WEIR_PS_PER_S, l->limits.rate_bps),
        .measured = true,
    };
    weir_recorder_delivery(&l->recorder, &d);
    weir_latency_add(&l->latency[weir_group_of(l->group_edge, m->bytes)], (end_ps - m->start_ps) / WEIR_PS_PER_NS);
}

static void complete(struct weir_load *l, const struct weir_message *m, uint64_t end_ps)
{
    l->completed++;
    l->traffic.under_way[m->dst]--;
    l->live.messages++;
    l->live.bytes += m->bytes;
    l->ended_ps = end_ps;
    if (weir_recorder_measures(&l->recorder, end_ps))
        record(l, m, end_ps);
}

static void handle(struct weir_load *l, const struct weir_event *event, uint64_t end_ps)
{
    if (event->lease != NULL) /* another host sends to this one */
        l->live.transport->release(l->live.self, event->lease);
    if (event->type == WEIR_EV_WRITABLE)
        l->blocked = false;
    if (event->type != WEIR_EV_SENT)
        return;
    if (event->result == 0)
        complete(l, &l->slot[event->user_data].message, end_ps);
    else
        fail(l, &l->slot[event->user_data].message, event->result);
    slot_free(l, (uint32_t)event->user_data);
}

/* Polls the transport, until until_ps at most, and handles the events. @return 0; negative with err */
static int poll_once(struct weir_load *l, uint64_t until_ps, struct weir_err *err)
{
    struct weir_event event[WEIR_LIVE_EVENTS];
    uint64_t until_ns = until_ps == WEIR_NEVER ? WEIR_NEVER : l->origin_ns + (until_ps + 999) / WEIR_PS_PER_NS;
    int count = weir_live_poll(&l->live, event, until_ns, err);
    uint64_t end_ps = now_ps(l);
    for (int i = 0; i < count; i++)
        handle(l, &event[i], end_ps);
    return count < 0 ? count : 0;
}

static int run(struct weir_load *l, struct weir_err *err)
{
    uint64_t until_ps;
    int code = 0;
    while (code == 0 && !is_over(l, now_ps(l))) {
        send_due(l);
        until_ps = l->blocked ? WEIR_NEVER : weir_load_traffic_next_ps(&l->traffic);
        code = poll_once(l, weir_min_u64(until_ps, l->args.duration_ps), err);
    }
    l->ended_ps = weir_max_u64(l->ended_ps, weir_min_u64(now_ps(l), l->args.duration_ps));
    until_ps = now_ps(l) + 2 * l->args.live.timeout_ps; /* a peer that fails now is reported within one timeout */
    while (code == 0 && under_way(l) > 0 && now_ps(l) < until_ps)
        code = poll_once(l, until_ps, err);
    l->unfinished = under_way(l);
    return code;
}

/* --- set-up and end --- */

static uint64_t clock_of_the_day_ps(uint64_t period_ps)
{
    struct timespec now;
    uint64_t ns;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return period_ps == 0 ? 0 : ns % (period_ps / WEIR_PS_PER_NS) * WEIR_PS_PER_NS;
}

/* Resolves the peers' addresses, before the transport is opened. @return 0, or a code with err */
static int find_addresses(struct weir_load *l, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < l->args.peer_count && code == 0; i++) {
        code = weir_live_address(l->args.peer[i], &l->addr[i], &l->addr_len[i], err);
        if (code == 0)
            weir_live_source(&l->args.live, (struct sockaddr *)&l->addr[i], l->addr_len[i]);
    }
    return code;
}

static int find_peers(struct weir_load *l, struct weir_err *err)
{
    for (uint32_t i = 0; i < l->args.peer_count; i++) {
        int result = l->live.transport->peer(l->live.self, (struct sockaddr *)&l->addr[i], l->addr_len[i], &l->peer[i]);
        if (result == 0 && l->args.weight_ppm != 0)
            result = l->live.transport->weigh(l->live.self, l->peer[i], l->args.weight_ppm / 1000);
        if (result != 0)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%.80s: %s", l->args.peer[i],
                             weir_live_why(&l->live, result));
    }
    return 0;
}

/* Initialises the recorder, with the size groups of the simulator: up to a packet, a BDP, eight BDP. */
static void recorder_begin(struct weir_load *l)
{
    l->live.transport->limits(l->live.self, &l->limits);
    l->group_edge[0] = l->limits.payload_bytes;
    l->group_edge[1] = l->limits.bdp_bytes;
    l->group_edge[2] = 8 * l->limits.bdp_bytes;
    weir_recorder_init(&l->recorder, l->group_edge, l->args.warmup_ps,
                       l->args.count == WEIR_NEVER ? l->args.duration_ps : WEIR_NEVER, WEIR_SAMPLES_MAX);
}

static int prepare(struct weir_load *l, struct weir_err *err)
{
    uint64_t largest;
    int code =
        weir_load_traffic_init(&l->traffic, &l->args, l->limits.rate_bps, clock_of_the_day_ps(l->args.period_ps), err);
    if (code != 0)
        return code;
    largest = weir_load_traffic_max(&l->traffic);
    if (largest > WEIR_LIVE_MESSAGE_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--sizes %.80s: has messages above 1 GiB", l->args.sizes);
    l->payload = calloc(1, largest);
    l->slot = calloc(WEIR_LIVE_OPS_MAX, sizeof(*l->slot));
    if (l->payload == NULL || l->slot == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the messages");
    return find_peers(l, err);
}

/* Computes the results over the measured time, from --warmup to --duration. If --count is given, or a failure or a
 * signal ended the run early, the measured time ends at l->ended_ps. */
static void sum_up(struct weir_load *l)
{
    bool early = l->args.count != WEIR_NEVER || l->broken || *weir_stop_flag() != 0;
    uint64_t end_ps = early ? l->ended_ps : l->args.duration_ps;
    l->measured_ps = end_ps > l->args.warmup_ps ? end_ps - l->args.warmup_ps : 0;
    for (int g = WEIR_GROUP_A; g < WEIR_GROUP_COUNT; g++)
        weir_latency_merge(&l->latency[WEIR_GROUP_ALL], &l->latency[g]);
    l->result.stable = true;
    weir_result_slowdown(&l->result, &l->recorder);
}

static void print_failure(const struct weir_load *l)
{
    const char *why = weir_live_why(&l->live, l->failure), *peer = l->args.peer[l->failed_peer];
    bool named = weir_live_names(why, peer);
    (void)fprintf(stderr, "weir: %s%s%s; %" PRIu64 " message%s failed\n", named ? "" : peer, named ? "" : ": ", why,
                  l->failed, l->failed == 1 ? "" : "s");
}

static int conclude(struct weir_load *l, int status)
{
    int signal_number = *weir_stop_flag();
    sum_up(l);
    if (l->args.live.json)
        weir_load_json(l, signal_number != 0);
    else
        weir_load_table(l);
    if (l->failure != 0)
        print_failure(l);
    if (l->unfinished > 0)
        (void)fprintf(stderr, "weir: %" PRIu64 " message%s not ended in time\n", l->unfinished,
                      l->unfinished == 1 ? " was" : "s were");
    if (l->broken || (l->failed + l->unfinished > 0 && l->completed == 0))
        status = WEIR_EXIT_FAILURE;
    if (signal_number != 0) {
        (void)fprintf(stderr, "weir: interrupted; the results are of what was done\n");
        status = status == WEIR_EXIT_DONE ? WEIR_EXIT_SIGNAL + signal_number : status;
    }
    return status;
}

/* Runs the load with an open transport, prints the results and closes the transport. @return enum weir_exit, or 128 +
 * signal */
static int load(struct weir_load *l)
{
    struct weir_err err;
    int status;
    recorder_begin(l);
    if (prepare(l, &err) != 0) {
        status = weir_cli_refused(&err);
    } else {
        status = WEIR_EXIT_DONE;
        l->origin_ns = weir_wall_ns();
        if (run(l, &err) != 0) {
            weir_cli_error(&err);
            status = WEIR_EXIT_FAILURE;
        }
        weir_progress_end(&l->live.line);
        status = conclude(l, status);
    }
    weir_recorder_free(&l->recorder);
    if (weir_live_close(&l->live, &err) != 0) {
        weir_cli_error(&err);
        status = WEIR_EXIT_FAILURE;
    }
    return weir_cli_finish(status);
}

int weir_live_load(int argc, char **argv, bool *help)
{
    struct weir_load *l = calloc(1, sizeof(*l));
    struct weir_err err;
    int status;
    if (l == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return weir_cli_refused(&err);
    }
    weir_stop_install();
    if (weir_load_args_parse(&l->args, argc, argv, &err) != 0) {
        status = weir_cli_refused(&err);
    } else if (l->args.live.help) {
        *help = true;
        status = WEIR_EXIT_DONE;
    } else if (find_addresses(l, &err) != 0 || weir_live_open(&l->live, &l->args.live, &err) != 0) {
        status = weir_cli_refused(&err);
    } else {
        status = load(l);
    }
    weir_load_traffic_free(&l->traffic);
    free(l->payload);
    free(l->slot);
    free(l);
    return status;
}
