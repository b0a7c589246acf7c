/* src/commands/live/tcp.h - messages and calls over the kernel's TCP, behind the promises of weir/weir.h: what Weir is
 * compared with. Written as an application would write it: frames with a head of 16 bytes, no delay (TCP_NODELAY), one
 * writev per burst, epoll.
 *
 * The head: kind (1 byte), length of what follows (7 bytes, big-endian), and 8 bytes that name the message for the
 * answer. A one-way message is answered by a head alone (DONE), so that "sent" means the same as with Weir: the other
 * side has it all.
 *
 * tcp.c: the table and its operations; tcp_conn.c: connections and frames; tcp_poll.c: sockets that are ready. */
#ifndef WEIR_LIVE_TCP_H
#define WEIR_LIVE_TCP_H
#include "live/live.h"

#define WEIR_TCP_HEAD_BYTES 16u
#define WEIR_TCP_SCRATCH_BYTES 65536u
#define WEIR_TCP_CLASSES 31u /* of buffers: 2^0 .. 2^30 bytes */

enum weir_tcp_kind { WEIR_TCP_MESSAGE = 1, WEIR_TCP_CALL, WEIR_TCP_REPLY, WEIR_TCP_DONE };

struct weir_tcp_conn;

struct weir_tcp_out { /* a frame on its way to the kernel */
    struct weir_tcp_out *next;
    const unsigned char *data; /* the caller's */
    size_t length, sent;       /* head included */
    uint64_t user_data;        /* of a reply */
    unsigned char head[WEIR_TCP_HEAD_BYTES];
};

struct weir_tcp_op { /* a message or call that waits for its answer, or a call of a peer's that waits for ours */
    struct weir_tcp_conn *conn; /* NULL = free */
    uint64_t id;                /* op: on the wire, index and how often it was used; rpc: as the peer calls it */
    uint64_t user_data;
    uint32_t next_free, uses;
    uint8_t kind; /* enum weir_tcp_kind */
    bool silent;  /* cancelled: its event is out */
};

struct weir_tcp_ops {           /* a table of them */
    struct weir_tcp_op *row;    /* WEIR_LIVE_OPS_MAX */
    uint32_t used, free, count; /* rows ever used; first free row + 1, 0 = none; in use */
};

struct weir_tcp_peer {
    struct weir_tcp_peer *next;
    struct sockaddr_storage addr;
    socklen_t len;
    struct weir_tcp_conn *conn[]; /* NULL = not connected */
};

struct weir_tcp_conn {
    struct weir_tcp_conn *next, *prev;
    struct weir_tcp_peer *peer; /* NULL = it came to us */
    struct weir_tcp_out *out, *out_last;
    unsigned char *body; /* of the message that arrives; NULL = its head is not complete, or it has none */
    uint64_t body_bytes, body_have;
    uint64_t connecting_until_ns; /* 0 = connected */
    uint32_t pending;             /* operations that wait for an answer */
    uint32_t events;              /* what epoll was asked for */
    uint32_t head_have;
    int fd;
    int why;     /* negative errno: to be closed at the next poll; 0 = it works */
    bool halted; /* reads no new frame: the transport is shutting down */
    bool corked; /* frames wait for each other: what has come is being read */
    unsigned char head[WEIR_TCP_HEAD_BYTES];
};

struct weir_tcp_buffer { /* what is lent begins behind it */
    struct weir_tcp_buffer *next;
    uint32_t class_id;
};

struct weir_tcp {
    const struct weir_live_args *args;
    int epoll_fd, listen_fd; /* listen: -1 = none */
    struct weir_tcp_peer *peers;
    struct weir_tcp_conn *conns;
    struct weir_tcp_ops ops, rpcs;
    struct weir_tcp_out *free_out;
    struct weir_tcp_buffer *free_buffer[WEIR_TCP_CLASSES];
    struct weir_event *event; /* a ring of event_room, event_count from event_first on */
    uint32_t event_room, event_first, event_count;
    uint32_t connections;         /* to each peer */
    uint32_t connecting, outs;    /* connections not there yet; frames not with the kernel yet */
    bool shutting, blocked;       /* blocked: -EAGAIN was returned */
    bool failing;                 /* some connection is to be closed */
    bool no_memory;               /* an event was lost */
    struct sockaddr_storage bind; /* family 0 = not given */
    socklen_t bind_len;
    struct weir_stats stats;
    unsigned char scratch[WEIR_TCP_SCRATCH_BYTES];
};

/* --- tcp.c --- */
/* Takes a free operation; NULL = all are in use. */
struct weir_tcp_op *weir_tcp_op_take(struct weir_tcp_ops *ops);
void weir_tcp_op_free(struct weir_tcp_ops *ops, struct weir_tcp_op *op);
void weir_tcp_event(struct weir_tcp *t, const struct weir_event *event);

/* --- tcp_conn.c --- */
/* Makes a connection of a socket; peer NULL = it came to us. Returns 0 or a negative errno; then fd is closed. */
int weir_tcp_conn_new(struct weir_tcp *t, int fd, struct weir_tcp_peer *peer, struct weir_tcp_conn **out);
/* Finds the connection that the next message to a peer takes, made if need be. Returns 0 or a negative errno. */
int weir_tcp_conn_to(struct weir_tcp *t, struct weir_tcp_peer *peer, struct weir_tcp_conn **out);
/* Marks it to be closed; the first reason counts. */
void weir_tcp_conn_fail(struct weir_tcp *t, struct weir_tcp_conn *conn, int why);
/* Ends a connection; its operations end with result. */
void weir_tcp_conn_close(struct weir_tcp *t, struct weir_tcp_conn *conn, int result);
/* Puts a frame in line and writes what the kernel takes. @return 0, -ENOMEM */
int weir_tcp_conn_put(struct weir_tcp *t, struct weir_tcp_conn *conn, enum weir_tcp_kind kind, uint64_t id,
                      const struct iovec *data, uint64_t user_data);
void weir_tcp_conn_write(struct weir_tcp *t, struct weir_tcp_conn *conn);
/* Takes what has come, a bounded amount. */
void weir_tcp_conn_read(struct weir_tcp *t, struct weir_tcp_conn *conn);
/* Asks epoll for what the connection waits for. */
void weir_tcp_conn_watch(struct weir_tcp *t, struct weir_tcp_conn *conn);
void weir_tcp_buffer_free(struct weir_tcp *t, void *data);
/* Chooses the congestion control. @return 0 or a negative errno */
int weir_tcp_choose_cc(int fd, const char *name);

/* --- tcp_poll.c --- */
int weir_tcp_poll(void *self, struct weir_event *events, int max, int64_t timeout_ns);
#endif
