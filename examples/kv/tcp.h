/* examples/kv/tcp.h - an end over the kernel's TCP, by epoll: its connections (tcp_conn.c), and its calls (net_tcp.c).
 *
 * A frame is a head of 16 bytes, and a request or a reply. In the head, little-endian: the bytes behind it (4), 1 for a
 * request or 2 for a reply (2), an error of the server (2), and the client's number of the call (8). */
#ifndef KV_TCP_H
#define KV_TCP_H
#include "kv.h"
#include <sys/types.h>

enum {
    FRAME_HEAD = 16,
    FRAME_MAX = KV_HEAD_MAX + KV_VALUE_MAX, /* bytes behind the head */
    BUFFER_BYTES = 65536, /* of a connection for what arrives; more only while a larger frame arrives */
    QUEUE_MAX = 64,       /* a client that has so many replies to read is not read from */
    READS_MAX = 4         /* reads of a connection in a row, so that it does not starve the others */
};
enum frame_kind { FRAME_REQUEST = 1, FRAME_REPLY };

struct frame_head {
    uint32_t bytes;
    enum frame_kind kind;
    int error;
    uint64_t number;
};

struct out { /* a frame to be sent */
    struct out *next;
    struct kv_value *value;
    size_t sent, head_bytes; /* head_bytes: with the request's head */
    unsigned char head[FRAME_HEAD + KV_HEAD_MAX];
};

struct conn {
    struct conn *next, *prev;
    int fd, server; /* server: number of the server; -1 = of a client */
    int why;        /* a negative errno: it has failed, and is closed at the end of the poll */
    bool connecting, dirty,
        held;         /* dirty: has frames to be sent; held: has some to be taken, after replies have left */
    uint32_t watched; /* events of epoll */
    uint32_t calls;   /* in progress */
    struct out *first, **last;
    uint32_t queued;
    unsigned char *in;
    size_t in_bytes, in_room;
    uint64_t read_ns; /* when something came last */
};

struct tcp_end;

/* Makes a connection of a socket that does not block. @return NULL: no memory */
struct conn *tcp_conn_new(struct tcp_end *t, int fd, int server, bool connecting);
/* Closes a connection, and frees it. */
void tcp_conn_free(struct tcp_end *t, struct conn *c);
/* Appends a frame to those to be sent. request_head: NULL = a reply. value: gets an owner; or NULL. @return 0 or -ENOMEM */
int tcp_conn_send(struct conn *c, const struct frame_head *head, const unsigned char *request_head, size_t head_bytes,
                  struct kv_value *value);
/* Sends what the socket takes, and takes frames that have waited for that. starved: or for memory. */
void tcp_conn_visit(struct tcp_end *t, struct conn *c, bool starved);
/* Reads what the socket has, and takes the frames that are complete. */
void tcp_conn_read(struct tcp_end *t, struct conn *c);
/* Lets epoll watch what the connection now waits for. */
void tcp_conn_watch(struct tcp_end *t, struct conn *c);

struct tcp_call { /* a call in progress; of a free record only next_free and reused are of use */
    struct tcp_call *newer, *older;
    struct conn *conn;
    uint64_t tag, deadline_ns;
    uint32_t next_free, reused;
};

struct tcp_end {
    const struct kv_handler *handler;
    struct kv_options options;
    int epoll_fd, listen_fd, wake_fd;   /* listen_fd: -1 = of a client */
    bool listening, finishing, starved; /* starved: a frame waits for memory */
    struct conn *conns;
    uint32_t conn_count;
    struct kv_budget rx; /* memory of frames that arrive, beyond the buffers of connections */
    struct sockaddr_storage server[KV_SERVERS_MAX];
    uint32_t servers;
    struct tcp_call *call, *oldest, *newest;
    uint32_t free_call;
    uint64_t swept_ns;
};

/* Handles a frame that has arrived. */
void tcp_take_frame(struct tcp_end *t, struct conn *c, const struct frame_head *head, const unsigned char *data);
#endif
