/* examples/kv/load.c - kv load: puts all keys, then gets and puts by an open or a closed loop, and multi-gets, which ask all
 * servers at one instant. Latency in the open loop begins when a request was due, as in weir load. */
#include "kv.h"
#include "latency.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILL_DEPTH = 16, GROUPS_MAX = 1024, PATTERN_PERIOD = 251, NO_GROUP = -1, KEY_TEXT = 32 };
#define RETRY_NS INT64_C(1000000) /* while the transport has no room */

enum kind { GET, PUT, MULTI, KINDS };

struct ask { /* a call in progress */
    uint64_t due_ns;
    uint32_t key, next_free; /* key: of a multi-get the server */
    int group;
    bool put;
};

struct group { /* a multi-get in progress */
    uint64_t due_ns;
    uint32_t left, failed;
};

struct counts { /* of requests that were due in the measured part */
    struct latency latency[KINDS];
    uint64_t errors[KV_ERRORS], timed_out, failed, wrong, partial;
    int first_error;          /* enum kv_error or a negative errno; 0 = none */
    const char *first_server; /* where that was */
};

struct load {
    const struct kv_args *args;
    const struct kv_transport *transport;
    void *end;
    uint64_t random, measure_ns;
    struct ask ask[KV_CALLS_MAX];
    struct group group[GROUPS_MAX];
    uint32_t free_ask, in_progress, singles; /* singles: in progress, without those of multi-gets */
    bool filling;
    uint64_t started;
    struct counts counts;
    unsigned char *pattern;
};

static uint64_t next_random(struct load *l)
{
    uint64_t z = l->random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Draws the time to the next request: exponential, so arrivals are Poisson. */
static uint64_t next_gap_ns(struct load *l)
{
    const double part = ((double)(next_random(l) >> 11) + 1) / 9007199254740992.0; /* above 0, up to 1 */
    return (uint64_t)(-log(part) * 1e12 / (double)l->args->rate_milli);
}

static size_t value_bytes(const struct load *l, int group)
{
    return group == NO_GROUP ? l->args->value_bytes : l->args->multi_bytes;
}

/* Returns the bytes of a key's value: always the same, so each get is compared. */
static const unsigned char *value_of(const struct load *l, uint32_t key)
{
    return l->pattern + key * 37 % PATTERN_PERIOD;
}

static uint32_t server_of(const struct load *l, uint32_t key, int group)
{
    char text[KEY_TEXT];
    if (group != NO_GROUP)
        return key;
    (void)snprintf(text, sizeof(text), "key:%" PRIu32, key);
    return kv_server_of(text, l->args->servers);
}

static void count_failure(struct load *l, const struct ask *ask, int result)
{
    struct counts *c = &l->counts;
    if (result > 0)
        c->errors[result < KV_ERRORS ? result : KV_BAD_REQUEST]++;
    else
        *(result == -ETIMEDOUT ? &c->timed_out : &c->failed) += 1;
    if (c->first_error != 0)
        return;
    c->first_error = result;
    c->first_server = l->args->server_text[server_of(l, ask->key, ask->group)];
}

/* Notes that a server has answered for a multi-get, or will not. */
static void end_part(struct load *l, struct group *g, bool failed, uint64_t now_ns)
{
    g->failed += failed;
    if (--g->left > 0 || g->due_ns < l->measure_ns)
        return;
    if (g->failed > 0)
        l->counts.partial++; /* the others' answers are there: what use they are is the application's matter */
    else
        latency_add(&l->counts.latency[MULTI], now_ns - g->due_ns);
}

static void ended(void *context, uint64_t tag, int result, const unsigned char *data, size_t bytes)
{
    struct load *l = context;
    const struct ask ask = l->ask[tag];
    const uint64_t now_ns = kv_now_ns();
    const bool measured = ask.due_ns >= l->measure_ns || l->filling;
    const bool wrong = result == 0 && !ask.put &&
                       (bytes != value_bytes(l, ask.group) || memcmp(data, value_of(l, ask.key), bytes) != 0);
    l->ask[tag].next_free = l->free_ask;
    l->free_ask = (uint32_t)tag;
    l->in_progress--;
    l->singles -= ask.group == NO_GROUP;
    if (result != 0 && measured)
        count_failure(l, &ask, result);
    l->counts.wrong += wrong;
    if (l->filling)
        return;
    if (ask.group != NO_GROUP)
        end_part(l, &l->group[ask.group], result != 0 || wrong, now_ns);
    else if (result == 0 && !wrong && measured)
        latency_add(&l->counts.latency[ask.put ? PUT : GET], now_ns - ask.due_ns);
}

/* Starts a call. @return 0, or -EAGAIN: no room now. Another failure is counted as that of the call */
static int start(struct load *l, bool put, uint32_t key, int group, uint64_t due_ns)
{
    const uint32_t id = l->free_ask;
    char text[KEY_TEXT];
    struct kv_request request = { .tag = id, .op = put ? KV_PUT : KV_GET, .key = text };
    int result;
    if (id == KV_CALLS_MAX)
        return -EAGAIN;
    (void)snprintf(text, sizeof(text), "%s:%" PRIu32, group == NO_GROUP ? "key" : "multi", key);
    request.server = server_of(l, key, group);
    if (put && (request.value = kv_value_new(NULL, value_of(l, key), value_bytes(l, group))) == NULL)
        return -EAGAIN;
    l->free_ask = l->ask[id].next_free;
    l->ask[id] = (struct ask){ .due_ns = due_ns, .key = key, .group = group, .put = put };
    l->in_progress++;
    l->singles += group == NO_GROUP;
    result = l->transport->call(l->end, &request);
    kv_value_drop(request.value);
    if (result == -EAGAIN) {
        l->in_progress--;
        l->singles -= group == NO_GROUP;
        l->ask[id].next_free = l->free_ask;
        l->free_ask = id;
    } else if (result != 0) {
        ended(l, id, result, NULL, 0);
    }
    return result == -EAGAIN ? result : 0;
}

/* Puts all keys, and one large value to each server. */
static int fill(struct load *l)
{
    const uint64_t keys = l->args->keys, total = keys + (l->args->multi_ns > 0 ? l->args->servers : 0);
    const struct counts *c = &l->counts;
    uint64_t next = 0;
    int result = 0;
    l->filling = true;
    while (result == 0 && kv_signal() == 0 && (l->in_progress > 0 || (next < total && c->first_error == 0))) {
        while (c->first_error == 0 && next < total && l->in_progress < FILL_DEPTH &&
               start(l, true, (uint32_t)(next < keys ? next : next - keys), next < keys ? NO_GROUP : 0, 0) == 0)
            next++;
        result = l->transport->poll(l->end, next < total && c->first_error == 0 ? RETRY_NS : -1);
    }
    l->filling = false;
    result = result == 0 ? c->first_error : result;
    if (result > 0)
        fprintf(stderr, "kv load: %s cannot be filled: %s\n", c->first_server, kv_error_text(result));
    else if (result < 0)
        fprintf(stderr, "kv load: %s: %s\n", c->first_server != NULL ? c->first_server : "network",
                l->transport->why(result));
    return result == 0 && kv_signal() == 0 ? 0 : -1;
}

struct loop { /* when what is due */
    uint64_t end_ns, next_ns, multi_ns;
    bool blocked; /* the transport has no room for what is due */
};

static bool start_single(struct load *l, uint64_t due_ns)
{
    const uint64_t saved = l->random; /* if there is no room, the same request is started later */
    const uint32_t key = (uint32_t)(next_random(l) % l->args->keys);
    const bool put = next_random(l) % 1000000 < l->args->writes_ppm;
    if (start(l, put, key, NO_GROUP, due_ns) != 0) {
        l->random = saved;
        return false;
    }
    l->started++;
    return true;
}

/* Asks all servers at once. A part for which there is no room has failed. */
static bool start_multi(struct load *l, uint64_t due_ns)
{
    int group = 0;
    while (group < GROUPS_MAX && l->group[group].left > 0)
        group++;
    if (group == GROUPS_MAX)
        return false;
    l->started++;
    l->group[group] = (struct group){ .due_ns = due_ns, .left = l->args->servers };
    for (uint32_t server = 0; server < l->args->servers; server++)
        if (start(l, false, server, group, due_ns) != 0)
            end_part(l, &l->group[group], true, due_ns);
    return true;
}

static void start_due(struct load *l, struct loop *loop, uint64_t now_ns)
{
    const struct kv_args *a = l->args;
    loop->blocked = false;
    while (loop->multi_ns <= now_ns && l->started < a->count && !loop->blocked) {
        loop->blocked = !start_multi(l, loop->multi_ns);
        loop->multi_ns += loop->blocked ? 0 : a->multi_ns;
    }
    while (loop->next_ns <= now_ns && l->started < a->count && !loop->blocked) {
        loop->blocked = !start_single(l, loop->next_ns);
        loop->next_ns += loop->blocked ? 0 : next_gap_ns(l);
    }
    while (l->singles < a->outstanding && l->started < a->count && !loop->blocked)
        loop->blocked = !start_single(l, now_ns);
}

/* Computes how long to wait for the network: until the next request is due. */
static int64_t wait_ns(const struct loop *loop, uint64_t now_ns)
{
    uint64_t until_ns = loop->next_ns < loop->multi_ns ? loop->next_ns : loop->multi_ns;
    if (until_ns > loop->end_ns)
        until_ns = loop->end_ns;
    if (loop->blocked)
        return RETRY_NS;
    return until_ns > now_ns ? (int64_t)(until_ns - now_ns) : 0;
}

static int run(struct load *l)
{
    const struct kv_args *a = l->args;
    const uint64_t begin_ns = kv_now_ns();
    struct loop loop = { .end_ns = begin_ns + a->duration_ns, .next_ns = UINT64_MAX, .multi_ns = UINT64_MAX };
    uint64_t now_ns;
    int result = 0;
    l->measure_ns = begin_ns + a->warmup_ns;
    if (a->rate_milli > 0)
        loop.next_ns = begin_ns + next_gap_ns(l);
    if (a->multi_ns > 0)
        loop.multi_ns = begin_ns + a->multi_ns;
    while (result == 0 && kv_signal() == 0 && l->started < a->count && (now_ns = kv_now_ns()) < loop.end_ns) {
        start_due(l, &loop, now_ns);
        result = l->transport->poll(l->end, wait_ns(&loop, kv_now_ns()));
    }
    while (result == 0 && l->in_progress > 0) /* each has a deadline, so this ends */
        result = l->transport->poll(l->end, -1);
    if (result != 0)
        fprintf(stderr, "kv load: %s\n", l->transport->why(result));
    return result;
}

static const char *const kind_name[] = { "get", "put", "multi-get" };

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void print_json(const struct load *l)
{
    static const char *const key[] = { "get", "put", "multi_get" };
    const struct counts *c = &l->counts;
    printf("{");
    for (int i = 0; i < KINDS; i++) {
        const struct latency *d = &c->latency[i];
        printf("\"%s\": {\"answered\": %" PRIu64, key[i], d->count);
        if (d->count > 0)
            printf(", \"p50_ms\": %.4f, \"p99_ms\": %.4f, \"p999_ms\": %.4f, \"max_ms\": %.4f",
                   ms(latency_percentile(d, 500)), ms(latency_percentile(d, 990)), ms(latency_percentile(d, 999)),
                   ms(d->max_ns));
        printf("},\n ");
    }
    printf("\"no_key\": %" PRIu64 ", \"full\": %" PRIu64 ", \"bad_request\": %" PRIu64 ", \"timed_out\": %" PRIu64
           ", \"failed\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"partial\": %" PRIu64 ", \"interrupted\": %s}\n",
           c->errors[KV_NO_KEY], c->errors[KV_FULL], c->errors[KV_BAD_REQUEST], c->timed_out, c->failed, c->wrong,
           c->partial, kv_signal() != 0 ? "true" : "false");
}

static void print(const struct load *l)
{
    const struct counts *c = &l->counts;
    printf("%-10s %9s %9s %9s %9s %9s\n", "ms", "answered", "p50", "p99", "p99.9", "max");
    for (int i = 0; i < KINDS; i++) {
        const struct latency *d = &c->latency[i];
        if (d->count > 0)
            printf("%-10s %9" PRIu64 " %9.3f %9.3f %9.3f %9.3f\n", kind_name[i], d->count,
                   ms(latency_percentile(d, 500)), ms(latency_percentile(d, 990)), ms(latency_percentile(d, 999)),
                   ms(d->max_ns));
    }
    printf("errors: %" PRIu64 " no such key, %" PRIu64 " store full, %" PRIu64 " timed out, %" PRIu64
           " failed, %" PRIu64 " wrong values; %" PRIu64 " multi-gets partial\n",
           c->errors[KV_NO_KEY], c->errors[KV_FULL] + c->errors[KV_BAD_REQUEST], c->timed_out, c->failed, c->wrong,
           c->partial);
}

static int conclude(const struct load *l, int result)
{
    const struct counts *c = &l->counts;
    const uint64_t answered = c->latency[GET].count + c->latency[PUT].count + c->latency[MULTI].count;
    if (l->args->json)
        print_json(l);
    else
        print(l);
    if (c->first_error != 0)
        fprintf(stderr, "kv load: %s: %s\n", c->first_server,
                c->first_error > 0 ? kv_error_text(c->first_error) : l->transport->why(c->first_error));
    if (kv_signal() != 0)
        return 128 + kv_signal();
    return c->wrong > 0 ? 1 : result != 0 || answered == 0 ? 3 : 0;
}

static int prepare(struct load *l)
{
    const size_t most = l->args->value_bytes > l->args->multi_bytes ? l->args->value_bytes : l->args->multi_bytes;
    int result = 0;
    l->transport = l->args->transport;
    l->random = l->args->seed;
    for (uint32_t i = 0; i < KV_CALLS_MAX; i++)
        l->ask[i].next_free = i + 1;
    l->pattern = malloc(most + PATTERN_PERIOD);
    if (l->pattern == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < most + PATTERN_PERIOD; i++)
        l->pattern[i] = (unsigned char)(i % PATTERN_PERIOD + i / PATTERN_PERIOD * 7);
    for (uint32_t i = 0; i < l->args->servers && result == 0; i++)
        result = l->transport->add_server(l->end, &l->args->server[i]);
    return result;
}

int kv_load(const struct kv_args *args)
{
    struct load *l = calloc(1, sizeof(*l));
    const struct kv_handler handler = { .context = l, .ended = ended };
    int status = 3, result;
    if (l == NULL) {
        fprintf(stderr, "kv load: there is no memory\n");
        return 3;
    }
    if (kv_open(args, &l->end, &handler) != 0) {
        free(l);
        return 2;
    }
    l->args = args;
    kv_catch_signals(args->transport, l->end);
    result = prepare(l);
    if (result != 0)
        fprintf(stderr, "kv load: %s\n", args->transport->why(result));
    else if (args->no_fill || fill(l) == 0)
        status = conclude(l, run(l));
    else if (kv_signal() != 0)
        status = 128 + kv_signal();
    args->transport->close(l->end);
    free(l->pattern);
    free(l);
    return status;
}
