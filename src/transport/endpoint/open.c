/* src/transport/endpoint/open.c - opens and closes an endpoint. */
#define _GNU_SOURCE
#include "endpoint/open.h"
#include "endpoint/agree.h"
#include "endpoint/enter.h"
#include "endpoint/memory.h"
#include "endpoint/op.h"
#include "endpoint/options.h"
#include "endpoint/parts.h"
#include "endpoint/post.h"
#include "endpoint/protocol.h"
#include "endpoint/rekey.h"
#include "endpoint/rx.h"
#include "endpoint/shake_tx.h"
#include "endpoint/tag.h"
#include "endpoint/timer.h"
#include "endpoint/tx.h"
#include "core/err.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* Packets may leave earlier than the pace of the link demands: by the transmission time of BURST_PKTS full packets or
 * by BURST_PS, whichever is more. This makes up for late calls of weir_poll(). */
#define BURST_PKTS 16u
/* least time by which packets may leave early */
#define BURST_PS (50 * WEIR_PS_PER_US)
/* quantum_ps is at most base RTT / 4: credit must cover the time for which packets are collected at both ends */
#define QUANTUM_OF_RTT 4u
/* quantum_ps is at most that of 44 packets: at 1500 bytes they are 64 KB, the most that the kernel sends as one
 * message */
#define QUANTUM_PKTS 44u

static _Thread_local char open_error[1200];

const char *weir_open_error(void)
{
    return open_error;
}

static int make_secrets(struct weir_ep *ep, uint64_t seed)
{
    ep->secret[0] = weir_mix_u64(seed);
    ep->secret[1] = weir_mix_u64(seed + 1);
    if (seed == 0 && getrandom(ep->secret, sizeof(ep->secret), 0) != (ssize_t)sizeof(ep->secret))
        return -EIO;
    ep_tag_init(ep);
    return 0;
}

_Static_assert(WEIR_NET_SIGNAL_BYTES + (1u << WEIR_NET_SLOT_SHIFT) == WEIR_WIRE_AREA_BYTES(1),
               "driver/net.h has areas");
_Static_assert(WEIR_NET_SLOTS_MASK == WEIR_WIRE_SLOTS_MAX, "driver/net.h has their slots");
_Static_assert((WEIR_WIRE_HELLO | WEIR_WIRE_OPEN | WEIR_WIRE_RESET | WEIR_WIRE_VERSIONS) % 2 == 0, "of strangers");
_Static_assert(WEIR_WIRE_COOKIE % 2 == 1 && WEIR_WIRE_READY % 2 == 1 && WEIR_WIRE_REFUSE % 2 == 1, "of peers");
_Static_assert(WEIR_WIRE_CHALLENGE % 2 == 1 && WEIR_WIRE_RESPONSE % 2 == 1, "of peers");
_Static_assert(WEIR_WIRE_PING % 2 == 1 && WEIR_WIRE_PONG % 2 == 1 && WEIR_WIRE_CLOSE % 2 == 1, "of peers, too");

_Static_assert(WEIR_WIRE_OPEN == WEIR_NET_OPEN && WEIR_NET_SHARD_MASK >> WEIR_NET_SHARD_SHIFT == WEIR_NET_SHARDS - 1,
               "driver/net.h has what names a shard");

/* Opens a second receive queue, for datagrams for which weir_net_is_stranger() holds, if the driver and the kernel
 * support it. Sets ep->guarded to whether that queue is open. @return 0, also if there is one queue for all datagrams;
 * -EMFILE, -ENFILE or -ENOMEM; any error, if the port is steered */
static int guard(struct weir_ep *ep)
{
    int code = ep_tag_filter(ep);
    ep->guarded = code == 0;
    return code == -EMFILE || code == -ENFILE || code == -ENOMEM || ep->net->steered ? code : 0;
}

static int make_descriptors(struct weir_ep *ep, struct weir_err *err)
{
    struct epoll_event readable = { .events = EPOLLIN };
    int error, code = guard(ep);
    ep->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (ep->wake_fd >= 0)
        ep->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (code == 0 && ep->epoll_fd >= 0 && epoll_ctl(ep->epoll_fd, EPOLL_CTL_ADD, ep->wake_fd, &readable) == 0 &&
        (ep->net->fd < 0 || epoll_ctl(ep->epoll_fd, EPOLL_CTL_ADD, ep->net->fd, &readable) == 0) &&
        (!ep->guarded || ep->net->stranger_fd < 0 ||
         epoll_ctl(ep->epoll_fd, EPOLL_CTL_ADD, ep->net->stranger_fd, &readable) == 0))
        return 0;
    error = code != 0 ? -code : errno;
    (void)weir_fail(
        err, WEIR_E_RUN, NULL,
        error == EMFILE
            ? "an endpoint takes five file descriptors; steered, with the xdp driver or spray_ports more: raise ulimit "
              "-n"
            : NULL,
        "cannot make what waits for packets: %s", strerror(error));
    return -error;
}

/* Allocates all tables at their largest size. The kernel gives them physical memory only where they are written. */
static int make_tables(struct weir_ep *ep)
{
    uint64_t blocks = ep->rx.limit / 4 / EP_MSGS_BYTES;
    blocks = blocks < 1 ? 1 : blocks > EP_MSG_BLOCKS ? EP_MSG_BLOCKS : blocks;
    ep->msg_most = (uint32_t)blocks << EP_MSGS_SHIFT;
    ep->timers.capacity = 2 * (2 * ep->opts.max_ops + ep->opts.max_peers);
    ep->ops = ep_calloc(ep, 2 * (size_t)ep->opts.max_ops, sizeof(*ep->ops)); /* and as many answers: ep_op_answer() */
    ep->peers = ep_calloc(ep, ep->opts.max_peers, sizeof(*ep->peers));
    ep->peer_table = ep_calloc(ep, EP_BUCKETS, sizeof(*ep->peer_table));
    if (ep->keys != NULL)
        ep->token_table = ep_calloc(ep, EP_BUCKETS, sizeof(*ep->token_table));
    ep->msg_table = ep_calloc(ep, EP_BUCKETS, sizeof(struct ep_msg *));
    ep->msg_block = ep_calloc(ep, blocks, sizeof(struct ep_msg *));
    ep->timers.entry = ep_calloc(ep, ep->timers.capacity, sizeof(*ep->timers.entry));
    ep->scratch_bytes = ep->mss + (ep->keys != NULL ? EP_TX_HEAD_BYTES + WEIR_TAG_BYTES : 0);
    ep->scratch = ep_calloc(ep, WEIR_NET_BATCH, ep->scratch_bytes);
    for (uint32_t i = 0; i < WEIR_NET_BATCH; i++)
        ep->tx_slot[i] = (uint8_t)i;
    ep->waits = ep_calloc(ep, EP_WAITS, sizeof(*ep->waits));
    if (ep->ops == NULL || ep->peers == NULL || ep->peer_table == NULL || ep->msg_table == NULL ||
        (ep->keys != NULL && ep->token_table == NULL) || ep->msg_block == NULL || ep->timers.entry == NULL ||
        ep->scratch == NULL || ep->waits == NULL)
        return -ENOMEM;
    return ep_posts_open(ep);
}

static int make_host(struct weir_ep *ep)
{
    struct weir_mem mem = { .grow = ep_host_grow, .ctx = ep };
    struct weir_host_sink sink = { .delivered = ep_rx_delivered,
                                   .finished = ep_op_finished,
                                   .retransmitted = ep_op_retransmitted,
                                   .ctx = ep,
                                   .dropped = ep_rx_dropped,
                                   .rx_bound = ep_rx_bound,
                                   .tx_bound = ep_op_bound_of };
    size_t bytes = weir_host_bytes(&ep->host_config);
    /* the host's records of messages grow with rx_bytes; its queued control packets, with operations and peers */
    ep->grown_most = (UINT64_C(16) << 20) + ep->opts.rx_bytes / 2 + (uint64_t)ep->opts.max_ops * 512 +
                     (uint64_t)ep->opts.max_peers * 1024;
    ep_host_reserve(ep);
    ep->stats.allocations++;
    ep->host_memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (ep->host_memory == NULL)
        return -ENOMEM;
    ep->host_config.seed = ep->secret[1];
    ep->host = weir_host_init(ep->host_memory, &ep->host_config, 0, &mem, &sink);
    ep->host_stats = weir_host_stats(ep->host);
    return 0;
}

static void set_pace(struct weir_ep *ep)
{
    uint64_t rate = ep->host_config.path.rate_bps, full_ps;
    WEIR_ASSERT(ep->mss >= EP_HEAD_BYTES); /* so a message's first packet has all of its header */
    ep->clock = weir_tx_clock_of(rate);
    ep->paced = !ep->host_config.adaptive;
    /* 2^14 * 2^23 fits */
    full_ps = (uint64_t)weir_framing_wire(&ep->host_config.framing, ep->mss) * ep->clock.ps_per_byte;
    ep->burst_ps = weir_max_u64(BURST_PS, BURST_PKTS * full_ps);
    ep->quantum_ps = weir_min_u64(QUANTUM_PKTS * full_ps, ep->host_config.path.base_rtt_ps / QUANTUM_OF_RTT);
    ep->quantum_ps = weir_min_u64(ep->quantum_ps, ep->burst_ps / 2);
    ep->batch = 1;
}

static void free_all(struct weir_ep *ep)
{
    for (uint32_t i = 0; ep->ops != NULL && i < ep->op_count; i++) {
        struct ep_op *op = &ep->ops[i];
        ep_pool_give(&ep->tx, op->own, op->own_room);
        if (op->kind == EP_RECV && op->msg == NULL && op->parts != NULL)
            ep_pool_give(&ep->rx, op->parts, op->parts->room);
    }
    for (uint32_t i = 0; i < ep->msg_count; i++) {
        struct ep_msg *m = &ep->msg_block[i >> EP_MSGS_SHIFT][i & ((1u << EP_MSGS_SHIFT) - 1)];
        if (m->flags & EP_MSG_PARTS)
            ep_pool_give(&ep->rx, m->parts, m->parts->room);
        else if (m->room > 0)
            ep_pool_give(&ep->rx, m->data, m->room);
    }
    for (uint32_t i = 0; i < ep->msg_count; i += 1u << EP_MSGS_SHIFT)
        ep_pool_give(&ep->rx, ep->msg_block[i >> EP_MSGS_SHIFT], ep_pool_block(&ep->rx, EP_MSGS_BYTES));
    ep_pool_close(&ep->rx);
    ep_pool_close(&ep->tx);
    ep_host_free(ep);
    for (uint32_t i = 0; i < ep->peer_count; i++) {
        ep_agree_forget(ep, &ep->peers[i]);
        free(ep->peers[i].other_law);
    }
    ep_keys_close(ep);
    free(ep->ops);
    free(ep->peers);
    free(ep->peer_table);
    free(ep->token_table);
    free(ep->msg_table);
    free(ep->msg_block);
    free(ep->timers.entry);
    free(ep->scratch);
    free(ep->waits);
    ep_posts_close(ep);
    free(ep->host_memory);
    free(ep->cc_config);
    if (ep->own_page != NULL)
        (void)munmap(ep->own_page, (size_t)sysconf(_SC_PAGESIZE));
    if (ep->wake_fd >= 0)
        (void)close(ep->wake_fd);
    if (ep->epoll_fd >= 0)
        (void)close(ep->epoll_fd);
    free(ep);
}

/* Makes the page by which a child is recognised. Without such pages, before Linux 4.14, none is. Then an endpoint has
 * no keys: parent and child would seal different packets under one counter. @return 0; -ENOMEM; -ENOTSUP with err */
static int make_own_page(struct weir_ep *ep, struct weir_err *err)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -ENOMEM;
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
        (void)munmap(page, size);
        if (ep->keys == NULL)
            return 0;
        (void)weir_fail(err, WEIR_E_RUN, NULL, "it takes Linux 4.14; else set opts.protection to none",
                        "opts.protection needs a kernel that recognises a child of fork(), and this one does not");
        return -ENOTSUP;
    }
    ep->own_page = page;
    *ep->own_page = 1;
    return 0;
}

/* Sets the size of the window of repeated packets: four times the packets that may be under way to us. */
static void set_window(struct weir_ep *ep)
{
    const struct weir_host_config *cfg = &ep->host_config;
    uint64_t bytes = 2 * cfg->path.bdp_bytes;
    if (cfg->adaptive)
        bytes = weir_max_u64(bytes, cfg->bdp_most_bytes);
    ep->replay_pkts = weir_replay_size(ep->stream ? cfg->params.window_pkts : bytes / ep->mss);
}

static int set_up(struct weir_ep *ep, uint64_t seed, struct weir_err *err)
{
    int code = ep_keys_open(ep, err);
    if (code == 0)
        code = ep_options_limits(ep, err);
    if (code == 0)
        code = make_own_page(ep, err);
    if (code == 0)
        code = ep_protocol_read(ep, err);
    if (code == 0)
        set_window(ep);
    if (code == 0)
        code = make_secrets(ep, seed);
    if (code == 0)
        code = make_tables(ep);
    if (code == 0)
        code = make_host(ep);
    if (code == 0)
        code = make_descriptors(ep, err);
    if (code == 0)
        set_pace(ep);
    return code;
}

int weir_ep_open_net(struct weir_ep **out, const struct weir_opts *opts, struct weir_net *net, uint64_t seed,
                     struct weir_err *err)
{
    struct weir_opts read;
    struct weir_ep *ep;
    int code;
    *out = NULL;
    *err = (struct weir_err){ 0 };
    code = ep_options_read(&read, opts, err);
    if (code < 0)
        return code;
    ep = calloc(1, sizeof(*ep));
    if (ep == NULL)
        return -ENOMEM;
    ep->net = net;
    ep->opts = read;
    ep->wake_fd = ep->epoll_fd = -1;
    ep->polls = 1;
    ep_pool_open(&ep->rx, read.rx_bytes);
    ep_pool_open(&ep->tx, read.tx_bytes);
    ep->due_ps = WEIR_NEVER;
    ep->peer_timeout_ps = read.peer_timeout_ns * WEIR_PS_PER_NS;
    ep->opened_ns = net->now_ns(net);
    ep->stats.allocations = 1;
    code = set_up(ep, seed, err);
    if (code < 0) {
        free_all(ep);
        return code;
    }
    ep->opts.bind = ep->opts.driver = ep->opts.device = ep->opts.cc = NULL; /* these strings belong to the caller */
    ep->opts.protection = ep->opts.key_file = ep->opts.path = NULL;
    *out = ep;
    return 0;
}

static const struct weir_net_driver *find_driver(const char *name, struct weir_err *err)
{
    static const struct weir_net_driver *const drivers[] = {
        &weir_net_udp,
#ifdef WEIR_HAVE_XDP
        &weir_net_xdp,
#endif
    };
    for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
        if (strcmp(drivers[i]->name, name) == 0)
            return drivers[i];
    }
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, "there are udp, and xdp if it was built in", "unknown driver '%.40s'",
                    name);
    return NULL;
}

static int open_driver(struct weir_net **net, const struct weir_opts *opts, struct weir_err *err)
{
    const struct weir_net_driver *driver = find_driver(opts->driver, err);
    struct weir_net_config cfg = { .device = opts->device,
                                   .mtu = opts->mtu,
                                   .rate_bps = opts->rate_bps,
                                   .ports = opts->spray_ports,
                                   .shared = (opts->flags & (WEIR_OPEN_SHARED | WEIR_OPEN_STEERED)) != 0,
                                   .steered = (opts->flags & WEIR_OPEN_STEERED) != 0 };
    if (driver == NULL)
        return -EINVAL;
    if (weir_net_addr_parse(opts->bind, &cfg.bind) < 0) {
        (void)weir_fail(err, WEIR_E_SYNTAX, NULL, "ADDRESS:PORT, [ADDRESS]:PORT or :PORT, in numbers",
                        "bind: '%.80s' is no address", opts->bind);
        return -EINVAL;
    }
    return driver->open(net, &cfg, err);
}

/* Keeps the sentence of a failure for weir_open_error(). */
static void keep_error(int code, const struct weir_err *err)
{
    WEIR_ASSERT(code < 0);
    (void)snprintf(open_error, sizeof(open_error), "%s%s%s", err->text[0] != '\0' ? err->text : weir_strerror(code),
                   err->hint[0] != '\0' ? "; " : "", err->hint);
}

int weir_open(struct weir_ep **ep, const struct weir_opts *opts)
{
    struct weir_err err = { 0 };
    struct weir_net *net = NULL;
    struct weir_opts read;
    int code, saved = errno;
    *ep = NULL;
    open_error[0] = '\0';
    code = ep_options_read(&read, opts, &err);
    if (code == 0)
        code = open_driver(&net, &read, &err);
    if (code == 0) {
        code = weir_ep_open_net(ep, &read, net, 0, &err);
        if (code < 0)
            net->driver->close(net);
    }
    if (code < 0)
        keep_error(code, &err);
    errno = saved;
    return code;
}

int weir_rekey(struct weir_ep *ep, const char *file)
{
    struct weir_err err = { 0 };
    struct weir_keys old;
    int code, saved = errno;
    EP_ENTER_OR_RETURN(ep, "weir_rekey");
    open_error[0] = '\0';
    ep_clock(ep);
    code = ep_keys_replace(ep, file, &old, &err);
    if (code == 0) {
        ep_rekey_all(ep, &old);
        weir_keys_wipe(&old);
    } else {
        keep_error(code, &err);
    }
    EP_LEAVE(ep);
    errno = saved;
    return code;
}

int weir_shutdown(struct weir_ep *ep)
{
    EP_ENTER_OR_RETURN(ep, "weir_shutdown");
    ep->shut = true;
    EP_LEAVE(ep);
    return 0;
}

static void end_connections(struct weir_ep *ep)
{
    ep_clock(ep);
    ep_tx_put_off_no_more(ep); /* sends DONE for messages that have arrived */
    for (uint32_t i = 0; i < ep->peer_count; i++) {
        if (ep->peers[i].state == EP_PEER_UP)
            ep_shake_close(ep, &ep->peers[i]);
    }
}

int weir_close(struct weir_ep *ep)
{
    struct weir_net *net;
    int saved = errno;
    if (ep == NULL)
        return 0;
    EP_ENTER(ep, "weir_close");
    net = ep->net;
    if (!ep_is_forked(ep)) /* a child leaves its parent's connections alone */
        end_connections(ep);
    free_all(ep);
    net->driver->close(net);
    errno = saved;
    return 0;
}
