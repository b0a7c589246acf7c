/* examples/kv/serve.c - kv serve: answers requests until a signal comes, then completes what has begun. */
#include "kv.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#define FINISH_NS (2 * KV_NS_PER_S) /* how long it waits for clients to take their replies */

static const struct kv_transport *caught_transport;
static void *caught_end;
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    const int saved = errno;
    caught = number;
    caught_transport->wake(caught_end);
    errno = saved;
}

void kv_catch_signals(const struct kv_transport *transport, void *end)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    caught_transport = transport;
    caught_end = end;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

int kv_signal(void)
{
    return caught;
}

int kv_open(const struct kv_args *args, void **end, const struct kv_handler *handler)
{
    char why[KV_WHY_MAX];
    int result = args->transport->open(end, &args->end, handler, why);
    if (result != 0)
        fprintf(stderr, "kv: %s\n", why);
    return result;
}

static int called(void *context, const unsigned char *data, size_t bytes, struct kv_value **value)
{
    return kv_store_execute(context, data, bytes, value);
}

static int serve(const struct kv_args *args, void *end)
{
    const struct kv_transport *transport = args->transport;
    struct sockaddr_storage at;
    char text[64];
    int result = transport->address(end, &at);
    if (result == 0) {
        kv_address_write(&at, text);
        printf("serving on %s over %s\n", text, transport->name);
        (void)fflush(stdout); /* somebody may wait for the line */
        kv_catch_signals(transport, end);
    }
    while (result == 0 && kv_signal() == 0)
        result = transport->poll(end, -1);
    for (uint64_t until_ns = kv_now_ns() + FINISH_NS; result == 0 && transport->finish(end) && kv_now_ns() < until_ns;)
        result = transport->poll(end, (int64_t)KV_NS_PER_S / 20);
    if (result != 0)
        fprintf(stderr, "kv: %s\n", transport->why(result));
    return result == 0 ? 0 : 3;
}

static void print(const struct kv_counts *counts)
{
    printf("served %" PRIu64 " gets, %" PRIu64 " puts, %" PRIu64 " deletes; refused %" PRIu64 " without key, %" PRIu64
           " without room, %" PRIu64 " bad; %" PRIu64 " keys, %" PRIu64 " bytes\n",
           counts->done[KV_GET], counts->done[KV_PUT], counts->done[KV_DELETE], counts->errors[KV_NO_KEY],
           counts->errors[KV_FULL], counts->errors[KV_BAD_REQUEST], counts->keys, counts->used_bytes);
}

int kv_serve(const struct kv_args *args)
{
    struct kv_store *store = kv_store_new(args->memory_bytes);
    const struct kv_handler handler = { .context = store, .called = called };
    struct kv_counts counts;
    void *end;
    int status;
    if (store == NULL) {
        fprintf(stderr, "kv: there is no memory\n");
        return 3;
    }
    if (kv_open(args, &end, &handler) != 0) {
        kv_store_free(store);
        return 2;
    }
    status = serve(args, end);
    args->transport->close(end);
    counts = kv_store_counts(store);
    print(&counts);
    kv_store_free(store);
    return status;
}
