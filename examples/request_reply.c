/* examples/request_reply.c - two processes, on one host or on two:
 *
 *     request_reply serve :7000                  answers each request with itself in capitals
 *     request_reply ask 10.0.0.2:7000 hello      prints HELLO
 *
 * cc request_reply.c $(pkg-config --cflags --libs weir) */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "%s: %s %s\n", what, weir_strerror(result), weir_open_error());
    exit(1);
}

static void serve(struct weir_ep *ep)
{
    for (;;) {
        struct weir_event event;
        int count = weir_poll(ep, &event, 1, -1);
        if (count < 1)
            continue; /* a signal */
        if (event.type == WEIR_EV_CALL) {
            char text[1000];
            struct iovec reply = { text, event.len < sizeof(text) ? event.len : sizeof(text) };
            for (size_t i = 0; i < reply.iov_len; i++)
                text[i] = (char)toupper(((const unsigned char *)event.data)[i]);
            /* copied, because text is gone by the time the reply has arrived */
            weir_reply(ep, event.rpc, &reply, 1, 0,
                       &(struct weir_sendopt){ .size = sizeof(struct weir_sendopt), .flags = WEIR_COPY });
        }
        weir_release(ep, event.lease);
        weir_peer_put(ep, event.peer); /* its place is free for the next client when this one has gone */
    }
}

static void ask(struct weir_ep *ep, const char *address, const char *text)
{
    struct sockaddr_in to = { .sin_family = AF_INET };
    struct weir_sendopt within = { .size = sizeof(within), .deadline_ns = 1000000000 };
    struct iovec request = { (void *)text, strlen(text) };
    struct weir_event event = { 0 };
    struct weir_peer *peer;
    char host[64];
    if (sscanf(address, "%63[0-9.]:%hu", host, &to.sin_port) != 2 || inet_pton(AF_INET, host, &to.sin_addr) != 1)
        check(-22, address);
    to.sin_port = htons(to.sin_port);
    check(weir_peer_get(ep, (struct sockaddr *)&to, sizeof(to), &peer), address);
    check(weir_call(ep, peer, &request, 1, 0, &within), "call");
    while (event.type != WEIR_EV_REPLY)
        check(weir_poll(ep, &event, 1, -1), "poll");
    check(event.result, "no reply");
    printf("%.*s\n", (int)event.len, (const char *)event.data);
    weir_release(ep, event.lease);
}

int main(int argc, char **argv)
{
    struct weir_ep *ep;
    int asks = argc == 4 && strcmp(argv[1], "ask") == 0;
    if (!asks && (argc != 3 || strcmp(argv[1], "serve") != 0)) {
        fprintf(stderr, "usage: request_reply serve ADDRESS:PORT | request_reply ask ADDRESS:PORT TEXT\n");
        return 2;
    }
    check(weir_open(&ep, &(struct weir_opts){ .size = sizeof(struct weir_opts), .bind = asks ? NULL : argv[2] }),
          "open");
    if (!asks)
        serve(ep);
    ask(ep, argv[2], argv[3]);
    return weir_close(ep);
}
