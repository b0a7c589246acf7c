/* examples/parts.c - one message that is larger than the memory for it: a child process sends it, and the parent takes it
 * part by part.
 *
 *     $ parts 1000 4
 *     1000 MiB came through a window of 4 MiB, all as they were sent; the receiver took 8 MiB of memory
 *
 * The arguments are the size of the message and of the window, in MiB. Each MiB of the message has its number in front
 * of each 4096 bytes, so the receiver sees that nothing is missing, repeated or out of place. */
#include <weir/weir.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define STEP 4096u

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "parts: %s: %s\n", what, weir_strerror(result));
    exit(1);
}

/* Sends a message of `steps` times STEP bytes, and ends the process. */
static void send_all(const struct sockaddr_in *to, size_t steps)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0" };
    struct weir_ep *ep;
    struct weir_peer *peer;
    struct weir_event event;
    unsigned char *data = calloc(steps, STEP);
    struct iovec iov = { data, steps * STEP };
    if (data == NULL)
        exit(1);
    for (uint32_t i = 0; i < steps; i++)
        memcpy(data + (size_t)i * STEP, &i, sizeof(i));
    check(weir_open(&ep, &opts), weir_open_error());
    check(weir_peer_get(ep, (const struct sockaddr *)to, sizeof(*to), &peer), "no peer");
    check(weir_send(ep, peer, &iov, 1, 1, NULL), "not sent");
    while (weir_poll(ep, &event, 1, -1) == 0)
        ;
    check(event.result, "not delivered");
    weir_close(ep);
    exit(0);
}

/* Compares the numbers in a part that begins at place `at` of the message. */
static int is_right(const unsigned char *data, size_t len, uint64_t at)
{
    for (size_t i = (STEP - at % STEP) % STEP; i + sizeof(uint32_t) <= len; i += STEP) {
        uint32_t number;
        memcpy(&number, data + i, sizeof(number));
        if (number != (uint32_t)((at + i) / STEP))
            return 0;
    }
    return 1;
}

/* Takes one message in parts. @return its length; *wrong: parts that are not what was sent */
static uint64_t receive_all(struct weir_ep *ep, size_t window, unsigned *wrong)
{
    uint64_t at = 0;
    *wrong = 0;
    check(weir_recv_parts(ep, NULL, 0, window, 7), "no window");
    for (;;) {
        struct weir_event event;
        int n = weir_poll(ep, &event, 1, 20 * INT64_C(1000000000));
        check(n, "poll");
        if (n == 0) {
            fprintf(stderr, "parts: nothing came for 20 s\n");
            exit(1);
        }
        if (event.type == WEIR_EV_RECEIVED) { /* the end, behind the last part */
            check(event.result, "not received");
            return event.len == at ? at : 0;
        }
        *wrong += !is_right(event.data, event.len, at);
        at += event.len;
        weir_release(ep, event.lease); /* the sender may send so much more */
    }
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 20, window = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0", .rx_bytes = 2 * window * MIB };
    struct sockaddr_in own;
    socklen_t len = sizeof(own);
    struct weir_ep *ep;
    struct rusage use;
    unsigned wrong;
    int status = 0;
    if (mib < 1 || mib > 4096 || window < 1 || window > 1024) {
        fprintf(stderr, "usage: parts [MIB [WINDOW_MIB]]: 1 to 4096, 1 to 1024\n");
        return 2;
    }
    check(weir_open(&ep, &opts), weir_open_error());
    check(weir_address(ep, (struct sockaddr *)&own, &len), "no address");
    pid_t child = fork();
    if (child == 0) {
        weir_close(ep); /* the parent's */
        send_all(&own, mib * MIB / STEP);
    }
    uint64_t came = receive_all(ep, window * MIB, &wrong);
    weir_shutdown(ep);
    for (int i = 0; i < 100 && waitpid(child, &status, WNOHANG) == 0; i++) { /* until the sender has heard of the end */
        struct weir_event event;
        check(weir_poll(ep, &event, 1, 100000000), "poll");
    }
    weir_close(ep);
    getrusage(RUSAGE_SELF, &use);
    if (came != mib * MIB || wrong != 0 || status != 0) {
        fprintf(stderr, "parts: %llu bytes came, %u parts were wrong\n", (unsigned long long)came, wrong);
        return 1;
    }
    printf("%zu MiB came through a window of %zu MiB, all as they were sent; the receiver took %ld MiB of memory\n",
           mib, window, use.ru_maxrss / 1024);
    return 0;
}
