/* weir/weir.h - low-latency messages between servers over plain UDP, with datacenter congestion control.
 *
 * An endpoint (struct weir_ep) is reached at one UDP port and belongs to one thread. Endpoints send each other messages
 * of 0 bytes to three quarters of the receiver's rx_bytes. Longer ones come into memory of weir_recv_into(), or part by
 * part: see weir_recv_parts(). Each message arrives exactly once, or an event reports to its sender
 * that it failed. A result of 0 means that the peer's transport has the message: what a peer's program does not take
 * before it ends is lost. Only the reply to a call, and a weir_send() with WEIR_RELEASED, report that it was taken. All
 * progress is made inside weir_poll(): there are no hidden threads, no signals, and no global state except the text of
 * weir_open_error(). errno is left alone.
 *
 * Results. Every function that returns an int returns 0 or more, or a negative errno value; weir_strerror() returns a
 * sentence for it. -EAGAIN from a function that submits an operation means that the operation was not accepted, and
 * that a WEIR_EV_WRITABLE will follow.
 *
 * Completions. Every accepted operation (weir_send, weir_call, weir_reply, weir_recv_into, weir_recv_parts) ends in
 * exactly one event with the caller's user_data and a result, also when the operation fails, is cancelled or passes its deadline. Only
 * weir_poll() reports the end of an operation, never the call that submits it. Events of one peer come in order of
 * completion; there is no order across peers. Messages between two endpoints may overtake each other: a short one does
 * not wait behind a long one.
 *
 * Memory. The library borrows the memory of an outgoing message until the operation's event, unless WEIR_COPY is set;
 * it copies the iovecs themselves. It lends the memory of an incoming message: event.data stays valid until
 * weir_release(event.lease). While all of rx_bytes is in use, an endpoint accepts no new message, except into memory of
 * weir_recv_into(). The senders keep their messages and try again. If a message finds no memory, the connections of
 * peers end that have been silent for a second and hold memory for messages that are not complete. Other peers that
 * hold such memory keep their share. With n of them it is 1 / (n + 1) of rx_bytes without its last eighth, or its last
 * 16 MiB if that is less. A peer that sends slower than 2 Mb/s, though it has credit, and holds more than its share
 * loses its largest message, but never a reply, and none while most of the memory in use is lent to the application.
 * The message ends at its sender with -ENOBUFS. Until no message has lacked memory for a second, a peer that holds some
 * begins no message above 64 KiB with which it would hold more than its share. Nor does a peer for 10 s after it was
 * too slow, if it holds none.
 *
 * Processes. An endpoint belongs to the process that opened it, and after fork() it goes on in the parent alone. In the
 * child, calls that submit, cancel or poll, and those that get or give back peers, return -ECHILD. weir_close() frees
 * memory and descriptors of the child, and ends no connection. (Before Linux 4.14 a child is not recognised: it must
 * not use the endpoint. With protection mac or aead weir_open() returns -ENOTSUP there.)
 *
 * struct weir_opts, weir_sendopt, weir_limits_info, weir_stats and weir_peer_stats begin with their size: set it to
 * sizeof. Set the other fields of weir_opts and weir_sendopt to 0 for the defaults. New fields are only ever added at
 * the end. */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_ABI_VERSION 1u /* of this header; weir_abi_version() returns the library's */

struct weir_ep;
/* another endpoint, by its address; valid until weir_close() or weir_peer_put() (see WEIR_OPEN_LEND_PEERS) */
struct weir_peer;

struct weir_opts {
    uint32_t size;
    uint32_t flags; /* enum weir_open_flag */
    /* "ADDRESS:PORT", "[ADDRESS]:PORT", ":PORT"; NULL = any address, a free port */
    const char *bind;
    const char *driver; /* "udp" (default) or "xdp" */
    /* Network device: xdp needs it; udp takes rate and MTU from it. NULL = the device that has the bind address */
    const char *device;
    /* The protocol and its keys as in a scenario: "sird B=120KB SThr=40KB", "sird preset=paper". NULL = "sird" */
    const char *cc;
    /* Rate of the endpoint's link in each direction; 0 = the rate that the device reports, else 10 Gb/s. With 0 SIRD
     * takes that as a first guess: it paces nothing, and finds the BDP by trial */
    uint64_t rate_bps;
    /* Round trip of the idle network; 0 = 100 us. Times the rate it is the BDP, from which the limits of credit
     * follow */
    uint64_t base_rtt_ns;
    /* Most memory for messages that arrive or are lent, 64 KiB or more; 0 = 256 MiB. The largest message is three
     * quarters of it. The transport's tables need more memory: up to 16 MiB, plus half of rx_bytes, plus about 1 KB per
     * operation (max_ops) and 1.5 KB per peer (max_peers) */
    uint64_t rx_bytes;
    uint64_t tx_bytes;  /* most memory for copies of payload (WEIR_COPY) and of more than two iovecs; 0 = 64 MiB */
    uint32_t max_ops;   /* most operations accepted and not yet reported; 0 = 65536; at most 2^24 */
    uint32_t max_peers; /* most peers; 0 = 4096; at most 65000 */
    /* Largest IP packet, 576 (IPv6: 1280) .. 9000, the same at both ends. 0 = 1500, or the device's MTU if that is
     * less; on the loopback device, the value that an endpoint bound to any address would use */
    uint32_t mtu;
    uint32_t spin_us; /* how long weir_poll() polls before it sleeps; 0 = 20 us, UINT32_MAX = it never sleeps */
    /* A peer that has to answer a packet and is silent this long counts as failed; 1 ms .. 1 day, 0 = 20 s. Replies to
     * calls are no such answers: see weir_call(). While only replies are missing, the peer is asked whether it is there:
     * each second, or each quarter of this time if that is less */
    uint64_t peer_timeout_ns;
    /* How packets are protected, the same at both ends: "none", "mac" (authenticated) or "aead" (encrypted, too).
     * NULL = "none", which protects against nobody who can read packets on their way. The others need key_file */
    const char *protection;
    /* File with pre-shared keys, as weir key new makes it; the first is used, all are accepted. Its mode must be
     * 0600 */
    const char *key_file;
    /* What all ports on the way to every peer do, hosts' ports included: "gate" = they hold credit back, which
     * ExpressPass needs. NULL = nothing. Nobody checks it: if it is not so, queues grow and packets are lost */
    const char *path;
    /* UDP ports from which packets of messages leave, at random: that of bind and those after it. Packets that leave
     * together share a port, up to eight on average. A network that chooses among equal paths by addresses and ports
     * spreads the packets of a message over them. 0 = 1; at most 64. -ENOTSUP: driver xdp, and protocols whose packets
     * have to take one path (dart, expresspass, fncc, hpcc). Not with WEIR_OPEN_SHARED, nor with WEIR_OPEN_STEERED */
    uint32_t spray_ports;
};

enum weir_open_flag {
    /* Several endpoints share the port (SO_REUSEPORT); each serves a part of the peers. When one opens or closes,
     * connections of the others may end, because the kernel then gives their packets to another endpoint:
     * WEIR_OPEN_STEERED prevents that */
    WEIR_OPEN_SHARED = 1,
    /* Weir's own checksum covers the payload, besides UDP's. Packets without that checksum are refused, so peers must
     * be opened with this flag, too; operations with other peers end with -ETIMEDOUT */
    WEIR_OPEN_CHECKED = 2,
    /* A peer's handle that came from an event is given back by the next weir_poll(), as by weir_peer_put(). To keep it,
     * call weir_peer_get() with its address. So a server can serve any number of addresses in its life. */
    WEIR_OPEN_LEND_PEERS = 4,
    /* WEIR_EV_PEER_UP and WEIR_EV_PEER_DOWN report connections that are made and that end. Without the flag there are no
     * such events */
    WEIR_OPEN_PEER_EVENTS = 8,
    /* As WEIR_OPEN_SHARED, with -EPERM or -ENOTSUP where that is not possible: each datagram comes to the endpoint that it
     * belongs to. So endpoints of the port may open, close and crash without harm to connections of the others. Needs
     * Linux 5.14, CAP_BPF, and a BPF file system at /sys/fs/bpf that the user may write to. At most 64 endpoints share a
     * port so. All endpoints of a port must be opened with the same of the two flags, else -EADDRINUSE */
    WEIR_OPEN_STEERED = 16,
};

/* Bits of weir_sendopt.flags. */
enum weir_flag {
    WEIR_COPY = 1, /* the library copies the payload: the caller may reuse its memory when the call returns */
    /* The event comes as soon as the caller may reuse its memory. With WEIR_COPY that is at once, with result 0, and no
     * event reports whether the message arrives. Without WEIR_COPY the flag has no effect. weir_call() ignores it. */
    WEIR_LOCAL = 2,
    /* weir_send() alone, without WEIR_LOCAL; else -EINVAL. The event with result 0 comes when the peer's application
     * has released the message: by weir_release(), or, if no memory was lent, when its weir_poll() returned the event.
     * If the peer ends or restarts before, the result is -ECONNRESET. Without a deadline a peer may take as long as
     * for a reply: see weir_call(). The answer is the library's: no application sees it. Until it leaves, the message
     * uses a little of the peer's rx_bytes. */
    WEIR_RELEASED = 4,
};

struct weir_sendopt {
    uint32_t size;
    uint32_t flags;       /* enum weir_flag */
    uint64_t deadline_ns; /* from the call on; when it has passed the operation ends with -ETIMEDOUT. 0 = no deadline */
    /* Weight of the message among those that share a link with it, in thousandths: 1 .. WEIR_WEIGHT_MILLI_MAX. 0 =
     * that of the peer. Soze gives rates in proportion to weights; other protocols ignore them */
    uint32_t weight_milli;
    /* How urgent the message is among those to its peer: 0 to 7, 0 is the most urgent. A sender-driven protocol sends
     * the most urgent ones first, and from 1 on it also is the class of their packets. So does SIRD, but its packets
     * have classes of their own. With Homa and NDP the receiver chooses the message, and they ignore it */
    uint8_t priority;
    uint8_t unused;    /* 0 */
    uint16_t reserved; /* 0 */
};

#define WEIR_WEIGHT_MILLI_MAX 1000000 /* largest weight, in thousandths: 1000 */

#define WEIR_POSTS_MAX 4096 /* most posts that wait to be returned by weir_poll() */

enum weir_event_type {
    WEIR_EV_NONE,
    WEIR_EV_MESSAGE, /* a one-way message: data, len, lease, peer */
    WEIR_EV_CALL,    /* a request, to be answered by weir_reply(rpc): data, len, lease, peer, rpc */
    /* a weir_send() ended; result 0 = the peer's transport has the whole message (see WEIR_LOCAL, WEIR_RELEASED) */
    WEIR_EV_SENT,
    WEIR_EV_REPLY, /* a weir_call() ended; result 0, or an error of the peer's application = data, len, lease are the reply */
    WEIR_EV_REPLIED, /* a weir_reply() ended; result 0 = the caller's transport has the whole reply (see WEIR_LOCAL) */
    /* A weir_recv_into() or weir_recv_parts() ended. With result 0, len is the length of the message, and data points
     * into the memory that was offered, or is NULL behind parts. lease is NULL. rpc is not 0 if the message is a
     * request */
    WEIR_EV_RECEIVED,
    WEIR_EV_WRITABLE, /* there is room again, after an -EAGAIN; user_data is 0 */
    /* A connection with peer was made, by either end; result is 0. Events of what comes by the connection are behind it.
     * With WEIR_OPEN_PEER_EVENTS alone */
    WEIR_EV_PEER_UP,
    /* The connection with peer ended; result has the reason, as of operations: -ECONNRESET (it closed, was restarted, or
     * was silent while it held memory that others needed), -ETIMEDOUT, -EPROTO, -EMSGSIZE. Events of operations that
     * ended by it are before this one. UP and DOWN of a peer take turns: where it was up and down again between two calls
     * of weir_poll(), one event of each may stand for several. Neither weir_close() nor a peer whose record was taken for
     * another (weir_peer_put()) has a DOWN. With WEIR_OPEN_PEER_EVENTS alone */
    WEIR_EV_PEER_DOWN,
    WEIR_EV_POSTED, /* weir_post() was called: user_data, data; len is 0, lease and peer are NULL */
    /* The next bytes of the message that a weir_recv_parts() takes: data, len, lease, peer, and the user_data of the
     * operation, which has not ended */
    WEIR_EV_PART,
};

struct weir_event {
    uint32_t type; /* enum weir_event_type */
    /* 0, or a negative errno: -ECANCELED, -ETIMEDOUT (the deadline passed, the peer was silent for peer_timeout_ns, or
     * one packet was sent again and again for so long and did not arrive), -ECONNRESET (the peer restarted or closed;
     * the message may have arrived), -ECONNREFUSED (nobody has the port), -EHOSTUNREACH (nobody answers at the
     * address), -EMSGSIZE (larger than the peer accepts; or its packets are larger than the path carries:
     * weir_peer_error()), -EPROTO (the peer uses another protocol, other keys of it, another MTU, another protection,
     * or another version of the packet format: weir_peer_error()), -ENOTSUP (no switch on the way writes the records
     * that the protocol needs), -ENOMEM (the transport's tables are full), -ENOBUFS (the message came too slowly, and
     * the peer needed the memory for others; or the peer's application cancelled its weir_recv_parts()), -ECONNABORTED
     * (the sender aborted a message of which parts were returned). Or of a call, below -WEIR_APP_ERROR: an error of the peer's application, see
     * weir_reply_error() */
    int32_t result;
    uint64_t user_data; /* of the operation; 0 in events that end no operation */
    uint64_t rpc;       /* number of the request, for weir_reply(); 0 = no reply is expected */
    /* the other endpoint; NULL in WEIR_EV_WRITABLE, and if an offer to any peer ended without a message */
    struct weir_peer *peer;
    const void *data;
    size_t len;
    void *lease; /* to be passed to weir_release(), once; NULL = no memory is lent */
};

/* Results of the library are above -WEIR_APP_ERROR. Those of weir_reply_error() are -(WEIR_APP_ERROR + error). */
#define WEIR_APP_ERROR 1024
#define WEIR_APP_ERROR_MAX 3071 /* the largest error of an application; the smallest is 1 */
/* Returns the application's error that the result of a call has; 0 = it has none. */
#define WEIR_APP_ERROR_OF(result) ((result) < -WEIR_APP_ERROR ? -(result)-WEIR_APP_ERROR : 0)

struct weir_limits_info {
    uint32_t size;
    uint32_t mtu, payload_bytes; /* largest IP packet; most payload of one packet */
    uint64_t message_bytes_max;  /* larger messages are refused with -EMSGSIZE; the peer's rx_bytes may allow less */
    uint64_t rate_bps, bdp_bytes;
};

struct weir_stats { /* counters since weir_open(); a * marks values at the time of the call */
    uint32_t size;
    uint32_t peers; /* * connected */
    /* * operations accepted whose event has not been made, and answers to WEIR_RELEASED that have not arrived */
    uint64_t ops_pending;
    uint64_t events_pending;               /* * events that weir_poll() has not returned yet */
    uint64_t rx_bytes_held, tx_bytes_held; /* * memory in use, of rx_bytes and of tx_bytes */
    uint64_t messages_sent, messages_received, bytes_sent, bytes_received; /* whole messages */
    uint64_t packets_sent, packets_received, retransmissions, duplicates, marked;
    /* dropped: malformed, with a token of no peer, or not acceptable, such as too large */
    uint64_t refused_packets;
    /* checksum_errors: packets dropped for a wrong checksum. no_memory: packets dropped because there was no memory for
     * their message. send_blocked: sends for which the kernel or the device had no room (such as ENOBUFS) */
    uint64_t checksum_errors, no_memory, send_blocked;
    /* handshakes: connections made. resets: connections that ended, for whatever reason. timeouts: times this endpoint,
     * as the receiver of a silent message, counted missing packets as lost */
    uint64_t handshakes, resets, timeouts;
    uint64_t credit_held_bytes;        /* * credit received from peers and not used yet */
    uint64_t credit_outstanding_bytes; /* * credit given to peers for data that has not arrived yet */
    uint64_t allocations;              /* memory allocations; constant after a warm-up */
    uint64_t syscalls;
    uint64_t messages_arriving; /* * messages of which a part has arrived */
    uint64_t unchecked_packets; /* of refused_packets: without the checksum that WEIR_OPEN_CHECKED demands */
    /* stranger_packets: of packets_received, those that came through the queue for HELLO, OPEN, RESET and packets
     * without this endpoint's tag (doc/wire.md); 0 without such a queue. When the queue is full, the kernel drops
     * further ones uncounted. unanswered_packets: packets that got no answer because answers are rationed */
    uint64_t stranger_packets, unanswered_packets;
    uint64_t send_syscalls; /* of syscalls: those that send packets */
    /* attempts of other endpoints to connect that failed because max_peers were in use (weir_peer_put()) */
    uint64_t peers_refused;
    uint64_t other_version_packets; /* of refused_packets: of another version of the packet format (doc/wire.md) */
    /* of duplicates: packets that this endpoint asked a sender to send again, although they had arrived or were under
     * way */
    uint64_t spurious_retransmissions;
    /* acknowledgements with a queueing delay that a switch raised, of protocols that read it (soze, aimd). 0 = their
     * signal is the round trip less the shortest one */
    uint64_t raised_delays;
    /* with protection mac or aead, of refused_packets. forged_packets: with a wrong tag, or handshakes of somebody who
     * has not our key. repeated_packets: that had come before. late_packets: too old to know that */
    uint64_t forged_packets, repeated_packets, late_packets;
};

/* Counters of a peer since its record was made, over all its connections; a * marks values at the time of the call. A
 * record is made for a new address, or when it is taken for another peer: see weir_peer_put() */
struct weir_peer_stats {
    uint32_t size;
    uint32_t connected;          /* * 1 = yes, 0 = no */
    uint64_t handshakes, resets; /* connections made, and connections that ended, for whatever reason */
    uint64_t ops_pending;        /* * operations with the peer whose event has not been made; no offers */
    uint64_t messages_arriving;  /* * messages of the peer of which a part has arrived */
    uint64_t rx_bytes_held;      /* * of rx_bytes, memory that these messages use */
    uint64_t messages_sent, messages_received, bytes_sent, bytes_received; /* whole messages */
    /* without those of handshakes and those that only ask whether the peer is there */
    uint64_t packets_sent, packets_received;
    uint64_t retransmissions, marked; /* of them: data sent again; data that arrived with an ECN mark */
    /* * time from the peer's last valid packet to the last weir_poll(); UINT64_MAX = there was no such packet */
    uint64_t silent_ns;
};

/* Opens an endpoint. opts: NULL = all defaults. @return 0; on failure *ep is NULL, weir_open_error() has a sentence,
 * and the result is -EINVAL, -EADDRINUSE, -EADDRNOTAVAIL, -EIO, -EMFILE, -ENFILE, -ENODEV, -ENOMEM, -EPERM, -ENOTSUP,
 * or another negative errno of the kernel */
int weir_open(struct weir_ep **ep, const struct weir_opts *opts);
/* Returns a sentence on why the last weir_open() or weir_rekey() of this thread failed; "" = it succeeded, or there was
 * none. */
const char *weir_open_error(void);
/* Reads a file of keys in place of those that an endpoint with protection mac or aead has. New connections use them from
 * now on. A connection goes on as it is if the file has its key, with the same number. Else it gets another secret under
 * a key that both ends have, and no message is lost by that; weir_peer_identity() then has the name of that key. If it
 * has none within 10 s, it ends with -EPROTO. @return 0; -EINVAL: there is a mistake in the file, or the endpoint has no
 * protection; -ENOMEM. Then nothing has changed, and weir_open_error() has a sentence */
int weir_rekey(struct weir_ep *ep, const char *file);
/* Accepts no new messages from now on, except from a peer that has to reply to a call or to release a message. Messages
 * and operations that have begun continue. For a clean end, cancel the offers of weir_recv_into() and
 * weir_recv_parts(), which would stay pending. Then call weir_poll() until ops_pending, messages_arriving and events_pending of weir_stats() are 0. @return
 * 0 */
int weir_shutdown(struct weir_ep *ep);
/* Closes the endpoint at once: resets its connections, ends pending operations without events, and takes back leases.
 * NULL is allowed. @return 0 */
int weir_close(struct weir_ep *ep);

/* Writes the endpoint's own address to *addr. *len: the room at addr; set to the length of the address. @return 0, or
 * -EINVAL: *len is too small, or a pointer is NULL */
int weir_address(const struct weir_ep *ep, struct sockaddr *addr, socklen_t *len);
/* Finds the peer at an address, or makes it; the first operation connects it.
 * An IPv6 address that has an IPv4 address in it (::ffff:10.0.0.1) is that IPv4 address.
 * @return 0; on failure *peer is NULL. -EINVAL: addr is no IPv4 or IPv6 address, is a wildcard address, has port 0, or
 * has another family than the endpoint's. -ENOSPC: max_peers are in use */
int weir_peer_get(struct weir_ep *ep, const struct sockaddr *addr, socklen_t len, struct weir_peer **peer);
/* Writes a peer's address to *addr. With protection mac or aead a connected peer may change it, and keeps its handle.
 * len and result are those of weir_address(). */
int weir_peer_address(const struct weir_peer *peer, struct sockaddr *addr, socklen_t *len);
/* Gives a peer's handle back, whether it came from weir_peer_get() or from events: the caller does not use it again.
 * When max_peers are in use, a new peer may take the record of a peer that was given back. That peer must have no
 * pending operation, no arriving message, no unanswered request, no message to be released for WEIR_RELEASED, and no
 * event to be returned. A later event that names
 * the peer, or weir_peer_get(), hands the peer out again. A server gives back the peers of its events once it has
 * handled all events of a weir_poll(), or opens with WEIR_OPEN_LEND_PEERS. Otherwise it can serve at most max_peers
 * addresses in its life. @return 0;
 * -EINVAL: the caller does not hold the handle */
int weir_peer_put(struct weir_ep *ep, struct weir_peer *peer);
/* Stores a pointer of the caller with a peer whose handle the caller holds. weir_peer_put() clears the pointer. */
void weir_peer_set_context(struct weir_peer *peer, void *context);
/* Returns the stored pointer; NULL = none was stored since the peer was made or given back. */
void *weir_peer_context(const struct weir_peer *peer);

/* Sets the weight of later messages to a peer whose handle the caller holds, where weir_sendopt has none. weight_milli:
 * in thousandths, up to WEIR_WEIGHT_MILLI_MAX; 0 = 1000. @return 0; -EINVAL: out of range, or the caller does not hold
 * the handle */
int weir_peer_set_weight(struct weir_ep *ep, struct weir_peer *peer, uint32_t weight_milli);

/* Returns a sentence on why a peer was refused, with what both ends have; or on what the network or this machine's
 * kernel reported last about packets to a peer since it was connected anew, with the numbers; "" = nothing. Valid until
 * the next call of this function for the endpoint. */
const char *weir_peer_error(const struct weir_peer *peer);

/* Returns the name of the key by which a peer is connected, as its file has it; "" = it is not connected, or without
 * protection. The peer is somebody who has that key. Valid until the next weir_poll(). */
const char *weir_peer_identity(const struct weir_peer *peer);

/* Sends a one-way message; ends in WEIR_EV_SENT. iov_count: 0 .. 1024. opt: NULL = the defaults.
 * @return 0; -EAGAIN: no room now; -EMSGSIZE: the message is larger than message_bytes_max, or with WEIR_COPY than
 * tx_bytes, or else a list of more than two iovecs is; -EINVAL: an argument is not valid; -ENOMEM */
int weir_send(struct weir_ep *ep, struct weir_peer *peer, const struct iovec *iov, int iov_count, uint64_t user_data,
              const struct weir_sendopt *opt);
/* Sends a request, which the peer receives at most once; ends in WEIR_EV_REPLY. deadline_ns covers request and reply;
 * without a deadline a peer may take any time to reply, if it calls weir_poll() within each peer_timeout_ns. Else the
 * call ends with -ETIMEDOUT. @return as weir_send() */
int weir_call(struct weir_ep *ep, struct weir_peer *peer, const struct iovec *iov, int iov_count, uint64_t user_data,
              const struct weir_sendopt *opt);
/* Answers a request (WEIR_EV_CALL, or WEIR_EV_RECEIVED with an rpc), once; ends in WEIR_EV_REPLIED. The request's
 * memory may be released before. Until it is answered, a request uses a little of rx_bytes. @return as weir_send():
 * after an error the request is still unanswered; or -ENOENT: there is no such request, it was answered already, or the
 * connection to its caller has ended */
int weir_reply(struct weir_ep *ep, uint64_t rpc, const struct iovec *iov, int iov_count, uint64_t user_data,
               const struct weir_sendopt *opt);
/* Answers a request as weir_reply() does, with an error of the application: the call ends with result -(WEIR_APP_ERROR +
 * error), which no failure of the transport has. The message may be empty; it reaches the caller as that of a reply does.
 * error: 1 .. WEIR_APP_ERROR_MAX. A caller with a release of libweir before this function gets the same result, and no
 * message. @return as weir_reply(); -EINVAL: error is out of range, too */
int weir_reply_error(struct weir_ep *ep, uint64_t rpc, uint32_t error, const struct iovec *iov, int iov_count,
                     uint64_t user_data, const struct weir_sendopt *opt);
/* Offers memory for the next one-way message or request of min_bytes .. len bytes from a peer (NULL = any peer); ends
 * in WEIR_EV_RECEIVED. Offers are used in the order in which they were made. Payload in offered memory uses nothing of
 * rx_bytes. If the sender of a message aborts it, the offer stays for the next message. @return 0, -EAGAIN or
 * -EINVAL */
int weir_recv_into(struct weir_ep *ep, struct weir_peer *peer, void *data, size_t min_bytes, size_t len,
                   uint64_t user_data);
/* Receives the next one-way message or request of min_bytes or more from a peer (NULL = any peer) part by part, as
 * soon as its bytes are there. The message may be larger than rx_bytes. Each WEIR_EV_PART has the bytes that follow
 * those of the last one. The operation ends behind the last part in WEIR_EV_RECEIVED. The sender may send window_bytes
 * beyond the parts that were released, the first one first: weir_release() lets it go on. An application may keep
 * parts for as long as it likes: nobody counts as silent or slow for that. window_bytes: 64 KiB to three quarters of
 * rx_bytes. The window and up to a half more for its administration are taken from rx_bytes by this call, until the
 * operation has ended and all parts are released. Offers of both kinds are used in the order in which they were made. A
 * message that had begun before the offer comes as a whole. If a message is longer than three quarters of rx_bytes and
 * finds no offer, it ends at its sender with -EMSGSIZE. If its sender aborts a message or its connection ends, the
 * operation ends with that reason, but stays for the next message as long as no part was there. @return 0; -EAGAIN;
 * -EINVAL; -ENOMEM: rx_bytes has no room for the window now, and no WEIR_EV_WRITABLE follows; -ENOTSUP: with this
 * protocol the receiver does not name the packets that are sent (sender-driven ones, expresspass) */
int weir_recv_parts(struct weir_ep *ep, struct weir_peer *peer, size_t min_bytes, size_t window_bytes,
                    uint64_t user_data);
/* Cancels all pending operations with this user_data. Each still ends in one event, with result -ECANCELED. A cancelled
 * message may have arrived already. An exception is an offer into which a message is arriving: it ends with result 0
 * when the message is complete, and with -ECANCELED only if the message fails. A weir_recv_parts() ends at once, and
 * the rest of its message is refused; but once all of the message has arrived, it ends behind its last part with result
 * 0. The call takes time in proportion to the
 * most operations that were ever pending: weir_cancel_op() does not. @return the number of operations cancelled, these
 * offers included; 0 or more */
int weir_cancel(struct weir_ep *ep, uint64_t user_data);
/* Returns the handle of the operation that the endpoint accepted last, by weir_send(), weir_call(), weir_reply(),
 * weir_recv_into() or weir_recv_parts(), for weir_cancel_op(); 0 = it has accepted none. No other operation has had it since 2^32 ones used
 * the same record. */
uint64_t weir_last_op(const struct weir_ep *ep);
/* Cancels one operation as weir_cancel() does. op: as weir_last_op() returned it. The time that it takes does not depend
 * on the number of operations. @return 0; -ENOENT: there is no such operation, or it has ended, though its event may not
 * have been returned yet */
int weir_cancel_op(struct weir_ep *ep, uint64_t op);

/* Sets the weight of all pending messages with this user_data, from now on. weight_milli: 1 .. WEIR_WEIGHT_MILLI_MAX.
 * @return the number of messages; -EINVAL: out of range */
int weir_set_weight(struct weir_ep *ep, uint64_t user_data, uint32_t weight_milli);

/**
 * Makes progress: receives and sends packets, runs timers, and returns events.
 * @param max  size of events[]; 0 = no events are returned, and the call does not wait
 * @param timeout_ns  how long to wait if there is no event: 0 = not at all, below 0 = without end
 * @return the number of events written, 0 .. max; -EINTR: a signal, or weir_wake(); -EIO: the network device is gone;
 * -EINVAL: max is below 0, or events is NULL though max is above 0
 */
int weir_poll(struct weir_ep *ep, struct weir_event *events, int max, int64_t timeout_ns);
/* Gives lent memory back. lease: that of an event, once; NULL is allowed. */
void weir_release(struct weir_ep *ep, void *lease);

/* Returns a descriptor for an event loop, which weir_close() closes: call weir_poll() when it is readable, and at
 * weir_deadline(). */
int weir_fd(const struct weir_ep *ep);
/* Returns the CLOCK_MONOTONIC time in nanoseconds at which weir_poll() must be called even if nothing arrives; 0 = at
 * once, UINT64_MAX = never. */
uint64_t weir_deadline(const struct weir_ep *ep);
/* Ends a weir_poll() that sleeps, or else the next one, with -EINTR unless there are events. Other threads and signal
 * handlers may call this function and weir_post(), and no other. @return 0, or -EAGAIN: so many calls are pending that
 * weir_poll() will not sleep anyway */
int weir_wake(struct weir_ep *ep);

/* Adds an event WEIR_EV_POSTED with user_data and data, from any thread or a signal handler, and ends a weir_poll() that
 * sleeps. Posts of one thread come in their order. What the thread wrote before is to be seen by the thread that takes
 * the event. data: handed over as it is; NULL is allowed. No thread may be in a call when the endpoint is closed.
 * @return 0; -EAGAIN: WEIR_POSTS_MAX posts wait, and no WEIR_EV_WRITABLE follows; -ECHILD */
int weir_post(struct weir_ep *ep, uint64_t user_data, const void *data);

/* Writes the endpoint's counters. The caller sets stats->size. @return 0, or -EINVAL: size is not set */
int weir_stats(const struct weir_ep *ep, struct weir_stats *stats);
/* Writes the counters of a peer whose handle the caller holds. The caller sets stats->size. The call takes time in
 * proportion to ops_pending. @return 0, or -EINVAL: size is not set, or the caller does not hold the handle */
int weir_peer_stats(const struct weir_ep *ep, const struct weir_peer *peer, struct weir_peer_stats *stats);
/* Writes all counters of weir_stats() as OpenMetrics 1.0 text, with a final "# EOF" line and a null byte, which does not
 * count. size: bytes at out, 0 or more; out may be NULL if it is 0. @return the length of the whole text, of which only
 * size - 1 bytes were written if it is not below size; -EINVAL: out is NULL, and size is not 0 */
int weir_metrics_text(const struct weir_ep *ep, char *out, size_t size);
/* Writes the limits of messages and packets. The caller sets limits->size. @return 0, or -EINVAL: size is not set */
int weir_limits(const struct weir_ep *ep, struct weir_limits_info *limits);
/* Returns a sentence for a result of any of these functions or of an event. */
const char *weir_strerror(int result);
/* Returns the WEIR_ABI_VERSION of the library that runs. */
uint32_t weir_abi_version(void);
/* Returns the library's version as text, such as "0.2.0". */
const char *weir_version(void);

#ifdef __cplusplus
}
#endif
#endif
