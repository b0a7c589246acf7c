/* examples/service.c - what a service needs besides calls and replies: work in other threads, errors of its own, peers that
 * come and go, and counters. A client in a second thread asks for squares:
 *
 *     client: 7 squared is 49
 *     client: error 22: not a number
 *     client: gave up
 *     server: the client has gone, after 3 calls
 *
 * cc service.c $(pkg-config --cflags --libs weir) -pthread */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum { NOT_A_NUMBER = 22 }; /* errors of the application: 1 .. WEIR_APP_ERROR_MAX */

struct job { /* a call that a thread works on */
    struct weir_ep *ep;
    uint64_t rpc;
    char text[64];
    int error;
};

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "%s: %s %s\n", what, weir_strerror(result), weir_open_error());
    exit(1);
}

/* Computes in a thread of its own, and hands the job back to the endpoint's thread. */
static void *work(void *arg)
{
    struct job *job = arg;
    char *end;
    long number = strtol(job->text, &end, 10);
    job->error = end == job->text || *end != '\0' ? NOT_A_NUMBER : 0;
    snprintf(job->text, sizeof(job->text), job->error != 0 ? "not a number" : "%ld", number * number);
    check(weir_post(job->ep, 0, job), "post");
    return NULL;
}

static void begin(struct weir_ep *ep, const struct weir_event *call)
{
    struct job *job = calloc(1, sizeof(*job));
    pthread_t thread;
    if (job == NULL || call->len >= sizeof(job->text))
        exit(1);
    job->ep = ep;
    job->rpc = call->rpc;
    memcpy(job->text, call->data, call->len);
    if (strcmp(job->text, "wait") == 0)
        free(job); /* never answered: its caller gives up */
    else if (pthread_create(&thread, NULL, work, job) != 0 || pthread_detach(thread) != 0)
        exit(1);
}

static void finish(struct weir_ep *ep, struct job *job)
{
    const struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    const struct iovec text = { job->text, strlen(job->text) };
    if (job->error != 0)
        check(weir_reply_error(ep, job->rpc, (uint32_t)job->error, &text, 1, 0, &copy), "reply");
    else
        check(weir_reply(ep, job->rpc, &text, 1, 0, &copy), "reply");
    free(job);
}

/* Serves until the first peer has gone. */
static void serve(struct weir_ep *ep)
{
    struct weir_event event = { 0 };
    struct weir_peer_stats stats = { .size = sizeof(stats) };
    char *metrics;
    int length;
    while (event.type != WEIR_EV_PEER_DOWN) {
        check(weir_poll(ep, &event, 1, -1), "poll");
        if (event.type == WEIR_EV_CALL)
            begin(ep, &event);
        else if (event.type == WEIR_EV_POSTED)
            finish(ep, (struct job *)event.data);
        weir_release(ep, event.lease);
    }
    check(weir_peer_stats(ep, event.peer, &stats), "peer");
    printf("server: the client has gone, after %llu calls\n", (unsigned long long)stats.messages_received);
    length = weir_metrics_text(ep, NULL, 0); /* what GET /metrics would return */
    check(length, "metrics");
    metrics = malloc((size_t)length + 1);
    if (metrics == NULL || weir_metrics_text(ep, metrics, (size_t)length + 1) != length ||
        strstr(metrics, "\nweir_resets_total 1\n") == NULL)
        exit(1);
    free(metrics);
}

/* Makes a call and waits for its end; gives it up at once if the text is "wait". */
static void ask(struct weir_ep *ep, struct weir_peer *server, const char *text)
{
    const struct iovec request = { (void *)(uintptr_t)text, strlen(text) };
    struct weir_event event = { 0 };
    check(weir_call(ep, server, &request, 1, 0, NULL), "call");
    if (strcmp(text, "wait") == 0) {
        check(weir_poll(ep, NULL, 0, 0), "poll"); /* it leaves */
        check(weir_cancel_op(ep, weir_last_op(ep)), "cancel");
    }
    while (event.type != WEIR_EV_REPLY)
        check(weir_poll(ep, &event, 1, -1), "poll");
    if (event.result == 0)
        printf("client: %s squared is %.*s\n", text, (int)event.len, (const char *)event.data);
    else if (WEIR_APP_ERROR_OF(event.result) != 0)
        printf("client: error %d: %.*s\n", WEIR_APP_ERROR_OF(event.result), (int)event.len, (const char *)event.data);
    else if (event.result == -ECANCELED)
        printf("client: gave up\n");
    else
        check(event.result, "no reply");
    weir_release(ep, event.lease);
}

static void *client(void *arg)
{
    const struct sockaddr_storage *at = arg;
    struct weir_ep *ep;
    struct weir_peer *server;
    check(weir_open(&ep, &(struct weir_opts){ .size = sizeof(struct weir_opts), .bind = "127.0.0.1:0" }), "open");
    check(weir_peer_get(ep, (const struct sockaddr *)at, sizeof(*at), &server), "peer");
    ask(ep, server, "7");
    ask(ep, server, "seven");
    ask(ep, server, "wait");
    weir_close(ep);
    return NULL;
}

int main(void)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0", .flags = WEIR_OPEN_PEER_EVENTS };
    struct sockaddr_storage at;
    socklen_t len = sizeof(at);
    struct weir_ep *ep;
    pthread_t thread;
    check(weir_open(&ep, &opts), "open");
    check(weir_address(ep, (struct sockaddr *)&at, &len), "address");
    if (pthread_create(&thread, NULL, client, &at) != 0)
        return 1;
    serve(ep);
    pthread_join(thread, NULL);
    return weir_close(ep);
}
