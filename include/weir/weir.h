/* weir/weir.h - low-latency messages between servers over plain UDP, with datacenter congestion control.
 *
 * An endpoint (struct weir_ep) is one UDP port and belongs to one thread. Messages of 0 bytes to three quarters of rx_bytes go from endpoint to
 * endpoint; each arrives exactly once, or its sender is told that it failed. Nothing happens behind the caller's back: all
 * progress is made inside weir_poll(), there are no hidden threads, no signals, no global state, and errno is left alone.
 *
 * Results. Every function returns 0 or more, or a negative errno value; weir_strerror() has its sentence.
 * -EAGAIN means that nothing was accepted, and promises a WEIR_EV_WRITABLE later.
 *
 * Completions. Every operation accepted (weir_send, weir_call, weir_reply, weir_recv_into) ends in exactly one event with the
 * caller's user_data and a result, also when it fails, is cancelled or runs out of time, and never from inside the call that
 * submitted it. Events of one peer come in order of completion; there is no order across peers. Messages between two
 * endpoints may overtake each other: a short one does not wait behind a long one.
 *
 * Memory. What is sent is borrowed until its event, unless WEIR_COPY is said; the iovecs themselves are copied. What is received is lent by
 * the library: event.data is good until weir_release(event.lease). A receiver whose rx_bytes are all used takes no new message until
 * some are released; its peers keep theirs and ask again.
 *
 * Structs begin with their size; set it to sizeof and the rest to 0 for the defaults. New fields are only ever added at the end. */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_ABI_VERSION 0u /* of this header; weir_abi_version() says the library's */

struct weir_ep;
struct weir_peer; /* another endpoint, by its address; lives as long as the endpoint, or until weir_peer_put() */

struct weir_opts {
    uint32_t size;
    uint32_t flags; /* enum weir_open_flag */
    /* "ADDRESS:PORT", "[ADDRESS]:PORT", ":PORT"; NULL = any address, a free port */
    const char *bind;
    const char *driver; /* "udp" (default) or "xdp" */
    /* Network device: xdp needs it; udp takes rate and MTU from it. NULL = of the bind address */
    const char *device;
    /* The protocol and its keys as in a scenario: "sird", "sird B=120KB SThr=40KB", "sird preset=paper". NULL = "sird" */
    const char *cc;
    uint64_t rate_bps;    /* of our link, both ways; 0 = what the device says, else 10 Gb/s */
    uint64_t base_rtt_ns; /* idle round trip; with the rate it makes the BDP that sizes credit; 0 = 100 us */
    /* Most memory for messages that arrive or are lent, 64 KiB ..; the largest message takes three quarters of it. The transport's
     * own tables come on top, at most 16 MiB, half as much again, and 1 KB per operation and peer. 0 = 256 MiB */
    uint64_t rx_bytes;
    uint64_t tx_bytes;  /* most memory for copies (WEIR_COPY); 0 = 64 MiB */
    uint32_t max_ops;   /* most operations accepted and not yet reported; 0 = 65536 */
    uint32_t max_peers; /* 0 = 4096; at most 65000 */
    /* Largest IP packet, 576 (IPv6: 1280) .. 9000, the same at both ends. 0 = 1500, or what the device says if that is less; at the
     * loopback device, what it is at any address */
    uint32_t mtu;
    uint32_t spin_us; /* weir_poll() looks this long before it sleeps; 0 = 20 us, UINT32_MAX = it never sleeps */
    /* A peer that owes us a word and is silent this long has failed; 1 ms .. 1 day, 0 = 20 s */
    uint64_t peer_timeout_ns;
};

enum weir_open_flag {
    WEIR_OPEN_SHARED = 1, /* several endpoints share the port (SO_REUSEPORT), each serves its part of the peers */
    /* Payload goes under Weir's own checksum too, not only under UDP's. Packets without it are refused: peers must be opened so, too;
     * operations with others end with -ETIMEDOUT */
    WEIR_OPEN_CHECKED = 2,
};

/* weir_sendopt.flags. LOCAL: the event comes when the memory is the caller's again, not when the message has arrived: with COPY at
 * once, whatever becomes of the message then. It means nothing for weir_call(). */
enum weir_flag {
    WEIR_COPY = 1, /* the library copies; the memory is the caller's again at once */
    WEIR_LOCAL = 2,
};

struct weir_sendopt {
    uint32_t size;
    uint32_t flags;       /* enum weir_flag */
    uint64_t deadline_ns; /* from now; 0 = none. Then the operation ends with -ETIMEDOUT */
};

enum weir_event_type {
    WEIR_EV_NONE,
    WEIR_EV_MESSAGE, /* a one-way message: data, len, lease, peer */
    WEIR_EV_CALL,    /* a request that wants weir_reply(rpc): data, len, lease, peer, rpc */
    WEIR_EV_SENT,    /* a weir_send() ended: result 0 = the peer's transport has it all */
    WEIR_EV_REPLY,   /* a weir_call() ended: result 0 = data, len, lease are the answer */
    WEIR_EV_REPLIED, /* a weir_reply() ended: result 0 = the caller's transport has it all */
    /* A weir_recv_into() ended: result 0 = data and len lie in the caller's memory, lease is NULL; rpc is not 0 if it wants a reply */
    WEIR_EV_RECEIVED,
    WEIR_EV_WRITABLE, /* after an -EAGAIN: there is room again */
};

struct weir_event {
    uint32_t type; /* enum weir_event_type */
    /* 0, or a negative errno: -ECANCELED, -ETIMEDOUT, -ECONNRESET (the peer restarted or closed: whether it arrived is not known),
     * -EHOSTUNREACH (nobody answers), -EMSGSIZE (more than the peer takes), -EPROTO (the peer uses another MTU), -ENOMEM (the
     * transport's tables are full) */
    int32_t result;
    uint64_t user_data; /* of the operation; 0 for what was not asked for */
    uint64_t rpc;       /* names a request; 0 = none */
    struct weir_peer *peer;
    const void *data;
    size_t len;
    void *lease; /* give it to weir_release(); NULL = nothing is lent */
};

struct weir_limits_info {
    uint32_t size;
    uint32_t mtu, payload_bytes; /* of the path; of one packet */
    uint64_t message_bytes_max;  /* larger ones are refused with -EMSGSIZE here; the peer's rx_bytes may be less */
    uint64_t rate_bps, bdp_bytes;
};

struct weir_stats { /* counters since weir_open(); those marked * are of this moment */
    uint32_t size;
    uint32_t peers;                        /* * connected */
    uint64_t ops_pending;                  /* * operations accepted whose event has not been made */
    uint64_t events_pending;               /* * made and not polled */
    uint64_t rx_bytes_held, tx_bytes_held; /* * memory in use, against the limits */
    uint64_t messages_sent, messages_received, bytes_sent, bytes_received; /* whole messages */
    uint64_t packets_sent, packets_received, retransmissions, duplicates, marked;
    uint64_t refused_packets;                          /* malformed, forged, of nobody known: dropped */
    uint64_t checksum_errors, no_memory, send_blocked; /* dropped for its checksum; for want of rx_bytes; ENOBUFS */
    uint64_t handshakes, resets, timeouts; /* connections made; ended; times a silent message was asked for again */
    uint64_t credit_held_bytes, credit_outstanding_bytes; /* * unused credit we hold; credit we gave and wait for */
    uint64_t allocations;                                 /* times the heap was asked; constant once warm */
    uint64_t syscalls;
    uint64_t messages_arriving; /* * begun and not whole */
    uint64_t unchecked_packets; /* of refused_packets: without the check that WEIR_OPEN_CHECKED demands */
    /* Of packets_received: from the queue of strangers, who are no peers yet; more may have found it full. Not answered, since too
     * many asked */
    uint64_t stranger_packets, unanswered_packets;
    uint64_t send_syscalls; /* of syscalls: those that sent packets */
};

/* Opens an endpoint. @return 0, or -EINVAL (weir_open_error() has the sentence), -EADDRINUSE, -EADDRNOTAVAIL, -EMFILE,
 * -ENODEV, -ENOMEM, -EPERM, -ENOTSUP; *ep is NULL then */
int weir_open(struct weir_ep **ep, const struct weir_opts *opts);
/* Why the last weir_open() of this thread failed, one sentence; "" = it did not. */
const char *weir_open_error(void);
/* Takes no new messages from peers any more; what has begun goes on. Poll until ops_pending, messages_arriving and events_pending are 0. */
int weir_shutdown(struct weir_ep *ep);
/* Ends at once: peers are told, operations under way get no event, leases end. NULL is allowed. */
int weir_close(struct weir_ep *ep);

/* The endpoint's own address. @return 0, or -EINVAL if *len is too small */
int weir_address(const struct weir_ep *ep, struct sockaddr *addr, socklen_t *len);
/* The peer at an address; made at the first call, connected at the first operation.
 * @return 0; -EINVAL: no address of a host's, no port, or not of the endpoint's family; -ENOSPC: max_peers */
int weir_peer_get(struct weir_ep *ep, const struct sockaddr *addr, socklen_t len, struct weir_peer **peer);
int weir_peer_address(const struct weir_peer *peer, struct sockaddr *addr, socklen_t *len);
/* The caller will not use this handle again, wherever it has it from: once nothing is going on with that peer, its place may become another's
 * when max_peers are taken. An event that weir_poll() brings after that and that names the peer, or weir_peer_get(), gives it anew. A server gives back what events bring,
 * those of one weir_poll() when it has done with them all, or it answers no more than max_peers addresses in its life. @return 0; -EINVAL: not the caller's */
int weir_peer_put(struct weir_ep *ep, struct weir_peer *peer);
/* A pointer of the caller's own, kept with the peer; NULL at first, and after weir_peer_put(). */
void weir_peer_set_context(struct weir_peer *peer, void *context);
void *weir_peer_context(const struct weir_peer *peer);

/* One-way message. opt may be NULL. @return 0, -EAGAIN, -EMSGSIZE, -EINVAL, -ENOMEM */
int weir_send(struct weir_ep *ep, struct weir_peer *peer, const struct iovec *iov, int iov_count, uint64_t user_data,
              const struct weir_sendopt *opt);
/* Request; ends with its reply, at most once executed. deadline_ns covers the whole exchange; without one a peer may think for ever. */
int weir_call(struct weir_ep *ep, struct weir_peer *peer, const struct iovec *iov, int iov_count, uint64_t user_data,
              const struct weir_sendopt *opt);
/* Answers a WEIR_EV_CALL (or a WEIR_EV_RECEIVED with an rpc), once; a request takes a little of rx_bytes until then. The request's own
 * memory may be released before. @return also -ENOENT: no such request, it was answered, or its caller is gone */
int weir_reply(struct weir_ep *ep, uint64_t rpc, const struct iovec *iov, int iov_count, uint64_t user_data,
               const struct weir_sendopt *opt);
/* Offers memory for the next one-way message or request of min_bytes .. len bytes from the peer (NULL = from anyone); offers are used
 * in order, and take nothing of rx_bytes. Ends in WEIR_EV_RECEIVED; if the sender gives up, the offer stands for the next message.
 * @return 0, -EAGAIN, -EINVAL */
int weir_recv_into(struct weir_ep *ep, struct weir_peer *peer, void *data, size_t min_bytes, size_t len,
                   uint64_t user_data);
/* Cancels operations with this user_data; each still ends in its one event, -ECANCELED unless it was done before. A message given
 * up may have arrived; an offer that a message has begun to fill ends with that message. @return how many were found, 0 .. */
int weir_cancel(struct weir_ep *ep, uint64_t user_data);

/**
 * Makes progress and takes events.
 * @param timeout_ns  how long to wait if there are none: 0 = not at all, -1 = without end
 * @return how many were written, 0 .. max; -EINTR (a signal, or weir_wake()); -EIO (the network device is gone)
 */
int weir_poll(struct weir_ep *ep, struct weir_event *events, int max, int64_t timeout_ns);
void weir_release(struct weir_ep *ep, void *lease);

/* For an event loop: poll when the descriptor is readable, or at weir_deadline(). */
int weir_fd(const struct weir_ep *ep);
/* CLOCK_MONOTONIC nanoseconds at which weir_poll() must be called though nothing arrives; 0 = at once, UINT64_MAX = never. */
uint64_t weir_deadline(const struct weir_ep *ep);
/* The one function that other threads and signal handlers may call: ends a sleeping weir_poll(). */
int weir_wake(struct weir_ep *ep);

int weir_stats(const struct weir_ep *ep, struct weir_stats *stats);         /* stats->size set by the caller */
int weir_limits(const struct weir_ep *ep, struct weir_limits_info *limits); /* likewise */
const char *weir_strerror(int result);
uint32_t weir_abi_version(void);
const char *weir_version(void);

#ifdef __cplusplus
}
#endif
#endif
