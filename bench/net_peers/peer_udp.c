/* bench/net_peers/peer_udp.c - an echo over UDP: calls alone, one datagram each, one system call each. A call without an answer for
 * 100 ms is lost, and sent again. */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define LOST_NS UINT64_C(100000000)

static const struct peer_opts *o;
static int fd;
static uint64_t sent_ns[PEER_DEPTH_MAX];

static void udp_open(const struct peer_opts *opts)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(opts->port) };
    struct timeval nap = { .tv_usec = PEER_NAP_MS * 1000 };
    o = opts;
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || inet_pton(AF_INET, opts->address, &at.sin_addr) != 1)
        peer_fail("address");
    if (opts->role == PEER_SERVE && bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
        peer_fail("bind");
    if (opts->role != PEER_SERVE && connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
        peer_fail("connect");
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &nap, sizeof(nap));
}

static void udp_serve(void)
{
    unsigned char bytes[2048];
    struct sockaddr_in from;
    socklen_t length = sizeof(from);
    ssize_t n = recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &length);
    if (n != PEER_CALL_BYTES)
        return;
    (void)sendto(fd, bytes, PEER_CALL_BYTES, 0, (struct sockaddr *)&from, length);
    peer_moved(PEER_CALL_BYTES);
}

static void send_call(uint32_t slot)
{
    unsigned char bytes[PEER_CALL_BYTES];
    memcpy(bytes, peer_message(), sizeof(bytes));
    memcpy(bytes, &slot, sizeof(slot));
    sent_ns[slot] = peer_now_ns();
    (void)send(fd, bytes, sizeof(bytes), 0);
}

static void start_call(uint32_t slot)
{
    peer_call_begins(slot);
    send_call(slot);
}

static void udp_call(void)
{
    static bool begun;
    unsigned char bytes[PEER_CALL_BYTES];
    uint32_t slot;
    for (slot = 0; !begun && slot < o->depth; slot++)
        start_call(slot);
    begun = true;
    if (recv(fd, bytes, sizeof(bytes), 0) == PEER_CALL_BYTES) {
        memcpy(&slot, bytes, sizeof(slot));
        if (slot >= o->depth)
            return;
        peer_call_ends(slot);
        start_call(slot);
        return;
    }
    uint64_t now_ns = peer_now_ns();
    for (slot = 0; slot < o->depth; slot++) {
        if (now_ns - sent_ns[slot] < LOST_NS)
            continue;
        peer_lost(1);
        send_call(slot);
    }
}

static const char *udp_version(void)
{
    return "echo";
}

const struct peer_ops peer_ops = {
    .name = "udp", .open = udp_open, .serve = udp_serve, .call = udp_call, .version = udp_version
};
