/* src/commands/live/tcp.h - messages and calls over the kernel's TCP, with the contract of weir/weir.h, to compare Weir
 * with. Written as an application would do it: frames with a header of 16 bytes, TCP_NODELAY, one sendmsg() for many
 * frames, epoll.
 *
 * Header of a frame: kind (1 byte), length of the body (7 bytes, big-endian), and an id of 8 bytes that the answer
 * repeats. A one-way message is answered by a header alone (DONE). So "sent" means the same as with Weir: the other
 * side has the whole message.
 *
 * tcp.c has the ops table and its operations, tcp_conn.c connections and frames, tcp_poll.c the polling of sockets. */
#ifndef WEIR_LIVE_TCP_H
#define WEIR_LIVE_TCP_H
#include "live/live.h"

#define WEIR_TCP_HEAD_BYTES 16u
#define WEIR_TCP_SCRATCH_BYTES 65536u
#define WEIR_TCP_CLASSES 31u /* size classes of buffers: 2^0 .. 2^30 bytes */

enum weir_tcp_kind { WEIR_TCP_MESSAGE = 1, WEIR_TCP_CALL, WEIR_TCP_REPLY, WEIR_TCP_DONE };

struct weir_tcp_conn;

struct weir_tcp_out { /* a frame that the kernel has not taken completely */
    struct weir_tcp_out *next;
    const unsigned char *data; /* the body, in memory of the caller */
    size_t length, sent;       /* bytes of the frame, header included: in all, and taken by the kernel */
    uint64_t user_data;        /* of a reply, else unused */
    unsigned char head[WEIR_TCP_HEAD_BYTES];
};

/* An operation. In weir_tcp.ops: a message or call that waits for its answer. In weir_tcp.rpcs: a call of a peer that
 * waits for our reply. */
struct weir_tcp_op {
    struct weir_tcp_conn *conn; /* NULL = free */
    /* In ops: the id in the frame, made of the index (low half) and `uses` (high half). In rpcs: the id that the peer
     * sent. */
    uint64_t id;
    uint64_t user_data;
    uint32_t next_free, uses;
    uint8_t kind; /* enum weir_tcp_kind */
    bool silent;  /* cancelled: its event has been queued */
};

struct weir_tcp_ops {           /* a table of operations */
    struct weir_tcp_op *row;    /* WEIR_LIVE_OPS_MAX entries */
    uint32_t used, free, count; /* used: rows that were ever used; free: first free row + 1, 0 = none; count: rows in
                                   use */
};

struct weir_tcp_peer {
    struct weir_tcp_peer *next;
    struct sockaddr_storage addr;
    socklen_t len;
    struct weir_tcp_conn *conn[]; /* weir_tcp.connections entries; NULL = not connected */
};

struct weir_tcp_conn {
    struct weir_tcp_conn *next, *prev;
    struct weir_tcp_peer *peer; /* NULL = the other side opened the connection */
    struct weir_tcp_out *out, *out_last;
    unsigned char *body; /* body of the frame that arrives; NULL = its header is incomplete, or it has no body */
    uint64_t body_bytes, body_have;
    uint64_t connecting_until_ns; /* deadline of the connection set-up; 0 = connected */
    uint32_t pending;             /* operations of ours that wait for an answer */
    uint32_t events;              /* events that epoll watches */
    uint32_t head_have;
    int fd;
    int why;     /* negative errno = the connection failed, and the next poll closes it; 0 = it works */
    bool halted; /* no new frame is read: the transport is shutting down */
    bool corked; /* frames are collected, not written, while arrived data is processed */
    unsigned char head[WEIR_TCP_HEAD_BYTES];
};

struct weir_tcp_buffer { /* header of a buffer; the data follows it */
    struct weir_tcp_buffer *next;
    uint32_t class_id;
};

struct weir_tcp {
    const struct weir_live_args *args;
    int epoll_fd, listen_fd; /* listen_fd: -1 = none */
    struct weir_tcp_peer *peers;
    struct weir_tcp_conn *conns;
    struct weir_tcp_ops ops, rpcs;
    struct weir_tcp_out *free_out;
    struct weir_tcp_buffer *free_buffer[WEIR_TCP_CLASSES];
    struct weir_event *event; /* events not taken yet: a ring of event_room entries, event_count from index
                                 event_first on */
    uint32_t event_room, event_first, event_count;
    uint32_t connections;         /* most connections to each peer */
    uint32_t connecting, outs;    /* connections being set up; frames that the kernel has not taken completely */
    bool shutting, blocked;       /* blocked: -EAGAIN was returned, and WEIR_EV_WRITABLE must follow */
    bool failing;                 /* some connection has failed, and must be closed */
    bool no_memory;               /* an event was lost for lack of memory; the next poll fails */
    struct sockaddr_storage bind; /* family 0 = --bind was not given */
    socklen_t bind_len;
    struct weir_stats stats;
    unsigned char scratch[WEIR_TCP_SCRATCH_BYTES];
};

/* --- tcp.c --- */
/* Allocates an operation from a table; NULL = all are in use. */
struct weir_tcp_op *weir_tcp_op_take(struct weir_tcp_ops *ops);
void weir_tcp_op_free(struct weir_tcp_ops *ops, struct weir_tcp_op *op);
void weir_tcp_event(struct weir_tcp *t, const struct weir_event *event);

/* --- tcp_conn.c --- */
/* Creates the record of a connection for a socket. peer: NULL = the other side opened it. @return 0, or a negative
 * errno; then fd is closed */
int weir_tcp_conn_new(struct weir_tcp *t, int fd, struct weir_tcp_peer *peer, struct weir_tcp_conn **out);
/* Chooses the connection for the next message to a peer, and opens one if needed (see tcp_conn.c). @return 0 and *out,
 * or a negative errno */
int weir_tcp_conn_to(struct weir_tcp *t, struct weir_tcp_peer *peer, struct weir_tcp_conn **out);
/* Marks a connection as failed: the next poll closes it. why: a negative errno; the first one is kept */
void weir_tcp_conn_fail(struct weir_tcp *t, struct weir_tcp_conn *conn, int why);
/* Closes a connection and frees it. Its operations end with result, a negative errno. */
void weir_tcp_conn_close(struct weir_tcp *t, struct weir_tcp_conn *conn, int result);
/* Queues a frame, and writes it at once unless earlier frames wait, the connection is being set up, or it is corked.
 * data: the body, which must stay valid until close(). user_data: of a reply, else unused. @return 0 or -ENOMEM */
int weir_tcp_conn_put(struct weir_tcp *t, struct weir_tcp_conn *conn, enum weir_tcp_kind kind, uint64_t id,
                      const struct iovec *data, uint64_t user_data);
void weir_tcp_conn_write(struct weir_tcp *t, struct weir_tcp_conn *conn);
/* Reads and processes what has arrived, a bounded amount per call. */
void weir_tcp_conn_read(struct weir_tcp *t, struct weir_tcp_conn *conn);
/* Makes epoll watch the connection for the events that it needs: input unless halted, output while frames wait or the
 * set-up is not complete. */
void weir_tcp_conn_watch(struct weir_tcp *t, struct weir_tcp_conn *conn);
void weir_tcp_buffer_free(struct weir_tcp *t, void *data);
/* Sets the kernel's congestion control of a socket. name: NULL = the default. @return 0 or a negative errno */
int weir_tcp_choose_cc(int fd, const char *name);

/* --- tcp_poll.c --- */
int weir_tcp_poll(void *self, struct weir_event *events, int max, int64_t timeout_ns);
#endif
