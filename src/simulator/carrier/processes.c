/* src/simulator/carrier/processes.c - see processes.h. A message is its length and its number, then its bytes. Sockets
 * do not block: a rank sends what the other end takes and receives what has come, until both are complete, so no two
 * ranks wait for each other. */
#include "carrier/processes.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct head { /* of a message */
    uint64_t bytes, number;
};

struct peer {
    int fd;    /* -1 = this rank itself */
    pid_t pid; /* known to rank 0 alone */
    struct head sends, receives;
    size_t sent, received; /* bytes of the present message, its head included */
};

struct processes {
    struct weir_carrier carrier; /* first: a carrier is this struct */
    uint64_t number;             /* of messages exchanged */
    struct peer peer[WEIR_SIM_RANKS_MAX];
};

static struct processes *processes_of(struct weir_carrier *c)
{
    return (struct processes *)c;
}

/* Waits until rank 0 ends, or ends this process. What it sends till then is not read. */
static void wait_for_first(const struct processes *p)
{
    unsigned char unread[4096];
    struct pollfd first = { .fd = p->peer[0].fd, .events = POLLIN };
    ssize_t n;
    do {
        (void)poll(&first, 1, -1);
        n = recv(first.fd, unread, sizeof(unread), 0);
    } while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)));
}

/* Finds out how rank q has ended, or is about to. Rank 0 says it, and ends the others. They keep their sockets open
 * till then, or rank 0 might see first one that ended because of rank q. */
static int ended(struct processes *p, uint32_t q, struct weir_err *err)
{
    int status = 0;
    if (p->carrier.rank != 0 && q != 0)
        wait_for_first(p);
    if (p->peer[q].pid > 0) {
        while (waitpid(p->peer[q].pid, &status, 0) < 0 && errno == EINTR)
            ;
        p->peer[q].pid = 0;
    }
    if (WIFSIGNALED(status))
        return weir_fail(err, WEIR_E_RANK, NULL, "nothing of the run is kept; each rank needs its part of the memory",
                         "rank %u of %u was killed by signal %d", q, p->carrier.ranks, WTERMSIG(status));
    return weir_fail(err, WEIR_E_RANK, NULL, NULL, "rank %u of %u ended early, with status %d", q, p->carrier.ranks,
                     WEXITSTATUS(status));
}

/* Sends what the socket takes now. @return false = the other end is closed */
static bool send_some(struct peer *peer, const struct weir_buffer *out)
{
    size_t all = sizeof(peer->sends) + out->bytes;
    while (peer->sent < all) {
        bool is_head = peer->sent < sizeof(peer->sends);
        struct iovec part[2] = { { (char *)&peer->sends + peer->sent, sizeof(peer->sends) - peer->sent },
                                 { out->data, out->bytes } };
        struct msghdr message = { .msg_iov = part, .msg_iovlen = out->bytes > 0 ? 2 : 1 };
        if (!is_head) {
            part[0] = (struct iovec){ out->data + (peer->sent - sizeof(peer->sends)), all - peer->sent };
            message.msg_iovlen = 1;
        }
        ssize_t n = sendmsg(peer->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        peer->sent += (size_t)n;
    }
    return true;
}

/* Receives what has come. *broken: gets true if the other end is closed. @return false = no memory */
static bool receive_some(struct peer *peer, uint64_t number, struct weir_buffer *in, bool *broken)
{
    for (;;) {
        bool is_head = peer->received < sizeof(peer->receives);
        size_t had = is_head ? peer->received : peer->received - sizeof(peer->receives);
        size_t want = is_head ? sizeof(peer->receives) - had : peer->receives.bytes - had;
        ssize_t n;
        if (want == 0)
            return true;
        n = recv(peer->fd, (is_head ? (unsigned char *)&peer->receives : in->data) + had, want, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n <= 0) {
            *broken = true;
            return true;
        }
        peer->received += (size_t)n;
        if (peer->received != sizeof(peer->receives))
            continue;
        WEIR_ASSERT(peer->receives.number == number); /* all ranks exchange equally often */
        in->bytes = 0;
        if (peer->receives.bytes > 0 && weir_buffer_grow(in, peer->receives.bytes) == NULL)
            return false;
    }
}

static bool has_sent(const struct peer *peer, const struct weir_buffer *out)
{
    return peer->sent == sizeof(peer->sends) + out->bytes;
}

static bool has_received(const struct peer *peer)
{
    return peer->received >= sizeof(peer->receives) && peer->received == sizeof(peer->receives) + peer->receives.bytes;
}

/* Waits until a socket of a peer whose message is not complete can be used. */
static void wait_for_some(struct processes *p, const struct weir_buffer *out)
{
    struct pollfd fds[WEIR_SIM_RANKS_MAX];
    nfds_t n = 0;
    for (uint32_t q = 0; q < p->carrier.ranks; q++) {
        const struct peer *peer = &p->peer[q];
        short events = 0;
        if (q == p->carrier.rank)
            continue;
        if (!has_sent(peer, &out[q]))
            events |= POLLOUT;
        if (!has_received(peer))
            events |= POLLIN;
        if (events != 0)
            fds[n++] = (struct pollfd){ .fd = peer->fd, .events = events };
    }
    WEIR_ASSERT(n > 0);
    (void)poll(fds, n, -1);
}

static int exchange(struct weir_carrier *c, const struct weir_buffer *out, struct weir_buffer *in, struct weir_err *err)
{
    struct processes *p = processes_of(c);
    bool all;
    p->number++;
    for (uint32_t q = 0; q < c->ranks; q++) {
        struct peer *peer = &p->peer[q];
        peer->sent = peer->received = 0;
        peer->sends = (struct head){ out[q].bytes, p->number };
    }
    do {
        all = true;
        for (uint32_t q = 0; q < c->ranks; q++) {
            struct peer *peer = &p->peer[q];
            bool broken = false;
            if (q == c->rank)
                continue;
            broken = !send_some(peer, &out[q]);
            if (!broken && !receive_some(peer, p->number, &in[q], &broken))
                return weir_fail_memory(err);
            if (broken)
                return ended(p, q, err);
            all = all && has_sent(peer, &out[q]) && has_received(peer);
        }
        if (!all)
            wait_for_some(p, out);
    } while (!all);
    return 0;
}

/* Closes the sockets. Rank 0 waits for the others, which it ends first unless the run is whole. */
static void close_processes(struct weir_carrier *c, bool is_whole)
{
    struct processes *p = processes_of(c);
    for (uint32_t q = 0; q < c->ranks; q++) {
        if (p->peer[q].pid > 0 && !is_whole)
            (void)kill(p->peer[q].pid, SIGKILL);
        if (p->peer[q].fd >= 0)
            (void)close(p->peer[q].fd);
    }
    for (uint32_t q = 0; q < c->ranks; q++)
        while (p->peer[q].pid > 0 && waitpid(p->peer[q].pid, NULL, 0) < 0 && errno == EINTR)
            ;
    free(p);
}

/* Closes all sockets of pairs but those of rank `self`. pair: [low * ranks + high][2], where
 * end 0 is that of the lower rank */
static void keep_own(struct processes *p, const int (*pair)[2], uint32_t self)
{
    uint32_t ranks = p->carrier.ranks;
    p->carrier.rank = self;
    for (uint32_t low = 0; low < ranks; low++)
        for (uint32_t high = low + 1; high < ranks; high++) {
            const int *fd = pair[low * ranks + high];
            if (low == self)
                p->peer[high].fd = fd[0];
            else if (fd[0] >= 0)
                (void)close(fd[0]);
            if (high == self)
                p->peer[low].fd = fd[1];
            else if (fd[1] >= 0)
                (void)close(fd[1]);
        }
}

/* Makes a pair of sockets for each two ranks. @return false = the system gives no more */
static bool make_pairs(int (*pair)[2], uint32_t ranks)
{
    for (uint32_t i = 0; i < ranks * ranks; i++)
        pair[i][0] = pair[i][1] = -1;
    for (uint32_t low = 0; low < ranks; low++)
        for (uint32_t high = low + 1; high < ranks; high++)
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair[low * ranks + high]) != 0)
                return false;
    return true;
}

/* Makes this process, a child, one that ends with its parent. */
static void become_rank(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
}

int weir_processes_start(struct weir_carrier **out, uint32_t ranks, struct weir_err *err)
{
    struct processes *p = calloc(1, sizeof(*p));
    int(*pair)[2] = calloc((size_t)ranks * ranks, sizeof(*pair));
    pid_t self = getpid(), pid = 1;
    uint32_t rank = 0, made = 1;
    bool done;
    WEIR_ASSERT(ranks >= 2 && ranks <= WEIR_SIM_RANKS_MAX);
    if (p == NULL || pair == NULL) {
        free(p);
        free(pair);
        return weir_fail_memory(err);
    }
    p->carrier = (struct weir_carrier){ .ranks = ranks, .here = ranks, .exchange = exchange, .close = close_processes };
    for (uint32_t q = 0; q < WEIR_SIM_RANKS_MAX; q++)
        p->peer[q].fd = -1;
    done = make_pairs(pair, ranks);
    (void)fflush(NULL);
    for (; done && made < ranks; made += done) {
        pid = fork();
        if (pid == 0) {
            become_rank(self);
            rank = made;
            break;
        }
        done = pid > 0;
        p->peer[made].pid = pid > 0 ? pid : 0;
    }
    for (uint32_t q = 0; rank > 0 && q < ranks; q++)
        p->peer[q].pid = 0;
    keep_own(p, (const int(*)[2])pair, rank);
    free(pair);
    if (!done) {
        close_processes(&p->carrier, false);
        return weir_fail(err, WEIR_E_RANK, NULL, "try fewer --ranks", "the system gives no more than %u process%s",
                         made, made == 1 ? "" : "es");
    }
    *out = &p->carrier;
    return 0;
}
